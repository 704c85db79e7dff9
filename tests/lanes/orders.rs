//! The machine alone, with answers in random orders.

use loopwright::machine::{Call, Done, Event, Input, InputKind, Output, Snapshot, Start, Time, step};
use loopwright::program::Program;
use loopwright::value::{Value, json};

use super::meaning::{Meaning, Reader};
use super::{answer, catalogue, program, tokens};
use crate::dice::Dice;
use crate::rebuilt::Machine;

const ORDERS: u64 = 1_000;

/// A run whose answers came in one order.
pub(super) struct Played {
    snapshot: Snapshot,
    events: Vec<Event>,
    inputs: Vec<Input>,
    /// Tokens of all answers that were given, in time or late.
    tokens: i64,
    /// Calls that were answered although they had been given up.
    late: usize,
    pub(super) meaning: Meaning,
}

impl Played {
    fn done(&self) -> &Done {
        self.snapshot.done.as_deref().expect("the run ended")
    }

    pub(super) fn output(&self) -> String {
        json::canonical(&self.done().output)
    }

    /// The state of the root graph.
    fn state(&self) -> String {
        let slots = &self.snapshot.root().expect("the root stays").frame.slots;
        json::canonical(&slots.iter().cloned().collect::<Value>())
    }

    pub(super) fn used(&self, budget: usize) -> i64 {
        self.snapshot.root().expect("the root stays").frame.counters[budget].used
    }
}

/// Plays a run; which of the calls under way is answered next, or whether time goes on, is left to the dice. Calls that were given
/// up are answered, too.
pub(super) fn play(program: &Program, seed: u64) -> Played {
    let (mut dice, mut machine) = (Dice::new(seed), Machine::new());
    let (mut snapshot, mut events, mut inputs) = (Snapshot::new(), Vec::new(), Vec::new());
    let (mut waiting, mut given_up): (Vec<Call>, Vec<Call>) = (Vec::new(), Vec::new());
    let (mut now, mut billed, mut late): (Time, i64, usize) = (0, 0, 0);
    let start = Start { run: "r".into(), tools: catalogue(), ..Start::default() };
    let mut next = Some(InputKind::Started(Box::new(start)));
    while let Some(kind) = next.take() {
        let input = Input { at: now, kind };
        inputs.push(input.clone());
        let mut out = Vec::new();
        machine.step(program, &mut snapshot, input, &mut out);
        for output in out {
            match output {
                Output::Record(event) => events.push(event),
                Output::Call(call) => waiting.push(*call),
                Output::Cancel(id) => {
                    let at = waiting.iter().position(|call| call.id == id).expect("it was made");
                    given_up.push(waiting.swap_remove(at));
                }
                _ => {}
            }
        }
        let timer = snapshot.timer;
        let choices = waiting.len() + given_up.len() + usize::from(timer.is_some());
        if choices == 0 {
            break;
        }
        let chosen = dice.below(choices);
        let call = if chosen < waiting.len() {
            waiting.swap_remove(chosen)
        } else if chosen - waiting.len() < given_up.len() {
            late += 1;
            given_up.swap_remove(chosen - waiting.len())
        } else {
            now = now.max(timer.unwrap_or_default());
            next = Some(InputKind::Time);
            continue;
        };
        let outcome = answer(&call);
        billed += tokens(&outcome);
        next = Some(InputKind::Resolved { call: call.id, outcome });
    }
    let meaning = Reader::of(program, &events);
    Played { snapshot, events, inputs, tokens: billed, late, meaning }
}

#[test]
fn lanes_come_to_the_same_in_every_order() {
    let program = program("calm.yaml");
    let first = play(&program, 0);
    assert!(first.done().ok, "{:?}", first.done());
    let mut interleaved = 0;
    for seed in 1..ORDERS {
        let played = play(&program, seed);
        assert_eq!(played.output(), first.output(), "order {seed}");
        assert_eq!(played.state(), first.state(), "order {seed}");
        assert_eq!(played.meaning, first.meaning, "order {seed}");
        interleaved += usize::from(played.inputs != first.inputs);
    }
    assert!(interleaved > 990, "only {interleaved} orders differ from the first");
    // 5 and 2 items, and one alone: two calls each, two more for the number that fails at first, and five single ones.
    assert_eq!((first.used(0), first.tokens), (23, first.used(1)));
    insta::assert_snapshot!(first.output());
}

#[test]
fn a_failing_lane_stops_the_others_in_every_order() {
    let program = program("stopped.yaml");
    let first = play(&program, 0);
    let mut late = 0;
    for seed in 1..ORDERS {
        let played = play(&program, seed);
        assert_eq!(played.output(), first.output(), "order {seed}");
        assert_eq!(played.state(), first.state(), "order {seed}");
        assert_eq!(played.meaning.lanes[""], first.meaning.lanes[""], "order {seed}");
        played.meaning.agrees(&first.meaning);
        // A late answer is told as late, once, and billed to the run.
        assert_eq!(played.meaning.late.len(), played.late, "order {seed}");
        assert_eq!(played.used(0), played.tokens, "order {seed}");
        late += played.late;
    }
    assert!(late > 1_000, "only {late} answers were late");
    insta::assert_snapshot!(first.output());
}

#[test]
fn a_late_answer_changes_nothing_but_what_was_spent() {
    let program = program("stopped.yaml");
    let mut seen = 0;
    for seed in 0..100 {
        let played = play(&program, seed);
        let mut snapshot = Snapshot::new();
        for input in &played.inputs {
            let before = snapshot.clone();
            let mut out = Vec::new();
            step(&program, &mut snapshot, input.clone(), &mut out);
            let InputKind::Resolved { call, .. } = &input.kind else { continue };
            if before.abandoned.iter().any(|(id, _)| id == call) {
                seen += 1;
                assert!(out.iter().all(|output| matches!(output, Output::Record(_))), "{out:?}");
                let (mut after, mut before) = (snapshot.clone(), before);
                for side in [&mut after, &mut before] {
                    side.abandoned.retain(|(id, _)| id != call);
                    let lanes = side.lanes.iter_mut().flatten();
                    for counters in lanes.flat_map(|lane| &mut lane.frame.counters) {
                        counters.used = 0;
                    }
                }
                (before.seq, before.at) = (after.seq, after.at);
                assert_eq!(after, before, "order {seed}");
            }
        }
        assert_eq!(snapshot, played.snapshot, "the same inputs give the same run");
    }
    assert!(seen > 100, "only {seen} answers were late");
}

/// Who gets the last unit of a budget is decided by the order of answers; how many there are is not.
#[test]
fn lanes_that_compete_for_a_budget_never_pass_it() {
    let program = program("contended.yaml");
    let whole = play(&program, 0);
    let mut outputs = std::collections::BTreeSet::new();
    for seed in 1..ORDERS {
        let played = play(&program, seed);
        assert_eq!(played.used(0), 7, "order {seed}");
        for (path, lane) in played.meaning.lanes.iter().filter(|(path, _)| !path.is_empty()) {
            let its = &whole.meaning.lanes[path];
            // Both calls, or the first and a refusal.
            let begun = |lane: &super::meaning::Lane| lane.events[..5].to_vec();
            assert_eq!(begun(lane), begun(its), "order {seed}, lane {path}");
        }
        outputs.insert(played.output());
        let again: Vec<Event> = again(&program, &played.inputs);
        assert_eq!(again, played.events, "the same order gives the same journal");
    }
    assert_eq!(outputs.len(), 10, "two of five lanes come through");
}

/// The journal of these inputs.
fn again(program: &Program, inputs: &[Input]) -> Vec<Event> {
    let (mut snapshot, mut out) = (Snapshot::new(), Vec::new());
    for input in inputs {
        step(program, &mut snapshot, input.clone(), &mut out);
    }
    let event = |output| match output {
        Output::Record(event) => Some(event),
        _ => None,
    };
    out.into_iter().filter_map(event).collect()
}
