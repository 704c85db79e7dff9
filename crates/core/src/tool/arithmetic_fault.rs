//! The faults of arithmetic.

/// The longest expression, in bytes.
pub(super) const MAX_BYTES: usize = 4096;

/// The deepest nesting.
pub(super) const MAX_DEPTH: u32 = 64;

/// An expression without a value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ArithmeticFault {
    /// The expression is too long.
    #[error("the expression is longer than {MAX_BYTES} bytes")]
    TooLong,
    /// The expression nests too deep.
    #[error("the expression nests deeper than {MAX_DEPTH}")]
    TooDeep,
    /// Something is written wrong.
    #[error("at character {at}: {message}")]
    Syntax {
        /// The position of the character, from 1.
        at: usize,
        /// The parts found and wanted, in words.
        message: String,
    },
    /// A whole number left the 64-bit range.
    #[error(
        "the result does not fit in a 64-bit integer; write a number with a point (2.0) to calculate in floats"
    )]
    Range,
    /// Division by zero.
    #[error("division by zero")]
    DivisionByZero,
    /// The result is no number.
    #[error("the result is not a finite number")]
    NotFinite,
}
