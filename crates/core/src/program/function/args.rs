//! The arguments of a call, and the complaint about a wrong one.

use crate::program::fault::Fault;
use crate::value::{List, Map, Str, Value};

/// The arguments of one call. The name of the function is for messages.
#[derive(Debug, Clone, Copy)]
pub struct Args<'a> {
    name: &'a str,
    values: &'a [Value],
}

impl<'a> Args<'a> {
    /// Arguments for the function of that name; their number is checked by [`Functions::call`](super::Functions::call).
    #[must_use]
    pub const fn new(name: &'a str, values: &'a [Value]) -> Self {
        Self { name, values }
    }

    pub(super) const fn all(self) -> &'a [Value] {
        self.values
    }

    pub(super) fn at(self, place: usize) -> &'a Value {
        const NULL: &Value = &Value::Null;
        self.values.get(place).unwrap_or(NULL)
    }

    /// The argument, if so many were given.
    pub(super) fn optional(self, place: usize) -> Option<&'a Value> {
        self.values.get(place)
    }

    pub(super) fn text(self, place: usize) -> Result<&'a Str, Fault> {
        match self.at(place) {
            Value::Str(value) => Ok(value),
            other => Err(self.wrong("a string", other)),
        }
    }

    pub(super) fn int(self, place: usize) -> Result<i64, Fault> {
        self.at(place).as_int().ok_or_else(|| self.wrong("an int", self.at(place)))
    }

    pub(super) fn float(self, place: usize) -> Result<f64, Fault> {
        match self.at(place) {
            Value::Float(value) => Ok(*value),
            other => Err(self.wrong("a float", other)),
        }
    }

    pub(super) fn duration(self, place: usize) -> Result<i64, Fault> {
        match self.at(place) {
            Value::Duration(value) => Ok(*value),
            other => Err(self.wrong("a duration", other)),
        }
    }

    pub(super) fn list(self, place: usize) -> Result<&'a List, Fault> {
        self.at(place).as_list().ok_or_else(|| self.wrong("a list", self.at(place)))
    }

    pub(super) fn map(self, place: usize) -> Result<&'a Map, Fault> {
        self.at(place).as_map().ok_or_else(|| self.wrong("a map", self.at(place)))
    }

    /// A fault of this function, with its name in front.
    pub(super) fn fault(self, message: impl std::fmt::Display) -> Fault {
        Fault::evaluation(format!("`{}` {message}", self.name))
    }

    pub(super) fn wrong(self, wanted: &str, found: &Value) -> Fault {
        self.fault(format_args!("wants {wanted}, found {}", found.type_name()))
    }

    /// A number that must not be out of a text or list of `len` characters or elements.
    pub(super) fn out_of_range(self, place: i64, len: usize) -> Fault {
        self.fault(format_args!("finds no place {place} where there are {len} (counted from 0)"))
    }

    pub(super) fn overflow(self) -> Fault {
        self.fault("overflows 64 bits")
    }
}
