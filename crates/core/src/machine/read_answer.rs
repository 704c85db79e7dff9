//! Answers of a call as its graph sees them.

use super::origin::Origins;
use super::snapshot::{Phase, Snapshot};
use super::step::Machine;
use crate::program::Program;
use crate::program::graph::LinkedNodeKind;
use crate::value::Value;

/// An answer as its graph sees it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum ReadAnswer {
    /// An answer that fits.
    Fit {
        /// `result`.
        result: Value,
        /// The value that `into` stores.
        stored: Value,
    },
    /// An answer that does not fit: `error`.
    Unfit(Value),
}

/// A reader of answers of the call that a lane waits for. It reads them as the step does which takes one of them.
pub struct AnswerReader<'a> {
    machine: Machine<'a>,
    lane: u32,
}

/// Calls `work` with a reader.
pub fn with_reader<T>(
    program: &Program,
    snapshot: &Snapshot,
    lane: u32,
    work: impl FnOnce(&AnswerReader<'_>) -> T,
) -> T {
    let (mut snapshot, mut out, mut origins) = (snapshot.clone(), Vec::new(), Vec::new());
    let world = snapshot.world();
    let machine = Machine::new(program, &mut snapshot, &mut out, world, Origins::new(&mut origins));
    work(&AnswerReader { machine, lane })
}

impl AnswerReader<'_> {
    /// An answer as it is sent. None for one that fits the call, and not the place that takes it.
    #[must_use]
    pub fn read(&self, answer: &Value) -> Option<ReadAnswer> {
        let Phase::Calling(call) = &self.machine.lane(self.lane).phase else { return None };
        match self.machine.read(self.lane, call, answer.clone()) {
            Ok(result) => self.machine.stored(self.lane, result),
            Err(error) => Some(ReadAnswer::Unfit(error)),
        }
    }

    /// The same for a model's answer whose JSON text is read already. None, too, for one that does not fit.
    #[must_use]
    pub fn read_parsed(&self, answer: &Value) -> Option<ReadAnswer> {
        let lane = self.machine.lane(self.lane);
        let node = &self.machine.graph(self.lane).nodes[lane.frame.node as usize];
        let (Phase::Calling(call), LinkedNodeKind::Model(model)) = (&lane.phase, &node.kind) else {
            return None;
        };
        let result = self.machine.answer(call, model, answer).ok()?;
        self.machine.stored(self.lane, result)
    }
}

impl Machine<'_> {
    fn stored(&self, lane: u32, result: Value) -> Option<ReadAnswer> {
        let node = &self.graph(lane).nodes[self.lane(lane).frame.node as usize];
        let stored = match node.kind.into_place() {
            Some(place) if self.program.semantics.fits_results() => {
                self.fit(place.shape, result.clone()).ok()?
            }
            _ => result.clone(),
        };
        Some(ReadAnswer::Fit { result, stored })
    }
}
