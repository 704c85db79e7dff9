//! The sections over the whole graph: pause, roles, output, properties, views.

use rustc_hash::{FxHashMap, FxHashSet};

use super::context::{Context, End, named};
use super::prompt::text_source;
use super::{declare, migrate};
use crate::diag::{Diagnostic, rule};
use crate::model::graph::{Graph, Property, PropertyBody, View};
use crate::model::name_use::NameKind;
use crate::model::node::{NodeId, Pause};
use crate::model::typing::{Cx, Here, Reach};
use crate::source::Span;
use crate::syntax::ast::Name;
use crate::syntax::tree::{self, PauseDecl, ViewDecl};
use crate::value::Str;

/// Fills in what needs the nodes. `end` is what is known where the graph ends.
pub(super) fn fill(cx: &Context<'_>, end: &End, graph: &mut Graph, sink: &mut Vec<Diagnostic>) {
    let tree = &cx.unit.tree;
    if let Some(decl) = &tree.pause {
        let mut at = Cx::new(&cx.scope, cx.types, Here::new(Reach::All), sink);
        graph.pause = Some(pause(cx, decl, &mut at));
        graph.renderings.append(&mut at.renderings);
    }
    roles(cx, graph, sink);
    once(tree.output.iter().map(|(name, _)| name), "outputs", sink);
    for (name, value) in &tree.output {
        if name.value == "outcome" {
            let fault = Diagnostic::error(
                rule::SHADOWED_NAME,
                name.span,
                "every graph has an output `outcome` already",
            );
            sink.push(fault.help("choose another name"));
        }
        let known = if end.is_unreached() { End::default() } else { end.clone() };
        let mut at = Cx::new(&cx.scope, cx.types, Here::new(Reach::All), sink).knowing(known);
        let value = at.infer(value);
        graph.renderings.append(&mut at.renderings);
        graph.output.push((named(name), value));
    }
    once(tree.properties.iter().map(|p| &p.name), "properties", sink);
    for decl in &tree.properties {
        let here = Here { property: true, ..Here::new(Reach::All) };
        let renderings = &mut graph.renderings;
        let mut holds = |expr| {
            let mut at = Cx::new(&cx.scope, cx.types, here.clone(), sink);
            let condition = at.condition(expr);
            renderings.append(&mut at.renderings);
            condition
        };
        let body = match &decl.body {
            tree::PropertyBody::Never(expr) => PropertyBody::Never(holds(expr)),
            tree::PropertyBody::Always(expr) => PropertyBody::Always(holds(expr)),
            tree::PropertyBody::Eventually(expr) => PropertyBody::Eventually(holds(expr)),
            tree::PropertyBody::Precedes(a, b) => PropertyBody::Precedes(holds(a), holds(b)),
        };
        graph.properties.push(Property { name: named(&decl.name), body });
    }
    once(tree.views.iter().map(|v| &v.name), "views", sink);
    graph.views = tree.views.iter().map(|decl| view(cx, decl, sink)).collect();
    migrate::judge(cx, graph, sink);
}

/// `pause` of a graph or composite.
pub(super) fn pause(cx: &Context<'_>, decl: &PauseDecl, at: &mut Cx<'_>) -> Pause {
    let when = at.condition(&decl.when);
    let ask = decl.ask.as_ref().map(|ask| text_source(cx, ask, at));
    Pause { when, ask, span: decl.span }
}

fn roles(cx: &Context<'_>, graph: &mut Graph, sink: &mut Vec<Diagnostic>) {
    let declared = &cx.unit.tree.roles;
    once(declared.iter().map(|r| &r.name), "roles", sink);
    for role in declared {
        cx.scope.recorder().define(NameKind::Role, &role.name, None);
    }
    let mut seen: FxHashSet<Str> = FxHashSet::default();
    let nodes = graph.graph.node_indices().map(|id| (id, &graph.graph[id].kind));
    let used = declare::roles_used(nodes).cloned();
    let declared = declared.iter().map(|r| named(&r.name));
    graph.roles = declared.chain(used).filter(|role| seen.insert(role.value.clone())).collect();
}

/// Reports names that occur twice in a section.
fn once<'t>(names: impl Iterator<Item = &'t Name>, what: &str, sink: &mut Vec<Diagnostic>) {
    let mut first: FxHashMap<&str, Span> = FxHashMap::default();
    for name in names {
        if let Some(first) = first.insert(name, name.span) {
            let message = format!("there are two {what} `{}`", name.value);
            sink.push(
                Diagnostic::error(rule::DUPLICATE_NAME, name.span, message)
                    .also(first, "declared here first"),
            );
        }
    }
}

fn view(cx: &Context<'_>, decl: &ViewDecl, sink: &mut Vec<Diagnostic>) -> View {
    let mut open: Vec<NodeId> = Vec::new();
    for name in &decl.open {
        let Some(id) = cx.plan.node(name, sink) else { continue };
        if cx.plan.at(id).children.is_empty() {
            let fault =
                Diagnostic::error(rule::BAD_VIEW, name.span, format!("`{}` is not a composite", name.value));
            sink.push(fault.help("`open` names the composites whose inner nodes are drawn"));
        } else {
            open.push(id);
        }
    }
    let form = decl.form.as_ref().map_or("state", |form| form.as_str());
    if !matches!(form, "state" | "flow") {
        let span = decl.form.as_ref().map_or(decl.name.span, |form| form.span);
        let fault =
            Diagnostic::error(rule::UNKNOWN_WORD, span, format!("a view cannot be drawn as `{form}`"));
        sink.push(fault.help("it is one of state, flow"));
    }
    View {
        name: named(&decl.name),
        form: form.into(),
        open,
        flat: decl.flat.as_ref().is_some_and(|flag| flag.value),
        errors: decl.errors.as_ref().is_none_or(|flag| flag.value),
        across: decl.direction.as_ref().is_some_and(|direction| direction.value == "LR"),
        span: decl.name.span,
    }
}
