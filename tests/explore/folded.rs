//! Programs in which constants stand for the expressions that have one value in all runs: they do the same.

use loopwright::check::check_file;
use loopwright::compile::{KnownWorld, compile, compile_folded};
use loopwright::explore::{AnswerCache, State, StateSpace};
use loopwright::machine::InputKind;
use loopwright::model::Files;
use loopwright::program::Program;
use loopwright::program::op::Op;
use loopwright::source::Sources;
use loopwright::value::{List, Value};

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
        // Values that are equal are not one.
        assert_eq!(stored(&own.state), stored(&other.state), "{place}");
        true
    });
    folded
}

fn stored(state: &State) -> Vec<u8> {
    serde_json::to_vec(&state.snapshot).expect("a snapshot can be stored")
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

/// A graph folded without anything known of its world, by the names of its lets.
struct FoldedLets {
    program: Program,
}

impl FoldedLets {
    fn of(text: &str) -> Self {
        let mut files = Files::new().with("folded.yaml", text);
        let checked = check_file(&mut Sources::new(), &mut files, "folded.yaml");
        assert!(checked.is_sound(), "{:?}", checked.findings);
        let model = checked.model.expect("a model");
        let whole = compile(&model).expect("a program");
        let program = compile_folded(&model, KnownWorld::default()).expect("a program");
        assert_eq!(whole.ops.len(), program.ops.len());
        Self { program }
    }

    /// The value that stands for a let, as JSON.
    fn value(&self, name: &str) -> Option<String> {
        let graph = &self.program.graphs[0];
        let at = graph.let_names.iter().position(|own| own == name).expect("a let");
        match self.program.ops[graph.lets[at].0 as usize] {
            Op::Const(constant) => Some(self.program.constants[constant as usize].to_json().to_string()),
            _ => None,
        }
    }
}

#[test]
fn what_fails_is_left_to_the_run() {
    let lets = FoldedLets::of(
        "\
graph: failing
state: {a: int = 0, b: 'list<int> = []'}
let:
  twice(n): n + n
  one: twice(1)
  never: 1 / (one - 2)
  ten: '[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]'
  costly: ten.all(w, ten.all(x, ten.all(y, ten.all(z, w + x + y + z < 99))))
  repeated: ten.all(v, ten.all(w, ten.all(x, ten.all(y, ten.all(z, size(ten) == 10)))))
  cheap: ten.all(x, ten.all(y, x + y < 99))
  fine: 'one > 5 ? never : [twice(one), one].map(n, n * twice(n))[0]'
  broken: '[one, never]'
start: first
nodes:
  first:
    do: a = fine + a; b = [one, one].map(n, n * a)
    next: [{to: end, when: one == 2}, {to: other, when: never == 1 && costly && repeated && cheap && broken == b}]
  other: {kind: final}
  end: {kind: final}
output: {a: a, b: b}
",
    );
    assert_eq!(lets.value("one").as_deref(), Some("2"));
    assert_eq!(lets.value("never"), None, "it has no value: that is told by the run");
    assert_eq!(lets.value("fine").as_deref(), Some("32"), "the part that has no value is not asked for");
    assert_eq!(lets.value("broken"), None, "a part of it has no value");
    assert_eq!(lets.value("cheap").as_deref(), Some("true"));
    assert_eq!(lets.value("costly"), None, "a step may not have so much work left");
    assert_eq!(lets.value("repeated"), None, "what is repeated in it counts each time");
}

#[test]
fn the_run_counts_lets_that_may_nest_too_deep() {
    let chain = |lets: usize| {
        let named = (1..lets).map(|at| format!("  l{at}: l{} + 1\n", at - 1)).collect::<Vec<_>>().concat();
        let last = lets - 1;
        let text = format!(
            "graph: chain\nstate: {{a: int = 0}}\nlet:\n  l0: 1 + 0\n{named}start: first\nnodes:\n  first:\n    do: a = l{last}\n    next: [{{to: end}}, \
             {{to: bad, on: error}}]\n  bad: {{kind: final, ok: \"false\"}}\n  end: {{kind: final}}\noutput: {{a: a}}\n"
        );
        FoldedLets::of(&text).value(&format!("l{last}"))
    };
    assert_eq!(chain(64).as_deref(), Some("64"));
    assert_eq!(chain(65), None, "a run fails there");
}

#[test]
fn values_are_held_up_to_a_size() {
    const LETS: usize = 600;
    let hundred = "x".repeat(100);
    let named = |at: usize| format!("  l{at}: lists.range(300).map(n, '{hundred}{at}')\n");
    let named = (0..LETS).map(named).collect::<Vec<_>>().concat();
    let used = (0..LETS).map(|at| format!("      a += size(l{at})\n")).collect::<Vec<_>>().concat();
    let folded = FoldedLets::of(&format!(
        "graph: large\nstate: {{a: int = 0}}\nlet:\n{named}start: first\nnodes:\n  first:\n    do: |\n{used}    next: [{{to: end}}]\n  \
         end: {{kind: final}}\noutput: {{a: a}}\n"
    ));
    let held: usize = folded.program.constants.iter().map(Value::size_estimate).sum();
    assert!(held < 20 << 20, "{held} bytes");
    let known = (0..LETS).filter(|at| folded.value(&format!("l{at}")).is_some()).count();
    assert!(known > 100 && known < LETS, "{known}");
}
