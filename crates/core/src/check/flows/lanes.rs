//! Follows values through graphs that are called: into their inputs, and out of their outputs and errors.

use super::builder::{Destination, FlowBuilder, FlowPlace, InstanceId};
use super::network::{Passage, VertexId};
use super::path::{FieldPath, ITEM};
use crate::model::expr::{LocalId, SlotId, SlotKind};
use crate::model::node::{Callable, EachNode, GraphSource, Node, NodeId};
use crate::model::types::Kind;
use crate::program::kind::OnError;
use crate::source::Span;

impl<'m> FlowBuilder<'m> {
    /// The result of a graph that is called once.
    pub(super) fn lane(
        &mut self,
        at: FlowPlace,
        (id, node): (NodeId, &'m Node),
        source: &'m GraphSource,
        item: Option<(LocalId, VertexId)>,
    ) -> VertexId {
        let result = self.labelled(None, format!("the result of `{}`", node.name.value));
        let control = self.labelled(None, format!("the call at `{}`", node.name.value));
        self.decided(at.instance, id, control);
        if let GraphSource::Computed { name, .. } = source {
            self.apart(|builder| {
                if let Some((local, item)) = item {
                    builder.set_local(local, item);
                }
                builder.evaluate(at, name, &Destination::of(control).whole());
            });
            // Which graph it is decides what its result is.
            let chosen = Destination { passage: Passage::Control, ..Destination::of(result) };
            self.carry(control, &chosen, node.name.span);
        }
        for callable in source.callables() {
            let child = self.called(at, callable, item);
            let (outcome, outputs, failure, usage, child_control) = {
                let own = self.of(child);
                (own.outcome, own.outputs.clone(), own.failure, own.usage, own.control)
            };
            let span = node.name.span;
            let outcome_field = self.network.names.step(&"outcome".into());
            self.carry(outcome, &Destination::of(result).below(outcome_field), span);
            for ((name, _), output) in self.of(child).graph.output.iter().zip(outputs) {
                let field = self.network.names.step(&name.value);
                self.carry(output, &Destination::of(result).below(field), span);
            }
            self.carry(failure, &Destination::of(at.fails), span);
            let own_usage = Destination::of(self.of(at.instance).usage);
            self.carry(usage, &own_usage, span);
            self.carry(control, &Destination::of(child_control), span);
        }
        result
    }

    /// A graph as it is called here, with its inputs.
    fn called(
        &mut self,
        at: FlowPlace,
        callable: &'m Callable,
        item: Option<(LocalId, VertexId)>,
    ) -> InstanceId {
        let outside = std::mem::take(&mut self.locals);
        let child = self.instance(callable.graph);
        self.locals = outside;
        let graph = self.of(child).graph;
        let inputs = (0..).map(SlotId).zip(&graph.slots).filter(|(_, slot)| slot.kind == SlotKind::Input);
        for ((slot, _), given) in inputs.zip(&callable.with) {
            let to = Destination::of(self.input(child, slot));
            self.apart(|builder| {
                if let Some((local, item)) = item {
                    builder.set_local(local, item);
                }
                if let Some(expr) = given {
                    builder.evaluate(at, expr, &to);
                }
            });
        }
        child
    }

    pub(super) fn each(
        &mut self,
        at: FlowPlace,
        (id, node): (NodeId, &'m Node),
        own: &'m EachNode,
    ) -> VertexId {
        let span = node.name.span;
        let list = self.passing(Some(&own.over.ty));
        self.apart(|builder| builder.evaluate(at, &own.over, &Destination::of(list)));
        let item = self.passing(None);
        let is_map = matches!(own.over.ty.kind, Kind::Map(_));
        let read = if is_map { FieldPath::new() } else { FieldPath::from_slice(&[ITEM]) };
        self.carry_at(list, read, &Destination::of(item), own.over.span);
        let lane = self.lane(at, (id, node), &own.graph, Some((own.item, item)));
        // The number of lanes decides how often a call in them is made.
        let decided = self.of(at.instance).decisions.get(&id).cloned().unwrap_or_default();
        for control in decided {
            self.carry(list, &Destination::of(control).whole(), own.over.span);
            for expr in own.limit.iter().chain(&own.at_once) {
                self.apart(|builder| builder.evaluate(at, expr, &Destination::of(control).whole()));
            }
        }
        let results = self.labelled(None, format!("the results of `{}`", node.name.value));
        let one = Destination::of(results).below(ITEM);
        self.collected(at, lane, (own.on_error, one), span);
        // As many results as items.
        self.carry(list, &Destination { passage: Passage::Keys, ..Destination::of(results) }, span);
        results
    }

    /// The result of a lane, with its error where both are collected.
    pub(super) fn collected(
        &mut self,
        at: FlowPlace,
        lane: VertexId,
        (on_error, to): (OnError, Destination),
        span: Span,
    ) {
        if on_error == OnError::Stop {
            return self.carry(lane, &to, span);
        }
        let error = to.below(self.network.names.step(&"error".into()));
        self.carry(at.fails, &error, span);
        let ok = to.below(self.network.names.step(&"ok".into()));
        self.carry(lane, &ok, span);
    }
}
