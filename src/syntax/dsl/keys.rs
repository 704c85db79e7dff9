//! The words of the language that begin keys and declarations, and blocks of keys.

use super::Reader;
use crate::syntax::expr::TokenKind;
use crate::syntax::lower::tables::{
    BRANCH_KEYS, FAMILY_KEYS, METER_KEYS, NODE_KEYS, NODE_KINDS, PAUSE_KEYS, RETRY_KEYS, SECTIONS, VIEW_KEYS,
};
use crate::syntax::lower::{Form, Key};
use crate::syntax::yaml::{Entry, Node, NodeKind};

/// Sections that are declared one by one: the word before one declaration, and the section's own.
pub(super) const GROUPS: &[(&str, &str)] = &[
    ("type", "types"),
    ("error", "errors"),
    ("input", "input"),
    ("state", "state"),
    ("budget", "budgets"),
    ("let", "let"),
    ("actions", "actions"),
    ("role", "roles"),
    ("text", "texts"),
    ("output", "output"),
    ("property", "properties"),
    ("view", "views"),
];

/// A table of keys, as far as a reader needs it.
pub(super) type Forms = fn(&str) -> Option<Form>;

fn form<T>(table: &[Key<T>], name: &str) -> Option<Form> {
    table.iter().find(|key| key.name == name).map(|key| key.form)
}

pub(super) fn node_form(name: &str) -> Option<Form> {
    form(NODE_KEYS, name)
}

pub(super) fn section_form(name: &str) -> Option<Form> {
    form(SECTIONS, name)
}

pub(super) fn budget_form(name: &str) -> Option<Form> {
    form(METER_KEYS, name).or_else(|| form(FAMILY_KEYS, name))
}

pub(super) fn view_form(name: &str) -> Option<Form> {
    form(VIEW_KEYS, name)
}

pub(super) fn branch_form(name: &str) -> Option<Form> {
    form(BRANCH_KEYS, name)
}

pub(super) fn pause_form(name: &str) -> Option<Form> {
    form(PAUSE_KEYS, name)
}

pub(super) fn retry_form(name: &str) -> Option<Form> {
    form(RETRY_KEYS, name)
}

/// Whether a word begins a node; `node` begins one whose kind the base of a variant says.
pub(super) fn is_kind(word: &str) -> bool {
    word == "node" || NODE_KINDS.iter().any(|(kind, _)| *kind == word)
}

/// Whether a word begins a declaration that is no node.
pub(super) fn is_declaration(word: &str) -> bool {
    group(word).is_some() || section_form(word).is_some_and(|form| form != Form::Nodes)
}

/// The section of a word that begins one declaration of it or a block of them.
pub(super) fn group(word: &str) -> Option<&'static str> {
    GROUPS.iter().find(|(one, all)| *one == word || *all == word).map(|(_, all)| *all)
}

impl<'s> Reader<'s, '_> {
    /// Keys on the rest of the line, or in braces. `across`: known keys may stand on the next lines, too.
    pub(super) fn keys(&mut self, forms: Forms, across: bool) -> Vec<Entry<'s>> {
        let mut entries = Vec::new();
        while let Some(token) = self.t.next {
            let known = token.kind == TokenKind::Word && forms(self.t.text(token)).is_some();
            let others = across && !known && !entries.is_empty();
            if self.t.broke && !(across && known) || others {
                break;
            }
            if token.kind == TokenKind::Word {
                entries.push(self.key(forms));
            } else {
                if self.t.text(token) == "{" {
                    self.keys_in_braces(forms, &mut entries);
                }
                break;
            }
        }
        entries
    }

    fn keys_in_braces(&mut self, forms: Forms, entries: &mut Vec<Entry<'s>>) {
        let Some(open) = self.t.take() else { return };
        if self.enter(open) {
            while self.inside(open) {
                if self.t.is(TokenKind::Word) {
                    entries.push(self.key(forms));
                } else if self.t.take_text(",").is_none() {
                    self.unexpected("a key", "write `key value`, or `}` to end the block");
                }
            }
        }
        self.depth -= 1;
    }

    /// A mapping of keys on the rest of the line, or in braces.
    pub(super) fn keyed(&mut self, forms: Forms, across: bool) -> Node<'s> {
        let start = self.t.here();
        let entries = self.keys(forms, across);
        let end = self.t.behind;
        self.mapping(entries, (start.min(end), end))
    }

    /// A key, which is the next token, and its value. An unknown key is left to `lower`, with no value.
    pub(super) fn key(&mut self, forms: Forms) -> Entry<'s> {
        let at = (self.t.here(), self.t.next.map_or(self.t.here(), |t| t.end));
        let form = forms(self.t.next_text());
        self.t.take();
        let key = self.verbatim(at);
        // Those who are used to YAML write a colon.
        let colon = !self.t.broke && self.t.take_text(":").is_some();
        let before = self.t.broke;
        let value = match form {
            Some(form) => self.value(at, form),
            None => self.unknown_value(at),
        };
        if colon && before && matches!(value.kind, NodeKind::Refused) {
            self.pass_indented(at.0);
        }
        Entry { key, value }
    }

    fn unknown_value(&mut self, key: (usize, usize)) -> Node<'s> {
        let start = self.t.here();
        if !self.t.broke && self.t.next_text() != "{" && self.t.expression().is_some() {
            self.told.push((start, self.t.behind));
        }
        if !self.t.broke && self.t.next_text() == "{" {
            self.pass_braces();
        }
        self.refused((key.0, self.t.behind))
    }
}
