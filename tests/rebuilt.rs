//! With `LOOPWRIGHT_REBUILD=1` every run of these tests is built again at each step, from what is kept of it or from its inputs,
//! and must stand where it stands, byte for byte. Without it, these are the driver, the machine and the scenarios as they are.

use std::sync::Arc;

use loopwright::drive::Driver;
use loopwright::machine::{Input, InputKind, Output, ReplayCheck, Snapshot, Start, step};
use loopwright::program::Program;
use loopwright::scenario::{
    BoundExpressions, PlayEnd, PlayedRun, Report, Scenario, Suite, play, play_rebuilding,
};
use loopwright::store::Memory;

use crate::played::compiled;

fn asked() -> bool {
    std::env::var_os("LOOPWRIGHT_REBUILD").is_some_and(|value| value == "1")
}

/// So many runs are enough: where they are built again, a tenth, but not less than a thousand.
pub(crate) fn fewer(number: u64) -> u64 {
    if asked() { (number / 10).max(number.min(1_000)) } else { number }
}

/// A driver; where runs are built again, one with a store.
pub(crate) fn driver(program: Arc<Program>) -> Driver {
    let driver = Driver::new(program);
    if asked() { driver.store(Arc::new(Memory::new())).rebuilding(true) } else { driver }
}

/// Plays a scenario.
pub(crate) fn played(program: &Program, bound: &Arc<BoundExpressions>, scenario: &Scenario) -> PlayedRun {
    let run =
        if asked() { play_rebuilding(program, bound, scenario) } else { play(program, bound, scenario) };
    if let PlayEnd::Drifted(drift) = &run.ended {
        panic!("{drift}");
    }
    run
}

/// Plays all scenarios of a file.
pub(crate) fn play_all(suite: &Suite) -> impl Iterator<Item = Report> {
    suite.file.scenarios.iter().map(|scenario| {
        Report::judge(&suite.program, scenario, played(&suite.program, &suite.bound, scenario))
    })
}

/// The machine, for tests that step it themselves.
#[derive(Clone)]
pub(crate) struct Machine(Option<ReplayCheck>);

impl Machine {
    /// For a run before its first input.
    pub(crate) fn new() -> Self {
        Self(asked().then(ReplayCheck::new))
    }

    pub(crate) fn step(
        &mut self,
        program: &Program,
        snapshot: &mut Snapshot,
        input: Input,
        out: &mut Vec<Output>,
    ) {
        let (taken, before) = (self.0.as_ref().map(|_| input.clone()), out.len());
        step(program, snapshot, input, out);
        if let (Some(echo), Some(taken)) = (&mut self.0, taken)
            && let Err(drift) = echo.took(program, taken, &out[before..], snapshot)
        {
            panic!("{drift}");
        }
    }
}

const COUNTS: &str = "
graph: counts
input: {from: int = 3}
state: {n: int = 0}
start: count
nodes:
  count: {do: n = from, next: [{to: ask}]}
  ask: {kind: human, ask: \"'Well?'\", options: [yes, no], next: [{to: end}]}
  end: {kind: final}
";

fn begun() -> (Arc<Program>, Input, Snapshot, Vec<Output>) {
    let program = compiled(&[("counts.yaml", COUNTS)]);
    let start = Start { run: "r".into(), ..Start::default() };
    let input = Input { at: 0, kind: InputKind::Started(Box::new(start)) };
    let (mut snapshot, mut out) = (Snapshot::new(), Vec::new());
    step(&program, &mut snapshot, input.clone(), &mut out);
    (program, input, snapshot, out)
}

#[test]
fn a_run_that_its_inputs_do_not_give_is_noticed() {
    let (program, input, mut lived, mut out) = begun();
    assert_eq!(ReplayCheck::new().took(&program, input.clone(), &out, &lived), Ok(()));
    lived.lanes[0].as_mut().expect("the root").frame.slots[1] = 4.into();
    let drift = ReplayCheck::new().took(&program, input.clone(), &out, &lived).expect_err("another state");
    assert_eq!(
        drift.to_string(),
        "lanes[0].frame.slots[1] is 4 in the run and 3 in the state that was built again"
    );
    let (_, _, lived, _) = begun();
    out.pop();
    let drift = ReplayCheck::new().took(&program, input, &out, &lived).expect_err("another output");
    assert_eq!((drift.place, drift.lived), (format!("output {}", out.len()), String::new()));
}
