//! The faults of texts that are read as durations or amounts.

/// A text that is no duration or amount.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum TextFault {
    /// The text has another form.
    #[error("it is not written as one")]
    Malformed,
    /// The form is right but the value does not fit into 64 bits.
    #[error("it is out of range")]
    OutOfRange,
}
