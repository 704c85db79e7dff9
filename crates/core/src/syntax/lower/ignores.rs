//! `ignore`: rules of `check` whose findings are left out, each with the reason.

use super::Lower;
use crate::diag::{Diagnostic, nearest, rule};
use crate::source::Spanned;
use crate::syntax::names::clip;
use crate::syntax::tree::IgnoreDecl;
use crate::syntax::yaml::{Entry, Node, NodeKind};

impl Lower<'_> {
    /// Reasons by rule.
    pub(super) fn ignores(&mut self, node: &Node<'_>) -> Vec<IgnoreDecl> {
        self.entries(node, "`ignore`").iter().filter_map(|entry| self.ignore(entry)).collect()
    }

    fn ignore(&mut self, entry: &Entry<'_>) -> Option<IgnoreDecl> {
        let slug = entry.name();
        let known = rule::named(slug);
        if matches!(entry.value.kind, NodeKind::Refused) {
            return None;
        }
        if known.is_none() {
            let message = format!("there is no rule `{}`", clip(slug));
            let found = Diagnostic::warning(rule::UNKNOWN_RULE, entry.key.span, message);
            let near = nearest(slug, rule::ALL.iter().map(|rule| rule.slug()));
            self.report(found.meant_or(near, "a finding names its rule in brackets: `warning[unused]`"));
        }
        let reason = self.reason(entry)?;
        Some(IgnoreDecl { rule: known?, reason, span: entry.span() })
    }

    /// The reason is for people, so any text will do but none.
    fn reason(&mut self, entry: &Entry<'_>) -> Option<Spanned<String>> {
        let blank = entry.value.scalar().is_some_and(|scalar| scalar.text.trim().is_empty());
        if blank || entry.value.is_empty() {
            let message = format!("an `ignore` of `{}` needs a reason", clip(entry.name()));
            let found = Diagnostic::error(rule::MISSING_VALUE, entry.key.span, message);
            self.report(found.help("write after the rule why its finding is no fault here"));
            return None;
        }
        self.label(&entry.value)
    }
}
