//! Random graphs: a search by uses reaches what a search of all values reaches, properties are judged where that is needed, and folded
//! programs do the same.

mod edge;
mod graph;
mod kind;
mod node;
mod property;
mod statement;
mod types;
mod writer;

use std::collections::BTreeSet;

use loopwright::check::check_file;
use loopwright::compile::compile;
use loopwright::explore::{StateSpace, WorldSettings};
use loopwright::model::{Files, Model};
use loopwright::source::Sources;

use super::beside::PlayedGraph;
use super::folded::{constants_beyond, known_worlds};
use super::judged::verdicts;
use super::tiny::Comparison;

/// How much is compared.
struct Extent {
    graphs: u64,
    /// The states after which the search of all values gives up.
    max_states: usize,
}

const SHORT: Extent = Extent { graphs: 140, max_states: 200 };
/// With `LOOPWRIGHT_LONG`.
const LONG: Extent = Extent { graphs: 2_000, max_states: 1_000 };

/// Random runs of each graph by each of its programs.
const RUNS: u64 = 5;

/// Texts of which each is to be in a graph that is compared.
const CONSTRUCTS: &[&str] = &[
    // Nodes. The first is a composite in another.
    "\n        nodes:",
    "\n    state:",
    "\n    budgets:",
    "kind: tool",
    "kind: human",
    "kind: wait",
    "kind: model",
    "kind: call",
    "kind: each",
    "kind: parallel",
    "on_error: collect",
    "retry:",
    "timeout:",
    "pause:",
    "then: |",
    // Edges.
    "on: unknown",
    "on: error(own)",
    "on: exhausted(b",
    "outcome == 'a'",
    // Statements.
    "if ",
    "for i",
    "let i",
    "spend b",
    " by ",
    "fail ",
    "act0()",
    "].n = ",
    ".s = ",
    "E{} : v",
    // Expressions.
    "l0: ",
    "(4 / ",
    "merge(",
    ".exists(",
    "visits(",
    "one.r",
    "all.",
    "previous(",
    // Properties.
    "never ",
    "always ",
    "eventually ",
    "precedes ",
];

/// What was compared, and what was left out.
#[derive(Debug, Default)]
struct Tally {
    compared: usize,
    refused: usize,
    large: usize,
    /// Of those that were compared: with values that were sampled.
    sampled: usize,
    verdicts: usize,
    constants: usize,
    constructs: BTreeSet<&'static str>,
}

impl Tally {
    /// Makes the graph of a seed and compares all that is done with it.
    fn add(&mut self, seed: u64, max_states: usize) {
        let texts = [("root.yaml", graph::root(seed)), ("child.yaml", graph::child(seed))];
        let Some(model) = model(&texts) else {
            self.refused += 1;
            return;
        };
        let [root, child] = texts.map(|(name, text)| format!("# {name}\n{text}"));
        let text = if root.contains("child.yaml") { root + &child } else { root };
        let name = format!("seed {seed}\n{text}");
        let program = compile(&model).expect("a program");
        let space = StateSpace::new(&model, &program, &WorldSettings::default());
        let Some(compared) = Comparison::of(&space, max_states, &name) else {
            self.large += 1;
            return;
        };
        let faults = compared.faults();
        assert!(faults.is_empty(), "{faults:#?}\nsampled: {:#?}\n{name}", compared.sampled);
        let graph = PlayedGraph { name: &name, model: &model, space: &space, runs: RUNS };
        self.verdicts += verdicts(&graph);
        self.constants +=
            known_worlds(&space).map(|known| constants_beyond(&graph, known)).iter().sum::<usize>();
        self.compared += 1;
        self.sampled += usize::from(!compared.sampled.is_empty());
        self.constructs.extend(CONSTRUCTS.iter().filter(|construct| text.contains(**construct)));
    }
}

/// The model of a graph with the one that it calls. None if `check` refuses them.
fn model(texts: &[(&str, String)]) -> Option<Model> {
    let mut files = texts.iter().fold(Files::new(), |files, (name, text)| files.with(*name, text.clone()));
    let checked = check_file(&mut Sources::new(), &mut files, texts[0].0);
    if checked.is_sound() { checked.model } else { None }
}

#[test]
fn random_graphs_reach_what_a_search_of_all_values_reaches() {
    let Extent { graphs, max_states } = if crate::long::is_long() { LONG } else { SHORT };
    let mut tally = Tally::default();
    for seed in 0..graphs {
        tally.add(seed, max_states);
    }
    eprintln!("{tally:?}");
    let least = usize::try_from(graphs / 2).expect("few graphs");
    assert!(tally.compared > least, "too few graphs are compared: {tally:?}");
    assert!(tally.verdicts > least && tally.constants > least, "too little is told apart: {tally:?}");
    let missed: Vec<_> = CONSTRUCTS.iter().filter(|own| !tally.constructs.contains(*own)).collect();
    assert!(missed.is_empty(), "no graph has {missed:?}");
}
