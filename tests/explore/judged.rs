//! Properties judged only where something they read may have been written: the verdicts are those of judging all of them everywhere.

use loopwright::compile::compile;
use loopwright::program::Program;

use super::beside::{PlayedGraph, each_graph};

/// The program in which every property is judged at every entry.
fn judging_all(mut program: Program) -> Program {
    for graph in &mut program.graphs {
        let all = 0..u32::try_from(graph.properties.len()).expect("few properties");
        for leaf in &mut graph.judged {
            leaf.properties = all.clone().collect();
            leaf.at_first = all.clone().collect();
            leaf.remembers = true;
        }
    }
    program
}

/// Compares the verdicts of random runs, and returns how many there are.
pub(super) fn verdicts(graph: &PlayedGraph<'_>) -> usize {
    let mut broken = 0;
    let all = judging_all(compile(graph.model).expect("a program"));
    graph.play(&all, &mut |own, other, place| {
        assert_eq!(own.state.judge, other.state.judge, "{place}");
        broken += own.state.judge.take_violations().len();
        other.state.judge.take_violations();
        true
    });
    broken
}

#[test]
fn verdicts_are_those_of_judging_everywhere() {
    let mut broken = 0;
    each_graph(&mut |graph, is_tiny| {
        let own = verdicts(graph);
        broken += if is_tiny { own } else { 0 };
    });
    assert!(broken > 100, "{broken} verdicts: the runs break too few properties to tell");
}
