//! One graph from its unit, section by section.

use std::sync::Arc;

use petgraph::graph::DiGraph;
use rustc_hash::FxHashMap;

use super::context::{Built, Context, named, text};
use super::keys::kind_of;
use super::plan::Plan;
use super::{amounts, chosen, declare, flow, models, sections, slots};
use crate::diag::{Diagnostic, rule};
use crate::model::graph::Graph;
use crate::model::load::{Calls, Reader, Unit};
use crate::model::name_use::{NameKind, NameRecorder};
use crate::model::node::{Composite, NodeId, NodeKind};
use crate::model::record::TypeTable;
use crate::model::typing::{Builtins, Scope};
use crate::source::{Span, Spanned};
use crate::value::Str;

/// Builds a graph, and gives its names with it. [`None`] where there is no node to start at, which is reported.
pub(super) fn build(
    reader: &mut Reader<'_>,
    unit: &Unit,
    calls: &Calls,
    built: &Built,
    builtins: &Builtins,
    types: &mut TypeTable,
    is_root: bool,
) -> Option<(Graph, Scope)> {
    let mut sink = Vec::new();
    let path = reader.sources.name(unit.file).to_owned();
    let head = unit.head();
    let mut scope = declare::types(unit, calls, built, builtins, types, &mut sink);
    let plan = Plan::new(&unit.tree.nodes, builtins.names.clone(), &mut sink);
    let kinds = plan.nodes.iter().map(|n| kind_of(n.decl)).collect();
    declare::nodes(&plan, &mut scope);
    declare::errors(unit, calls, built, &mut scope, &mut sink);
    let mut slot_list = slots::declare(unit, &plan, &mut scope, &mut sink);
    let texts = declare::texts(reader, unit, &mut scope, &mut sink);
    let amounts = amounts::declare(unit, &plan, &mut scope, &mut sink);
    let lets = declare::lets(unit, &mut scope, types, &mut sink);
    let actions = declare::actions(unit, &mut scope, types, &mut sink);
    let chosen = chosen::declare(unit, calls, built, builtins, types);
    let replies = models::replies(unit, builtins, &scope, types);
    let cx = Context { unit, calls, built, types, chosen, replies, plan, kinds, scope };
    let start_facts = slots::finish(&cx, &mut slot_list, &mut sink);
    let (budgets, families) = amounts::finish(&cx, &amounts, &mut sink);
    if is_root && serves_others(unit) {
        let note = Diagnostic::note(rule::NO_GRAPH, head, "the file contains no graph, only declarations");
        sink.push(note.help("graphs read it with `use`"));
        reader.findings.append(&mut sink);
        return None;
    }
    let Some(start) = start(&cx, head, &mut sink) else {
        reader.findings.append(&mut sink);
        return None;
    };
    let cfg = Arc::new(flow::layout(&cx, start));
    let mut graph = Graph {
        path,
        id: graph_id(unit, head, &builtins.names, &mut sink),
        title: text(unit.tree.title.as_ref()),
        doc: text(unit.tree.doc.as_ref()),
        version: text(unit.tree.version.as_ref()),
        slots: slot_list.into_iter().map(|s| s.slot).collect(),
        budgets,
        families,
        lets,
        actions,
        texts,
        renderings: cx.scope.renderings.clone(),
        roles: Vec::new(),
        errors: declare::own_errors(unit),
        start,
        start_label: unit.tree.start.as_ref().and_then(|s| text(s.label.as_ref())),
        pause: None,
        graph: DiGraph::with_capacity(cx.plan.nodes.len(), cx.plan.nodes.len() * 2),
        cfg: Arc::clone(&cfg),
        output: Vec::new(),
        properties: Vec::new(),
        views: Vec::new(),
        migrate: unit.tree.migrate.clone().unwrap_or_default(),
    };
    let end = flow::run(&cx, &cfg, start_facts, &mut graph, &mut sink);
    if let Some(end) = &end {
        fill_composites(&cx, &mut graph);
        sections::fill(&cx, end, &mut graph, &mut sink);
    }
    reader.findings.append(&mut sink);
    end.map(|_| (graph, cx.scope))
}

/// True if the file is there for others to use.
fn serves_others(unit: &Unit) -> bool {
    let tree = &unit.tree;
    let any = unit.types().next().is_some()
        || unit.lets().next().is_some()
        || unit.actions().next().is_some()
        || unit.budgets().next().is_some()
        || unit.texts().next().is_some();
    any && tree.graph.is_none() && tree.nodes.is_empty() && tree.start.is_none() && !tree.unread.has_rest()
}

fn graph_id(unit: &Unit, head: Span, recorder: &NameRecorder, sink: &mut Vec<Diagnostic>) -> Spanned<Str> {
    if let Some(id) = &unit.tree.graph {
        recorder.define(NameKind::Graph, id, None);
        return named(id);
    }
    if !unit.tree.unread.has_rest() && !unit.tree.unread.has_key("graph") {
        let fault =
            Diagnostic::error(rule::MISSING_KEY, head, "the file has no `graph`: every graph has an id");
        sink.push(fault.help("add `graph: name` at the top"));
    }
    Spanned::new("graph".into(), head)
}

fn start(cx: &Context<'_>, head: Span, sink: &mut Vec<Diagnostic>) -> Option<NodeId> {
    let tree = &cx.unit.tree;
    if cx.plan.nodes.is_empty() {
        if !tree.unread.has_rest() && !tree.unread.has_key("nodes") {
            let at = tree.graph.as_ref().map_or(head, |g| g.span);
            let fault = Diagnostic::error(rule::MISSING_KEY, at, "the graph has no nodes");
            sink.push(fault.help("add `start: name` and at least one node under `nodes`"));
        }
        return None;
    }
    let first = Some(NodeId::new(0));
    let Some(start) = &tree.start else {
        if !tree.unread.has_rest() && !tree.unread.has_key("start") {
            let at = tree.graph.as_ref().map_or(head, |g| g.span);
            let name = cx.plan.nodes[0].decl.name.as_str();
            let fault = Diagnostic::error(rule::MISSING_KEY, at, "the graph has no `start`");
            sink.push(fault.help(format!("add `start: {name}`, or another node's name")));
        }
        return first;
    };
    cx.plan.node(&start.to, sink).or(first)
}

/// Tells each composite which slots and budgets are its own.
fn fill_composites(cx: &Context<'_>, graph: &mut Graph) {
    let mut own: FxHashMap<NodeId, Composite> = FxHashMap::default();
    for id in cx.plan.ids() {
        if let NodeKind::Composite(composite) = &mut graph.graph[id].kind {
            own.insert(id, std::mem::replace(composite, blank(id)));
        }
    }
    for (i, slot) in graph.slots.iter().enumerate() {
        if let crate::model::expr::SlotKind::Inner(home) = slot.kind
            && let Some(composite) = own.get_mut(&home)
        {
            composite.slots.push(slots::id(i));
        }
    }
    for (i, budget) in graph.budgets.iter().enumerate() {
        if let Some(composite) = budget.scope.and_then(|home| own.get_mut(&home))
            && budget.family.is_none()
        {
            composite.budgets.push(amounts::budget_id(i));
        }
    }
    for (i, family) in graph.families.iter().enumerate() {
        if let Some(composite) = family.scope.and_then(|home| own.get_mut(&home)) {
            composite.families.push(amounts::family_id(i));
        }
    }
    for (id, composite) in own {
        graph.graph[id].kind = NodeKind::Composite(composite);
    }
}

fn blank(start: NodeId) -> Composite {
    Composite {
        start,
        start_label: None,
        children: Vec::new(),
        slots: Vec::new(),
        budgets: Vec::new(),
        families: Vec::new(),
        pause: None,
    }
}
