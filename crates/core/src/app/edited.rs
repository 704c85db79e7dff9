//! The place of a stored run in an edited graph.

use super::graph::GraphError;
use crate::machine::{Snapshot, Transfer, TransferError};
use crate::port::ProgramText;
use crate::program::Semantics;

/// The place of a run in an edited graph.
#[derive(Debug)]
#[non_exhaustive]
pub struct Edited {
    /// The texts of the graph.
    pub text: ProgramText,
    /// The state as it was carried over; [`None`] if the run goes by this very graph already.
    pub moved: Option<Transfer>,
    /// The version of the meaning the run went by before, if it is another one.
    pub before: Option<Semantics>,
    /// The version of the meaning it goes by now.
    pub now: Semantics,
}

/// The fault for which a run does not continue with an edited graph.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EditError {
    /// The condition of the operator's pause does not fit the graph.
    #[error(transparent)]
    Pause(Box<GraphError>),
    /// The run does not fit the graph: everything that does not.
    #[error("the run does not fit the graph: {}", reasons(.0))]
    Unfit(Vec<TransferError>),
}

fn reasons(unfit: &[TransferError]) -> String {
    unfit.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}

impl Edited {
    /// The state of the run in the edited graph.
    #[must_use]
    pub fn stands<'s>(&'s self, stood: &'s Snapshot) -> &'s Snapshot {
        self.moved.as_ref().map_or(stood, |moved| &moved.snapshot)
    }
}
