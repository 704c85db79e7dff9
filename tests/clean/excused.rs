//! The faults of a run that no check can rule out.

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
    /// Every cause must be answered by an edge.
    pub(super) answered: bool,
    /// People answer what a lost call gave.
    pub(super) lost: bool,
}

/// A row of the table: its name, the kind of the error, and pieces of its messages.
struct ExcusedFault {
    name: &'static str,
    kind: &'static str,
    messages: &'static [&'static str],
    applies: fn(Doings) -> bool,
}

/// The table of run-time faults, in the order of its design. It is to be read from `docs/reference/language/run-time-faults.md` once
/// that is there.
const TABLE: &[ExcusedFault] = &[
    ExcusedFault {
        name: "a conversion or parsing that fails",
        kind: "evaluation",
        messages: &["cannot make an", "cannot read '", "the regular expression", "`format` cannot write"],
        applies: |_| true,
    },
    ExcusedFault {
        name: "division by zero",
        kind: "evaluation",
        messages: &["` by zero"],
        applies: |_| true,
    },
    ExcusedFault {
        name: "int overflow",
        kind: "evaluation",
        messages: &["overflows 64 bits"],
        applies: |_| true,
    },
    ExcusedFault {
        name: "an index out of range or a key that is not there",
        kind: "evaluation",
        messages: &["there is no element", "the map has no key", "there is no key", "finds no place"],
        applies: |doings| doings.index,
    },
    ExcusedFault {
        name: "a value of `any` that does not fit",
        kind: "evaluation",
        messages: &[
            "does not take",
            "wants ",
            "where a",
            "there is no key",
            "cannot be indexed",
            "whole number",
            "wanted ",
        ],
        applies: |doings| doings.any,
    },
    ExcusedFault {
        name: "cost limits",
        kind: "evaluation",
        messages: &["cost", "too much work"],
        applies: |_| true,
    },
    ExcusedFault {
        name: "too_large, and the limit of pure steps",
        kind: "too_large",
        messages: &[""],
        applies: |_| true,
    },
    ExcusedFault { name: "an operator's abort", kind: "cancelled", messages: &[""], applies: |_| true },
    // Not in the design.
    ExcusedFault {
        name: "a computed value out of the bounds of its type",
        kind: "evaluation",
        messages: &["wanted int(", "wanted string(", "wanted list<"],
        applies: |doings| doings.bounds,
    },
    ExcusedFault {
        name: "a computed amount to spend below 1",
        kind: "evaluation",
        messages: &["where an amount to spend is wanted"],
        applies: |_| true,
    },
];

/// The row that excuses an error.
pub(super) fn row(kind: &str, message: &str, doings: Doings) -> Option<&'static str> {
    let fits = |row: &&ExcusedFault| {
        row.kind == kind && (row.applies)(doings) && row.messages.iter().any(|piece| message.contains(piece))
    };
    TABLE.iter().find(fits).map(|row| row.name)
}
