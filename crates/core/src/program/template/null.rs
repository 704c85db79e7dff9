//! Null in the engine: a fault, or `None` as it is printed.

/// Filters that end the rendering where they are given null, or give something that is undefined.
const FILTERS_WITHOUT_NULL: [&str; 14] = [
    "abs", "attr", "count", "dictsort", "first", "format", "items", "last", "length", "lines", "max", "min",
    "round", "split",
];

/// True if the filter takes null.
#[must_use]
pub(crate) fn takes_null(filter: &str) -> bool {
    !FILTERS_WITHOUT_NULL.contains(&filter)
}

/// True if the operator means something with null on one of its sides.
#[must_use]
pub(crate) fn compares_null(sign: &str) -> bool {
    matches!(sign, "==" | "!=" | "~")
}
