//! Run-time values: one total order, cheap clones, JSON both ways.

mod function;

pub use function::Function;

use ecow::EcoString;

/// A string: short ones are stored in place, long ones are shared.
pub type Str = EcoString;

/// A run-time value. Enum members and types-as-values are [`Value::Str`]; records are [`Value::Map`]s whose
/// entries stand in the order of the record's declaration.
#[derive(Debug, Clone, Default)]
pub enum Value {
    /// `null`.
    #[default]
    Null,
    /// `bool`.
    Bool(bool),
    /// `int`.
    Int(i64),
    /// `float`.
    Float(f64),
    /// `usd`, in billionths.
    Usd(i64),
    /// `duration`, in nanoseconds.
    Duration(i64),
    /// `string`.
    Str(Str),
}
