//! The declarations of a file.

use super::Reader;
use super::keys::{branch_form, budget_form, group, is_declaration, is_kind, section_form, view_form};
use crate::diag::{Diagnostic, nearest};
use crate::syntax::expr::{Token, TokenKind};
use crate::syntax::lower::Form;
use crate::syntax::lower::tables::NODE_KINDS;
use crate::syntax::names::clip;
use crate::syntax::yaml::{Entry, Node, NodeKind};

/// What an example of a declaration is written like, for hints.
const DECLARATIONS: &str = "declarations begin with `state`, `type`, `let`, `start` …, nodes with their kind";

impl<'s> Reader<'s, '_> {
    /// One declaration of the file.
    pub(super) fn declaration(&mut self, sections: &mut Vec<Entry<'s>>) {
        let Some(token) = self.t.next else { return };
        let text = self.t.text(token);
        match token.kind {
            TokenKind::Word if is_kind(text) => self.add_node(sections),
            TokenKind::Word if group(text).is_some() => self.group_of(sections),
            TokenKind::Word if is_declaration(text) => self.section(sections),
            TokenKind::Word if self.looks_like_node() => self.add_node(sections),
            TokenKind::Word => self.unknown_declaration(token),
            TokenKind::Close => {
                let message = format!("this `{text}` closes nothing");
                let found = Diagnostic::error("loop-syntax", self.token_span(token), message);
                self.report(found.help("remove it, or look for a `}` too many before it"));
                (self.broken, self.holes) = (true, true);
                self.pass_line();
            }
            TokenKind::Symbol if text == "->" => {
                let message = "this edge stands outside of every node";
                let found = Diagnostic::error("loop-syntax", self.token_span(token), message);
                self.report(
                    found.help("edges stand in the body of their source: `choice gate { -> target }`"),
                );
                self.holes = true;
                self.edge();
            }
            _ => {
                self.holes = true;
                self.unexpected("a declaration", DECLARATIONS);
            }
        }
    }

    /// Whether two words stand here as at the head of a node: its kind may be misspelt.
    pub(super) fn looks_like_node(&self) -> bool {
        let mut ahead = self.t.ahead();
        let (second, third) = (ahead.take(), ahead.take());
        second.is_some_and(|t| t.kind == TokenKind::Word)
            && third.is_some_and(|t| t.kind == TokenKind::Quoted || self.t.text(t) == "{")
    }

    fn unknown_declaration(&mut self, token: Token) {
        let word = self.t.text(token);
        if word == "nodes" && self.t.second().0.is_some_and(|t| self.t.text(t) == ":") {
            return self.yaml(token);
        }
        let known = NODE_KINDS.iter().map(|(kind, _)| *kind);
        let words = super::keys::GROUPS.iter().flat_map(|(one, all)| [*one, *all]);
        let others = ["graph", "title", "doc", "version", "extends", "use", "start", "pause", "node"];
        let meant = nearest(word, known.chain(words).chain(others));
        let message = format!("no declaration begins with `{}`", clip(word));
        let found = Diagnostic::error("loop-syntax", self.token_span(token), message);
        self.report(found.meant_or(meant, DECLARATIONS));
        self.holes = true;
        let start = token.start;
        self.t.take();
        self.t.rest_of_line();
        if self.t.next_text() == "{" {
            self.t.group();
        }
        self.told.push((start, self.t.behind));
    }

    /// The rest of a file that is YAML.
    fn yaml(&mut self, token: Token) {
        let message = "this is YAML, in a file whose name ends in `.loop`";
        let found = Diagnostic::error("loop-syntax", self.token_span(token), message);
        self.report(found.help("give it a name that ends in `.yaml`"));
        while self.t.take().is_some() {}
        self.told.push((token.start, self.t.text.len()));
        self.broken = true;
    }

    fn add_node(&mut self, sections: &mut Vec<Entry<'s>>) {
        let at = self.t.here();
        if let Some(node) = self.node() {
            self.add(sections, "nodes", at, vec![node]);
        }
    }

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
        match self.t.next_text() {
            "{" => self.entries(section, &mut entries),
            "[" if section == "roles" => self.role_list(token, &mut entries),
            _ if self.t.is(TokenKind::Word) && !self.t.broke => entries.extend(self.entry(section)),
            _ => {
                self.holes = true;
                self.wanted(&format!("a name or `{{` behind `{word}`"), &example(section));
                self.t.rest_of_line();
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

    /// A key of the file that is given once.
    fn section(&mut self, sections: &mut Vec<Entry<'s>>) {
        let entry = self.key(section_form);
        let earlier = sections.iter_mut().find(|s| s.key.text == entry.key.text && entry.key.text == "use");
        let Some(earlier) = earlier else {
            sections.push(entry);
            return;
        };
        // Files to use may be named one by one.
        let listed = |node: Node<'s>| match node.kind {
            NodeKind::Sequence(items) => items,
            _ => vec![node],
        };
        let (file, start) = (self.file, earlier.value.span.start);
        let empty = Node { kind: NodeKind::Refused, span: earlier.value.span };
        let mut all = listed(std::mem::replace(&mut earlier.value, empty));
        let end = entry.value.span.end;
        all.extend(listed(entry.value));
        let span = crate::source::Span { file, start, end };
        earlier.value = Node { kind: NodeKind::Sequence(all), span };
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
                let token = self.t.take()?;
                let key = self.word(token);
                if !self.t.broke {
                    self.t.take_text(":");
                }
                let at = (token.start, token.end);
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
        let token = self.t.take()?;
        let key = self.word(token);
        let mut entries = Vec::new();
        let start = self.t.here();
        let sign = self.t.take_text("=").or_else(|| self.t.take_text(":"));
        if let Some(sign) = sign.filter(|_| self.t.next_text() != "{") {
            let limit = self.value((token.start, token.end), Form::Expr);
            entries.push(self.named("limit", (sign.start, sign.end), limit));
        }
        let keys = self.keys(budget_form, false);
        entries.extend(keys);
        let end = self.t.behind;
        Some(Entry { key, value: self.mapping(entries, (start.min(end), end)) })
    }

    /// `name = expression` or `name(a, b) = expression`.
    fn let_entry(&mut self) -> Option<Entry<'s>> {
        let token = self.t.take()?;
        if !self.t.broke && self.t.next_text() == "(" {
            self.t.group();
        }
        let at = (token.start, self.t.behind);
        let key = self.verbatim(at);
        self.told.push(at);
        if self.t.take_text("=").is_none() && self.t.take_text(":").is_none() {
            let name = self.t.text(token);
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
