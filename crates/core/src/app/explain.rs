//! The page of a rule, or of a kind of error.

use crate::diag::{did_you_mean, nearest, rule};
use crate::program::error::ErrorKind;

/// The page about the errors of nodes, with a table of their kinds.
const ERRORS: &str = include_str!("../../docs/reference/language/errors.md");

/// The page of a rule, as Markdown.
///
/// # Errors
/// There is no such rule, and which one is near.
pub fn explain_rule(slug: &str) -> Result<&'static str, String> {
    if let Some(rule) = rule::named(slug) {
        return Ok(rule.page());
    }
    let near = nearest(slug, rule::ALL.iter().map(|r| r.slug()));
    let hint = near.map(|near| format!("; {}", did_you_mean(&format!("`{near}`")))).unwrap_or_default();
    Err(format!("there is no rule `{slug}`{hint}"))
}

/// The page of a rule, or what a kind of error means, as Markdown.
///
/// # Errors
/// There is neither, and which rule is near.
pub fn explain(name: &str) -> Result<String, String> {
    let Some(kind) = ErrorKind::named(name) else {
        let page = explain_rule(name).map(str::to_owned);
        return page.map_err(|why| why.replacen("no rule", "no rule and no kind of error", 1));
    };
    let (class, cause) = (kind.class().name(), kind.cause());
    Ok(format!(
        "# {name}\n\nA kind of error of the class `{class}`. {cause} An edge `on: error({name})` answers it.\n\n{ERRORS}"
    ))
}

/// The names that [`explain()`] knows: of rules, then of kinds of errors.
pub fn explained_names() -> impl Iterator<Item = &'static str> {
    rule::ALL.iter().map(|rule| rule.slug()).chain(ErrorKind::ALL.iter().map(|kind| kind.name()))
}
