//! Nodes: their heads, and their bodies as a whole.

use super::body::Body;
use super::keys::{OF_NODE, is_declaration, is_kind, node_form};
use super::{Part, Reader};
use crate::diag::{Diagnostic, rule};
use crate::syntax::expr::{Rule, Token, TokenKind};
use crate::syntax::names::clip;
use crate::syntax::yaml::{Entry, Node};

impl<'s> Reader<'s, '_> {
    /// A node; its kind is the next token.
    pub(super) fn node(&mut self) -> Option<Entry<'s>> {
        // What the grammar refused further on may be in this node: it is not read up to there once more.
        if self.t.here() > self.refused
            && let Some(pair) = self.piece(Rule::node)
        {
            return Some(self.node_pair(pair));
        }
        let kind = self.t.take()?;
        let word = self.t.text(kind);
        let colon = self.t.next.filter(|t| !self.t.broke && self.t.text(*t) == ":");
        if let Some(colon) = colon {
            let found = Diagnostic::error(
                rule::LOOP_SYNTAX,
                self.token_span(colon),
                format!("no colon follows `{word}`"),
            );
            self.report(found.help(format!("write `{word} NAME {{ … }}`")));
            self.t.take();
        }
        let Some(name) = (if self.t.broke { None } else { self.name_part() }) else {
            if colon.is_none() {
                self.wanted(&format!("a name after `{word}`"), &format!("write `{word} NAME {{ … }}`"));
            }
            self.unread.add_unnamed();
            let start = self.t.here();
            self.t.rest_of_line();
            if !self.t.broke && self.t.next_text() == "{" {
                self.pass_braces();
            }
            self.reported.push((start, self.t.end_of_last.max(start)));
            return None;
        };
        self.node_named(kind, name)
    }

    /// A node after its name.
    pub(super) fn node_named(&mut self, kind: Token, name: Part) -> Option<Entry<'s>> {
        let word = self.t.text(kind);
        let key = self.verbatim(name);
        let mut body = self.body((kind.start, kind.end), word);
        if !self.t.broke && self.t.is(TokenKind::Quoted) {
            let at = self.t.here();
            let title = self.text()?;
            body.entries.push(self.named("title", (at, at), title));
        }
        if !self.head(&mut body) {
            self.body_without_brace(kind, name, &mut body);
        }
        let value = self.finish(body, (kind.start, self.t.end_of_last));
        Some(Entry { key, value })
    }

    /// Keys and edges on the line of a node's name, and its body in braces; false if there are none.
    fn head(&mut self, body: &mut Body<'s>) -> bool {
        while let Some(token) = self.t.next.filter(|_| !self.t.broke) {
            match (token.kind, self.t.text(token)) {
                (_, "{") => {
                    self.t.take();
                    if self.enter(token) {
                        while self.inside(token) {
                            self.item(body);
                        }
                    }
                    self.depth -= 1;
                    return true;
                }
                _ if self.at_arrow() => {
                    let edge = self.edge();
                    body.edges.push(edge);
                }
                (_, "}") => return false,
                (TokenKind::Word, text) if node_form(text).is_some() => {
                    let key = self.key(OF_NODE);
                    body.entries.push(key);
                }
                // What follows on the same line is a declaration of its own.
                (TokenKind::Word, text) if is_kind(text) || is_declaration(text) => return false,
                _ => self.loose_head(token),
            }
        }
        false
    }

    /// Reports what cannot be between a node's name and its body.
    fn loose_head(&mut self, token: Token) {
        let (text, second) = (self.t.text(token), self.t.second());
        let second = second.0.filter(|_| second.1).map_or("", |t| self.t.text(t));
        let message = format!("expected a key, an edge or `{{`, found `{}`", clip(text));
        let hint = match (token.kind, second) {
            (TokenKind::Word, "{" | "") => "write the title in quotes: `choice gate \"ready?\" { … }`",
            (TokenKind::Word, "=" | "+=" | "(" | ".") => {
                "write statements in the body, in braces: `{ x = 1 }`"
            }
            _ => "write the body in braces: `{ … }`",
        };
        let found = Diagnostic::error(rule::LOOP_SYNTAX, self.token_span(token), message);
        self.report(found.help(hint));
        while !self.t.broke && self.t.next.is_some() && !matches!(self.t.next_text(), "{" | "}" | "->") {
            self.t.take();
        }
        self.reported.push((token.start, self.t.end_of_last));
    }

    /// A body whose brace is missing, where the layout shows one.
    fn body_without_brace(&mut self, kind: Token, name: Part, body: &mut Body<'s>) {
        let margin = self.t.indentation(kind.start);
        let deeper = |reader: &Self| reader.t.next.is_some_and(|t| reader.t.indentation(t.start) > margin);
        if !self.careful || !self.t.broke || !deeper(self) || self.t.next_text() == "}" {
            return;
        }
        let found = Diagnostic::error(
            rule::LOOP_SYNTAX,
            self.span((self.t.end_of_last, self.t.end_of_last)),
            format!("the body of `{}` has no `{{`", clip(&self.t.text[name.0..name.1])),
        );
        self.report(found.help("write a body of several lines in braces: `{ … }`"));
        while self.goes_on() && deeper(self) && self.t.next_text() != "}" {
            self.item(body);
        }
        if self.t.next.is_some_and(|t| self.t.text(t) == "}" && self.t.indentation(t.start) == margin) {
            self.t.take();
        }
    }

    /// `nodes { … }`: the same as nodes in the body.
    pub(super) fn node_block(&mut self, key: Part) -> Node<'s> {
        let start = self.t.here();
        let Some(open) = self.t.next.filter(|t| !self.t.broke && self.t.text(*t) == "{") else {
            return self.no_value(
                key,
                "`{`",
                "the nodes as they are, each with its kind: `action name { … }`",
            );
        };
        self.t.take();
        let mut nodes = Vec::new();
        if self.enter(open) {
            while self.inside(open) {
                if self.t.is(TokenKind::Word) {
                    nodes.extend(self.node());
                } else {
                    self.unexpected("a node or `}`", "a node is written `action name { … }`");
                }
            }
        }
        self.depth -= 1;
        self.mapping(nodes, (start, self.t.end_of_last))
    }
}
