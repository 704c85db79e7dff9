//! Trails: how a run comes to a state, as the numbers of the inputs that are chosen.

/// The way of a run.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Trail {
    /// To a known state, and one input further.
    From {
        /// The number of the state.
        state: u32,
        /// The number of the input among its choices.
        choice: u32,
    },
    /// Through these inputs, from the beginning.
    Whole(Vec<u32>),
}
