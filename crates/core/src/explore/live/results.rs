//! What callers read of the results of the graphs that they call.

use rustc_hash::FxHashMap;

use super::{GraphReads, LiveFlow, SlotParts};
use crate::check::expressions::{GraphPart, each};
use crate::model::expr::ExprKind;
use crate::model::node::{CallNode, NodeId, NodeKind};
use crate::model::types::{Kind, Type};
use crate::model::{Graph, GraphId, Model};
use crate::program::op::Special;
use crate::value::Str;

/// The parts of the result of each called graph that some caller reads; none where nobody reads any.
#[derive(Debug, Default)]
pub(in crate::explore) struct ReadResults(FxHashMap<GraphId, SlotParts>);

impl ReadResults {
    fn add(&mut self, graph: GraphId, parts: &SlotParts) {
        match self.0.get_mut(&graph) {
            Some(own) => own.add(parts),
            None => {
                self.0.insert(graph, parts.clone());
            }
        }
    }

    /// True if a caller reads that output of a graph.
    pub(in crate::explore) fn has(&self, graph: GraphId, output: &str) -> bool {
        match self.0.get(&graph) {
            None => false,
            Some(SlotParts::Fields(names)) => names.iter().any(|name| name == output),
            Some(SlotParts::Whole | SlotParts::Size) => true,
        }
    }
}

impl LiveFlow<'_> {
    /// Adds what this graph of a model reads of what it calls.
    pub(super) fn add_results(&mut self, model: &Model, to: &mut ReadResults) {
        let asks_elsewhere = asks_for_result(self.graph, &self.reads);
        for node in self.graph.graph.node_indices() {
            let kind = &self.graph.graph[node].kind;
            let parts = match kind {
                NodeKind::Call(own) if !asks_elsewhere => self.of_result(node, own),
                _ => Some(SlotParts::Whole),
            };
            for graph in kind.called() {
                if let Some(parts) = &parts {
                    to.add(*graph, parts);
                }
                if let Some(place) = kind.into_place() {
                    to.add(*graph, &SlotParts::Fields(tested(model, *graph, &place.ty)));
                }
            }
        }
    }

    /// The parts of a result that are read where it is put.
    fn of_result(&mut self, node: NodeId, call: &CallNode) -> Option<SlotParts> {
        if call.merge.is_some() {
            return Some(SlotParts::Whole);
        }
        let place = call.into.as_ref()?;
        if !place.steps.is_empty() {
            return Some(SlotParts::Whole);
        }
        self.stored(node).with(&self.reads.always).parts(place.slot).cloned()
    }
}

/// The outputs that are held against another type where a result is put, in order: whether they fit is a reading of them.
fn tested(model: &Model, graph: GraphId, place: &Type) -> Vec<Str> {
    let fields = match place.kind {
        Kind::Record(id) => Some(&model.types.record(id).fields),
        _ => None,
    };
    let is_same = |name: &Str, ty: &Type| {
        fields.is_some_and(|fields| fields.iter().any(|field| field.name == *name && field.ty == *ty))
    };
    let outputs = model.graph(graph).output.iter();
    let tested = outputs.filter(|(name, value)| !is_same(&name.value, &value.ty));
    let mut names: Vec<Str> = tested.map(|(name, _)| name.value.clone()).collect();
    names.sort_unstable();
    names
}

/// True if a graph asks for the result of a node by name, be it in a text.
fn asks_for_result(graph: &Graph, reads: &GraphReads<'_>) -> bool {
    let mut found = false;
    each(graph, &mut |part| {
        if let GraphPart::Expr(expr) | GraphPart::Property(expr) = part {
            expr.walk(&mut |part| found |= matches!(part.kind, ExprKind::Special(Special::Result)));
        }
    });
    let Some(texts) = &reads.texts else { return true };
    let in_text = |name: &str| texts.variables(name).iter().any(|own| own == "result");
    found || graph.texts.iter().any(|text| in_text(&text.name.value))
}
