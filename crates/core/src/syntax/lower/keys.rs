//! Walking mappings: with fixed keys by a table, with free keys by name.

use super::form::Key;
use super::{Lower, NODE_KINDS, Syntax};
use crate::diag::{Diagnostic, nearest, rule};
use crate::source::Span;
use crate::syntax::ast::Name;
use crate::syntax::names::clip;
use crate::syntax::yaml::{Entry, Node, NodeKind, intended, quoted};

impl Lower<'_> {
    /// The entries of a mapping; none, with a finding, when it is something else. Nothing at all is an empty
    /// mapping: a section whose entries were all commented out is no fault.
    pub(super) fn entries<'n, 's>(&mut self, node: &'n Node<'s>, what: &str) -> &'n [Entry<'s>] {
        match &node.kind {
            NodeKind::Mapping(entries) => entries,
            NodeKind::Refused => {
                self.unread.add_unnamed();
                &[]
            }
            NodeKind::Scalar(s) if s.is_empty() => &[],
            _ => {
                let message = format!("{what} is a mapping of keys and values, not {}", node.describe());
                let found = Diagnostic::error(rule::WRONG_FORM, self.head(node), message);
                self.report(found.help("write `key: value`, one a line"));
                self.leave_unread(node);
                &[]
            }
        }
    }

    /// Reads a mapping with fixed keys into `target`. False if it has a key that is none of them: nothing is reported of
    /// what is missing then, it may be misspelt.
    pub(super) fn mapping<T>(
        &mut self,
        node: &Node<'_>,
        what: &str,
        table: &'static [Key<T>],
        target: &mut T,
    ) -> bool {
        let mut known = true;
        for entry in self.entries(node, what) {
            match self.key(entry, what, table) {
                Ok(key) => (key.read)(self, key, entry, target),
                Err(_) => known = false,
            }
        }
        known
    }

    /// The table's row for an entry's key; for an unknown one, which is reported, the key that was meant.
    pub(super) fn key<T>(
        &mut self,
        entry: &Entry<'_>,
        what: &str,
        table: &'static [Key<T>],
    ) -> Result<&'static Key<T>, Option<&'static str>> {
        if let Some(found) = table.iter().find(|k| k.name == entry.name()) {
            return Ok(found);
        }
        if self.is_full() {
            return Err(None);
        }
        Err(self.unknown_key(entry, what, table, None))
    }

    /// Reports a key that no row of the table has. `kind`: only rows of that kind of node are listed.
    pub(super) fn unknown_key<T>(
        &mut self,
        entry: &Entry<'_>,
        what: &str,
        table: &'static [Key<T>],
        kind: Option<&str>,
    ) -> Option<&'static str> {
        let name = entry.name();
        let found = Diagnostic::error(
            rule::UNKNOWN_KEY,
            entry.key.span,
            format!("{what} has no key `{}`", clip(name)),
        );
        let meant = nearest(name, table.iter().map(|k| k.name));
        // In a body of the loop DSL the word of a statement may be meant as well.
        let dsl = matches!(self.syntax, Syntax::Dsl(_)) && kind.is_some();
        let statement = if dsl { nearest(name, ["spend", "emit", "fail", "for", "let"]) } else { None };
        let fits = |key: &&Key<T>| {
            !(dsl && key.name == "kind")
                && (key.kinds.is_empty() || kind.is_none_or(|kind| key.kinds.contains(&kind)))
        };
        let names: Vec<_> = table.iter().filter(fits).map(|k| k.name).collect();
        self.report(found.meant_or(meant.or(statement), format!("its keys are {}", names.join(", "))));
        meant
    }

    /// Reports the keys of a node that its kind does not have, each with the kinds that have it. `written`: the
    /// node says its kind itself.
    pub(super) fn keys_of_other_kinds(
        &mut self,
        name: &str,
        kind: &str,
        written: bool,
        foreign: &[(&Entry<'_>, &[&str])],
    ) {
        let Some(((first, _), others)) = foreign.split_first() else { return };
        let keys: Vec<String> = foreign.iter().map(|(entry, _)| format!("`{}`", entry.name())).collect();
        let keys = format!("{} {}", if others.is_empty() { "key" } else { "keys" }, keys.join(", "));
        let message = if written {
            format!("a node of kind `{kind}` has no {keys}")
        } else {
            format!("`{}` has no `kind`, and a node of kind `{kind}` has no {keys}", clip(name))
        };
        let mut found = Diagnostic::error(rule::KEY_OF_OTHER_KIND, first.key.span, message);
        for (entry, _) in others {
            found = found.also(entry.key.span, "");
        }
        let all = |kind: &str| foreign.iter().all(|(_, owners)| owners.contains(&kind));
        let own: Vec<_> = NODE_KINDS.iter().filter(|(k, _)| all(k)).map(|(k, _)| *k).collect();
        let verb = if others.is_empty() { "the key belongs" } else { "these keys belong" };
        found = match own.as_slice() {
            [] => found.help("no kind of node has all these keys"),
            [only] if !written && matches!(self.syntax, Syntax::Dsl(_)) => {
                found.help(format!("write `{only}` in place of `node`"))
            }
            [only] if !written => found.help(format!("add `kind: {only}`")),
            _ => found.help(format!("{verb} to: {}", own.join(", "))),
        };
        self.report(found);
    }

    /// The name an entry's key gives to what it declares.
    pub(super) fn declared(&mut self, entry: &Entry<'_>, what: &str) -> Option<Name> {
        self.name_in(&entry.key, what, true)
    }

    /// The place to point at for a value of the wrong form: its first line.
    pub(super) fn head(&self, node: &Node<'_>) -> Span {
        let text = self.text.get(node.span.start as usize..node.span.end as usize).unwrap_or_default();
        let line = text.lines().next().unwrap_or_default().trim_end();
        Span::new(self.file, node.span.start as usize, node.span.start as usize + line.len())
    }

    /// Reports a value that should have been a single one.
    pub(super) fn wrong_form(&mut self, node: &Node<'_>, wanted: &str, example: &str) {
        match &node.kind {
            NodeKind::Refused => {}
            NodeKind::Scalar(s) if s.is_empty() => {
                let found = Diagnostic::error(
                    rule::MISSING_VALUE,
                    node.span,
                    format!("expected {wanted}, found nothing"),
                );
                self.report(found.help(format!("write {example}")));
            }
            _ => {
                let message = format!("expected {wanted}, found {}", node.describe());
                let mut found = Diagnostic::error(rule::WRONG_FORM, self.head(node), message);
                // `emit x {a: 1}` came out as a mapping: its `: ` made a key of the first part.
                let on_one_line = self.head(node).end == node.span.end;
                found = match &node.kind {
                    NodeKind::Mapping(_) if on_one_line && !self.slice(node.span).starts_with('{') => {
                        let text = intended(self.text, node.span.start as usize, false);
                        found.help(format!("a value with `: ` in it needs quotes: {}", quoted(text)))
                    }
                    _ => found.help(format!("write {example}")),
                };
                self.report(found);
            }
        }
    }

    /// The file's text at a place.
    pub(super) fn slice(&self, span: Span) -> &str {
        self.text.get(span.start as usize..span.end as usize).unwrap_or_default()
    }
}
