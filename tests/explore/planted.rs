//! Faults planted in shipped graphs: the search finds the property broken that each of them breaks, and by the shortest run.
//!
//! That a run is the shortest one is not believed: `stateright` visits the raw states of all shorter runs.

use std::fmt::Write as _;
use std::path::Path;
use std::time::Instant;

use loopwright::explore::StateSpace;
use loopwright::machine::Input;
use stateright::{Checker as _, Model as _};

use super::fault::{FaultBudget, FaultResult, LARGE, PlantedFault, search_for};
use super::raw::{RawRuns, WATCHED};

const SHORT: FaultBudget = FaultBudget { max_states: 2_000, max_expanded: 1_000, walks: 0 };
const LONG: FaultBudget = FaultBudget { max_states: 2_200, max_expanded: 2_200, walks: 50 };
/// For the answers of whole scenario files: a state has thousands of inputs.
const WIDE: FaultBudget = FaultBudget { max_states: 2_000, max_expanded: 200, walks: 50 };

/// Raw states that are generated for one comparison.
const MAX_RAW_STATES: usize = 40_000;

/// Faults whose runs are compared with all shorter ones, at least.
const MIN_COMPARED: usize = 80;

/// A fault, searched for.
struct SearchedFault {
    line: String,
    seconds: f64,
    is_found: bool,
    is_compared: bool,
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn searched(fault: &PlantedFault, budget: FaultBudget) -> SearchedFault {
    // The long campaign tells how long each fault takes; nothing is asserted of it.
    let started = Instant::now();
    let (spaces, property) = fault.spaces(root());
    let (mut space, mut result) = (spaces[0], search_for(spaces[0], property, budget));
    for next in &spaces[1..] {
        if result.run.is_none() {
            let is_last = std::ptr::eq(*next, spaces[spaces.len() - 1]);
            (space, result) = (next, search_for(next, property, if is_last { WIDE } else { budget }));
        }
    }
    let FaultResult { run, states, walks } = result;
    let seconds = started.elapsed().as_secs_f64();
    let mut line = format!("{} {}: ", fault.graph, fault.property);
    let mut is_compared = false;
    match &run {
        Some(run) => {
            let inputs = run.len() - 1;
            let _ = write!(line, "{inputs} inputs, {states} states");
            assert_breaks(space, property, run, &line);
            if walks > 0 {
                let _ = write!(line, ", {walks} walks");
            } else if inputs > 0 {
                let raw = raw_states_before(space, property, inputs, &line);
                is_compared = raw.is_some();
                let raw = raw.map_or("too many".to_owned(), |raw| raw.to_string());
                let _ = write!(line, ", {raw} raw states of shorter runs");
            }
        }
        None => {
            let _ = write!(line, "not found in {states} states and {walks} walks");
        }
    }
    SearchedFault { line, seconds, is_found: run.is_some(), is_compared }
}

fn runs(space: &'static StateSpace<'static>, property: u32) -> RawRuns {
    RawRuns { space, watched: vec![(0, property)], max_events: u64::MAX }
}

/// Plays a run with the whole program: its last input breaks the property, and none before it does.
fn assert_breaks(space: &'static StateSpace<'static>, property: u32, run: &[Input], line: &str) {
    let model = runs(space, property);
    let mut state = model.init_states().remove(0);
    for (at, input) in run.iter().enumerate() {
        state = model.next_state(&state, input.clone()).expect("every input leads on");
        let breaks = state.broken.contains(&(0, property));
        assert_eq!(breaks, at + 1 == run.len(), "{line}: input {at}");
    }
}

/// The number of raw states of runs with fewer inputs, none of which breaks the property; nothing if there are too many of them.
fn raw_states_before(
    space: &'static StateSpace<'static>,
    property: u32,
    inputs: usize,
    line: &str,
) -> Option<usize> {
    // To the checker the state before any input has depth one, and the start is an input.
    let checker = runs(space, property)
        .checker()
        .target_max_depth(inputs + 2)
        .target_state_count(MAX_RAW_STATES)
        .spawn_bfs()
        .join();
    assert!(checker.discovery(WATCHED[0]).is_none(), "{line}: there is a shorter run");
    (checker.state_count() < MAX_RAW_STATES).then(|| checker.unique_state_count())
}

/// Searches for faults on two threads, in their order.
fn search_all(faults: &[PlantedFault], budget: FaultBudget) -> Vec<SearchedFault> {
    let half = |first: usize| {
        let own = faults.iter().skip(first).step_by(2);
        own.map(|fault| {
            let searched = searched(fault, budget);
            eprintln!("{:.2} s  {}", searched.seconds, searched.line);
            searched
        })
        .collect::<Vec<_>>()
    };
    let (even, odd) = std::thread::scope(|scope| {
        let odd = scope.spawn(|| half(1));
        (half(0), odd.join())
    });
    let mut odd = odd.unwrap_or_else(|panic| std::panic::resume_unwind(panic)).into_iter();
    even.into_iter().flat_map(|even| [Some(even), odd.next()]).flatten().collect()
}

#[test]
fn planted_faults_are_found_by_the_shortest_run() {
    let mut faults = PlantedFault::all(root());
    let is_long = crate::long::is_long();
    if !is_long {
        faults.retain(|fault| !LARGE.contains(&fault.graph.as_str()));
    }
    let all = search_all(&faults, if is_long { LONG } else { SHORT });
    let found = all.iter().filter(|own| own.is_found).count();
    let compared = all.iter().filter(|own| own.is_compared).count();
    // One that is found though it is marked is no longer lost.
    let other = faults.iter().zip(&all).filter(|(fault, own)| fault.lost == own.is_found);
    let other: Vec<&str> = other.map(|(_, own)| own.line.as_str()).collect();
    assert!(other.is_empty(), "{other:#?}");
    assert!(compared >= MIN_COMPARED, "only {compared} are compared with all shorter runs");
    let lines = all.iter().map(|own| own.line.as_str()).collect::<Vec<_>>().join("\n");
    let said =
        format!("{found} of {} found, {compared} of them beside all shorter runs\n\n{lines}", all.len());
    if is_long {
        eprintln!("{said}");
    } else {
        insta::assert_snapshot!(said);
    }
}
