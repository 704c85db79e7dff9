//! The states of a graph as a model for `stateright`, raw: a state is all that its snapshot and its monitor hold.
//!
//! Nothing of the search is in it but the inputs that it tries. Steps are those of the machine, with the whole program.

use std::hash::{Hash, Hasher};

use loopwright::explore::{AnswerCache, State, StateSpace};
use loopwright::machine::{Input, Output, step_judged};
use stateright::{Model, Property};

/// A state, and the properties that its last input broke, by graph and number.
#[derive(Debug, Clone)]
pub(super) struct RawState {
    pub(super) state: State,
    pub(super) broken: Vec<(u32, u32)>,
    /// The snapshot as it is stored.
    stored: Vec<u8>,
}

impl RawState {
    fn new(state: State, broken: Vec<(u32, u32)>) -> Self {
        let stored = serde_json::to_vec(&state.snapshot).expect("a snapshot can be stored");
        Self { state, broken, stored }
    }

    fn parts(&self) -> impl Hash + PartialEq {
        (&self.stored, &self.state.judge, &self.broken)
    }
}

impl PartialEq for RawState {
    fn eq(&self, other: &Self) -> bool {
        self.parts() == other.parts()
    }
}

impl Hash for RawState {
    fn hash<H: Hasher>(&self, to: &mut H) {
        self.parts().hash(to);
    }
}

/// The runs of a graph.
pub(super) struct RawRuns {
    pub(super) space: &'static StateSpace<'static>,
    /// The properties that are to hold, by graph and number.
    pub(super) watched: Vec<(u32, u32)>,
    /// Runs are followed for so many events: a person may order a call to be made over and over, which has a new number each time.
    pub(super) max_events: u64,
}

/// Names of properties: the checker wants them to be known when it is compiled.
pub(super) const WATCHED: [&str; 8] =
    ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth"];

fn holds<const AT: usize>(model: &RawRuns, state: &RawState) -> bool {
    model.watched.get(AT).is_none_or(|watched| !state.broken.contains(watched))
}

impl Model for RawRuns {
    type State = RawState;
    type Action = Input;

    fn init_states(&self) -> Vec<RawState> {
        vec![RawState::new(State::default(), Vec::new())]
    }

    fn actions(&self, state: &RawState, actions: &mut Vec<Input>) {
        actions.extend(self.space.choices(&state.state, &mut AnswerCache::default()));
    }

    fn next_state(&self, last: &RawState, input: Input) -> Option<RawState> {
        let (mut state, mut out) = (last.state.clone(), Vec::new());
        let State { snapshot, judge } = &mut state;
        step_judged(self.space.program, snapshot, input, &mut out, &mut Vec::new(), judge);
        assert!(!out.iter().any(|out| matches!(out, Output::Rollback { .. })), "no run goes back");
        let broken = judge.take_violations();
        let broken = broken.iter().map(|own| (own.graph, own.property)).collect();
        Some(RawState::new(state, broken))
    }

    fn properties(&self) -> Vec<Property<Self>> {
        assert!(self.watched.len() <= WATCHED.len(), "not so many properties can be told apart");
        let conditions: [fn(&Self, &RawState) -> bool; 8] =
            [holds::<0>, holds::<1>, holds::<2>, holds::<3>, holds::<4>, holds::<5>, holds::<6>, holds::<7>];
        let watched = WATCHED.into_iter().zip(conditions).take(self.watched.len());
        let mut all: Vec<_> = watched.map(|(name, holds)| Property::always(name, holds)).collect();
        // Where nothing is left to be judged, the checker ends its search.
        all.push(Property::always("goes on", |_, _| true));
        all
    }

    fn within_boundary(&self, state: &RawState) -> bool {
        state.state.snapshot.seq < self.max_events
    }
}
