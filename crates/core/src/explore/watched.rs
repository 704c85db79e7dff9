//! Steps of which is known what they read of the answer that they take.

use std::sync::Arc;

use super::choice::AnswerGroup;
use super::space::{State, StateSpace, TakenInput};
use crate::machine::Input;
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
        let (mut state, mut events, mut log) = (state.clone(), Vec::new(), ReadLog::new(Arc::clone(watch)));
        state.advance_watched(self.quick(), input, &mut events, &mut log);
        self.form.note_reads(&state.snapshot, &log);
        let violations = state.judge.take_violations();
        (TakenInput { state, events, violations }, log.into_reads())
    }
}
