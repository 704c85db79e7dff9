//! The search for a run that goes round for ever: every answer is tried, place by place.

use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;

use loopwright::machine::{Input, InputKind, MidwayStart, Phase, Snapshot};
use loopwright::program::Program;
use loopwright::value::Value;
use rand::rngs::SmallRng;
use rand::seq::SliceRandom;

use super::adversary::{World, begin};
use crate::rebuilt::Machine;

/// So many inputs are given in one search.
const MOST: usize = 250;

/// So many transitions with nothing from outside are more than any bound of these graphs.
const BEYOND: u64 = 10_000;

/// What the search came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Search {
    /// A run came to where it had been, over transitions: it can do the same again, for ever. Or it went on with nothing from
    /// outside until the machine stopped it.
    Endless,
    /// The same for a run that begins at the loop.
    EndlessFromThere,
    /// Every run ends in what these adversaries can do: the way round needs a failure they cannot bring about, or guards never
    /// let it through.
    None,
    /// There are too many places.
    Unfinished,
}

/// A place on the way, and what was not tried there.
struct Place {
    machine: Machine,
    snapshot: Snapshot,
    world: World,
    untried: Vec<InputKind>,
    key: String,
}

/// Looks from the start, then from the middle: from the node where a loop is said to be, with fresh budgets.
pub(super) fn search(program: &Program, random: &mut SmallRng, node: &str) -> Search {
    let first = from_start(program, random);
    if first == Search::Endless {
        return first;
    }
    for x in 0..3_i64 {
        let state = [("x", Value::Int(x))].into_iter().collect();
        let given = MidwayStart { at: Some(node.into()), state, ..MidwayStart::default() };
        if from(program, random, Some(given)) == Search::Endless {
            return Search::EndlessFromThere;
        }
    }
    first
}

/// Looks from the start alone.
pub(super) fn from_start(program: &Program, random: &mut SmallRng) -> Search {
    from(program, random, None)
}

/// Goes deep first, and never twice to one place.
fn from(program: &Program, random: &mut SmallRng, given: Option<MidwayStart>) -> Search {
    let (snapshot, world, start) = begin(given);
    let mut way =
        vec![Place { machine: Machine::new(), snapshot, world, untried: vec![start], key: String::new() }];
    let mut on_way: HashMap<String, u64> = HashMap::new();
    let mut known: HashSet<String> = HashSet::new();
    let mut given = 0;
    while let Some(place) = way.last_mut() {
        let Some(input) = place.untried.pop() else {
            on_way.remove(&place.key);
            way.pop();
            continue;
        };
        given += 1;
        if given > MOST {
            return Search::Unfinished;
        }
        let (mut snapshot, mut world) = (place.snapshot.clone(), place.world.clone());
        let mut machine = place.machine.clone();
        world.given(&input);
        let mut out = Vec::new();
        let at = world.at(&snapshot, &input);
        machine.step(program, &mut snapshot, Input { at, kind: input }, &mut out);
        let before = world.deeds.transitions;
        for output in out {
            world.take(output);
        }
        if world.deeds.transitions - before >= BEYOND {
            return Search::Endless;
        }
        if snapshot.done.is_some() {
            continue;
        }
        let key = key(&snapshot, program);
        if on_way.get(&key).is_some_and(|before| *before < world.deeds.transitions) {
            return Search::Endless;
        }
        if known.insert(key.clone()) {
            on_way.insert(key.clone(), world.deeds.transitions);
            let mut untried = world.options();
            untried.shuffle(random);
            way.push(Place { machine, snapshot, world, untried, key });
        }
    }
    Search::None
}

/// All that what happens next depends on. Counters of advisory budgets are left out: they only ever grow, and no guard of
/// these graphs asks for them.
fn key(snapshot: &Snapshot, program: &Program) -> String {
    let mut key = String::new();
    for lane in &snapshot.lanes {
        let Some(lane) = lane else {
            key.push('-');
            continue;
        };
        let frame = &lane.frame;
        let graph = &program.graphs[frame.graph as usize];
        let hard = |i: usize| graph.budgets[i].gate == loopwright::program::graph::Gate::Hard;
        let counters: Vec<i64> =
            frame.counters.iter().enumerate().filter(|(i, _)| hard(*i)).map(|(_, c)| c.used).collect();
        let phase = match &lane.phase {
            Phase::Calling(call) => format!("calls {} {}", call.node, call.attempt),
            Phase::Backoff { call, .. } => format!("again {} {}", call.node, call.attempt),
            Phase::Asking(ask) => format!("asks {}", ask.node),
            Phase::Paused { at, exit, .. } => format!("paused {at} {exit:?}"),
            Phase::Lost { call, .. } => format!("lost {} {}", call.node, call.attempt),
            Phase::Sleeping { .. } => "sleeps".to_owned(),
            Phase::Joining(join) => format!("joins {} {:?} {:?}", join.started, join.running, join.ended),
            other => format!("{other:?}"),
        };
        let _ = write!(
            key,
            "[{} {} {phase} {:?} {counters:?} {:?} {:?} {:?}]",
            frame.graph, frame.node, frame.slots, frame.families, frame.error, frame.outcome
        );
    }
    key
}
