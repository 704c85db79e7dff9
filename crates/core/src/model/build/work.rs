//! The work of a node, and the places its answers go to.

use super::context::Context;
use crate::diag::Diagnostic;
use crate::model::expr::Place;
use crate::model::node::NodeKind;
use crate::model::types::{Kind, Type};
use crate::model::typing::Cx;
use crate::syntax::ast;
use crate::value::Str;

/// The work of a node, from its keys.
pub(super) struct Work {
    pub(super) kind: NodeKind,
    /// The type of the effect's result; [`None`] for kinds without one.
    pub(super) result: Option<Type>,
    /// The places that answers go to, and their types: written after the effect.
    pub(super) into: Vec<(Target, Type)>,
}

/// The place of a node that an answer goes to.
#[derive(Debug, Clone)]
pub(super) enum Target {
    /// `into` of the node.
    Node,
    /// `into` of the branch at that index.
    Branch(usize),
    /// `merge` with the output of that name.
    Merge(Str),
}

impl Work {
    pub(super) fn pure(kind: NodeKind) -> Self {
        Self { kind, result: None, into: Vec::new() }
    }

    /// The work of a node of unknown kind: nothing is known of it, and nothing is reported.
    pub(super) fn unknown() -> Self {
        Self { kind: NodeKind::Action, result: Some(Type::of(Kind::Error)), into: Vec::new() }
    }

    pub(super) fn effect(kind: NodeKind, result: Type) -> Self {
        Self { kind, into: vec![(Target::Node, result.clone())], result: Some(result) }
    }
}

/// Runs something that reports into a list, where a context reports.
pub(super) fn reported<T>(at: &mut Cx<'_>, run: impl FnOnce(&mut Vec<Diagnostic>) -> T) -> T {
    let mut sink = Vec::new();
    let made = run(&mut sink);
    for fault in sink {
        at.report(fault);
    }
    made
}

/// Puts a place where it belongs.
pub(super) fn put(kind: &mut NodeKind, target: Target, place: Place) {
    match (kind, target) {
        (NodeKind::Parallel(node), Target::Branch(i)) => node.branches[i].into = Some(place),
        (NodeKind::Call(node), Target::Merge(name)) => node.merge = Some((place, name)),
        (node, Target::Node) => {
            if let Some(into) = node.place_slot() {
                *into = Some(place);
            }
        }
        _ => {}
    }
}

/// Resolves a type where a context reports.
pub(super) fn resolve(cx: &Context<'_>, ty: &ast::TypeExpr, at: &mut Cx<'_>) -> Type {
    reported(at, |sink| cx.scope.types.resolve(ty, sink))
}
