//! `diff`: what changed in meaning between two versions of a graph.

use super::args::{Diff, Format, Left};
use super::files::{self, Disk};
use super::screen::Page;
use super::{Exit, screen};
use loopwright_core::check::{Checked, check_file};
use loopwright_core::compile::compile;
use loopwright_core::diag::{self, Diagnostic, Severity};
use loopwright_core::diff::{self, ChangeEffect, Version};
use loopwright_core::program::Program;
use loopwright_core::source::Sources;

pub(super) fn run(args: &Diff) -> Exit {
    if args.before == files::STDIN && args.after == files::STDIN {
        return screen::refuse("only one of the two can be standard input");
    }
    let mut sources = Sources::new();
    let mut disk = match Disk::new(&args.reach) {
        Ok(disk) => disk,
        Err(exit) => return exit,
    };
    let one = read(&args.before, &mut sources, &mut disk);
    let other = read(&args.after, &mut sources, &mut disk);
    let (Ok(one), Ok(other)) = (&one, &other) else {
        let mut findings: Vec<Diagnostic> = Vec::new();
        for finding in [one.err(), other.err()].into_iter().flatten().flatten() {
            // A file that both versions are made of is reported once.
            if !findings.contains(&finding) {
                findings.push(finding);
            }
        }
        return refuse(&findings, &sources, args.format);
    };
    let mut found = diff::diff(&one.version(), &other.version());
    let hidden = |effect: ChangeEffect| match effect {
        ChangeEffect::Run => false,
        ChangeEffect::Order => args.hide.contains(&Left::Order),
        ChangeEffect::Shown => args.hide.contains(&Left::Shown),
    };
    found.changes.retain(|change| !hidden(change.effect()));
    let printed = match args.format {
        Format::Json => screen::print(&screen::json(&diff::json::render(&found, &sources))),
        Format::Human => Page::for_stdout().diff(&found, &sources).put(),
    };
    printed.worse(if found.changes.is_empty() { Exit::Ok } else { Exit::Findings })
}

/// One version, sound and compiled.
struct Read {
    checked: Checked,
    program: Program,
}

impl Read {
    fn version(&self) -> Version<'_> {
        let model = self.checked.model.as_ref().expect("only what has a model was compiled");
        Version {
            model,
            program: &self.program,
            trees: &self.checked.trees,
            bound: self.checked.bound.as_ref(),
        }
    }
}

/// Reads and compiles one version, or gives what keeps it from being compared.
fn read(path: &str, sources: &mut Sources, disk: &mut Disk) -> Result<Read, Vec<Diagnostic>> {
    let mut checked = check_file(sources, disk, path);
    match checked.model.as_ref().filter(|_| checked.is_sound()).map(compile) {
        Some(Ok(program)) => Ok(Read { checked, program }),
        Some(Err(faults)) => Err(faults.iter().map(Diagnostic::from).collect()),
        None => {
            let mut findings = std::mem::take(&mut checked.findings);
            if findings.iter().any(|finding| finding.severity == Severity::Error) {
                findings.retain(|finding| finding.severity == Severity::Error);
            }
            Err(findings)
        }
    }
}

/// Prints what `check` says of versions that cannot be compared.
fn refuse(findings: &[Diagnostic], sources: &Sources, format: Format) -> Exit {
    let printed = match format {
        Format::Json => screen::print(&screen::json(&diag::json::render(findings, sources))),
        Format::Human => {
            let refusal = format!("not compared: {}\n", diag::text::summary(findings));
            Page::for_stdout().findings(findings, sources).text(&refusal).put()
        }
    };
    printed.worse(Exit::Usage)
}
