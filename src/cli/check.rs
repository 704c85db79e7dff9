//! `check`: all findings at once.

use std::collections::HashSet;
use std::fmt::Write as _;

use serde_json::json;

use super::args::{Check, Format};
use super::declared::Configurations;
use super::files::{self, Disk, FileKind};
use super::screen::Page;
use super::trust;
use super::{Exit, screen, watch};
use crate::app::examine;
use crate::check::Bound;
use crate::diag::{self, Diagnostic, rule};
use crate::model::Graph;
use crate::source::Sources;

pub(super) fn run(args: &Check) -> Exit {
    if let Some(slug) = &args.explain {
        return explain(slug);
    }
    if args.watch {
        return watch::run(&args.paths, || once(args));
    }
    once(args).0
}

/// One round: what it ends with, and the files that were read.
fn once(args: &Check) -> (Exit, Vec<std::path::PathBuf>) {
    let mut disk = match Disk::new(&args.reach) {
        Ok(disk) => disk,
        Err(exit) => return (exit, Vec::new()),
    };
    let paths = match files::find(&args.paths, FileKind::Graph, &mut disk) {
        Ok(paths) => paths,
        Err(message) => return (screen::refuse(&message), disk.read),
    };
    let mut configurations = match trust::consent(&[]) {
        Ok(consent) => Configurations::new(consent),
        Err(exit) => return (exit, disk.read),
    };
    let mut sources = Sources::new();
    let mut findings = Vec::new();
    let mut shown = HashSet::new();
    let mut bounds = Vec::new();
    for path in &paths {
        let mut examined =
            examine(path, &mut sources, &mut disk, &mut |tool| configurations.of(path).get(tool).copied());
        if let (Some(bound), Some(model)) = (examined.bound, &examined.model) {
            let graph = model.root();
            examined.findings.extend(args.bound_max.and_then(|most| exceeded(graph, &bound, most)));
            examined.findings.extend(examined.long_loop);
            bounds.push((graph.path.clone(), bound));
        }
        for finding in examined.findings {
            // Files that several graphs use are judged with each of them and said once.
            if shown.insert(finding.clone()) {
                findings.push(finding);
            }
        }
    }
    let printed = match args.format {
        Format::Json => {
            let findings = diag::json::render(&findings, &sources);
            let shown =
                json!({"findings": findings, "bounds": bounds.iter().map(bound_json).collect::<Vec<_>>()});
            screen::print(&screen::json(&shown))
        }
        Format::Human => human(&findings, &sources, &paths, &bounds),
    };
    disk.read.extend(configurations.read());
    (printed.worse(Exit::of(&findings)), disk.read)
}

fn human(findings: &[Diagnostic], sources: &Sources, paths: &[String], bounds: &[(String, Bound)]) -> Exit {
    let mut text = String::new();
    for (file, bound) in bounds {
        text += &bound_text(file, bound);
    }
    let files = if paths.len() == 1 { "1 file".to_owned() } else { format!("{} files", paths.len()) };
    let summary = if findings.is_empty() { "no findings".to_owned() } else { diag::text::summary(findings) };
    Page::for_stdout().findings(findings, sources).text(&format!("{text}{files}: {summary}\n")).put()
}

/// The bound of a graph for people: the amounts, then what the numbers come from.
fn bound_text(file: &str, bound: &Bound) -> String {
    let amounts = bound.amounts();
    // What does not happen at all is not worth a word, unless nothing happens.
    let shown = amounts.iter().enumerate().filter(|(i, (_, amount))| *i == 0 || amount.number != Some(0));
    let (endless, counted): (Vec<_>, Vec<_>) =
        shown.map(|(_, part)| part).partition(|(_, amount)| amount.number == Some(u64::MAX));
    let counted: Vec<String> = counted
        .into_iter()
        .map(|(name, amount)| match amount.number {
            Some(1) => format!("1 {}", name.trim_end_matches('s')),
            _ => format!("{amount} {name}"),
        })
        .collect();
    let beyond: Vec<&str> = endless.into_iter().map(|part| part.0).collect();
    let file = screen::line(file);
    let mut text = match (counted.join(", "), beyond.join(", ")) {
        (counted, beyond) if beyond.is_empty() => format!("{file} ends after at most {counted}\n"),
        (counted, beyond) if counted.is_empty() => {
            format!("{file} ends, but may take too many {beyond} to count\n")
        }
        (counted, beyond) => {
            format!("{file} ends after at most {counted}, but may take too many {beyond} to count\n")
        }
    };
    for (name, amount) in amounts {
        if amount.number.is_some_and(|n| n < u64::MAX && n.to_string() != amount.formula) {
            let _ = writeln!(text, "  {name}: {}", screen::line(&amount.formula));
        }
    }
    text
}

fn bound_json((file, bound): &(String, Bound)) -> serde_json::Value {
    let mut value = json!({"file": file});
    for (name, amount) in bound.amounts() {
        value[name.replace(' ', "_")] = json!({"number": amount.number, "formula": amount.formula});
    }
    value
}

/// The finding about a graph whose runs may take more transitions than allowed.
fn exceeded(graph: &Graph, bound: &Bound, most: u64) -> Option<Diagnostic> {
    let transitions = &bound.transitions;
    let message = match transitions.number {
        Some(number) if number <= most => return None,
        Some(u64::MAX) => {
            format!("a run may make more transitions than can be counted, and so more than {most}")
        }
        Some(_) => format!("a run may make {transitions} transitions, more than {most}"),
        None => format!("how many transitions a run makes depends on its input: at most {transitions}"),
    };
    let fault = Diagnostic::error(rule::BOUND_EXCEEDED, graph.id.span, message);
    let hint = match transitions.number {
        Some(_) => "give budgets smaller limits, or allow more with `--bound-max`",
        None => "write limits as constants, and give each `each` a `limit`",
    };
    Some(fault.help(hint))
}

fn explain(slug: &str) -> Exit {
    if let Some(rule) = rule::named(slug) {
        return screen::print(rule.page());
    }
    let near = diag::nearest(slug, rule::ALL.iter().map(|r| r.slug()));
    let hint = match near {
        Some(near) => format!("; {}", diag::did_you_mean(&format!("`{near}`"))),
        None => String::new(),
    };
    screen::refuse(&format!("there is no rule `{slug}`{hint}"))
}
