//! Sections: their declarations one by one or in a block.

use super::Reader;
use super::keys::{branch_form, budget_form, group, view_form};
use crate::syntax::expr::{Token, TokenKind};
use crate::syntax::lower::Form;
use crate::syntax::names::clip;
use crate::syntax::yaml::{Entry, Node, NodeKind};

impl<'s> Reader<'s, '_> {
    /// Adds entries to the section of that name, which is made when there is none.
    pub(super) fn add(
        &mut self,
        sections: &mut Vec<Entry<'s>>,
        name: &'static str,
        at: usize,
        mut entries: Vec<Entry<'s>>,
    ) {
        let end = u32::try_from(self.t.behind).unwrap_or(u32::MAX);
        let place = sections.iter_mut().rev().find(|section| section.key.text == name);
        if let Some(section) = place {
            section.value.span.end = end;
            if let NodeKind::Mapping(all) = &mut section.value.kind {
                all.append(&mut entries);
            }
            return;
        }
        self.nodes += 1;
        let value = Node { kind: NodeKind::Mapping(entries), span: self.span((at, self.t.behind.max(at))) };
        let head = (at, at + self.t.text[at..].bytes().take_while(u8::is_ascii_alphabetic).count());
        sections.push(self.named(name, head, value));
    }

    /// One declaration of a section, or a block of them.
    pub(super) fn group_of(&mut self, sections: &mut Vec<Entry<'s>>) {
        let Some(token) = self.t.take() else { return };
        let word = self.t.text(token);
        let Some(section) = group(word) else { return };
        let mut entries = Vec::new();
        let colon = !self.t.broke && self.t.take_text(":").is_some();
        // Taking the colon tells whether the line goes on behind it.
        if colon && self.t.broke && self.is_yaml() {
            return self.yaml(token);
        }
        match self.t.next_text() {
            "{" if !self.t.ended => self.entries(section, &mut entries),
            "[" if section == "roles" => self.role_list(token, &mut entries),
            _ if self.t.is(TokenKind::Word) && !self.t.broke => entries.extend(self.entry(section)),
            _ => {
                self.holes = true;
                self.wanted(&format!("a name or `{{` behind `{word}`"), &example(section));
                self.t.rest_of_line();
                self.pass_indented(token.start);
            }
        }
        self.add(sections, section, token.start, entries);
    }

    fn role_list(&mut self, key: Token, entries: &mut Vec<Entry<'s>>) {
        let names = self.value((key.start, key.end), Form::Names);
        let NodeKind::Sequence(names) = names.kind else { return };
        for name in names {
            if let NodeKind::Scalar(key) = name.kind {
                let value = self.nothing();
                entries.push(Entry { key, value });
            }
        }
    }

    /// A value that is not there and need not be.
    fn nothing(&mut self) -> Node<'s> {
        let mut scalar = self.verbatim((self.t.behind, self.t.behind));
        scalar.style = crate::syntax::yaml::Style::Plain;
        Node { span: scalar.span, kind: NodeKind::Scalar(scalar) }
    }

    /// `{ entries }`.
    pub(super) fn entries(&mut self, section: &'static str, entries: &mut Vec<Entry<'s>>) {
        let Some(open) = self.t.take() else { return };
        if self.enter(open) {
            while self.inside(open) {
                if self.t.is(TokenKind::Word) {
                    entries.extend(self.entry(section));
                } else if self.t.take_text(",").is_none() {
                    self.holes = true;
                    self.unexpected("a name or `}`", &example(section));
                }
            }
        }
        self.depth -= 1;
    }

    /// One declaration; its name is the next token.
    pub(super) fn entry(&mut self, section: &'static str) -> Option<Entry<'s>> {
        match section {
            "types" => self.type_entry(),
            "input" | "state" | "record" => self.signed("a type", |reader| {
                let part = if reader.t.broke { None } else { reader.t.field() };
                part.map(|part| reader.code(part))
            }),
            "budgets" => self.budget(),
            "let" => self.let_entry(),
            "output" => self.signed("an expression", Self::expression),
            "properties" => self.signed("a property", |reader| {
                let start = reader.t.here();
                if matches!(reader.t.next_text(), "never" | "always" | "eventually") {
                    reader.t.take();
                }
                reader.t.expression();
                if reader.t.take_text("precedes").is_some() {
                    reader.t.expression();
                }
                (reader.t.behind > start).then(|| reader.code((start, reader.t.behind)))
            }),
            _ => {
                let at = self.name_part()?;
                let key = self.verbatim(at);
                if !self.t.broke {
                    self.t.take_text(":");
                }
                let value = match section {
                    "errors" => self.value(at, Form::Word(crate::syntax::lower::tables::CLASSES)),
                    "actions" => self.statements(at),
                    "texts" => self.text_entry(at),
                    "views" => self.keyed(view_form, false),
                    "branches" => self.keyed(branch_form, false),
                    _ if self.t.broke => self.nothing(),
                    _ => self.text().unwrap_or_else(|| self.nothing()),
                };
                Some(Entry { key, value })
            }
        }
    }

    /// `Name { fields }`, `open Name { fields }`, `Name = type`.
    fn type_entry(&mut self) -> Option<Entry<'s>> {
        let mut first = self.t.take()?;
        let start = first.start;
        if self.t.text(first) == "open" && !self.t.broke && self.t.is(TokenKind::Word) {
            first = self.t.take()?;
        }
        let at = (start, first.end);
        let key = self.verbatim(at);
        let signed = self.t.take_text("=").is_some() || self.t.take_text(":").is_some();
        let here = self.t.here();
        let value = if self.t.next_text() == "{" {
            let mut fields = Vec::new();
            self.entries("record", &mut fields);
            self.mapping(fields, (here, self.t.behind))
        } else if signed {
            self.value(at, Form::Type)
        } else {
            self.no_value(at, "`{` or `=`", "`type Name { field: type }` or `type Name = enum(a, b)`")
        };
        Some(Entry { key, value })
    }

    /// `name = limit`, with keys on the line or in braces.
    fn budget(&mut self) -> Option<Entry<'s>> {
        let at = self.name_part()?;
        let key = self.verbatim(at);
        let mut entries = Vec::new();
        let start = self.t.here();
        let sign = self.t.take_text("=").or_else(|| self.t.take_text(":")).map(|t| (t.start, t.end));
        let bare = sign.is_none() && !self.t.broke && self.t.is(TokenKind::Number);
        if bare {
            let name = clip(self.t.text.get(at.0..at.1).unwrap_or_default());
            self.wanted(&format!("`=` behind `{name}`"), &format!("write `budget {name} = …`"));
        }
        if let Some(sign) = sign.or(bare.then_some((start, start))).filter(|_| self.t.next_text() != "{") {
            let limit = if self.t.broke { None } else { self.expression() };
            let limit = limit.unwrap_or_else(|| self.no_value(at, "an expression", "`budget name = 3`"));
            entries.push(self.named("limit", sign, limit));
        }
        let keys = self.keys(budget_form, false);
        entries.extend(keys);
        let end = self.t.behind;
        Some(Entry { key, value: self.mapping(entries, (start.min(end), end)) })
    }

    /// `name = expression` or `name(a, b) = expression`.
    fn let_entry(&mut self) -> Option<Entry<'s>> {
        let name = self.name_part()?;
        if !self.t.broke && self.t.next_text() == "(" {
            self.t.group();
        }
        let at = (name.0, self.t.behind);
        let key = self.verbatim(at);
        self.told.push(at);
        if self.t.take_text("=").is_none() && self.t.take_text(":").is_none() {
            let name = clip(self.t.text.get(name.0..name.1).unwrap_or_default());
            self.wanted(&format!("`=` behind `{name}`"), &format!("write `let {name} = …`"));
            self.t.rest_of_line();
            return Some(Entry { key, value: self.refused(at) });
        }
        let value = self.expression();
        let value = value.unwrap_or_else(|| self.no_value(at, "an expression", "`let name = …`"));
        Some(Entry { key, value })
    }

    /// `file 'path'` or the text itself.
    fn text_entry(&mut self, at: (usize, usize)) -> Node<'s> {
        if !self.t.broke && self.t.next_text() == "file" {
            let Some(word) = self.t.take() else { return self.refused(at) };
            if !self.t.broke {
                self.t.take_text(":");
            }
            let path = self.value((word.start, word.end), Form::Path);
            let entry = self.named("file", (word.start, word.end), path);
            return self.mapping(vec![entry], (word.start, self.t.behind));
        }
        let text = if self.t.broke { None } else { self.text() };
        text.unwrap_or_else(|| {
            self.no_value(at, "a text in quotes", "`text name '…'` or `text name file 'path'`")
        })
    }
}

/// How a declaration of a section is written.
fn example(section: &str) -> String {
    let example = match section {
        "types" => "type Name { field: type }",
        "errors" => "error name recoverable",
        "budgets" => "budget name = 3",
        "let" => "let name = expression",
        "actions" => "actions { name { statements } }",
        "roles" => "role name",
        "texts" => "text name file 'prompts/name.md'",
        "output" => "output { name: expression }",
        "properties" => "property name never expression",
        "views" => "view name { as state }",
        "branches" => "branches { name { graph 'file.loop' } }",
        _ => "name: type",
    };
    format!("write `{example}`")
}
