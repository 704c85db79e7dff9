//! The graph that a node runs, or those of which it runs one, with their inputs.

use std::sync::Arc;

use super::context::{Context, Interface, LaneResult, named};
use super::keys::Keys;
use crate::diag::{Diagnostic, nearest, rule};
use crate::model::expr::{Expr, ExprKind};
use crate::model::graph::GraphId;
use crate::model::load::Callee;
use crate::model::name_use::NameKind;
use crate::model::node::{Callable, Candidate, GraphSource};
use crate::model::types::{EnumType, Kind, Type};
use crate::model::typing::Cx;
use crate::program::graph::OnError;
use crate::source::Span;
use crate::syntax::ast::{self, Name};
use crate::syntax::tree::{CandidateDecl, KeyValue};
use crate::value::Str;

/// Stands for a graph that could not be read, which was reported.
const NO_GRAPH: GraphId = GraphId(u32::MAX);

/// The graphs that a lane may run, with their inputs.
pub(super) struct Called<'u> {
    pub(super) source: GraphSource,
    /// The results of each; [`None`] for one that could not be read.
    results: Vec<Option<&'u LaneResult>>,
    /// What all results have in common.
    common: LaneResult,
}

impl Called<'_> {
    /// The type of a lane's result, whichever graph it runs.
    pub(super) fn lane(&self, on_error: OnError) -> Type {
        self.common.of(on_error).clone()
    }

    /// The types of the results of all graphs that a lane may run: each has to fit where it goes.
    pub(super) fn lanes(&self, on_error: OnError) -> impl Iterator<Item = Type> {
        self.results
            .iter()
            .map(move |result| result.map_or(Type::of(Kind::Error), |result| result.of(on_error).clone()))
    }
}

/// A graph as a node names it.
struct NamedGraph<'t> {
    callee: Option<Callee<'t>>,
    /// Its name, where an expression chooses it.
    candidate: Option<&'t Name>,
}

impl NamedGraph<'_> {
    /// The words for it: several graphs are told apart by their names.
    fn words(&self, alone: &str) -> String {
        self.candidate.map_or_else(|| alone.to_owned(), |name| format!("the graph `{}`", name.value))
    }

    /// The place where an input is missed.
    fn span(&self, keys: &Keys<'_>) -> Span {
        let with = keys.span_of("with").or(self.callee.map(Callee::span)).unwrap_or(keys.span());
        self.candidate.map_or(with, |name| name.span)
    }
}

/// The graph that is run and the inputs it gets.
pub(super) fn called<'u>(cx: &Context<'u>, keys: &Keys<'_>, at: &mut Cx<'_>) -> Called<'u> {
    run(cx, keys, true, at)
}

/// The graph that is run; what depends on its item is not looked at.
pub(super) fn unjudged<'u>(cx: &Context<'u>, keys: &Keys<'_>, at: &mut Cx<'_>) -> Called<'u> {
    run(cx, keys, false, at)
}

fn run<'u>(cx: &Context<'u>, keys: &Keys<'_>, judged: bool, at: &mut Cx<'_>) -> Called<'u> {
    let computed = ["graph_of", "graphs"].into_iter().find(|key| keys.has(key));
    match computed {
        Some(_) if !keys.has("graph") => computed_graph(cx, keys, judged, at),
        other => {
            if let Some((key, second)) = other.and_then(|key| Some((key, keys.span_of(key)?))) {
                let message = format!("`graph` and `{key}` exclude each other");
                let fault = Diagnostic::error(rule::CONFLICTING_KEYS, second, message);
                at.report(fault.help("keep `graph` alone, or `graph_of` with `graphs`"));
            }
            fixed_graph(cx, keys, judged, at)
        }
    }
}

fn fixed_graph<'u>(cx: &Context<'u>, keys: &Keys<'_>, judged: bool, at: &mut Cx<'_>) -> Called<'u> {
    let callee = keys.callee(at);
    if judged && callee.is_none() && !keys.has("graph") {
        keys.missing("a `graph`", "graph: other.yaml", at);
    }
    let (callable, result) = callable(cx, &NamedGraph { callee, candidate: None }, keys, judged, at);
    let common = result.cloned().unwrap_or_default();
    Called { source: GraphSource::Fixed(callable), results: vec![result], common }
}

/// The graph that `graph_of` names.
fn computed_graph<'u>(cx: &Context<'u>, keys: &Keys<'_>, judged: bool, at: &mut Cx<'_>) -> Called<'u> {
    if !keys.has("graphs") {
        keys.missing("the `graphs` to choose from", "graphs: [one.yaml, other.yaml]", at);
    }
    if !keys.has("graph_of") {
        keys.missing("a `graph_of` that names one of its `graphs`", "graph_of: name", at);
    }
    let decls = keys.graphs("graphs", at).map_or(&[][..], Vec::as_slice);
    report_doubles(decls, at);
    let expr = keys.expr("graph_of", at).filter(|_| judged);
    let name = expr.map_or_else(|| unknown(keys.span()), |expr| choice(expr, decls, at));
    let (mut among, mut results) = (Vec::with_capacity(decls.len()), Vec::with_capacity(decls.len()));
    for decl in decls {
        let graph = NamedGraph { callee: Callee::of(&decl.graph), candidate: Some(&decl.name) };
        let (callable, result) = callable(cx, &graph, keys, judged, at);
        among.push(Candidate { name: named(&decl.name), callable });
        results.push(result);
    }
    let common = keys.span_of("graphs").and_then(|key| cx.chosen.get(&key)).cloned().unwrap_or_default();
    Called { source: GraphSource::Computed { name, among }, results, common }
}

fn report_doubles(decls: &[CandidateDecl], at: &mut Cx<'_>) {
    for (i, decl) in decls.iter().enumerate() {
        let Some(first) = decls[..i].iter().find(|other| other.name.value == decl.name.value) else {
            continue;
        };
        let message = format!("there are two graphs `{}`", decl.name.value);
        let fault = Diagnostic::error(rule::DUPLICATE_NAME, decl.name.span, message)
            .also(first.name.span, "the other one");
        at.report(fault.help("name them yourself: `graphs: {one: 'a/graph.yaml', other: 'b/graph.yaml'}`"));
    }
}

/// The expression that names one of the graphs.
fn choice(expr: &ast::Expr, decls: &[CandidateDecl], at: &mut Cx<'_>) -> Expr {
    if decls.is_empty() {
        return at.infer(expr);
    }
    let members: Vec<Str> = decls.iter().map(|decl| decl.name.as_str().into()).collect();
    at.check_name(expr, &Type::of(Kind::Enum(Arc::new(EnumType { name: None, members }))))
}

/// An expression of which nothing is known.
fn unknown(span: Span) -> Expr {
    Expr { kind: ExprKind::Error, ty: Type::of(Kind::Error), span }
}

/// A graph with its inputs, and the type of its results.
fn callable<'u>(
    cx: &Context<'u>,
    graph: &NamedGraph<'_>,
    keys: &Keys<'_>,
    judged: bool,
    at: &mut Cx<'_>,
) -> (Callable, Option<&'u LaneResult>) {
    let id = graph.callee.and_then(|callee| cx.calls.get(callee));
    let interface = id.and_then(|id| cx.built.interface(id));
    let with = if judged { inputs(interface, graph, keys, at) } else { Vec::new() };
    (Callable { graph: id.unwrap_or(NO_GRAPH), with }, interface.map(|interface| &interface.result))
}

fn inputs(
    interface: Option<&Interface>,
    graph: &NamedGraph<'_>,
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
            let meant = unknown_input(interface, graph, name, at);
            if let Some(place) = interface.inputs.iter().position(|i| Some(&i.name.value) == meant.as_ref()) {
                seen[place] = true;
            }
            at.infer(value);
            continue;
        };
        let input = &interface.inputs[place];
        at.recorder().note(NameKind::Input, &name.value, name.span, Some(input.name.span), Some(&input.ty));
        with[place] = Some(at.check(value, &input.ty));
        seen[place] = true;
    }
    if keys.value("with").is_none() && keys.has("with") {
        return with;
    }
    for (input, _) in interface.inputs.iter().zip(seen).filter(|(input, seen)| !seen && !input.optional) {
        let message = format!("{} needs the input `{}`", graph.words("the called graph"), input.name.value);
        let span = graph.span(keys);
        let fault = Diagnostic::error(rule::MISSING_INPUT, span, message)
            .also(input.name.span, "declared here without a default");
        at.report(fault.help(format!("add `{}: …` under `with`", input.name.value)));
    }
    with
}

/// Reports an input that the graph does not have; gives the one that was meant.
fn unknown_input(interface: &Interface, graph: &NamedGraph<'_>, name: &Name, at: &mut Cx<'_>) -> Option<Str> {
    let all = interface.inputs.iter().map(|input| (input.name.value.as_str(), Some(&input.ty)));
    at.recorder().offer(name, NameKind::Input, all);
    let graph = graph.words(&graph.callee.map_or_else(String::new, Callee::name));
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
