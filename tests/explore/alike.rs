//! Answers that a step cannot tell apart: the search that takes one of each kind finds what the search finds that takes them all.

use loopwright::compile::compile;
use loopwright::explore::{
    AnswerExamples, SearchLimits, StateDigest, StateSearch, StateSpace, WorldSettings, print,
};
use loopwright::source::Sources;

use super::shipped::{ShippedCase, cases, settings};
use super::tiny::fixtures;
use crate::flows::checked;

/// All that a search finds.
#[derive(Debug, PartialEq)]
struct Found {
    digests: Vec<StateDigest>,
    transitions: u64,
    is_cut: bool,
    report: String,
}

fn found(space: &StateSpace<'_>, sources: &Sources, most: usize, each: bool) -> Found {
    let limits = SearchLimits { depth: None, max_states: most };
    let search = StateSearch::new(space, limits);
    let mut search = if each { search.taking_each() } else { search };
    search.run();
    let report = search.report("graph.yaml");
    Found {
        digests: search.digests(),
        transitions: search.transitions(),
        is_cut: search.is_cut(),
        report: print::text(&report, sources),
    }
}

fn compare(
    path: &std::path::Path,
    settings_of: impl Fn(&loopwright::program::Program) -> WorldSettings,
    most: usize,
) {
    let mut sources = Sources::new();
    let model = checked(path, &mut sources).model.expect("a model");
    let program = compile(&model).expect("a program");
    let space = StateSpace::new(&model, &program, &settings_of(&program));
    let (quick, slow) = (found(&space, &sources, most, false), found(&space, &sources, most, true));
    assert_eq!(quick, slow, "{}", path.display());
}

#[test]
fn the_same_is_found_in_small_graphs() {
    for path in fixtures() {
        compare(&path, |_| WorldSettings::default(), 3_000);
    }
}

/// States of a shipped graph that are compared. Large graphs have thousands of answers in each.
fn most(case: &ShippedCase) -> usize {
    if case.graph.contains("/react/") || case.graph.contains("/okso/") { 12 } else { 300 }
}

#[test]
fn the_same_is_found_in_shipped_graphs() {
    for case in cases() {
        let path = super::shipped::root().join(&case.graph);
        compare(&path, |program| settings(&case, program), most(&case));
    }
}

#[test]
fn answers_that_differ_in_the_order_of_their_keys_are_two() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/explore/keys");
    let mut sources = Sources::new();
    let model = checked(&folder.join("graph.yaml"), &mut sources).model.expect("a model");
    let program = compile(&model).expect("a program");
    let text = std::fs::read_to_string(folder.join("answers.yaml")).expect("the answers");
    let file = sources.add("answers.yaml", text);
    let (examples, findings) = AnswerExamples::read(&sources, file);
    assert!(findings.is_empty(), "{findings:?}");
    let space = StateSpace::new(&model, &program, &WorldSettings { examples, ..WorldSettings::default() });
    let mut search = StateSearch::new(&space, SearchLimits::default());
    search.run();
    let outcomes = search.report("graph.yaml").outcomes;
    let outcomes: Vec<&str> = outcomes.iter().map(|(end, _)| end.outcome.as_str()).collect();
    assert!(["path_first", "text_first"].iter().all(|wanted| outcomes.contains(wanted)), "{outcomes:?}");
}
