//! The words of the language that begin keys and declarations, and blocks of keys.

use super::{Part, Reader};
use crate::syntax::expr::{Rule, TokenKind};
use crate::syntax::lower::tables::{
    BRANCH_KEYS, FAMILY_KEYS, METER_KEYS, MIGRATE_KEYS, NODE_KEYS, NODE_KINDS, PAUSE_KEYS, RETRY_KEYS,
    SECTIONS, VIEW_KEYS,
};
use crate::syntax::lower::{Form, Key};
use crate::syntax::yaml::{Entry, Node, NodeKind};

/// Sections that are declared one by one: their rule, the word before one declaration, and the section's own.
pub(in crate::syntax) const GROUPS: &[(Rule, &str, &str)] = &[
    (Rule::types_group, "type", "types"),
    (Rule::errors_group, "error", "errors"),
    (Rule::input_group, "input", "input"),
    (Rule::state_group, "state", "state"),
    (Rule::budgets_group, "budget", "budgets"),
    (Rule::let_group, "let", "let"),
    (Rule::actions_group, "actions", "actions"),
    (Rule::roles_group, "role", "roles"),
    (Rule::texts_group, "text", "texts"),
    (Rule::output_group, "output", "output"),
    (Rule::properties_group, "property", "properties"),
    (Rule::views_group, "view", "views"),
];

/// A table of keys, as far as a reader needs it, and the rule that reads one of them.
#[derive(Clone, Copy)]
pub(super) struct KeyTable {
    pub(super) form: fn(&str) -> Option<Form>,
    rule: Rule,
}

pub(super) const OF_FILE: KeyTable = KeyTable { form: section_form, rule: Rule::declaration };
pub(super) const OF_NODE: KeyTable = KeyTable { form: node_form, rule: Rule::any_key };
pub(super) const OF_BUDGET: KeyTable = KeyTable { form: budget_form, rule: Rule::budget_key };
pub(super) const OF_VIEW: KeyTable = KeyTable { form: |name| form(VIEW_KEYS, name), rule: Rule::view_key };
pub(super) const OF_BRANCH: KeyTable =
    KeyTable { form: |name| form(BRANCH_KEYS, name), rule: Rule::branch_key };
pub(super) const OF_PAUSE: KeyTable =
    KeyTable { form: |name| form(PAUSE_KEYS, name), rule: Rule::pause_part };
pub(super) const OF_MIGRATE: KeyTable =
    KeyTable { form: |name| form(MIGRATE_KEYS, name), rule: Rule::migrate_key };
pub(super) const OF_RETRY: KeyTable = KeyTable { form: |name| form(RETRY_KEYS, name), rule: Rule::retry_key };

fn form<T>(table: &[Key<T>], name: &str) -> Option<Form> {
    table.iter().find(|key| key.name == name).map(|key| key.form)
}

pub(super) fn node_form(name: &str) -> Option<Form> {
    form(NODE_KEYS, name)
}

fn section_form(name: &str) -> Option<Form> {
    form(SECTIONS, name)
}

pub(super) fn budget_form(name: &str) -> Option<Form> {
    form(METER_KEYS, name).or_else(|| form(FAMILY_KEYS, name))
}

/// True if a word begins a node; `node` begins one whose kind the base of a variant says.
pub(in crate::syntax) fn is_kind(word: &str) -> bool {
    word == "node" || NODE_KINDS.iter().any(|(kind, _)| *kind == word)
}

/// True if a word begins a declaration that is no node.
pub(super) fn is_declaration(word: &str) -> bool {
    group(word).is_some() || section_form(word).is_some_and(|form| form != Form::Nodes)
}

/// The section of a word that begins one declaration of it or a block of them.
pub(in crate::syntax) fn group(word: &str) -> Option<&'static str> {
    GROUPS.iter().find(|(_, one, all)| *one == word || *all == word).map(|(.., all)| *all)
}

/// The section whose declarations a rule reads.
pub(super) fn section_of(rule: Rule) -> Option<&'static str> {
    GROUPS.iter().find(|(of, ..)| *of == rule).map(|(.., all)| *all)
}

impl<'s> Reader<'s, '_> {
    /// Keys on the rest of the line, or in braces. `across`: known keys may stand on the next lines, too.
    pub(super) fn keys(&mut self, keys: KeyTable, across: bool) -> Vec<Entry<'s>> {
        let mut entries = Vec::new();
        while let Some(token) = self.t.next {
            let known = token.kind == TokenKind::Word && (keys.form)(self.t.text(token)).is_some();
            let others = across && !known && !entries.is_empty();
            if self.t.broke && !(across && known) || others {
                break;
            }
            if token.kind == TokenKind::Word {
                entries.push(self.key(keys));
            } else {
                if self.t.text(token) == "{" {
                    self.keys_in_braces(keys, &mut entries);
                }
                break;
            }
        }
        entries
    }

    fn keys_in_braces(&mut self, keys: KeyTable, entries: &mut Vec<Entry<'s>>) {
        let Some(open) = self.t.take() else { return };
        if self.enter(open) {
            while self.inside(open) {
                if self.t.is(TokenKind::Word) {
                    entries.push(self.key(keys));
                } else if self.t.take_text(",").is_none() {
                    self.unexpected("a key", "write `key value`, or `}` to end the block");
                }
            }
        }
        self.depth -= 1;
    }

    /// A mapping of keys on the rest of the line, or in braces.
    pub(super) fn keyed(&mut self, keys: KeyTable, across: bool) -> Node<'s> {
        let start = self.t.here();
        let entries = self.keys(keys, across);
        let end = self.t.end_of_last;
        self.mapping(entries, (start.min(end), end))
    }

    /// A key, which is the next token, and its value. An unknown key is left to `lower`, with no value.
    pub(super) fn key(&mut self, keys: KeyTable) -> Entry<'s> {
        if (keys.form)(self.t.next_text()).is_some()
            && keys.rule != Rule::declaration
            && let Some(pair) = self.piece(keys.rule)
        {
            return self.key_pair(pair);
        }
        let at = (self.t.here(), self.t.next.map_or(self.t.here(), |t| t.end));
        let form = (keys.form)(self.t.next_text());
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

    fn unknown_value(&mut self, key: Part) -> Node<'s> {
        let start = self.t.here();
        if !self.t.broke && self.t.next_text() != "{" && self.t.pass_value().is_some() {
            self.reported.push((start, self.t.end_of_last));
        }
        if !self.t.broke && self.t.next_text() == "{" {
            self.pass_braces();
        }
        self.refused((key.0, self.t.end_of_last))
    }
}
