//! The function library. The implementations are still to come; only the interface stands.

use crate::value::{Function, Value};

/// Kinds of fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FaultKind {
    /// The expression has no value.
    Evaluation,
    /// The value is too large.
    TooLarge,
}

impl FaultKind {
    /// The error kind of the language.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Evaluation => "evaluation",
            Self::TooLarge => "too_large",
        }
    }
}

/// Why a function gives no value.
#[derive(Debug, Clone)]
pub struct Fault {
    /// Which kind.
    pub kind: FaultKind,
    /// What happened.
    pub message: String,
}

impl Fault {
    /// A fault of kind `evaluation`.
    #[must_use]
    pub fn evaluation(message: impl Into<String>) -> Self {
        Self { kind: FaultKind::Evaluation, message: message.into() }
    }
}

/// The cost limit of one evaluation.
#[derive(Debug, Default)]
pub struct Meter {
    used: u64,
}

impl Meter {
    /// Charges `n` units of work.
    ///
    /// # Errors
    /// When the limit is passed.
    pub fn charge(&mut self, n: u64) -> Result<(), Fault> {
        self.used += n;
        Ok(())
    }

    /// Whether the limit is passed.
    #[must_use]
    pub const fn spent(&self) -> bool {
        false
    }
}

/// Applies a function.
///
/// # Errors
/// A [`Fault`].
pub fn call(function: Function, _args: &[Value], _meter: &mut Meter) -> Result<Value, Fault> {
    Err(Fault::evaluation(format!("{} is not there yet", function.name())))
}
