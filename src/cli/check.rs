//! `check`: all findings at once.

use std::collections::HashSet;

use super::args::{Check, Format};
use super::files::{self, Disk, Kind};
use super::{Exit, screen, watch};
use crate::check::check_file;
use crate::diag::{self, Diagnostic, Severity};
use crate::program::compile;
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
    let mut disk = Disk::default();
    let paths = match files::find(&args.paths, Kind::Graph) {
        Ok(paths) => paths,
        Err(message) => return (screen::refuse(&message), disk.read),
    };
    let mut sources = Sources::new();
    let mut findings = Vec::new();
    let mut said = HashSet::new();
    for path in &paths {
        let mut checked = check_file(&mut sources, &mut disk, path);
        // What only shows when the graph is compiled is said here, and not first when it runs.
        if checked.is_sound()
            && let Some(model) = &checked.model
            && let Err(faults) = compile(model)
        {
            checked.findings.extend(faults.iter().map(Diagnostic::from));
        }
        for finding in checked.findings {
            // Files that several graphs use are judged with each of them and said once.
            if said.insert(finding.clone()) {
                findings.push(finding);
            }
        }
    }
    let printed = match args.format {
        Format::Json => screen::print(&format!("{:#}\n", diag::json::render(&findings, &sources))),
        Format::Human => human(&findings, &sources, &paths),
    };
    (printed.worse(verdict(&findings)), disk.read)
}

fn human(findings: &[Diagnostic], sources: &Sources, paths: &[String]) -> Exit {
    let text = diag::text::render(findings, sources, screen::stdout_is_terminal());
    let files = if paths.len() == 1 { "1 file".to_owned() } else { format!("{} files", paths.len()) };
    let summary = if findings.is_empty() { "no findings".to_owned() } else { diag::text::summary(findings) };
    screen::print(&format!("{text}{files}: {summary}\n"))
}

/// Errors and warnings are findings; notes are not.
pub(super) fn verdict(findings: &[Diagnostic]) -> Exit {
    let unreadable = findings.iter().any(|f| f.rule == "unreadable-file");
    match findings.iter().map(|f| f.severity).max() {
        _ if unreadable => Exit::Usage,
        Some(Severity::Error | Severity::Warning) => Exit::Findings,
        _ => Exit::Ok,
    }
}

fn explain(slug: &str) -> Exit {
    if let Some(rule) = diag::rule(slug) {
        return screen::print(rule.page);
    }
    let near = diag::nearest(slug, diag::RULES.iter().map(|r| r.slug));
    let hint = match near {
        Some(near) => format!("; {}", diag::did_you_mean(&format!("`{near}`"))),
        None => String::new(),
    };
    screen::refuse(&format!("there is no rule `{slug}`{hint}"))
}
