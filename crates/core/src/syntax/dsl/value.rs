//! The values of keys, by the form the key's table says.

use super::keys::{OF_MIGRATE, OF_PAUSE, OF_RETRY};
use super::{Part, Reader};
use crate::diag::{Diagnostic, rule};
use crate::syntax::expr::{Token, TokenKind};
use crate::syntax::lower::Form;
use crate::syntax::yaml::{Node, NodeKind};

impl<'s> Reader<'s, '_> {
    /// The value of the key at `key`.
    pub(super) fn value(&mut self, key: Part, form: Form) -> Node<'s> {
        match form {
            Form::Name | Form::Bool => self.one(key, "a name", "one name", Self::name),
            Form::Word(words) => {
                let example = format!("one of {}", words.join(", "));
                self.one(key, "a word", &example, Self::dotted)
            }
            Form::ToolName => self.one(key, "the name of a tool", "one name", Self::tool),
            Form::Names => self.list(key, "a name", "one name, or several in brackets: `[a, b]`", Self::name),
            Form::ToolNames => {
                self.list(key, "the name of a tool", "one name, or several in brackets: `[a, b]`", Self::tool)
            }
            Form::Triggers => {
                let example =
                    "`done`, `error`, `error(kind)`, `timeout` or `unknown`, or several in brackets";
                self.list(key, "a trigger", example, Self::expression)
            }
            Form::Text => self.one(key, "a text in quotes", "it in quotes: 'text'", Self::text),
            Form::Graph if self.t.next_text() == "{" => self.inner_graph(),
            Form::Path | Form::Graph => {
                self.one(key, "a file in quotes", "its path in quotes: 'other.loop'", Self::text)
            }
            Form::Graphs if self.t.next_text() == "{" => self.block(key, "graphs"),
            Form::Paths | Form::Graphs => {
                self.list(key, "a file in quotes", "its path in quotes: 'other.loop'", Self::text)
            }
            Form::Type => self.one(key, "a type", "a type, such as `string?`", |reader| {
                let part = reader.t.pass_type()?;
                Some(reader.code(part))
            }),
            Form::Expr | Form::TextName if self.t.next_text() != "" => {
                let example = if form == Form::Expr { "an expression" } else { "a text or the name of one" };
                let value = self.one(key, "an expression", example, Self::expression);
                self.loose_words(value, form)
            }
            Form::Place => {
                self.one(key, "a place to write to", "the name of a state field", Self::expression)
            }
            Form::TextName => {
                self.one(key, "the name of a text or an expression", "one name", Self::expression)
            }
            Form::Fields => self.fields(key),
            Form::Statements => self.statements(key),
            Form::Start => self.start(key),
            Form::Pause => self.keyed(OF_PAUSE, true),
            Form::Migrate => self.keyed(OF_MIGRATE, false),
            Form::Renames => self.block(key, "renames"),
            Form::Retry if self.t.next_text() == "{" => self.keyed(OF_RETRY, false),
            Form::FieldDecls => self.block(key, "state"),
            Form::Budgets | Form::Meters => self.block(key, "budgets"),
            Form::Ignores => self.block(key, "ignore"),
            Form::Branches => self.block(key, "branches"),
            Form::Nodes => self.node_block(key),
            Form::Edges => self.edge_block(key),
            _ => self.one(key, "an expression", "an expression", Self::expression),
        }
    }

    /// A value that `read` reads. It begins on the line of its key.
    fn one(
        &mut self,
        key: Part,
        what: &str,
        example: &str,
        read: impl FnOnce(&mut Self) -> Option<Node<'s>>,
    ) -> Node<'s> {
        let value = if self.t.broke { None } else { read(self) };
        value.unwrap_or_else(|| {
            let refused = self.no_value(key, what, example);
            if what.ends_with("in quotes") && self.t.is(TokenKind::Word) {
                self.pass_words(what);
            }
            refused
        })
    }

    /// The declarations of a graph in place.
    fn inner_graph(&mut self) -> Node<'s> {
        let start = self.t.here();
        let Some(open) = self.t.take() else { return self.refused((start, start)) };
        let mut sections = Vec::new();
        if self.enter(open) {
            while self.inside(open) {
                self.declaration(&mut sections);
            }
        }
        self.depth -= 1;
        self.sections_node(sections, (start, self.t.end_of_last))
    }

    /// Passes over a text or a path without its quotes.
    fn pass_words(&mut self, what: &str) {
        let start = self.t.here();
        let whole = what.starts_with("a text");
        let mut taken = false;
        while !self.t.broke && !matches!(self.t.next_text(), "" | "}" | "{" | "->") {
            if taken && !whole && self.t.here() != self.t.end_of_last {
                break;
            }
            self.t.take();
            taken = true;
        }
        self.reported.push((start, self.t.end_of_last.max(start)));
    }

    /// One value or several in brackets.
    fn list(
        &mut self,
        key: Part,
        what: &str,
        example: &str,
        mut read: impl FnMut(&mut Self) -> Option<Node<'s>>,
    ) -> Node<'s> {
        if self.t.broke || self.t.next_text() != "[" {
            return self.one(key, what, example, read);
        }
        let Some(open) = self.t.take() else { return self.refused(key) };
        let mut items = Vec::new();
        while self.t.next_text() != "]" && self.goes_on() {
            if let Some(next) = self.t.next.filter(|_| self.t.ended) {
                let message =
                    "`;` stands between declarations and statements, not between the items of a list";
                let found = Diagnostic::error(rule::LOOP_SYNTAX, self.token_span(next), message);
                self.report(found.help("a list is written `[a, b]`"));
            }
            let Some(item) = read(self) else { return self.broken_list(open, what) };
            items.push(item);
            if self.t.take_text(",").is_none() && self.t.next_text() != "]" {
                return self.broken_list(open, "`,`");
            }
        }
        self.t.take();
        self.nodes += 1;
        Node { kind: NodeKind::Sequence(items), span: self.span((open.start, self.t.end_of_last)) }
    }

    /// Reports what cannot continue a list.
    fn broken_list(&mut self, open: Token, wanted: &str) -> Node<'s> {
        let message = format!("expected {wanted} or `]`, found {}", self.found(false));
        let at = self.t.next.unwrap_or(open);
        let mut found = Diagnostic::error(rule::LOOP_SYNTAX, self.token_span(at), message);
        if self.t.broke {
            found = found.also(self.token_span(open), "the list begins here");
        }
        self.report(found.help("a list is written `[a, b]`"));
        if !self.t.broke {
            self.t.rest_of_line();
        }
        self.refused((open.start, self.t.end_of_last))
    }

    /// A word, or a text in quotes.
    fn name(&mut self) -> Option<Node<'s>> {
        if !self.t.is(TokenKind::Word) {
            return self.text();
        }
        let part = self.name_part()?;
        Some(self.name_node(part))
    }

    /// Words with dots between them, or a text in quotes.
    fn dotted(&mut self) -> Option<Node<'s>> {
        self.joined(&["."])
    }

    /// The name of a tool: servers give them dots and dashes, too.
    fn tool(&mut self) -> Option<Node<'s>> {
        self.joined(&[".", "-", "/", ":"])
    }

    /// A word with others after it, with these signs and no blanks between them, or a text in quotes.
    fn joined(&mut self, signs: &[&str]) -> Option<Node<'s>> {
        let Some(first) = self.t.next.filter(|t| t.kind == TokenKind::Word) else { return self.text() };
        self.t.take();
        while let Some(next) = self.t.next.filter(|t| t.start == self.t.end_of_last) {
            let sign = signs.contains(&self.t.text(next));
            if !sign && !matches!(next.kind, TokenKind::Word | TokenKind::Number) {
                break;
            }
            self.t.take();
        }
        Some(self.name_node((first.start, self.t.end_of_last)))
    }

    /// A text in quotes.
    pub(super) fn text(&mut self) -> Option<Node<'s>> {
        let token = self.t.next.filter(|t| t.kind == TokenKind::Quoted)?;
        self.t.take();
        Some(self.quoted((token.start, token.end)))
    }

    /// A part that should be an expression; its own rule judges it.
    fn expression(&mut self) -> Option<Node<'s>> {
        let part = self.t.pass_value()?;
        Some(self.code(part))
    }

    /// `{name: expression}`, or an expression. A map as an expression begins with a key in quotes.
    fn fields(&mut self, key: Part) -> Node<'s> {
        let (second, _) = self.t.second();
        let named = second.is_none_or(|t| t.kind == TokenKind::Word || self.t.text(t) == "}");
        if self.t.broke || self.t.next_text() != "{" || !named {
            return self.one(key, "values by name or an expression", "`{name: value}`", Self::expression);
        }
        let start = self.t.here();
        let mut entries = Vec::new();
        self.entries("fields", &mut entries);
        self.mapping(entries, (start, self.t.end_of_last))
    }

    /// `{ statements }`.
    pub(super) fn statements(&mut self, key: Part) -> Node<'s> {
        let Some(open) = self.t.next.filter(|t| !self.t.broke && self.t.text(*t) == "{") else {
            let node = self.no_statements(key);
            if self.t.is(TokenKind::Word) && !self.t.broke {
                let part = self.t.pass_statement();
                self.reported.push(part);
            }
            return node;
        };
        let closed = self.t.group();
        let end = if closed { self.t.end_of_last - 1 } else { self.t.end_of_last };
        if !closed {
            if self.t.next.is_none() && !self.unclosed {
                self.unclosed = true;
                self.unread.add_rest();
            }
            self.not_closed(open, self.t.next);
        }
        let inner = (open.end, end.max(open.end));
        if self.t.text[inner.0..inner.1].trim().is_empty() {
            return Node { kind: NodeKind::Sequence(Vec::new()), span: self.span(inner) };
        }
        self.code(inner)
    }

    /// A node's name, perhaps with a label.
    fn start(&mut self, key: Part) -> Node<'s> {
        let Some(to) = (if self.t.broke { None } else { self.name_part() }) else {
            return self.no_value(key, "the name of a node", "`start NAME`");
        };
        let target = self.name_node(to);
        if self.t.broke || !self.t.is(TokenKind::Quoted) {
            return target;
        }
        let here = (self.t.here(), self.t.here());
        let Some(label) = self.text() else { return target };
        let entries = vec![self.named("to", to, target), self.named("label", here, label)];
        self.mapping(entries, (to.0, self.t.end_of_last))
    }

    /// A block of entries by name.
    fn block(&mut self, key: Part, section: &'static str) -> Node<'s> {
        let start = self.t.here();
        let mut entries = Vec::new();
        if self.t.next_text() == "{" {
            self.entries(section, &mut entries);
        } else if self.t.is(TokenKind::Word) && !self.t.broke {
            entries.extend(self.entry(section));
        } else {
            return self.no_value(key, "`{`", "the declarations in braces");
        }
        self.mapping(entries, (start, self.t.end_of_last))
    }
}
