//! `diff`: what changed in meaning between two versions of a graph.

use super::args::{Diff, Format, Left};
use super::files::{self, Disk};
use super::screen::Page;
use super::{Exit, screen};
use loopwright_core::app::ComparedGraph;
use loopwright_core::diag::{self, Diagnostic};
use loopwright_core::diff::{self, ChangeEffect};
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
    let pair = ComparedGraph::pair((&args.before, &args.after), &mut sources, &mut disk);
    let (one, other) = match pair {
        Ok(pair) => pair,
        Err(findings) => return refuse(&findings, &sources, args.format),
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
