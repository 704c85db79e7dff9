//! Parts of YAML that graph files do not have.

use super::Builder;
use crate::diag::{Diagnostic, rule};
use crate::source::Span;
use crate::syntax::names::clip;
use crate::syntax::yaml::node::{Node, NodeKind};
use crate::syntax::yaml::quote::{intended, quoted};

impl Builder<'_, '_> {
    /// Reports a tag; true, so that its value is refused.
    pub(super) fn tag(&mut self, at: &granit_parser::Span) -> bool {
        let node = self.place(at);
        let span = at.tag_span().map_or(node, |tag| self.place(&tag));
        let in_flow = self.open.last().is_some_and(|o| o.flow);
        let meant = intended(self.source, span.start as usize, in_flow);
        let name = meant.split_whitespace().next().unwrap_or_default();
        let mut found = Diagnostic::error(
            rule::YAML_TAG,
            span,
            format!("YAML reads `{}` as a tag; tags are not used here", clip(name)),
        );
        found = if name.starts_with("!!") {
            found.help("leave the tag out: each key knows the form of its value")
        } else {
            found.help(format!("an expression that starts with `!` needs quotes: {}", quoted(meant)))
        };
        self.out.push(found);
        self.last = span;
        true
    }

    pub(super) fn anchor(&mut self, name: &str, span: Span) {
        // `!a && b`: the tag was reported with the whole line, the `&&` is part of it.
        let line = self.source.get(self.last.start as usize..span.start as usize);
        let is_reported = self.out.last().is_some_and(|d| d.rule == rule::YAML_TAG && d.span() == self.last);
        if is_reported && line.is_some_and(|l| !l.contains('\n')) {
            return;
        }
        let found = Diagnostic::error(
            rule::YAML_ALIAS,
            span,
            format!("`&{}` is a YAML anchor; anchors are not used here", clip(name)),
        )
        .help("write the value out where it is needed, or give an expression a name under `let`");
        self.out.push(found);
    }

    pub(super) fn alias(&mut self, span: Span) {
        let name = self.source.get(span.start as usize..span.end as usize).unwrap_or_default();
        let found = Diagnostic::error(
            rule::YAML_ALIAS,
            span,
            format!("`{}` is a YAML alias; aliases are not used here", clip(name)),
        )
        .help("write the value out, or give an expression a name under `let`");
        self.out.push(found);
        self.add(Node { kind: NodeKind::Refused, span });
    }
}
