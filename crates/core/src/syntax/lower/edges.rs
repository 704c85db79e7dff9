//! Edges: under their source, in order.

use super::Lower;
use super::form::{Form, Key};
use super::texts::is_text_here;
use crate::source::Spanned;
use crate::syntax::ast::{Block, Expr, ExprKind, Name};
use crate::syntax::tree::{EdgeDecl, IgnoreDecl, PauseDecl, RetryDecl, StartDecl, TriggerDecl};
use crate::syntax::yaml::{Entry, Node, NodeKind};

/// An edge or a start transition that is being read.
#[derive(Default)]
pub(in crate::syntax) struct EdgeParts {
    to: Option<Name>,
    has_to: bool,
    label: Option<Spanned<String>>,
    outer: Option<Spanned<String>>,
    ignores: Vec<IgnoreDecl>,
    on: Vec<TriggerDecl>,
    when: Option<Expr>,
    action: Option<Block>,
    /// A clause could not be read: the edge is left out, for without it it would mean another thing.
    unread: bool,
}

impl EdgeParts {
    fn keep<T>(&mut self, read: Option<T>) -> Option<T> {
        self.unread |= read.is_none();
        read
    }
}

const TO: Key<EdgeParts> = Key::new("to", Form::Name, "The target node.", |l, _, e, edge| {
    edge.has_to = true;
    edge.to = l.reference(&e.value, "a node");
});
const LABEL: Key<EdgeParts> =
    Key::new("label", Form::Text, "Drawn at the edge.", |l, _, e, edge| edge.label = l.label(&e.value));

/// The keys of an edge.
pub(in crate::syntax) const EDGE_KEYS: &[Key<EdgeParts>] = &[
    TO,
    LABEL,
    Key::new(
        "ignore",
        Form::Ignores,
        "Rules of `check` whose findings here are left out, each with the reason.",
        |l, _, e, edge| {
            edge.ignores = l.ignores(&e.value);
        },
    ),
    Key::new("outer", Form::Text, "The label when the edge is drawn collapsed.", |l, _, e, edge| {
        edge.outer = l.label(&e.value);
    }),
    Key::new("on", Form::Triggers, "The triggers; `done` by default.", |l, _, e, edge| {
        let on = l.triggers(&e.value);
        edge.on = edge.keep(on).unwrap_or_default();
    }),
    Key::new("when", Form::Expr, "The guard.", |l, _, e, edge| {
        let when = l.condition(&e.value);
        edge.when = edge.keep(when);
    }),
    Key::new("do", Form::Statements, "Statements that run when the edge is taken.", |l, _, e, edge| {
        let before = l.out.len();
        edge.action = l.statements(&e.value);
        edge.unread |= l.spoils(before, &e.value);
    }),
];

/// The keys of a start transition given as a mapping.
pub(in crate::syntax) const START_KEYS: &[Key<EdgeParts>] = &[TO, LABEL];

/// A `pause` that is being read.
#[derive(Default)]
pub(in crate::syntax) struct PauseParts {
    when: Option<Expr>,
    has_when: bool,
    ask: Option<Expr>,
}

/// The keys of `pause`.
pub(in crate::syntax) const PAUSE_KEYS: &[Key<PauseParts>] = &[
    Key::new("when", Form::Expr, "The condition, tested before each transition.", |l, _, e, p| {
        p.has_when = true;
        p.when = l.condition(&e.value);
    }),
    Key::new(
        "ask",
        Form::TextName,
        "The question: the name of a text, a text that stands here, or an expression.",
        |l, _, e, p| {
            p.ask = if is_text_here(&e.value) {
                l.text_here(e).map(|name| Expr { span: name.span, kind: ExprKind::Name(name.value) })
            } else {
                l.expr(&e.value)
            };
        },
    ),
];

/// A `retry` that is being read.
#[derive(Default)]
pub(in crate::syntax) struct RetryParts {
    attempts: Option<Expr>,
    on: Vec<Name>,
    first: Option<Expr>,
    factor: Option<Expr>,
    max: Option<Expr>,
    jitter: Option<Expr>,
}

/// The keys of `retry`.
pub(in crate::syntax) const RETRY_KEYS: &[Key<RetryParts>] = &[
    Key::new("attempts", Form::Expr, "The greatest number of calls, including the first.", |l, _, e, r| {
        r.attempts = l.expr(&e.value);
    }),
    Key::new("on", Form::Names, "Error kinds and classes that are tried again.", |l, _, e, r| {
        r.on = l.references(&e.value, "an error kind or class").unwrap_or_default();
    }),
    Key::new("first", Form::Expr, "The first wait.", |l, _, e, r| r.first = l.expr(&e.value)),
    Key::new("factor", Form::Expr, "The factor from each wait to the next.", |l, _, e, r| {
        r.factor = l.expr(&e.value);
    }),
    Key::new("max", Form::Expr, "The longest wait.", |l, _, e, r| r.max = l.expr(&e.value)),
    Key::new("jitter", Form::Expr, "The share of each wait that is random, 0 to 1.", |l, _, e, r| {
        r.jitter = l.expr(&e.value);
    }),
];

impl Lower<'_> {
    /// Edges: a list; one edge alone, or only its target, needs none.
    pub(super) fn edges(&mut self, node: &Node<'_>) -> Vec<EdgeDecl> {
        let mut edges: Vec<_> = match &node.kind {
            NodeKind::Sequence(items) => items.iter().filter_map(|item| self.edge(item)).collect(),
            NodeKind::Scalar(s) if s.is_empty() => Vec::new(),
            _ => self.edge(node).into_iter().collect(),
        };
        // Edges are large, and most nodes have one or two.
        edges.shrink_to_fit();
        edges
    }

    fn edge(&mut self, node: &Node<'_>) -> Option<EdgeDecl> {
        let mut parts = EdgeParts::default();
        if matches!(node.kind, NodeKind::Scalar(_)) {
            parts.to = self.reference(node, "a node");
        } else {
            let known = self.mapping(node, "an edge", EDGE_KEYS, &mut parts);
            parts.unread |= !known;
            if known && !parts.has_to && matches!(node.kind, NodeKind::Mapping(_)) {
                self.missing("to", "an edge", self.head(node), "to: node");
            }
        }
        if parts.unread {
            return None;
        }
        let EdgeParts { to, label, outer, ignores, on, when, action, .. } = parts;
        Some(EdgeDecl { to: to?, label, outer, ignores, on, when, action, span: node.span })
    }

    /// A node's name, or a mapping with `to` and `label`.
    pub(super) fn start(&mut self, node: &Node<'_>) -> Option<StartDecl> {
        let mut parts = EdgeParts::default();
        if matches!(node.kind, NodeKind::Mapping(_)) {
            let known = self.mapping(node, "`start`", START_KEYS, &mut parts);
            if known && !parts.has_to {
                self.missing("to", "`start`", self.head(node), "to: node");
            }
        } else {
            parts.to = self.reference(node, "a node");
        }
        Some(StartDecl { to: parts.to?, label: parts.label })
    }

    fn triggers(&mut self, node: &Node<'_>) -> Option<Vec<TriggerDecl>> {
        self.one_or_more(node, Self::trigger)
    }

    /// `pause`.
    pub(super) fn pause(&mut self, entry: &Entry<'_>) -> Option<PauseDecl> {
        let mut parts = PauseParts::default();
        let known = self.mapping(&entry.value, "`pause`", PAUSE_KEYS, &mut parts);
        if known && !parts.has_when {
            self.missing("when", "`pause`", entry.key.span, "when: step() > 100");
        }
        Some(PauseDecl { when: parts.when?, ask: parts.ask, span: entry.span() })
    }

    /// `retry`: a mapping, or only the number of attempts.
    pub(super) fn retry(&mut self, entry: &Entry<'_>) -> Option<RetryDecl> {
        let mut parts = RetryParts::default();
        if matches!(entry.value.kind, NodeKind::Scalar(_)) {
            parts.attempts = Some(self.expr(&entry.value)?);
        } else {
            self.mapping(&entry.value, "`retry`", RETRY_KEYS, &mut parts);
        }
        let RetryParts { attempts, on, first, factor, max, jitter } = parts;
        Some(RetryDecl { attempts, on, first, factor, max, jitter, span: entry.span() })
    }

    /// One name or a list of names.
    pub(super) fn names(&mut self, node: &Node<'_>, what: &str) -> Option<Vec<Name>> {
        self.one_or_more(node, |lower, item| lower.name(item, what))
    }

    /// One reference or a list of references.
    pub(super) fn references(&mut self, node: &Node<'_>, what: &str) -> Option<Vec<Name>> {
        self.one_or_more(node, |lower, item| lower.reference(item, what))
    }

    /// The items of a list, or the value itself.
    pub(super) fn one_or_more<T>(
        &mut self,
        node: &Node<'_>,
        mut read: impl FnMut(&mut Self, &Node<'_>) -> Option<T>,
    ) -> Option<Vec<T>> {
        match &node.kind {
            NodeKind::Sequence(items) => self.all(items, |lower, item| read(lower, item)),
            _ => Some(vec![read(self, node)?]),
        }
    }
}
