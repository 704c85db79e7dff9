//! Loops that people write, and loops written to get past the proof: a file each, its verdict in the first line.
//!
//! `# refused`, or `# ends: BOUND` as `check` prints the bound of its transitions. What is accepted is run against an
//! adversary with every step interrupted, so that it may end the run anywhere.

use std::fmt::Write as _;
use std::path::Path;

use loopwright::check::check_file;
use loopwright::compile::compile_with_pause;
use loopwright::diag::{Severity, text};
use loopwright::model::Files;
use loopwright::program::Semantics;
use loopwright::source::Sources;
use rand::SeedableRng;
use rand::rngs::SmallRng;

use super::adversary::{Adversary, Went};

/// The number of runs of each loop that is accepted, with and without interrupts.
const RUNS: u64 = 60;
/// Inputs after which a run is stopped. A run of a loop that is accepted here never takes as many.
const MOST_INPUTS: usize = 2_000;
/// A bound that names the length of a list or an input holds for the values the file gives; they are small.
const SMALL: u64 = 60;

#[test]
fn verdicts_are_those_of_the_files_and_runs_stay_within_the_bounds() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/termination/loops");
    let mut names: Vec<_> = std::fs::read_dir(folder)
        .expect("the folder is there")
        .map(|entry| entry.expect("it can be read").path())
        .collect();
    names.sort();
    assert!(names.len() >= 70, "{}", names.len());
    let mut wrong = String::new();
    for path in &names {
        let loop_ = std::fs::read_to_string(path).expect("it can be read");
        let name = path.file_name().and_then(|name| name.to_str()).expect("a plain name");
        let (verdict, rest) = loop_.split_once('\n').expect("the first line is the verdict");
        let found = judged(name, rest);
        if found != verdict {
            let _ = writeln!(wrong, "{name}: wanted `{verdict}`, found `{found}`");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

fn judged(name: &str, graph: &str) -> String {
    let mut files = Files::new().with("g.yaml", graph);
    let mut sources = Sources::new();
    let checked = check_file(&mut sources, &mut files, "g.yaml");
    let Some(bound) = &checked.bound else {
        let said = text::render(&checked.findings, &sources, false);
        let mut errors = checked.findings.iter().filter(|finding| finding.severity == Severity::Error);
        let other = errors.any(|finding| finding.rule.slug() != "endless-loop");
        return if other { said } else { "# refused".to_owned() };
    };
    let model = checked.model.as_ref().expect("it has a bound");
    // An adversary that never answers keeps a run waiting.
    let mut ended = 0;
    for every in [None, Some(1)] {
        let program = compile_with_pause(model, None, every, Semantics::default());
        let program = program.unwrap_or_else(|faults| panic!("{name}: {:?}", faults[0]));
        for seed in 0..RUNS {
            let mut random = SmallRng::seed_from_u64(seed);
            let went = Adversary::new(&mut random, every.is_some()).run(&program, MOST_INPUTS);
            let (Went::Ended(deeds) | Went::Stopped(deeds)) = went;
            let most = bound.transitions.number.unwrap_or(SMALL);
            assert!(
                deeds.transitions <= most,
                "{name}: {} transitions, {}",
                deeds.transitions,
                bound.transitions
            );
            ended += usize::from(matches!(went, Went::Ended(_)));
        }
    }
    assert!(ended > 0, "{name}: no run ends");
    format!("# ends: {}", bound.transitions)
}
