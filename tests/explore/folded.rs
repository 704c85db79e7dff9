//! Programs in which constants stand for the expressions that have one value in all runs: they do the same.

use loopwright::check::check_file;
use loopwright::compile::{KnownWorld, compile, compile_folded};
use loopwright::explore::{AnswerCache, State, StateSpace};
use loopwright::machine::InputKind;
use loopwright::model::Files;
use loopwright::program::op::Op;
use loopwright::source::Sources;
use loopwright::value::List;

use super::beside::{PlayedGraph, each_graph};

/// What is known of the world: nothing, and the time and the tools that runs begin with.
pub(super) fn known_worlds(space: &StateSpace<'_>) -> [KnownWorld; 2] {
    [KnownWorld::default(), KnownWorld { now: Some(0), tools: Some(tools(space)) }]
}

/// Compares random runs with those of the program that is folded for a world, and returns how many constants that has beyond the other.
pub(super) fn constants_beyond(graph: &PlayedGraph<'_>, known: KnownWorld) -> usize {
    let now = known.now;
    let mut other = compile_folded(graph.model, known).expect("a program");
    let constants = |ops: &[Op]| ops.iter().filter(|op| matches!(op, Op::Const(_))).count();
    let folded = constants(&other.ops) - constants(&graph.space.program.ops);
    // Runs name their program.
    other.digest = graph.space.program.digest.clone();
    graph.play(&other, &mut |own, other, place| {
        let is_at = |now| own.state.snapshot.at == now;
        if !now.is_none_or(is_at) {
            return false;
        }
        assert_eq!(own.outputs, other.outputs, "{place}");
        assert_eq!(own.state, other.state, "{place}");
        true
    });
    folded
}

#[test]
fn runs_are_those_of_the_graph_as_it_is() {
    let mut folded = 0;
    each_graph(&mut |graph, is_tiny| {
        for known in known_worlds(graph.space).into_iter().skip(usize::from(!is_tiny)) {
            folded += constants_beyond(graph, known);
        }
    });
    assert!(folded > 100, "{folded} constants: too few to tell");
}

/// The tools that runs of a space begin with.
fn tools(space: &StateSpace<'_>) -> List {
    let starts = space.choices(&State::default(), &mut AnswerCache::default());
    match starts.into_iter().next().map(|input| input.kind) {
        Some(InputKind::Started(start)) => start.tools,
        other => panic!("a run begins with {other:?}"),
    }
}

#[test]
fn what_fails_is_left_to_the_run() {
    let mut files = Files::new().with(
        "failing.yaml",
        "\
graph: failing
state: {a: int = 0, b: 'list<int> = []'}
let:
  twice(n): n + n
  one: twice(1)
  never: 1 / (one - 2)
  ten: '[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]'
  costly: ten.all(w, ten.all(x, ten.all(y, ten.all(z, w + x + y + z < 99))))
  cheap: ten.all(x, ten.all(y, x + y < 99))
  l0: 1
  l1: l0 + 1
  l2: l1 + 1
  l3: l2 + 1
  l4: l3 + 1
  l5: l4 + 1
  l6: l5 + 1
  l7: l6 + 1
  l8: l7 + 1
  l9: l8 + 1
  fine: 'one > 5 ? never : [twice(one), one].map(n, n * twice(n))[0]'
start: first
nodes:
  first:
    do: a = fine + a; b = [one, one].map(n, n * a)
    next: [{to: end, when: one == 2}, {to: other, when: never == 1}]
  other: {kind: final}
  end: {kind: final}
output: {a: a, b: b}
",
    );
    let checked = check_file(&mut Sources::new(), &mut files, "failing.yaml");
    assert!(checked.is_sound(), "{:?}", checked.findings);
    let model = checked.model.expect("a model");
    let whole = compile(&model).expect("a program");
    let program = compile_folded(&model, KnownWorld::default()).expect("a program");
    let named = |name: &str| {
        let graph = &program.graphs[0];
        let at = graph.let_names.iter().position(|own| own == name).expect("a let");
        match program.ops[graph.lets[at].0 as usize] {
            Op::Const(constant) => Some(program.constants[constant as usize].to_json().to_string()),
            _ => None,
        }
    };
    assert_eq!(named("one").as_deref(), Some("2"));
    assert_eq!(named("never"), None, "it has no value: that is told by the run");
    assert_eq!(named("fine"), None, "a part of it has no value");
    assert_eq!(named("cheap").as_deref(), Some("true"));
    assert_eq!(named("costly"), None, "a step may not have so much work left");
    assert_eq!(named("l8").as_deref(), Some("9"));
    assert_eq!(named("l9"), None, "so many names in each other are counted by the run");
    assert_eq!(whole.ops.len(), program.ops.len());
}
