//! The search beside `stateright`, which visits every raw state of a graph and knows nothing of canonical forms.
//!
//! The digests of all states that it visits are those that the search finds, and both find the same properties broken.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;
use std::sync::{Arc, Mutex};

use loopwright::compile::compile;
use loopwright::explore::{
    DigestRoom, Exploration, FindingKind, SearchLimits, StateDigest, StateSearch, StateSpace, WorldSettings,
};
use loopwright::source::Sources;
use stateright::{Checker as _, Model as _};

use super::raw::{RawRuns, RawState, WATCHED};
use crate::flows::checked;

/// The graphs under `tests/explore/tiny`.
const GRAPHS: [&str; 13] = [
    "branches",
    "composite",
    "constants",
    "errors",
    "judged",
    "kept",
    "lanes",
    "people",
    "spent",
    "sum",
    "sum-in-loop",
    "three-equal",
    "waits",
];

/// The events after which a run is not followed any more.
const MAX_EVENTS: u64 = 64;

/// The results of the checker.
#[derive(Default)]
struct Visited {
    raw: usize,
    digests: BTreeSet<StateDigest>,
    /// The most inputs of a run.
    depth: usize,
    /// For each broken property the fewest inputs of a run that breaks it, its start not counted.
    broken: BTreeMap<(u32, u32), usize>,
}

type RawPath = stateright::Path<RawState, loopwright::machine::Input>;

impl Visited {
    fn add(&mut self, space: &StateSpace<'_>, path: RawPath) {
        let states = path.into_states();
        let inputs = states.len() - 1;
        let last = states.last().expect("a path has a state");
        self.raw += 1;
        self.depth = self.depth.max(inputs);
        self.digests.insert(space.digest(&last.state, &mut DigestRoom::default()));
        for property in &last.broken {
            let fewest = self.broken.entry(*property).or_insert(usize::MAX);
            *fewest = inputs.saturating_sub(1).min(*fewest);
        }
    }
}

/// Visits all raw states.
fn visited(space: &'static StateSpace<'static>) -> Visited {
    let properties = |(graph, own): (u32, &loopwright::model::Graph)| {
        (0..u32::try_from(own.properties.len()).expect("few properties")).map(move |at| (graph, at))
    };
    let watched: Vec<(u32, u32)> = (0..).zip(&space.model.graphs).flat_map(properties).collect();
    let visited = Arc::new(Mutex::new(Visited::default()));
    let visitor = {
        let visited = Arc::clone(&visited);
        move |path: RawPath| visited.lock().expect("no visit panics").add(space, path)
    };
    let runs = RawRuns { space, watched: watched.clone(), max_events: MAX_EVENTS };
    let checker = runs.checker().visitor(visitor).spawn_bfs().join();
    let visited = std::mem::take(&mut *visited.lock().expect("no visit panics"));
    assert_eq!(visited.raw, checker.unique_state_count());
    let discovered: BTreeSet<(u32, u32)> = WATCHED
        .iter()
        .zip(watched)
        .filter_map(|(name, place)| checker.discovery(name).map(|_| place))
        .collect();
    assert!(discovered.iter().eq(visited.broken.keys()), "the checker discovers what is broken");
    visited
}

/// For each broken property the fewest inputs to it, as the search says.
fn broken(report: &Exploration) -> BTreeMap<(u32, u32), usize> {
    let mut broken = BTreeMap::new();
    for finding in &report.findings {
        if let FindingKind::Broken(property) = finding.key.kind {
            let fewest = broken.entry((finding.key.graph, property)).or_insert(usize::MAX);
            *fewest = finding.inputs.min(*fewest);
        }
    }
    broken
}

#[test]
fn a_search_by_digests_finds_the_states_that_a_model_checker_visits() {
    let mut said = String::new();
    for name in GRAPHS {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/explore/tiny/{name}.yaml"));
        // The checker wants its model to live as long as any of its threads may.
        let model = Box::leak(Box::new(checked(&path, &mut Sources::new()).model.expect("a model")));
        let program = Box::leak(Box::new(compile(model).expect("a program")));
        let space = Box::leak(Box::new(StateSpace::new(model, program, &WorldSettings::default())));
        let mut search = StateSearch::new(space, SearchLimits::default());
        search.run();
        assert!(!search.is_cut(), "{name} is searched in full");
        let found: BTreeSet<StateDigest> = search.digests().into_iter().collect();
        let visited = visited(space);
        assert!(visited.raw > 1 && found.len() > 1, "{name} has states");
        let missed = visited.digests.difference(&found).count();
        let unmet = found.difference(&visited.digests).count();
        assert_eq!((missed, unmet), (0, 0), "{name}: states that one of the two does not know");
        let report = search.report("graph.yaml");
        assert_eq!(broken(&report), visited.broken, "{name}: broken properties, by fewest inputs");
        let _ = writeln!(
            said,
            "{name}: {} raw states, {} digests, {} inputs at most, {} properties broken",
            visited.raw,
            found.len(),
            visited.depth,
            visited.broken.len(),
        );
    }
    insta::assert_snapshot!(said);
}
