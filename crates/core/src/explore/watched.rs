//! Steps of which is known what they read of the answer that they take.

use std::sync::Arc;

use super::choice::AnswerGroup;
use super::space::{State, StateSpace, TakenInput};
use crate::machine::{Input, Output, step_watched};
use crate::program::eval::{AnswerRead, ReadLog, ReadWatch};

impl StateSpace<'_> {
    /// The watch over the answers of a group.
    pub(super) fn watch_of(&self, state: &State, group: &AnswerGroup) -> Option<Arc<ReadWatch>> {
        let lane = state.snapshot.lanes.get(group.lane as usize)?.as_deref()?;
        let (graph, node) = (lane.frame.graph, lane.frame.node);
        self.watches[graph as usize][node as usize].clone()
    }

    /// Takes an answer, and gives what was read of it: by the step, and by the form of the state that it leads to.
    pub(super) fn take_watched(
        &self,
        state: &State,
        input: Input,
        watch: &Arc<ReadWatch>,
    ) -> (TakenInput, Vec<AnswerRead>) {
        let (mut state, mut out, mut log) = (state.clone(), Vec::new(), ReadLog::new(Arc::clone(watch)));
        step_watched(self.quick(), &mut state.snapshot, input, &mut out, &mut state.judge, &mut log);
        self.form.note_reads(&state.snapshot, &log);
        let events = out.into_iter().filter_map(|output| match output {
            Output::Record(event) => Some(event),
            _ => None,
        });
        let (events, violations) = (events.collect(), state.judge.take_violations());
        (TakenInput { state, events, violations }, log.into_reads())
    }
}
