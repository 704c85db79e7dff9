//! The values of keys, by the form the key's table says.

use super::Reader;
use super::extent::Part;
use super::keys::{pause_form, retry_form};
use crate::diag::Diagnostic;
use crate::syntax::expr::{Token, TokenKind};
use crate::syntax::lower::Form;
use crate::syntax::quoted;
use crate::syntax::yaml::{Entry, Node, NodeKind, Scalar, Style};

impl<'s> Reader<'s, '_> {
    /// The value of a key that stands at `key`.
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
            Form::Path => self.one(key, "a file in quotes", "its path in quotes: 'other.loop'", Self::text),
            Form::Paths => self.list(key, "a file in quotes", "its path in quotes: 'other.loop'", Self::text),
            Form::Type => self.one(key, "a type", "a type, such as `string?`", |reader| {
                let part = reader.t.type_expr()?;
                Some(reader.code(part))
            }),
            Form::Place => {
                self.one(key, "a place to write to", "the name of a state field", Self::expression)
            }
            Form::TextName => {
                self.one(key, "the name of a text or an expression", "one name", Self::expression)
            }
            Form::Fields => self.fields(key),
            Form::Statements => self.statements(key),
            Form::Start => self.start(key),
            Form::Pause => self.keyed(pause_form, true),
            Form::Retry if self.t.next_text() == "{" => self.keyed(retry_form, false),
            Form::FieldDecls => self.block(key, "state"),
            Form::Budgets | Form::Meters => self.block(key, "budgets"),
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
        value.unwrap_or_else(|| self.no_value(key, what, example))
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
        let start = self.t.here();
        let open = self.t.take();
        let mut items = Vec::new();
        while self.t.next_text() != "]" && self.goes_on() {
            let Some(item) = read(self) else {
                let message = format!("expected {what} or `]`, found {}", self.found(false));
                let at = self.t.next.or(open).map_or((start, start), |t| (t.start, t.end));
                let found = Diagnostic::error("loop-syntax", self.span(at), message);
                self.report(found.help("a list is written `[a, b]`"));
                self.t.rest_of_line();
                return self.refused((start, self.t.behind));
            };
            items.push(item);
            if self.t.take_text(",").is_none() && self.t.next_text() != "]" {
                let message = format!("expected `,` or `]`, found {}", self.found(false));
                let at = self.t.next.or(open).map_or((start, start), |t| (t.start, t.end));
                let found = Diagnostic::error("loop-syntax", self.span(at), message);
                self.report(found.help("a list is written `[a, b]`"));
                if !self.t.broke {
                    self.t.rest_of_line();
                }
                return self.refused((start, self.t.behind));
            }
        }
        self.t.take();
        self.nodes += 1;
        Node { kind: NodeKind::Sequence(items), span: self.span((start, self.t.behind)) }
    }

    pub(super) fn expression(&mut self) -> Option<Node<'s>> {
        let part = self.t.expression()?;
        Some(self.code(part))
    }

    /// A word, or a text in quotes.
    pub(super) fn name(&mut self) -> Option<Node<'s>> {
        if !self.t.is(TokenKind::Word) {
            return self.text();
        }
        let token = self.t.take()?;
        Some(self.scalar((token.start, token.end)))
    }

    /// Words with dots between them.
    fn dotted(&mut self) -> Option<Node<'s>> {
        let first = self.t.next.filter(|t| t.kind == TokenKind::Word);
        let Some(first) = first else { return self.text() };
        self.t.take();
        while self.t.next_text() == "." && self.t.here() == self.t.behind {
            self.t.take();
            if self.t.is(TokenKind::Word) {
                self.t.take();
            }
        }
        Some(self.scalar((first.start, self.t.behind)))
    }

    /// The name of a tool: servers give them dots and dashes, too.
    fn tool(&mut self) -> Option<Node<'s>> {
        let first = self.t.next.filter(|t| t.kind == TokenKind::Word);
        let Some(first) = first else { return self.text() };
        self.t.take();
        while let Some(next) = self.t.next.filter(|t| t.start == self.t.behind) {
            let joins = matches!(self.t.text(next), "." | "-" | "/" | ":");
            if !joins && !matches!(next.kind, TokenKind::Word | TokenKind::Number) {
                break;
            }
            self.t.take();
        }
        Some(self.scalar((first.start, self.t.behind)))
    }

    /// A text in quotes.
    pub(super) fn text(&mut self) -> Option<Node<'s>> {
        let token = self.t.next.filter(|t| t.kind == TokenKind::Quoted)?;
        self.t.take();
        Some(self.quoted(token))
    }

    fn quoted(&mut self, token: Token) -> Node<'s> {
        self.nodes += 1;
        let span = self.token_span(token);
        let (fragment, escapes) = quoted::read(self.t.text(token), self.file, token.start);
        for at in escapes {
            let shown = self.t.text.get(at.0..at.1).unwrap_or("\\").to_owned();
            let found =
                Diagnostic::error("loop-syntax", self.span(at), format!("`{shown}` is not an escape"));
            self.report(found.help("`\\` itself is written `\\\\`; a raw text r'…' takes it as it is"));
        }
        let scalar = Scalar { text: fragment.text.into(), style: Style::Text, span };
        Node { span, kind: NodeKind::Scalar(scalar) }
    }

    fn scalar(&mut self, part: Part) -> Node<'s> {
        let scalar = self.verbatim(part);
        Node { span: scalar.span, kind: NodeKind::Scalar(scalar) }
    }

    /// A word as a value.
    pub(super) fn word_node(&mut self, token: Token) -> Node<'s> {
        self.scalar((token.start, token.end))
    }

    /// `{name: expression}`, or an expression. A map as an expression begins with a key in quotes.
    fn fields(&mut self, key: Part) -> Node<'s> {
        let (second, _) = self.t.second();
        let named = second.is_none_or(|t| t.kind == TokenKind::Word || self.t.text(t) == "}");
        if self.t.next_text() != "{" || !named {
            return self.one(key, "values by name or an expression", "`{name: value}`", Self::expression);
        }
        let start = self.t.here();
        let Some(open) = self.t.take() else { return self.refused(key) };
        let mut entries = Vec::new();
        if self.enter(open) {
            while self.inside(open) {
                if self.t.is(TokenKind::Word) {
                    entries.extend(self.signed("a value", Self::expression));
                } else if self.t.take_text(",").is_none() {
                    self.unexpected("a name", "write `name: value`, or `}` to end the block");
                }
            }
        }
        self.depth -= 1;
        self.mapping(entries, (start, self.t.behind))
    }

    /// `name: value` or `name = value`; the name is the next token.
    pub(super) fn signed(
        &mut self,
        what: &str,
        read: impl FnOnce(&mut Self) -> Option<Node<'s>>,
    ) -> Option<Entry<'s>> {
        let token = self.t.take()?;
        let key = self.word(token);
        let at = (token.start, token.end);
        // A property begins with a word of its own, so it needs no sign.
        let signed = self.t.take_text(":").is_some() || self.t.take_text("=").is_some();
        if !signed && what != "a property" {
            let name = self.t.text(token);
            self.wanted(&format!("`:` behind `{name}`"), &format!("write `{name}: …`"));
            self.t.rest_of_line();
            self.told.push((token.start, self.t.behind));
            return Some(Entry { key, value: self.refused((token.start, self.t.behind)) });
        }
        let value = match read(self) {
            Some(value) => value,
            None => self.no_value(at, what, &format!("`{}: …`", self.t.text(token))),
        };
        Some(Entry { key, value })
    }

    /// `{ statements }`.
    pub(super) fn statements(&mut self, key: Part) -> Node<'s> {
        let Some(open) = self.t.next.filter(|t| self.t.text(*t) == "{") else {
            let node = self.no_value(key, "`{`", "the statements in braces: `{ x = 1 }`");
            if self.t.is(TokenKind::Word) && !self.t.broke {
                let part = self.t.statement();
                self.told.push(part);
            }
            return node;
        };
        let closed = self.t.group();
        let end = if closed { self.t.behind - 1 } else { self.t.behind };
        if !closed {
            if self.t.next.is_none() && !self.unclosed {
                (self.unclosed, self.broken) = (true, true);
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
        let Some(to) = self.t.next.filter(|t| t.kind == TokenKind::Word) else {
            return self.no_value(key, "the name of a node", "`start NAME`");
        };
        self.t.take();
        let target = self.word_node(to);
        if self.t.broke || !self.t.is(TokenKind::Quoted) {
            return target;
        }
        let here = (self.t.here(), self.t.here());
        let Some(label) = self.text() else { return target };
        let entries = vec![self.named("to", (to.start, to.end), target), self.named("label", here, label)];
        self.mapping(entries, (to.start, self.t.behind))
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
        self.mapping(entries, (start, self.t.behind))
    }
}
