//! Nodes that run other graphs: `call`, `each`, `parallel`.

use super::amounts::one_of;
use super::called::{called, unjudged};
use super::context::{Context, list, named};
use super::keys::Keys;
use super::work::{Target, Work, reported};
use crate::diag::{Diagnostic, nearest, rule};
use crate::model::expr::{Expr, LocalId};
use crate::model::node::{Branch, CallNode, EachNode, NodeId, NodeKind, ParallelNode};
use crate::model::types::{Kind, Type};
use crate::model::typing::{Cx, show};
use crate::program::graph::OnError;
use crate::syntax::ast::{self, Name};
use crate::syntax::tree::KeyValue;

/// `call`.
pub(super) fn call(cx: &Context<'_>, keys: &Keys<'_>, at: &mut Cx<'_>) -> Work {
    let called = called(cx, keys, at);
    let mut into: Vec<_> = called.lanes(OnError::Stop).map(|ty| (Target::Node, ty)).collect();
    if let Some(name) = keys.name("merge", at) {
        let merged = called.lanes(OnError::Stop).map_while(|outputs| merged(cx, &outputs, name, at));
        into.extend(merged.map(|ty| (Target::Merge(name.as_str().into()), ty)));
    }
    let result = called.lane(OnError::Stop);
    let node = CallNode { graph: called.source, into: None, merge: None };
    Work { kind: NodeKind::Call(Box::new(node)), result: Some(result), into }
}

/// The type of the output that `merge` names.
fn merged(cx: &Context<'_>, outputs: &Type, name: &Name, at: &mut Cx<'_>) -> Option<Type> {
    let Kind::Record(id) = outputs.kind else { return None };
    let outputs = &cx.types.record(id).fields;
    let Some(field) = outputs.iter().find(|f| f.name == name.value) else {
        let message = format!("the called graph has no output `{}`", name.value);
        let fault = Diagnostic::error(rule::UNKNOWN_OUTPUT, name.span, message);
        at.report(fault.meant_or(
            nearest(name, outputs.iter().map(|f| f.name.as_str())),
            "`merge` names a map of the state and the output of the same name",
        ));
        return None;
    };
    if !matches!(field.ty.kind, Kind::Map(_) | Kind::Error) {
        let message = format!("only maps can be merged, the output `{}` is none", name.value);
        at.report(Diagnostic::error(rule::TYPE_MISMATCH, name.span, message).help("store it with `into`"));
        return None;
    }
    Some(field.ty.clone())
}

/// `each`.
pub(super) fn each(cx: &Context<'_>, id: NodeId, keys: &Keys<'_>, at: &mut Cx<'_>) -> Work {
    let int = Type::of(Kind::Int(None));
    let over = if let Some(over) = keys.expr("over", at) {
        at.infer(over)
    } else {
        if !keys.has("over") {
            keys.missing("a list to go `over`", "over: items", at);
        }
        Expr { kind: crate::model::expr::ExprKind::Error, ty: Type::of(Kind::Error), span: keys.span() }
    };
    let item = item_type(cx, &over, at);
    let at_once = keys.expr("at_once", at).map(|e| at.check(e, &int));
    let limit = keys.expr("limit", at).map(|e| at.check(e, &int));
    let alias = cx.plan.at(id).decl.alias.as_ref();
    if alias.is_none() && !keys.has("as") {
        keys.missing("a name for the item", "as: item", at);
    }
    let local = alias.map(|name| at.push_local(name, item));
    // Without the item's name, what is made of it cannot be judged.
    let called = if local.is_some() { called(cx, keys, at) } else { unjudged(cx, keys, at) };
    if local.is_some() {
        at.pop_local();
    }
    let on_error = on_error(keys, at);
    let into = called.lanes(on_error).map(|ty| (Target::Node, list(ty))).collect();
    let result = list(called.lane(on_error));
    let node = EachNode {
        over,
        item: local.unwrap_or(LocalId(0)),
        graph: called.source,
        into: None,
        at_once,
        limit,
        on_error,
    };
    Work { kind: NodeKind::Each(Box::new(node)), result: Some(result), into }
}

fn item_type(cx: &Context<'_>, over: &Expr, at: &mut Cx<'_>) -> Type {
    match &over.ty.kind {
        Kind::Error => over.ty.clone(),
        _ if over.ty.nullable => {
            let fault = Diagnostic::error(rule::MAYBE_NULL, over.span, "the list may be null here");
            at.report(fault.help("test it first, or give a value for null: `… ?? []`"));
            Type::of(Kind::Error)
        }
        Kind::List(item, _) if matches!(item.kind, Kind::Null) => Type::of(Kind::Any),
        Kind::List(item, _) => Type::clone(item),
        Kind::Any => Type::of(Kind::Any),
        _ => {
            let message = format!("`over` wants a list, this is `{}`", show(&over.ty, cx.types));
            let fault = Diagnostic::error(rule::TYPE_MISMATCH, over.span, message);
            at.report(match over.ty.kind {
                Kind::Map(_) => fault.help("for a map write keys(…) or values(…)"),
                Kind::Int(_) => fault.help("for a number of rounds write lists.range(…)"),
                _ => fault,
            });
            Type::of(Kind::Error)
        }
    }
}

/// `parallel`.
pub(super) fn parallel(cx: &Context<'_>, id: NodeId, keys: &Keys<'_>, at: &mut Cx<'_>) -> Work {
    let on_error = on_error(keys, at);
    let decl = cx.plan.at(id).decl;
    if decl.branches.is_empty() && !keys.has("branches") {
        keys.missing("`branches`", "branches: {a: {graph: a.yaml}}", at);
    }
    let (mut branches, mut into): (Vec<Branch>, Vec<(Target, Type)>) = (Vec::new(), Vec::new());
    for branch in &decl.branches {
        if branches.iter().any(|b| b.name.value == branch.name.value) {
            let message = format!("there are two branches `{}`", branch.name.value);
            at.report(Diagnostic::error(rule::DUPLICATE_NAME, branch.name.span, message));
        }
        let keys = Keys::of_branch(branch);
        let called = called(cx, &keys, at);
        into.extend(called.lanes(on_error).map(|ty| (Target::Branch(branches.len()), ty)));
        branches.push(Branch { name: named(&branch.name), graph: called.source, into: None });
    }
    overlaps(&decl.branches, at);
    let result = Type::of(Kind::Any);
    Work {
        kind: NodeKind::Parallel(Box::new(ParallelNode { branches, on_error })),
        result: Some(result),
        into,
    }
}

/// Branches may not write to the same place: which one came last would be chance.
fn overlaps(branches: &[crate::syntax::tree::BranchDecl], at: &mut Cx<'_>) {
    let mut places: Vec<(&Name, &ast::Place)> = Vec::new();
    for branch in branches {
        let Some(KeyValue::Place(place)) =
            branch.keys.iter().find(|(key, _)| key.value == "into").map(|(_, v)| v)
        else {
            continue;
        };
        if let Some((other, first)) = places.iter().find(|(_, other)| overlap(place, other)) {
            let message =
                format!("the branches `{}` and `{}` write to the same place", other.value, branch.name.value);
            let fault = Diagnostic::error(rule::OVERLAPPING_INTO, place.span, message)
                .also(first.span, "written here too");
            at.report(fault.help("give each branch a place of its own"));
        }
        places.push((&branch.name, place));
    }
}

fn overlap(a: &ast::Place, b: &ast::Place) -> bool {
    use ast::PlaceStep::Field;
    a.root.value == b.root.value
        && a.steps.iter().zip(&b.steps).all(|(x, y)| match (x, y) {
            (Field(x), Field(y)) => x.value == y.value,
            _ => true,
        })
}

fn on_error(keys: &Keys<'_>, at: &mut Cx<'_>) -> OnError {
    const ON_ERROR_WORDS: [(&str, OnError); 2] = [("stop", OnError::Stop), ("collect", OnError::Collect)];
    let word = keys.name("on_error", at).cloned();
    word.and_then(|word| reported(at, |sink| one_of(&word, word.span, "on_error", &ON_ERROR_WORDS, sink)))
        .unwrap_or(OnError::Stop)
}
