//! The calls of the language that are no functions of the library: they ask the run, or bind a name.

/// A call that the language itself gives a meaning.
#[derive(Debug, Clone, Copy)]
pub struct LanguageCall {
    /// The name.
    pub name: &'static str,
    /// The forms as they are written.
    pub forms: &'static [&'static str],
    /// One line on its result.
    pub doc: &'static str,
    /// An expression with it, and one that gives the same; none where it needs a run.
    pub example: Option<(&'static str, &'static str)>,
}

const fn query(name: &'static str, forms: &'static [&'static str], doc: &'static str) -> LanguageCall {
    LanguageCall { name, forms, doc, example: None }
}

const fn binding(
    name: &'static str,
    forms: &'static [&'static str],
    doc: &'static str,
    example: (&'static str, &'static str),
) -> LanguageCall {
    LanguageCall { name, forms, doc, example: Some(example) }
}

/// The calls that ask the run, or what is declared.
#[rustfmt::skip]
pub const QUERIES: &[LanguageCall] = &[
    query("used", &["used(budget)"], "The amount that is spent: `int`, `usd` or `duration`."),
    query("limit", &["limit(budget)"], "The limit of the budget."),
    query("left", &["left(budget)"], "The amount up to the limit, at least 0."),
    query("exhausted", &["exhausted(budget): bool"], "True once the limit is reached; the grace may still be there."),
    query("step", &["step(): int"], "The number of transitions that were taken."),
    query("rolled_back", &["rolled_back()"], "The last rollback as `{from, to}`, two steps; null if there was none."),
    query("visits", &["visits(node): int"], "The number of times that the node was entered."),
    query("in_state", &["in_state(node): bool"], "True while the run is in the node, or in a node inside of it."),
    query("render", &["render(text): string"], "A text under `texts`, filled in."),
    query("now", &["now(): duration"], "The clock of the run: the time since 1970 as it was at the last input."),
    query("has", &["has(x.field): bool"], "True if a declared field is not null, or if the key exists in a map."),
    query("previous", &["previous(expression)"], "In properties: the value at the previous entry, null at the first."),
];

/// The calls after a list or map that bind a name for the expressions in them.
#[rustfmt::skip]
pub const MACROS: &[LanguageCall] = &[
    binding("all", &["xs.all(x, test): bool", "xs.all(i, x, test): bool"],
        "True if the test holds for all items.", ("[1, 2].all(x, x > 0)", "true")),
    binding("exists", &["xs.exists(x, test): bool", "xs.exists(i, x, test): bool"],
        "True if the test holds for some item.", ("[1, 2].exists(x, x > 1)", "true")),
    binding("exists_one", &["xs.exists_one(x, test): bool", "xs.exists_one(i, x, test): bool"],
        "True if the test holds for one item exactly.", ("[1, 2].exists_one(x, x > 1)", "true")),
    binding("existsOne", &["xs.existsOne(x, test): bool", "xs.existsOne(i, x, test): bool"],
        "As `exists_one`.", ("[1, 2].existsOne(x, x > 0)", "false")),
    binding("map", &["xs.map(x, result): list", "xs.map(x, test, result): list"],
        "The result for each item; for those that pass the test, if given.", ("[1, 2].map(x, x * 2)", "[2, 4]")),
    binding("filter", &["xs.filter(x, test): list"],
        "The items that pass the test.", ("[1, 2].filter(x, x > 1)", "[2]")),
    binding("sortBy", &["xs.sortBy(x, key): list"],
        "The items in ascending order of the key.", ("['bb', 'a'].sortBy(x, x.size())", "['a', 'bb']")),
    binding("transformList", &["xs.transformList(i, x, result): list", "xs.transformList(i, x, test, result): list"],
        "As `map`, with the index of the item.", ("['a', 'b'].transformList(i, x, x + string(i))", "['a0', 'b1']")),
    binding("transformMap", &["m.transformMap(k, v, result): map", "m.transformMap(k, v, test, result): map"],
        "The map with other values.", ("{'a': 1}.transformMap(k, v, v + 1)", "{'a': 2}")),
];

/// Calls that are read by their form, each with an example.
#[rustfmt::skip]
pub const FORMS: &[LanguageCall] = &[
    binding("is", &["is(value, type): bool"],
        "True if the value fits the type.", ("is(5, int(1..9))", "true")),
    binding("cel.bind", &["cel.bind(x, value, body)"],
        "The body, with the value under a name.", ("cel.bind(x, 3, x * x)", "9")),
];
