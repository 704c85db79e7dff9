//! Nodes that run other graphs: `call`, `each`, `parallel`.

use super::amounts::one_of;
use super::context::{Context, Interface, list, named};
use super::keys::Keys;
use super::work::{Target, Work, reported};
use crate::diag::{Diagnostic, nearest, rule};
use crate::model::expr::{Expr, LocalId};
use crate::model::graph::GraphId;
use crate::model::load::Callee;
use crate::model::node::{Branch, CallNode, EachNode, NodeId, NodeKind, ParallelNode};
use crate::model::types::{Kind, Type};
use crate::model::typing::{Cx, show};
use crate::program::graph::OnError;
use crate::syntax::ast::{self, Name};
use crate::syntax::tree::KeyValue;
use crate::value::Str;

/// Stands for a graph that could not be read, which was reported.
const NO_GRAPH: GraphId = GraphId(u32::MAX);

/// A called graph with its inputs.
struct Called<'u> {
    graph: GraphId,
    with: Vec<Option<Expr>>,
    /// The graph as far as it is known; [`None`] where it could not be read.
    interface: Option<&'u Interface>,
}

impl Called<'_> {
    fn outputs(&self) -> Type {
        self.interface.map_or(Type::of(Kind::Error), |i| i.outputs.clone())
    }

    /// The type of a lane's result: the outputs, or with `collect` those or an error.
    fn lane(&self, on_error: OnError) -> Type {
        self.interface.map_or(Type::of(Kind::Error), |i| match on_error {
            OnError::Stop => i.outputs.clone(),
            OnError::Collect => i.collected.clone(),
        })
    }
}

/// `call`.
pub(super) fn call(cx: &Context<'_>, keys: &Keys<'_>, at: &mut Cx<'_>) -> Work {
    let called = called(cx, keys, at);
    let outputs = called.outputs();
    let mut into = vec![(Target::Node, outputs.clone())];
    if let Some(name) = keys.name("merge", at)
        && let Some(ty) = merged(cx, &called, name, at)
    {
        into.push((Target::Merge(name.as_str().into()), ty));
    }
    let node = CallNode { graph: called.graph, with: called.with, into: None, merge: None };
    Work { kind: NodeKind::Call(Box::new(node)), result: Some(outputs), into }
}

/// The type of the output that `merge` names.
fn merged(cx: &Context<'_>, called: &Called<'_>, name: &Name, at: &mut Cx<'_>) -> Option<Type> {
    let Kind::Record(id) = called.outputs().kind else { return None };
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
    let result = list(called.lane(on_error));
    let node = EachNode {
        over,
        item: local.unwrap_or(LocalId(0)),
        graph: called.graph,
        with: called.with,
        into: None,
        at_once,
        limit,
        on_error,
    };
    let into = vec![(Target::Node, result.clone())];
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
        into.push((Target::Branch(branches.len()), called.lane(on_error)));
        branches.push(Branch {
            name: named(&branch.name),
            graph: called.graph,
            with: called.with,
            into: None,
        });
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

/// The graph that is run and the inputs it gets.
fn called<'u>(cx: &Context<'u>, keys: &Keys<'_>, at: &mut Cx<'_>) -> Called<'u> {
    let callee = keys.callee(at);
    if callee.is_none() && !keys.has("graph") {
        keys.missing("a `graph`", "graph: other.yaml", at);
    }
    let graph = callee.and_then(|callee| cx.calls.get(callee));
    let interface = graph.and_then(|id| cx.built.interface(id));
    let with = inputs(interface, callee, keys, at);
    Called { graph: graph.unwrap_or(NO_GRAPH), with, interface }
}

/// The graph that is run, its inputs not looked at.
fn unjudged<'u>(cx: &Context<'u>, keys: &Keys<'_>, at: &mut Cx<'_>) -> Called<'u> {
    let graph = keys.callee(at).and_then(|callee| cx.calls.get(callee));
    let interface = graph.and_then(|id| cx.built.interface(id));
    Called { graph: graph.unwrap_or(NO_GRAPH), with: Vec::new(), interface }
}

fn inputs(
    interface: Option<&Interface>,
    callee: Option<Callee<'_>>,
    keys: &Keys<'_>,
    at: &mut Cx<'_>,
) -> Vec<Option<Expr>> {
    let given: &[(Name, ast::Expr)] = match keys.value("with") {
        None => &[],
        Some(KeyValue::Fields(fields)) => fields,
        Some(_) => {
            let span = keys.span_of("with").unwrap_or(keys.span());
            let fault = Diagnostic::error(
                rule::WRONG_FORM,
                span,
                "`with` takes a mapping of the called graph's inputs",
            );
            at.report(fault.help("write `with: {input: expression}`"));
            &[]
        }
    };
    let Some(interface) = interface else {
        for (_, value) in given {
            at.infer(value);
        }
        return Vec::new();
    };
    let mut with: Vec<Option<Expr>> = vec![None; interface.inputs.len()];
    let mut seen = vec![false; with.len()];
    for (name, value) in given {
        let Some(place) = interface.inputs.iter().position(|input| input.name.value == name.value) else {
            // The one that was meant is not missed as well.
            let meant = unknown_input(interface, callee, name, at);
            if let Some(place) = interface.inputs.iter().position(|i| Some(&i.name.value) == meant.as_ref()) {
                seen[place] = true;
            }
            at.infer(value);
            continue;
        };
        with[place] = Some(at.check(value, &interface.inputs[place].ty));
        seen[place] = true;
    }
    if keys.value("with").is_none() && keys.has("with") {
        return with;
    }
    for (input, _) in interface.inputs.iter().zip(seen).filter(|(input, seen)| !seen && !input.optional) {
        let span = keys.span_of("with").or(callee.map(Callee::span)).unwrap_or(keys.span());
        let message = format!("the called graph needs the input `{}`", input.name.value);
        let fault = Diagnostic::error(rule::MISSING_INPUT, span, message)
            .also(input.name.span, "declared here without a default");
        at.report(fault.help(format!("add `{}: …` under `with`", input.name.value)));
    }
    with
}

/// Reports an input that the graph does not have; gives the one that was meant.
fn unknown_input(
    interface: &Interface,
    callee: Option<Callee<'_>>,
    name: &Name,
    at: &mut Cx<'_>,
) -> Option<Str> {
    let graph = callee.map_or_else(String::new, Callee::name);
    let message = format!("{graph} has no input `{}`", name.value);
    let fault = Diagnostic::error(rule::UNKNOWN_INPUT, name.span, message);
    let names = || interface.inputs.iter().map(|input| input.name.as_str());
    let meant = nearest(name, names());
    let all = match names().collect::<Vec<_>>().join(", ") {
        none if none.is_empty() => "it takes no inputs".to_owned(),
        all => format!("its inputs are {all}"),
    };
    at.report(fault.meant_or(meant, all));
    meant.map(Str::from)
}
