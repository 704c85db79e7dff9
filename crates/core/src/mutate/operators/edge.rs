//! Operators on edges.

use crate::mutate::mutation::Mutation;
use crate::mutate::names::GraphNames;
use crate::mutate::operator::MutationOperator;
use crate::mutate::site::MutatedPart;
use crate::source::Spanned;
use crate::syntax::ast::{Expr, ExprKind, Name};
use crate::syntax::tree::{EdgeDecl, TriggerDecl};

/// Edges without one of them.
pub(super) fn dropped(edges: &[EdgeDecl]) -> Vec<Mutation> {
    let mutation = |(at, edge): (usize, &EdgeDecl)| {
        let mut part = edges.to_vec();
        part.remove(at);
        Mutation {
            operator: MutationOperator::EdgeDropped,
            span: edge.span,
            message: format!("{} is dropped", words(edge)),
            edits: vec![(edge.span, String::new())],
            swapped: None,
            part: MutatedPart::Edges(part),
        }
    };
    edges.iter().enumerate().map(mutation).collect()
}

/// Edges in which two that follow each other are swapped.
pub(super) fn swapped(edges: &[EdgeDecl]) -> Vec<Mutation> {
    let mutation = |at: usize| {
        let (one, other) = (&edges[at - 1], &edges[at]);
        let mut part = edges.to_vec();
        part.swap(at - 1, at);
        Mutation {
            operator: MutationOperator::EdgesSwapped,
            span: one.span,
            message: format!("{} stands after {}", words(one), words(other)),
            edits: vec![(one.span, String::new())],
            swapped: Some((one.span, other.span)),
            part: MutatedPart::Edges(part),
        }
    };
    (1..edges.len()).map(mutation).collect()
}

/// An edge in words.
fn words(edge: &EdgeDecl) -> String {
    let label = edge.label.as_ref().filter(|label| !label.value.is_empty());
    let label = label.map(|label| format!(" \"{}\"", label.value)).unwrap_or_default();
    format!("the edge{label} to `{}`", edge.to.value)
}

/// An edge or a start that leads elsewhere; `owner` is what leads, in words.
pub(super) fn retargeted(target: &Name, owner: &str, names: &GraphNames) -> Option<Mutation> {
    let after = names.node_after(target)?;
    Some(Mutation {
        operator: MutationOperator::EdgeRetargeted,
        span: target.span,
        message: format!("{owner} leads to `{after}`"),
        edits: vec![(target.span, after.to_owned())],
        swapped: None,
        part: MutatedPart::Target(Spanned::new(after.to_owned(), target.span)),
    })
}

/// Triggers of which one is another.
pub(super) fn triggers(triggers: &[TriggerDecl], names: &GraphNames) -> Vec<Mutation> {
    let mutation = |(at, trigger): (usize, &TriggerDecl)| {
        let new = other(trigger, names)?;
        let (before, after) = (text(trigger), text(&new));
        let span = trigger.arg.as_ref().map_or(trigger.name.span, |arg| trigger.name.span.to(arg.span));
        // The bracket after an argument is not part of it.
        let written = after.strip_suffix(')').filter(|_| trigger.arg.is_some()).unwrap_or(&after);
        let mut part = triggers.to_vec();
        part[at] = new;
        Some(Mutation {
            operator: MutationOperator::TriggerReplaced,
            span,
            message: format!("`on {before}` becomes `on {after}`"),
            edits: vec![(span, written.to_owned())],
            swapped: None,
            part: MutatedPart::Triggers(part),
        })
    };
    triggers.iter().enumerate().filter_map(mutation).collect()
}

fn other(trigger: &TriggerDecl, names: &GraphNames) -> Option<TriggerDecl> {
    let span = trigger.name.span;
    let error = |arg: Option<&str>| TriggerDecl {
        name: Name::new("error".to_owned(), span),
        arg: arg.map(|arg| Expr { kind: ExprKind::Name(arg.to_owned()), span }),
    };
    match (trigger.name.as_str(), &trigger.arg) {
        ("timeout" | "unknown", None) => Some(error(None)),
        ("error", None) => Some(error(Some("transient"))),
        ("error", Some(Expr { kind: ExprKind::Name(kind), .. })) => {
            names.error_after(kind).map(|after| error(Some(&after)))
        }
        _ => None,
    }
}

fn text(trigger: &TriggerDecl) -> String {
    let arg = trigger.arg.as_ref().map(|arg| format!("({arg})")).unwrap_or_default();
    format!("{}{arg}", trigger.name.value)
}
