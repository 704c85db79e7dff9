//! Names that the keys of a node give.

use super::context::named;
use super::keys::Keys;
use super::prompt::string;
use crate::diag::{Diagnostic, rule};
use crate::model::node::NameSource;
use crate::model::typing::Cx;
use crate::source::Spanned;
use crate::value::Str;

/// A fixed name or an expression; one of the two keys is needed.
pub(super) fn name_source(
    keys: &Keys<'_>,
    fixed: &str,
    computed: &str,
    wanted: &str,
    example: &str,
    at: &mut Cx<'_>,
) -> NameSource {
    if let (Some(_), Some(second)) = (keys.value(fixed), keys.span_of(computed)) {
        let message = format!("`{fixed}` and `{computed}` exclude each other");
        at.report(Diagnostic::error(rule::CONFLICTING_KEYS, second, message).help("keep one of them"));
    }
    if let Some(name) = keys.name(fixed, at) {
        return NameSource::Fixed(named(name));
    }
    if let Some(expr) = keys.expr(computed, at) {
        return NameSource::Computed(at.check(expr, &string()));
    }
    if !keys.has(fixed) && !keys.has(computed) {
        keys.missing(wanted, example, at);
    }
    NameSource::Fixed(Spanned::new(Str::new(), keys.span()))
}
