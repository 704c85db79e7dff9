//! The bodies of nodes: keys, statements, inner nodes, edges.

use rustc_hash::FxHashSet;

use super::keys::{OF_NODE, group, is_kind, node_form};
use super::{Part, Reader};
use crate::diag::{Diagnostic, rule};
use crate::syntax::expr::{Rule, STATEMENT_WORDS, Scanner, Token, TokenKind};
use crate::syntax::lower::Form;
use crate::syntax::lower::tables::{NODE_KEYS, NODE_KINDS};
use crate::syntax::yaml::{Entry, Node, NodeKind};

/// A node that is being read.
#[derive(Default)]
pub(super) struct Body<'s> {
    /// It may have nodes in it.
    pub(super) nested: bool,
    /// It is a composite, which has no key that is called like a kind of node.
    pub(super) composite: bool,
    /// Its kind; empty for `node`.
    pub(super) kind: &'s str,
    pub(super) entries: Vec<Entry<'s>>,
    /// Entry statements: runs of them with nothing between.
    pub(super) runs: Vec<Node<'s>>,
    pub(super) run: Option<Part>,
    pub(super) edges: Vec<Node<'s>>,
    /// True once it was reported that edges come last.
    pub(super) late: bool,
}

impl<'s> Reader<'s, '_> {
    /// The body of a node that begins with this word.
    pub(super) fn body(&mut self, at: Part, word: &'s str) -> Body<'s> {
        let known = NODE_KINDS.iter().any(|(kind, _)| *kind == word);
        let composite = word == "composite";
        let kind = if known { word } else { "" };
        let mut body = Body { nested: !known || composite, composite, kind, ..Body::default() };
        if word != "node" {
            let value = self.name_node(at);
            body.entries.push(self.named("kind", at, value));
        }
        body
    }

    pub(super) fn finish(&mut self, mut body: Body<'s>, part: Part) -> Node<'s> {
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
    pub(super) fn flush(&mut self, body: &mut Body<'s>) {
        if let Some(run) = body.run.take() {
            let run = self.code(run);
            body.runs.push(run);
        }
    }

    /// One key, statement, edge or declaration of a body.
    pub(super) fn item(&mut self, body: &mut Body<'s>) {
        let Some(token) = self.t.next else { return };
        let text = self.t.text(token);
        if self.at_arrow() {
            self.flush(body);
            let edge = self.edge();
            body.edges.push(edge);
            return;
        }
        if token.kind != TokenKind::Word {
            self.flush(body);
            let hint = match text {
                "{" => "braces follow the name of a node, `then`, `do` and keys with several values",
                _ => "keys are written `key value`, edges `-> target`, statements `x = 1`",
            };
            return self.unexpected("a key, a statement or an edge", hint);
        }
        if self.begins_statement(text) {
            self.refuse_after_edge(body, token);
            self.statement(body, token);
            return;
        }
        self.flush(body);
        if body.nested && self.inner(body, token) {
            return;
        }
        if self.no_key(token) {
            return;
        }
        if node_form(text).is_some() {
            self.refuse_after_edge(body, token);
        }
        let key = self.key(OF_NODE);
        body.entries.push(key);
    }

    /// Reports, once, what follows an edge.
    fn refuse_after_edge(&mut self, body: &mut Body<'s>, token: Token) {
        if !body.edges.is_empty() && !std::mem::replace(&mut body.late, true) {
            let message = "this follows an edge";
            let found = Diagnostic::error(rule::LOOP_SYNTAX, self.token_span(token), message);
            self.report(found.help("keys, statements and inner nodes come first, edges last"));
        }
    }

    fn statement(&mut self, body: &mut Body<'s>, token: Token) {
        let assigned = self.t.second().0.filter(|t| self.t.text(*t) == "=");
        if let Some(form) = assigned.and_then(|_| self.key_meant(self.t.text(token), body.kind)) {
            let at = (token.start, token.end);
            self.flush(body);
            self.no_field(at);
            self.t.take();
            self.t.take();
            let value = self.value(at, form);
            body.entries.push(Entry { key: self.verbatim(at), value });
            return;
        }
        let part = match self.piece(Rule::statement) {
            Some(pair) => self.range(&pair),
            None => self.t.pass_statement(),
        };
        body.run = Some(body.run.map_or(part, |run| (run.0, part.1)));
        let braced = self.t.text[part.0..part.1].ends_with('}');
        if self.careful && matches!(self.t.text(token), "if" | "for") && !braced {
            // The brace is missing, which the reader of statements says.
            self.pass_indented(token.start);
        }
    }

    /// The form of a node's own key that is assigned to, though no field bears its name.
    pub(super) fn key_meant(&mut self, name: &str, kind: &str) -> Option<Form> {
        // An `action` and a `choice` have no key with a value of its own.
        let keyed = !matches!(kind, "" | "action" | "choice");
        let own = NODE_KEYS.iter().find(|key| keyed && key.name == name && key.kinds.contains(&kind))?;
        (!self.is_field(name)).then_some(own.form)
    }

    /// Reports a key that is written as a field.
    pub(super) fn no_field(&mut self, at: Part) {
        let name = &self.t.text[at.0..at.1];
        let message = format!("there is no field `{name}` to write to");
        let found = Diagnostic::error(rule::UNKNOWN_NAME, self.span(at), message);
        self.report(found.help(format!("a key takes no `=`: `{name} …`")));
    }

    /// True if a field of this name is declared somewhere, or may be in a file that is used.
    pub(super) fn is_field(&mut self, name: &str) -> bool {
        if self.fields.is_none() {
            let text = self.t.text;
            let mut fields = FxHashSet::default();
            let mut before = "";
            for token in Scanner::new(text) {
                let own = token.text(text);
                if own == ":" {
                    fields.insert(before);
                }
                if matches!(token.kind, TokenKind::Quoted | TokenKind::Open)
                    && matches!(before, "extends" | "use")
                {
                    // It may be declared there.
                    fields.insert("");
                }
                before = own;
            }
            self.fields = Some(fields);
        }
        self.fields.as_ref().is_some_and(|fields| fields.contains("") || fields.contains(name))
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
            self.refuse_after_edge(body, token);
            if let Some(node) = self.node() {
                self.add(&mut body.entries, "nodes", (token.start, self.t.end_of_last), vec![node]);
            }
            return true;
        }
        let declared = matches!(group(text), Some("budgets" | "state"));
        if declared {
            self.refuse_after_edge(body, token);
            self.group_of(&mut body.entries);
        }
        declared
    }

    /// True if a statement begins at the next token, a word.
    fn begins_statement(&self, text: &str) -> bool {
        if STATEMENT_WORDS.contains(&text) {
            return true;
        }
        let (second, same) = self.t.second();
        let Some(second) = second else { return false };
        let key = node_form(text).is_some();
        match self.t.text(second) {
            "=" | "+=" | "." => true,
            "(" if same => !key || self.after_brackets() == (true, false),
            "[" if same => !key || self.after_brackets().1,
            "->" | "," => false,
            ":" => !key && same && self.assigns_after(),
            // No statement, but the reader of statements says best what is wrong with it.
            _ if key || !same || second.kind != TokenKind::Symbol => false,
            _ => true,
        }
    }

    /// Returns true if `=` follows the token after the next one.
    fn assigns_after(&self) -> bool {
        let mut ahead = self.t.ahead();
        let (colon, sign) = (ahead.take(), ahead.take());
        colon.zip(sign).is_some_and(|(colon, sign)| colon.end == sign.start && self.t.text(sign) == "=")
    }

    /// Of the brackets after the next token: whether they are empty, and whether an assignment follows.
    fn after_brackets(&self) -> (bool, bool) {
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
}
