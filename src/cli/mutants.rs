//! `test --mutants`: planted faults that no scenario notices.

use std::fmt::Write as _;
use std::num::NonZeroUsize;
use std::thread;

use super::args::{Test, TestFormat};
use super::files::{self, Disk, FileKind};
use super::screen::Page;
use super::{Exit, screen};
use loopwright_core::app::{JudgedMutants, explored_equivalence};
use loopwright_core::mutate::{Mutant, MutantVerdict, MutationScore, OriginalPlay, print};
use loopwright_core::scenario;
use loopwright_core::source::Sources;

pub(super) fn run(args: &Test) -> Exit {
    if args.format == TestFormat::Junit {
        return screen::refuse("mutants are no test cases: take `--format json`");
    }
    let mut disk = match Disk::new(&args.reach) {
        Ok(disk) => disk,
        Err(exit) => return exit,
    };
    let paths = match files::find(&args.paths, FileKind::Scenarios, &mut disk) {
        Ok(paths) => paths,
        Err(message) => return screen::refuse(&message),
    };
    let threads = thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    let judged = JudgedMutants::play(paths, &mut disk, threads, Some(&explored_equivalence));
    let printed = match args.format {
        TestFormat::Json => screen::print(&screen::json(&json(&judged))),
        _ => human(&judged, args.min_score),
    };
    printed.worse(verdict(&judged, args.min_score))
}

/// True for a graph whose scenarios notice too little.
fn is_low(score: &MutationScore, min_score: Option<u8>) -> bool {
    score.percent().zip(min_score).is_some_and(|(percent, minimum)| percent < minimum)
}

fn verdict(judged: &JudgedMutants, min_score: Option<u8>) -> Exit {
    let low = judged.graphs().any(|(_, _, score)| is_low(&score, min_score));
    judged.plays.iter().fold(if low { Exit::Findings } else { Exit::Ok }, |exit, play| {
        let fails = !play.failed.is_empty() || is_idle(play);
        exit.worse(Exit::of(&play.findings)).worse(if fails { Exit::Findings } else { Exit::Ok })
    })
}

/// True for a file that can be played and has nothing to play.
fn is_idle(play: &OriginalPlay) -> bool {
    play.findings.is_empty() && play.failed.is_empty() && play.passed == 0
}

fn human(judged: &JudgedMutants, min_score: Option<u8>) -> Exit {
    let sources = judged.sources();
    let mut page = Page::for_stdout();
    for play in &judged.plays {
        page = page.findings(&play.findings, sources);
        for report in &play.failed {
            page = page.text(&scenario::print::text(report, sources));
        }
        if is_idle(play) {
            page = page.text(&format!("{}: it has no scenarios\n", screen::line(&play.path)));
        }
    }
    let mut low = String::new();
    for (graph, verdicts, score) in judged.graphs() {
        let file = screen::line(sources.name(graph.file()));
        page = page.text(&format!("{file}  {}\n", print::counts(&score)));
        for (mutant, _) in
            graph.mutants.iter().zip(verdicts).filter(|(_, one)| **one == MutantVerdict::Survived)
        {
            page = page.text(&survivor(mutant, sources));
        }
        if is_low(&score, min_score) {
            let minimum = min_score.unwrap_or_default();
            let _ = writeln!(low, "{file}: the score is below {minimum} %");
        }
    }
    page.text(&low).put()
}

/// A survivor: its place, the fault in words, and the lines of the text before and after.
fn survivor(mutant: &Mutant, sources: &Sources) -> String {
    let place = scenario::print::place(mutant.span(), sources);
    let mut text = format!("  {}: {}\n", screen::line(&place), screen::line(&mutant.message()));
    let (before, after) = print::lines(mutant, sources);
    for (sign, lines) in [('-', before), ('+', after)] {
        for line in lines {
            let _ = writeln!(text, "    {sign} {}", screen::line(&line));
        }
    }
    text
}

fn json(judged: &JudgedMutants) -> serde_json::Value {
    let sources = judged.sources();
    let files: Vec<_> = judged
        .plays
        .iter()
        .map(|play| {
            let failed: Vec<_> =
                play.failed.iter().map(|report| scenario::print::json(report, sources)).collect();
            serde_json::json!({
                "file": play.path,
                "findings": loopwright_core::diag::json::render(&play.findings, sources),
                "passed": play.passed,
                "failed": failed,
            })
        })
        .collect();
    serde_json::json!({ "files": files, "graphs": judged.json() })
}
