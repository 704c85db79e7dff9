//! Nodes and what stands in them.

use super::Reader;
use super::extent::{Part, STATEMENT_WORDS};
use super::keys::{group, is_kind, node_form};
use crate::diag::Diagnostic;
use crate::syntax::expr::{Token, TokenKind};
use crate::syntax::lower::tables::NODE_KINDS;
use crate::syntax::yaml::{Entry, Node, NodeKind};

/// A node that is being read.
#[derive(Default)]
struct Body<'s> {
    /// Nodes may stand in it.
    nested: bool,
    /// It is a composite, which has no key that is called like a kind of node.
    composite: bool,
    entries: Vec<Entry<'s>>,
    /// Entry statements: runs of them with nothing between.
    runs: Vec<Node<'s>>,
    run: Option<Part>,
    edges: Vec<Node<'s>>,
    /// That edges stand last was said.
    late: bool,
}

impl<'s> Reader<'s, '_> {
    /// A node; its kind is the next token.
    pub(super) fn node(&mut self) -> Option<Entry<'s>> {
        let kind = self.t.take()?;
        let word = self.t.text(kind);
        let Some(name) = self.t.next.filter(|t| t.kind == TokenKind::Word && !self.t.broke) else {
            self.wanted(&format!("a name behind `{word}`"), &format!("write `{word} NAME {{ … }}`"));
            self.holes = true;
            let start = self.t.here();
            self.t.rest_of_line();
            self.told.push((start, self.t.behind.max(start)));
            return None;
        };
        self.t.take();
        let key = self.word(name);
        let known = NODE_KINDS.iter().any(|(kind, _)| *kind == word);
        let composite = word == "composite";
        let mut body = Body { nested: !known || composite, composite, ..Body::default() };
        if word != "node" {
            let value = self.word_node(kind);
            body.entries.push(self.named("kind", (kind.start, kind.end), value));
        }
        if !self.t.broke && self.t.is(TokenKind::Quoted) {
            let at = self.t.here();
            let title = self.text()?;
            body.entries.push(self.named("title", (at, at), title));
        }
        self.head(&mut body);
        let value = self.finish(body, (kind.start, self.t.behind));
        Some(Entry { key, value })
    }

    /// Keys and edges on the line of a node's name, and its body in braces.
    fn head(&mut self, body: &mut Body<'s>) {
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
                    return;
                }
                (_, "->") => {
                    let edge = self.edge();
                    body.edges.push(edge);
                }
                (_, "}") => return,
                (TokenKind::Word, _) => {
                    let key = self.key(node_form);
                    body.entries.push(key);
                }
                _ => return self.unexpected("a key, an edge or `{`", "write the body in braces: `{ … }`"),
            }
        }
    }

    fn finish(&mut self, mut body: Body<'s>, part: Part) -> Node<'s> {
        self.flush(&mut body);
        if !body.runs.is_empty() {
            let (first, last) = (body.runs[0].span, body.runs[body.runs.len() - 1].span);
            let head = (first.start as usize, first.start as usize);
            let value = match body.runs.pop() {
                Some(only) if body.runs.is_empty() => only,
                last_run => {
                    body.runs.extend(last_run);
                    Node { kind: NodeKind::Sequence(body.runs), span: first.to(last) }
                }
            };
            body.entries.push(self.named("do", head, value));
        }
        let next = self.next_entry(body.edges);
        body.entries.extend(next);
        let nodes = body.entries.iter_mut().filter(|e| matches!(&*e.key.text, "nodes" | "budgets" | "state"));
        for entry in nodes {
            if let NodeKind::Mapping(entries) = &mut entry.value.kind {
                let all = std::mem::take(entries);
                *entries = self.without_duplicates(all);
            }
        }
        self.mapping(body.entries, part)
    }

    /// Ends a run of statements.
    fn flush(&mut self, body: &mut Body<'s>) {
        if let Some(run) = body.run.take() {
            let run = self.code(run);
            body.runs.push(run);
        }
    }

    /// One key, statement, edge or declaration of a body.
    fn item(&mut self, body: &mut Body<'s>) {
        let Some(token) = self.t.next else { return };
        let text = self.t.text(token);
        if text == "->" {
            self.flush(body);
            let edge = self.edge();
            body.edges.push(edge);
            return;
        }
        if token.kind != TokenKind::Word {
            self.flush(body);
            let hint = match text {
                "{" => "braces stand behind the name of a node, `then`, `do` and keys of several values",
                _ => "keys are written `key value`, edges `-> target`, statements `x = 1`",
            };
            return self.unexpected("a key, a statement or an edge", hint);
        }
        if !body.edges.is_empty() && !body.late {
            body.late = true;
            let found =
                Diagnostic::error("loop-syntax", self.token_span(token), "this stands behind an edge");
            self.report(found.help("keys, statements and inner nodes come first, edges last"));
        }
        if self.begins_statement(text) {
            let part = self.t.statement();
            body.run = Some(body.run.map_or(part, |run| (run.0, part.1)));
            return;
        }
        self.flush(body);
        if body.nested && self.inner(body, token) {
            return;
        }
        let key = self.key(node_form);
        body.entries.push(key);
    }

    /// A node or a group of declarations inside of a composite; false if the next token begins none.
    fn inner(&mut self, body: &mut Body<'s>, token: Token) -> bool {
        let text = self.t.text(token);
        let (second, same) = self.t.second();
        let named = same && second.is_some_and(|t| t.kind == TokenKind::Word);
        // `tool` is a key as well, which a node of no known kind may have.
        let key = !body.composite && node_form(text).is_some();
        let node = is_kind(text) && named && (!key || self.looks_like_node());
        if node || node_form(text).is_none() && self.looks_like_node() {
            if let Some(node) = self.node() {
                self.add(&mut body.entries, "nodes", token.start, vec![node]);
            }
            return true;
        }
        let declared = matches!(group(text), Some("budgets" | "state"));
        if declared {
            self.group_of(&mut body.entries);
        }
        declared
    }

    /// Whether a statement begins at the next token, a word.
    fn begins_statement(&self, text: &str) -> bool {
        if STATEMENT_WORDS.contains(&text) {
            return true;
        }
        let (second, same) = self.t.second();
        let Some(second) = second else { return false };
        let key = node_form(text).is_some();
        match self.t.text(second) {
            "=" | "+=" | "." => true,
            "(" if same => !key || self.behind_brackets() == (true, false),
            "[" if same => !key || self.behind_brackets().1,
            _ => false,
        }
    }

    /// Of the brackets behind the next token: whether they are empty, and whether an assignment follows.
    fn behind_brackets(&self) -> (bool, bool) {
        let mut ahead = self.t.ahead();
        let (mut open, mut inner) = (0_u32, 0_u32);
        while let Some(token) = ahead.take() {
            match token.kind {
                TokenKind::Open => open += 1,
                TokenKind::Close => open = open.saturating_sub(1),
                _ => {}
            }
            inner += 1;
            // Nothing that long, and nothing with an edge in it, is the index of an assignment.
            if open == 0 || inner > 1_000 || self.t.text(token) == "->" {
                break;
            }
        }
        let follows = ahead.take().map_or("", |t| self.t.text(t));
        (inner == 2 && open == 0, matches!(follows, "=" | "+=" | "." | "["))
    }

    /// `nodes { … }`: the same as nodes in the body.
    pub(super) fn node_block(&mut self, key: Part) -> Node<'s> {
        let start = self.t.here();
        let Some(open) = self.t.next.filter(|t| self.t.text(*t) == "{") else {
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
        self.mapping(nodes, (start, self.t.behind))
    }
}
