//! The short cut and the grammar side by side, for tests and the fuzzer.

use std::fmt::Debug;

use crate::diag::Diagnostic;
use crate::source::{FileId, Fragment};
use crate::syntax::expr;
use crate::syntax::tree::TriggerDecl;

/// Holds that what the short cut reads, the grammar reads in the same way. Whether the short cut reads it.
pub(super) fn agree<T: Debug>(
    text: &str,
    quick: impl Fn(&Fragment) -> Option<T>,
    slow: impl Fn(&Fragment, &mut Vec<Diagnostic>) -> Option<T>,
) -> bool {
    let fragment = Fragment::verbatim(text, FileId(0), 0);
    let Some(read) = quick(&fragment) else { return false };
    let mut found = Vec::new();
    let wanted = slow(&fragment, &mut found);
    assert!(found.is_empty(), "{text:?}: {found:?}");
    assert_eq!(format!("{:?}", Some(read)), format!("{wanted:?}"), "{text:?}");
    true
}

/// As [`agree`], with every reader there is.
pub(in crate::syntax::expr) fn all_agree(text: &str) {
    agree(text, super::expression, expr::expression_by_grammar);
    agree(text, super::place, expr::place_by_grammar);
    agree(text, |f| super::trigger(f).map(|(name, arg)| TriggerDecl { name, arg }), expr::trigger_by_grammar);
    agree(text, super::type_expr, expr::type_by_grammar);
    agree(text, super::field_line, expr::field_by_grammar);
    agree(text, super::block, |f, out| {
        let (block, faults) = expr::block_by_grammar(f);
        out.extend(faults.into_iter().map(|fault| fault.diagnostic(f)));
        Some(block)
    });
}
