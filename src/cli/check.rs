//! `check`: all findings at once.

use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;

use serde_json::json;

use super::args::{Check, Format};
use super::declared::Configurations;
use super::files::{self, Disk, FileKind};
use super::flows::FlowList;
use super::run::of_flags;
use super::screen::Page;
use super::trust;
use super::{Exit, screen, watch};
use loopwright_core::app::{Examined, examine, long_loop};
use loopwright_core::check::{Bound, Flows, GuardOverlap, IgnoredFinding, bound, overlaps};
use loopwright_core::diag::{self, Diagnostic, Severity, rule};
use loopwright_core::machine::beginning;
use loopwright_core::model::{Graph, Model};
use loopwright_core::program::Program;
use loopwright_core::source::Sources;

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
    if !args.input.is_empty() && paths.len() != 1 {
        let why = format!("--input gives the inputs of one graph, and these are {} files", paths.len());
        return (screen::refuse(&why), disk.read);
    }
    let mut round = Round {
        overlaps: args.overlaps.then(Vec::new),
        flows: args.flows.then(FlowList::default),
        ..Round::default()
    };
    for path in &paths {
        if let Err(exit) = round.graph(path, args, &mut disk, &mut configurations) {
            return (exit, disk.read);
        }
    }
    round.leave_to_callers();
    let printed = match args.format {
        Format::Json => screen::print(&screen::json(&round.json())),
        Format::Human => round.human(paths.len()),
    };
    disk.read.extend(configurations.read());
    let least = if args.strict { Severity::Warning } else { Severity::Error };
    (printed.worse(Exit::with(&round.findings.all, least)), disk.read)
}

/// Findings, each once: files that several graphs use are judged with each of them.
#[derive(Default)]
struct DistinctFindings {
    all: Vec<Diagnostic>,
    known: HashSet<Diagnostic>,
}

impl DistinctFindings {
    fn add(&mut self, findings: Vec<Diagnostic>) {
        for finding in findings {
            if self.known.insert(finding.clone()) {
                self.all.push(finding);
            }
        }
    }
}

/// All that was found in the graphs of one round.
#[derive(Default)]
struct Round {
    sources: Sources,
    findings: DistinctFindings,
    /// Findings that the graphs ignore, and the reasons.
    ignored: Vec<IgnoredFinding>,
    known_ignored: HashSet<Diagnostic>,
    /// Findings of rules that the configuration switched off.
    off: DistinctFindings,
    /// The bounds of graphs, by their files.
    bounds: Vec<(String, Bound)>,
    /// The graphs in which causes without an edge were found.
    unhandled: HashMap<Diagnostic, Vec<String>>,
    /// The graphs that others of this round call.
    called: HashSet<String>,
    /// Guards that hold at once, where they are asked for.
    overlaps: Option<Vec<GuardOverlap>>,
    /// The flows of each graph, where they are asked for.
    flows: Option<FlowList>,
}

impl Round {
    fn graph(
        &mut self,
        path: &str,
        args: &Check,
        disk: &mut Disk,
        configurations: &mut Configurations,
    ) -> Result<(), Exit> {
        let Examined { mut checked, program } =
            examine(path, &mut self.sources, disk, &mut |tool| configurations.of(path).get(tool).copied());
        if let (Some(model), Some(program)) = (&checked.model, &program)
            && !args.input.is_empty()
        {
            checked.bound = given(model, program, &args.input)?;
        }
        let mut found = Vec::new();
        if let (Some(bound), Some(model)) = (&checked.bound, &checked.model) {
            let graph = model.root();
            found.extend(args.bound_max.and_then(|most| exceeded(graph, bound, most)));
            found.extend(long_loop(model, bound));
            self.bounds.push((graph.path.clone(), bound.clone()));
        }
        checked.add(found);
        if let (Some(all), Some(model)) =
            (&mut self.overlaps, checked.model.as_ref().filter(|_| checked.is_sound()))
        {
            // Graphs that several others call are looked at with each of them.
            for overlap in overlaps(model, &self.sources) {
                if !all.contains(&overlap) {
                    all.push(overlap);
                }
            }
        }
        if let (Some(list), Some(model)) =
            (&mut self.flows, checked.model.as_ref().filter(|_| checked.is_sound()))
        {
            list.add(path, Flows::of(model).list());
        }
        let faults = configurations.judge_flows(path, &mut checked, &mut self.sources);
        self.findings.add(faults);
        let (severities, faults) = configurations.severities(path, &mut self.sources);
        self.off.add(severities.apply(&mut checked.findings));
        self.findings.add(faults);
        if let Some(model) = &checked.model {
            self.note_calls(model, &checked.findings);
        }
        self.findings.add(checked.findings);
        for ignored in checked.ignored {
            if self.known_ignored.insert(ignored.finding.clone()) {
                self.ignored.push(ignored);
            }
        }
        Ok(())
    }

    fn note_calls(&mut self, model: &Model, findings: &[Diagnostic]) {
        let root = &model.root().path;
        for finding in findings.iter().filter(|finding| finding.rule == rule::UNHANDLED) {
            self.unhandled.entry(finding.clone()).or_default().push(root.clone());
        }
        let called = model.graphs.iter().map(|graph| &graph.path).filter(|path| *path != root);
        self.called.extend(called.cloned());
    }

    /// Takes out the causes that leave a graph which others of the round call: those were judged with what they leave
    /// unanswered.
    fn leave_to_callers(&mut self) {
        let (unhandled, called) = (&self.unhandled, &self.called);
        let answered = |roots: &Vec<String>| roots.iter().all(|root| called.contains(root));
        self.findings.all.retain(|finding| !unhandled.get(finding).is_some_and(answered));
    }

    fn json(&self) -> serde_json::Value {
        let render = |findings: &[Diagnostic]| diag::json::render(findings, &self.sources);
        let ignored = self.ignored.iter().map(|ignored| {
            let mut value = render(std::slice::from_ref(&ignored.finding))[0].take();
            value["reason"] = ignored.reason.value.as_str().into();
            value
        });
        let mut value = json!({
            "findings": render(&self.findings.all),
            "bounds": self.bounds.iter().map(bound_json).collect::<Vec<_>>(),
            "ignored": ignored.collect::<Vec<_>>(),
            "off": render(&self.off.all),
        });
        if let Some(all) = &self.overlaps {
            value["overlaps"] = all.iter().map(|overlap| overlap_json(overlap, &self.sources)).collect();
        }
        if let Some(list) = &self.flows {
            value["flows"] = list.json(&self.sources);
        }
        value
    }

    fn human(&self, files: usize) -> Exit {
        let mut text = String::new();
        for (file, bound) in &self.bounds {
            text += &bound_text(file, bound);
        }
        for overlap in self.overlaps.iter().flatten() {
            text += &screen::line(&overlap_text(overlap, &self.sources));
            text.push('\n');
        }
        text += &self.flows.as_ref().map(|list| list.text(&self.sources)).unwrap_or_default();
        let files = if files == 1 { "1 file".to_owned() } else { format!("{files} files") };
        let findings = &self.findings.all;
        let mut summary =
            if findings.is_empty() { "no findings".to_owned() } else { diag::text::summary(findings) };
        for (count, what) in [(self.ignored.len(), "ignored"), (self.off.all.len(), "switched off")] {
            if count > 0 {
                let _ = write!(summary, ", {count} {what}");
            }
        }
        Page::for_stdout()
            .findings(findings, &self.sources)
            .text(&format!("{text}{files}: {summary}\n"))
            .put()
    }
}

/// The bound of runs with these inputs.
fn given(model: &Model, program: &Program, flags: &[String]) -> Result<Option<Bound>, Exit> {
    let input = of_flags(program, flags).map_err(|message| screen::refuse_lines(&message))?;
    let beginning = beginning(program, &input).map_err(|why| {
        screen::refuse(&screen::line(&format!("a run with these inputs does not begin: {why}")))
    })?;
    Ok(bound(model, &beginning))
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

/// Two guards that hold at once, on one line for people.
fn overlap_text(overlap: &GuardOverlap, sources: &Sources) -> String {
    let (file, (line, column)) = (sources.name(overlap.first.file), sources.line_col(overlap.first));
    let (second, _) = sources.line_col(overlap.second);
    let hold = if overlap.is_definite { "both hold" } else { "nothing excludes that both hold" };
    let state =
        if overlap.state.is_empty() { String::new() } else { format!(": {}", overlap.state.join(" and ")) };
    let node = &overlap.node;
    format!(
        "{file}:{line}:{column}: `{node}` takes this edge before the one in line {second} where {hold}{state}"
    )
}

fn overlap_json(overlap: &GuardOverlap, sources: &Sources) -> serde_json::Value {
    json!({
        "node": overlap.node.as_str(),
        "first": diag::json::place(overlap.first, sources),
        "second": diag::json::place(overlap.second, sources),
        "state": overlap.state,
        "definite": overlap.is_definite,
    })
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
        None => "write limits as constants, give each `each` a `limit`, or give the inputs with `--input`",
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
