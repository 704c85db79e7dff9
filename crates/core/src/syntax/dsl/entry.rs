//! The entries of sections, where their rule refuses them.

use super::keys::{OF_BRANCH, OF_BUDGET, OF_VIEW, group};
use super::{Part, Reader};
use crate::syntax::expr::{PROPERTY_WORDS, Rule, Token, TokenKind};
use crate::syntax::lower::Form;
use crate::syntax::lower::tables::CLASSES;
use crate::syntax::names::clip;
use crate::syntax::yaml::{Entry, Node};

/// The rule that reads the entries of a section, and an example of one.
struct SectionRow {
    section: &'static str,
    rule: Rule,
    example: &'static str,
}

const fn row(section: &'static str, rule: Rule, example: &'static str) -> SectionRow {
    SectionRow { section, rule, example }
}

const ROWS: &[SectionRow] = &[
    row("types", Rule::record_decl, "type Name { field: type }"),
    row("errors", Rule::error_decl, "error name recoverable"),
    row("budgets", Rule::budget_decl, "budget name = 3"),
    row("let", Rule::let_decl, "let name = expression"),
    row("actions", Rule::action_decl, "actions { name { statements } }"),
    row("roles", Rule::role_decl, "role name"),
    row("texts", Rule::text_decl, "text name file 'prompts/name.md'"),
    row("output", Rule::output_decl, "output { name: expression }"),
    row("properties", Rule::property_decl, "property name never expression"),
    row("views", Rule::view_decl, "view name { as state }"),
    row("branches", Rule::branch, "branches { name { graph 'file.loop' } }"),
    row("graphs", Rule::candidate, "graphs { name 'file.loop' }"),
    row("ignore", Rule::ignored, "ignore { unused \"the reason\" }"),
    row("renames", Rule::rename, "earlier: now"),
    row("fields", Rule::named_value, "name: value"),
];

/// The row of a section; fields have none of their own.
fn of(section: &str) -> &'static SectionRow {
    const FIELD: SectionRow = row("state", Rule::field_decl, "name: type");
    ROWS.iter().find(|row| row.section == section).unwrap_or(&FIELD)
}

/// The hint that shows an entry of a section.
fn example(section: &str) -> String {
    format!("write `{}`", of(section).example)
}

impl<'s> Reader<'s, '_> {
    /// One declaration of a section, or a block of them.
    pub(super) fn group_of(&mut self, sections: &mut Vec<Entry<'s>>) {
        let Some(token) = self.t.take() else { return };
        let word = self.t.text(token);
        let Some(section) = group(word) else { return };
        let mut entries = Vec::new();
        let colon = !self.t.broke && self.t.take_text(":").is_some();
        // Taking the colon tells whether the line continues after it.
        if colon && self.t.broke && self.is_yaml() {
            return self.yaml(token);
        }
        match self.t.next_text() {
            "{" if !self.t.ended => self.entries(section, &mut entries),
            "[" if section == "roles" => {
                let names = self.value((token.start, token.end), Form::Names);
                entries = self.roles(names, self.t.end_of_last);
            }
            _ if self.t.is(TokenKind::Word) && !self.t.broke => entries.extend(self.entry(section)),
            _ => {
                self.unread.add_unnamed();
                self.wanted(&format!("a name or `{{` after `{word}`"), &example(section));
                self.t.rest_of_line();
                self.pass_indented(token.start);
            }
        }
        self.add(sections, section, (token.start, self.t.end_of_last), entries);
    }

    /// `{ entries }`.
    pub(super) fn entries(&mut self, section: &'static str, entries: &mut Vec<Entry<'s>>) {
        let Some(open) = self.t.take() else { return };
        if self.enter(open) {
            while self.inside(open) {
                if self.t.is(TokenKind::Word) {
                    entries.extend(self.entry(section));
                } else if self.t.take_text(",").is_none() {
                    // A field that is missed may be one that is written to; a value that is missed is not.
                    if section != "fields" {
                        self.unread.add_unnamed();
                    }
                    let wanted = if section == "fields" { "a name" } else { "a name or `}`" };
                    let hint = match section {
                        "fields" => "write `name: value`, or `}` to end the block".to_owned(),
                        _ => example(section),
                    };
                    self.unexpected(wanted, &hint);
                }
            }
        }
        self.depth -= 1;
    }

    /// One entry; its name is the next token.
    pub(super) fn entry(&mut self, section: &'static str) -> Option<Entry<'s>> {
        if let Some(pair) = self.piece(of(section).rule) {
            return Some(self.entry_pair(pair));
        }
        let at = self.entry_head(section)?;
        let key = self.verbatim(at);
        let value = match section {
            "types" => self.type_body(at),
            "budgets" => self.budget(at),
            "let" => self.let_body(at),
            "input" | "state" => self.signed(at, "a type"),
            "fields" => self.signed(at, "a value"),
            "output" => self.signed(at, "an expression"),
            "properties" => self.signed(at, "a property"),
            _ => {
                let signed = matches!(section, "ignore" | "renames");
                if !self.t.broke && self.t.take_text(":").is_none() && signed {
                    self.t.take_text("=");
                }
                match section {
                    "ignore" if self.t.is(TokenKind::Word) && !self.t.broke => self.value(at, Form::Text),
                    "renames" => self.value(at, Form::Name),
                    "errors" => self.value(at, Form::Word(CLASSES)),
                    "actions" => self.statements(at),
                    "texts" => self.text_entry(at),
                    "views" => self.keyed(OF_VIEW, false),
                    "branches" => self.keyed(OF_BRANCH, false),
                    "graphs" => self.value(at, Form::Graph),
                    _ if self.t.broke => self.nothing(self.t.end_of_last),
                    _ => self.text().unwrap_or_else(|| self.nothing(self.t.end_of_last)),
                }
            }
        };
        Some(Entry { key, value })
    }

    /// The name of an entry, with what belongs to it: `open Name`, `name(a, b)`.
    fn entry_head(&mut self, section: &str) -> Option<Part> {
        if section == "types" {
            let mut first = self.t.take()?;
            let start = first.start;
            if self.t.text(first) == "open" && !self.t.broke && self.t.is(TokenKind::Word) {
                first = self.t.take()?;
            }
            return Some((start, first.end));
        }
        let name = if section == "ignore" { self.slug_part()? } else { self.name_part()? };
        if section != "let" {
            return Some(name);
        }
        if !self.t.broke && self.t.next_text() == "(" {
            self.t.group();
        }
        let at = (name.0, self.t.end_of_last);
        self.reported.push(at);
        Some(at)
    }

    /// The name of a rule: words with dashes between them.
    fn slug_part(&mut self) -> Option<Part> {
        let start = self.t.take()?.start;
        while let Some(next) = self.t.next.filter(|t| t.start == self.t.end_of_last) {
            let part = |kind| matches!(kind, TokenKind::Word | TokenKind::Number);
            let after = self.t.second().0.is_some_and(|t| t.start == next.end && part(t.kind));
            if !(part(next.kind) || self.t.text(next) == "-" && after) {
                break;
            }
            self.t.take();
        }
        Some((start, self.t.end_of_last))
    }

    /// The name at this place, for messages.
    fn named_at(&self, at: Part) -> String {
        let head = self.t.text.get(at.0..at.1).unwrap_or_default();
        clip(head.split('(').next().unwrap_or_default().trim_end())
    }

    /// `: value` or `= value` after a name.
    fn signed(&mut self, at: Part, what: &str) -> Node<'s> {
        let name = self.named_at(at);
        // A property begins with a word of its own, so it needs no sign.
        let field = what == "a type";
        let signed = self.t.take_text(":").is_some() || !field && self.t.take_text("=").is_some();
        if !signed && what != "a property" {
            let example = if field { "type = default" } else { "…" };
            self.wanted(&format!("`:` after `{name}`"), &format!("write `{name}: {example}`"));
            self.t.rest_of_line();
            self.reported.push((at.0, self.t.end_of_last));
            self.unread.add_unnamed();
            return self.refused((at.0, self.t.end_of_last));
        }
        let part = match what {
            "a type" if self.t.broke => None,
            "a type" => self.t.pass_field(),
            "a property" if self.t.ended => None,
            "a property" => self.property(),
            _ => self.t.pass_value(),
        };
        match part {
            Some(part) => self.code(part),
            None => self.no_value(at, what, &format!("`{name}: …`")),
        }
    }

    fn property(&mut self) -> Option<Part> {
        let start = self.t.here();
        if PROPERTY_WORDS.contains(&self.t.next_text()) {
            self.t.take();
        }
        self.t.pass_value();
        if self.t.take_text("precedes").is_some() {
            self.t.pass_value();
        }
        (self.t.end_of_last > start).then_some((start, self.t.end_of_last))
    }

    /// `{ fields }`, `= type`.
    fn type_body(&mut self, at: Part) -> Node<'s> {
        let signed = self.t.take_text("=").is_some() || self.t.take_text(":").is_some();
        let here = self.t.here();
        if self.t.next_text() == "{" {
            let mut fields = Vec::new();
            self.entries("state", &mut fields);
            self.mapping(fields, (here, self.t.end_of_last))
        } else if signed {
            self.value(at, Form::Type)
        } else {
            self.no_value(at, "`{` or `=`", "`type Name { field: type }` or `type Name = enum(a, b)`")
        }
    }

    /// `= limit`, with keys on the line or in braces.
    fn budget(&mut self, at: Part) -> Node<'s> {
        let mut entries = Vec::new();
        let start = self.t.here();
        let sign = self.t.take_text("=").or_else(|| self.t.take_text(":")).map(|t| (t.start, t.end));
        let bare = sign.is_none() && !self.t.broke && self.t.is(TokenKind::Number);
        if bare {
            let name = self.named_at(at);
            self.wanted(&format!("`=` after `{name}`"), &format!("write `budget {name} = …`"));
        }
        if let Some(sign) = sign.or(bare.then_some((start, start))).filter(|_| self.t.next_text() != "{") {
            let limit = if self.t.broke { None } else { self.t.pass_value() };
            let limit = match limit {
                Some(part) => self.code(part),
                None => self.no_value(at, "an expression", "`budget name = 3`"),
            };
            entries.push(self.named("limit", sign, limit));
        }
        let keys = self.keys(OF_BUDGET, false);
        entries.extend(keys);
        let end = self.t.end_of_last;
        self.mapping(entries, (start.min(end), end))
    }

    /// `= expression`.
    fn let_body(&mut self, at: Part) -> Node<'s> {
        if self.t.take_text("=").is_none() && self.t.take_text(":").is_none() {
            let name = self.named_at(at);
            self.wanted(&format!("`=` after `{name}`"), &format!("write `let {name} = …`"));
            self.t.rest_of_line();
            return self.refused(at);
        }
        match self.t.pass_value() {
            Some(part) => self.code(part),
            None => self.no_value(at, "an expression", "`let name = …`"),
        }
    }

    /// `file 'path'` or the text itself.
    fn text_entry(&mut self, at: Part) -> Node<'s> {
        let word = self.t.next.filter(|t| !self.t.broke && self.t.text(*t) == "file");
        if let Some(Token { start, end, .. }) = word {
            self.t.take();
            if !self.t.broke {
                self.t.take_text(":");
            }
            let path = self.value((start, end), Form::Path);
            let entry = self.named("file", (start, end), path);
            return self.mapping(vec![entry], (start, self.t.end_of_last));
        }
        let text = if self.t.broke { None } else { self.text() };
        text.unwrap_or_else(|| {
            self.no_value(at, "a text in quotes", "`text name '…'` or `text name file 'path'`")
        })
    }
}
