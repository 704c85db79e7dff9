//! Mutants: what is planted by which operator, which of them scenarios notice, and what the command says of it.

mod command;
mod shipped;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use loopwright::model::{LoadError, Loader, beside};
use loopwright::mutate::{
    Equivalence, EquivalenceJudge, MutantVerdict, MutatedGraph, MutationOperator, MutationScore,
    MutationTest, print,
};
use loopwright::scenario;

/// The fixtures; their names are relative to the folder.
struct Fixtures;

impl Loader for Fixtures {
    fn load(&mut self, from: Option<&str>, path: &str) -> Result<(String, String), LoadError> {
        let name = beside(from, path);
        let text = fs::read_to_string(folder().join(&name)).map_err(|_| "there is no such file")?;
        Ok((name, text))
    }
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/mutants")
}

fn load(files: &[&str]) -> MutationTest {
    let (test, plays) = MutationTest::load(files.iter().map(|file| (*file).to_owned()), &mut Fixtures);
    for play in plays {
        assert!(play.findings.is_empty() && play.failed.is_empty() && play.passed > 0, "{play:?}");
    }
    test
}

/// The mutants of a graph, one after the other, each with its fate if it is asked for.
fn listing(test: &MutationTest, graph: &MutatedGraph, judge: Option<&EquivalenceJudge<'_>>) -> String {
    let mut out = String::new();
    for mutant in &graph.mutants {
        let place = scenario::print::place(mutant.span(), test.sources());
        let _ = writeln!(out, "{place}: {}: {}", mutant.operator().name(), mutant.message());
        let (before, after) = print::lines(mutant, test.sources());
        for (sign, lines) in [('-', before), ('+', after)] {
            for line in lines {
                let _ = writeln!(out, "  {sign} {line}");
            }
        }
        let verdict = test.judge(graph, mutant, judge);
        let _ = match verdict {
            MutantVerdict::Killed { file, scenario } => {
                writeln!(out, "  killed by {file}: {}", scenario.unwrap_or_default())
            }
            MutantVerdict::Refused(fault) => writeln!(out, "  refused: {fault}"),
            MutantVerdict::Equivalent | MutantVerdict::Survived => writeln!(out, "  {}", verdict.name()),
        };
    }
    out
}

fn score(test: &MutationTest, graph: &MutatedGraph, judge: Option<&EquivalenceJudge<'_>>) -> MutationScore {
    let mut score = MutationScore::default();
    graph.mutants.iter().for_each(|mutant| score.count(&test.judge(graph, mutant, judge)));
    score
}

#[test]
fn every_operator_finds_something_in_both_syntaxes() {
    for (file, scenarios) in
        [("every.yaml", "every.scenarios.yaml"), ("every.loop", "every_loop.scenarios.yaml")]
    {
        let test = load(&[scenarios]);
        let [graph] = test.graphs() else { panic!("one file is read") };
        let used: BTreeSet<MutationOperator> =
            graph.mutants.iter().map(loopwright::mutate::Mutant::operator).collect();
        let unused: Vec<_> = MutationOperator::ALL.iter().filter(|one| !used.contains(one)).collect();
        assert!(unused.is_empty(), "{file}: {unused:?}");
        insta::assert_snapshot!(file, listing(&test, graph, None));
    }
}

/// The order of the text may be another, so the lists are compared as sets.
#[test]
fn both_syntaxes_have_the_same_mutants_with_the_same_fate() {
    let faults = |scenarios: &str| {
        let test = load(&[scenarios]);
        let graph = &test.graphs()[0];
        let fault = |mutant: &loopwright::mutate::Mutant| {
            let verdict = test.judge(graph, mutant, None);
            (mutant.operator().name(), mutant.message(), verdict.name())
        };
        let mut all: Vec<_> = graph.mutants.iter().map(fault).collect();
        all.sort();
        all
    };
    assert_eq!(faults("every.scenarios.yaml"), faults("every_loop.scenarios.yaml"));
}

/// Two mutants of one file are never the same tree, and none is the original.
#[test]
fn no_mutant_is_the_original_or_another_one() {
    let test = load(&["every.scenarios.yaml"]);
    let graph = &test.graphs()[0];
    let mut seen = BTreeSet::from([format!("{:?}", graph.tree())]);
    for mutant in &graph.mutants {
        assert!(seen.insert(format!("{:?}", mutant.tree(graph.tree()))), "{}", mutant.message());
    }
}

#[test]
fn a_fragment_is_mutated_once_and_played_by_all_that_read_it() {
    let test = load(&["caller.scenarios.yaml", "variant.scenarios.yaml"]);
    let mut out = String::new();
    for graph in test.graphs() {
        let players: Vec<_> = test.players(graph).collect();
        let _ = writeln!(out, "# {}, played by {}", test.sources().name(graph.file()), players.join(" and "));
        out += &listing(&test, graph, None);
    }
    insta::assert_snapshot!("shared", out);
}

#[test]
fn a_judge_may_know_survivors_that_differ_in_no_run() {
    let test = load(&["every.scenarios.yaml"]);
    let graph = &test.graphs()[0];
    let plain = score(&test, graph, None);
    assert!(plain.survived > 0);
    for answer in [Equivalence::Different, Equivalence::Unknown] {
        assert_eq!(score(&test, graph, Some(&move |_, _| answer)), plain);
    }
    let all = score(
        &test,
        graph,
        Some(&|original, mutant| {
            assert_ne!(original.program.digest, mutant.program.digest, "what is the same is not asked of");
            Equivalence::Same
        }),
    );
    assert_eq!(all.survived, 0);
    assert_eq!(all.equivalent, plain.equivalent + plain.survived);
    assert_eq!(all.killed, plain.killed, "only survivors are asked of");
}

#[test]
fn a_score_leaves_out_what_no_scenario_could_notice() {
    let score = MutationScore { killed: 2, refused: 5, equivalent: 7, survived: 1 };
    assert_eq!((score.all(), score.percent()), (15, Some(66)));
    assert_eq!(MutationScore { survived: 0, ..score }.percent(), Some(100));
    assert_eq!(MutationScore { killed: 0, survived: 0, ..score }.percent(), None);
    assert_eq!(MutationScore { killed: 999, survived: 1, ..score }.percent(), Some(99), "never rounded up");
}

#[test]
fn the_page_has_every_operator() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/scenarios.md");
    let page = fs::read_to_string(page).expect("the page is there");
    for operator in MutationOperator::ALL {
        let row = format!("| `{}` | {} |\n", operator.name(), operator.doc());
        assert!(page.contains(&row), "{row}");
    }
}
