//! The operator's pause: where a run stops and asks, though the graph does not say so.

use super::op::OpId;
use crate::value::Str;

/// Tested as the `pause` of the root graph is, and answered like it. It is no part of the program's digest: the run
/// goes the way the graph says, only with stops on it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OperatorPause {
    /// A condition over the state of the root graph, and its text.
    pub when: Option<(Str, OpId)>,
    /// Stops after every so many transitions of the root graph; at least 1.
    pub every: Option<u64>,
}
