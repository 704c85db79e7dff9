//! The faults of a run that no check can rule out: rows of the table that the reference shows.

use loopwright::program::RUN_TIME_FAULTS;

/// Doings of a graph that may end in such a fault, where the words of the fault alone do not say so.
#[derive(Debug, Clone, Copy, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is something else that a graph does")]
pub(super) struct Doings {
    /// Values of `any` stand where a type is wanted.
    pub(super) any: bool,
    /// Something is indexed without a test.
    pub(super) index: bool,
    /// Computed values go to places with bounds.
    pub(super) bounds: bool,
    /// Results go to places that look alike.
    pub(super) alike: bool,
    /// Every cause must be answered by an edge.
    pub(super) answered: bool,
    /// People answer what a lost call gave.
    pub(super) lost: bool,
}

/// A row of the table of run-time faults: its title there, and pieces of the messages of its errors.
struct ExcusedFault {
    title: &'static str,
    messages: &'static [&'static str],
    applies: fn(Doings) -> bool,
}

const fn row_of(title: &'static str, messages: &'static [&'static str]) -> ExcusedFault {
    ExcusedFault { title, messages, applies: |_| true }
}

/// The rows whose errors an adversary brings about. What kind an error of a row has is read from the table itself.
const TABLE: &[ExcusedFault] = &[
    row_of(
        "a conversion or a parse that fails",
        &["cannot make an", "cannot read '", "the regular expression", "`format` cannot write"],
    ),
    row_of("a division by zero", &["` by zero"]),
    row_of("an int overflow", &["overflows 64 bits"]),
    ExcusedFault {
        title: "an index out of range",
        messages: &["there is no element", "finds no place"],
        applies: |doings| doings.index,
    },
    ExcusedFault {
        title: "a key that is not there",
        messages: &["the map has no key", "there is no key"],
        applies: |doings| doings.index,
    },
    ExcusedFault {
        title: "an operator on a value of `any`",
        messages: &["does not take", "there is no key", "cannot be indexed"],
        applies: |doings| doings.any,
    },
    ExcusedFault {
        title: "a value of `any` that does not fit its place",
        messages: &["wants ", "where a", "whole number", "wanted "],
        applies: |doings| doings.any,
    },
    row_of("an input of a called graph that breaks its `where`", &["does not meet its condition"]),
    row_of("a list of statements that runs too long", &["runs too long"]),
    row_of("the cost limit of an evaluation", &["cost", "too much work"]),
    row_of("a value or a step past a limit of size", &[""]),
    row_of("an operator or a person who ends the run", &[""]),
    ExcusedFault {
        title: "a computed value out of the bounds of its place",
        messages: &["wanted int(", "wanted string(", "wanted list<"],
        applies: |doings| doings.bounds,
    },
    ExcusedFault {
        title: "an output of a called graph out of the bounds of its place",
        messages: &["wanted int(", "wanted string(", "wanted list<"],
        applies: |doings| doings.alike,
    },
    row_of("a spend of less than 1", &["where an amount to spend is wanted"]),
];

impl ExcusedFault {
    fn kind(&self) -> &'static str {
        let known = RUN_TIME_FAULTS.iter().find(|fault| fault.title == self.title);
        known.unwrap_or_else(|| panic!("there is no run-time fault `{}`", self.title)).kind
    }
}

/// The row that excuses an error.
pub(super) fn row(kind: &str, message: &str, doings: Doings) -> Option<&'static str> {
    let fits = |row: &&ExcusedFault| {
        row.kind() == kind
            && (row.applies)(doings)
            && row.messages.iter().any(|piece| message.contains(piece))
    };
    TABLE.iter().find(fits).map(|row| row.title)
}
