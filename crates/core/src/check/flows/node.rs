//! Follows values through the nodes and edges of a graph.

use petgraph::graph::NodeIndex;

use super::builder::{Destination, FlowBuilder, FlowPlace, InstanceId};
use super::layout::{crossed, owner};
use super::network::VertexId;
use super::path::FieldPath;
use super::target::FlowTarget;
use crate::model::Graph;
use crate::model::cfg::{Point, PointId, Step};
use crate::model::expr::{BudgetRef, Expr, SlotId, SlotKind};
use crate::model::node::{Composite, Node, NodeId, NodeKind, Pause, Trigger};
use crate::program::graph::Charge;
use crate::source::Span;
use crate::value::Str;

impl<'m> FlowBuilder<'m> {
    /// Follows everything that a graph does.
    pub(super) fn fill(&mut self, instance: InstanceId) {
        let graph = self.of(instance).graph;
        self.begin(instance, graph);
        for id in graph.graph.node_indices() {
            self.node(instance, graph, id);
        }
        for point in (0..graph.cfg.len()).map(NodeIndex::new) {
            self.leave(instance, graph, point);
        }
        self.pauses(instance, graph, graph.pause.as_ref(), (None, &graph.id.value));
        let end = self.at(instance, graph.cfg.end(), None);
        for (number, (_, value)) in graph.output.iter().enumerate() {
            let output = self.of(instance).outputs[number];
            self.apart(|builder| builder.evaluate(end, value, &Destination::of(output)));
        }
        self.decisions(instance, graph);
    }

    /// The place of what is done at a point for a node.
    pub(super) fn at(&self, instance: InstanceId, point: PointId, node: Option<NodeId>) -> FlowPlace {
        let own = self.of(instance);
        FlowPlace {
            instance,
            component: own.layout.component(point),
            fails: node.map_or(own.failure, |node| self.error_of(instance, node)),
            error: None,
            result: None,
            outcome: None,
            arrival: None,
            control: None,
            times: None,
        }
    }

    /// Variables and budgets at the start.
    fn begin(&mut self, instance: InstanceId, graph: &'m Graph) {
        let at = self.at(instance, graph.cfg.start(), None);
        for (slot, own) in (0..).map(SlotId).zip(&graph.slots) {
            if !matches!(own.kind, SlotKind::Inner(_)) {
                self.initial(at, slot, own.init.as_ref());
            }
        }
        for (number, budget) in graph.budgets.iter().enumerate() {
            let at = budget.scope.map_or(at, |composite| self.at(instance, graph.cfg.node(composite), None));
            let to = Destination::of(self.of(instance).budgets[number]).whole();
            self.apart(|builder| {
                if let Some(family) = budget.family {
                    let family = &graph.families[family.0 as usize];
                    let key = builder.passing(None);
                    builder.evaluate(at, &family.each, &Destination::of(key));
                    builder.evaluate(at, &family.each, &to);
                    builder.set_local(family.binding, key);
                }
                builder.evaluate(at, &budget.limit, &to);
                builder.flow_some(at, budget.grace.as_ref(), &to);
            });
            if matches!(budget.charge, Some(Charge::ModelTokens | Charge::ModelCost)) {
                self.carry(self.of(instance).usage, &to, budget.name.span);
            }
        }
    }

    fn initial(&mut self, at: FlowPlace, slot: SlotId, init: Option<&'m Expr>) {
        let to = Destination::of(self.slot(at.instance, slot, at.component));
        self.apart(|builder| builder.flow_some(at, init, &to));
    }

    fn node(&mut self, instance: InstanceId, graph: &'m Graph, id: NodeId) {
        let node = &graph.graph[id];
        let at = self.at(instance, graph.cfg.node(id), Some(id));
        let at = FlowPlace { arrival: Some(self.arrival(instance, graph.cfg.node(id))), ..at };
        let outside = node.parent.map_or(self.of(instance).failure, |outer| self.error_of(instance, outer));
        self.carry(at.fails, &Destination::of(outside), node.name.span);
        self.enter(at, graph, node);
        let times = node.retry.iter().flat_map(|retry| {
            [
                Some(&retry.attempts),
                retry.first.as_ref(),
                retry.factor.as_ref(),
                retry.max.as_ref(),
                retry.jitter.as_ref(),
            ]
        });
        times
            .flatten()
            .chain(&node.timeout)
            .for_each(|expr| self.apart(|builder| builder.note(at, Some(expr))));
        let result = match &node.kind {
            NodeKind::Action | NodeKind::Choice => None,
            NodeKind::Composite(own) => {
                self.pauses(instance, graph, own.pause.as_deref(), (Some(id), &node.name.value));
                None
            }
            NodeKind::Model(own) => Some(self.model_node(at, node, own)),
            NodeKind::Tool(own) => Some(self.tool_node(at, (id, node), own)),
            NodeKind::Human(own) => Some(self.human_node(at, node, own)),
            NodeKind::Call(own) => {
                let result = self.lane(at, (id, node), &own.graph, None);
                if let Some((place, output)) = &own.merge {
                    let to = self.destination(at, place);
                    let read = FieldPath::from_slice(&[self.network.names.step(output)]);
                    self.carry_at(result, read, &to, place.span);
                }
                Some(result)
            }
            NodeKind::Each(own) => Some(self.each(at, (id, node), own)),
            NodeKind::Parallel(own) => {
                for branch in &own.branches {
                    let result = self.lane(at, (id, node), &branch.graph, None);
                    if let Some(place) = &branch.into {
                        let to = self.destination(at, place);
                        self.collected(at, result, (own.on_error, to), place.span);
                    }
                }
                None
            }
            NodeKind::Wait(delay) => {
                self.apart(|builder| builder.note(at, Some(delay)));
                None
            }
            NodeKind::Final(own) => {
                let outcome = match node.parent {
                    Some(composite) => self.outcome_of(instance, composite),
                    None => self.of(instance).outcome,
                };
                // The choice of a final is the outcome.
                self.decided(instance, id, outcome);
                self.apart(|builder| {
                    if let Some(expr) = &own.outcome {
                        builder.evaluate(at, expr, &Destination::of(outcome));
                    }
                    builder.note(at, own.ok.as_ref());
                });
                None
            }
        };
        if let Some((place, result)) = node.kind.into_place().zip(result) {
            let to = self.destination(at, place);
            self.carry(result, &to, place.span);
        }
        if let Some(result) = result {
            self.note_result(instance, id, result);
            let all = Destination::of(self.of(instance).answers);
            self.carry(result, &all, node.name.span);
        }
        self.block(FlowPlace { result, ..at }, &node.then);
    }

    /// The entry of a node.
    fn enter(&mut self, at: FlowPlace, graph: &'m Graph, node: &'m Node) {
        if let NodeKind::Composite(own) = &node.kind {
            self.fresh(at, graph, own);
        }
        self.block(at, &node.entry);
    }

    /// The state of a composite begins afresh.
    fn fresh(&mut self, at: FlowPlace, graph: &'m Graph, composite: &'m Composite) {
        for slot in &composite.slots {
            self.initial(at, *slot, graph.slots[slot.0 as usize].init.as_ref());
            let to = Destination::of(self.slot(at.instance, *slot, at.component));
            self.controlled(at, &to, graph.slots[slot.0 as usize].name.span);
        }
    }

    /// The edges at a point, and the composites that they enter on their way.
    fn leave(&mut self, instance: InstanceId, graph: &'m Graph, point: PointId) {
        let place = graph.cfg.point(point);
        let result = match place {
            Point::Node(node) => self.result_of(instance, node),
            _ => None,
        };
        for (step, to) in graph.cfg.steps(point) {
            let Point::Node(target) = graph.cfg.point(to) else { continue };
            for composite in crossed(graph, point, step, target) {
                let departure = self.departure(instance, point);
                let at = FlowPlace { arrival: Some(departure), ..self.at(instance, to, Some(composite)) };
                self.enter(at, graph, &graph.graph[composite]);
            }
            let (Step::Edge(edge), Some(node)) = (step, owner(place)) else { continue };
            let edge = &graph.graph[edge];
            let answers_error = edge.on.iter().any(|trigger| !trigger.is_done());
            let fails = self.error_of(instance, node);
            let at = FlowPlace {
                error: answers_error.then_some(fails),
                result,
                outcome: match place {
                    Point::Done(composite) => Some(self.outcome_of(instance, composite)),
                    _ => None,
                },
                arrival: Some(self.departure(instance, point)),
                ..self.at(instance, point, Some(node))
            };
            if let Some(guard) = &edge.when {
                let choice = Destination::of(self.choice(instance, point)).whole();
                self.apart(|builder| builder.evaluate(at, guard, &choice));
            }
            for trigger in edge.on.iter().filter(|trigger| !trigger.is_done()) {
                let why = self.labelled(None, format!("the edge of `{}`", graph.graph[node].name.value));
                self.trigger(at, trigger, why, edge.span);
                self.note_trigger(instance, point, (to, why));
            }
            self.block(at, &edge.action);
        }
    }

    /// The reason for which an edge for anything but success answers: an error, or a budget that was spent.
    fn trigger(&mut self, at: FlowPlace, trigger: &'m Trigger, why: VertexId, span: Span) {
        let why = Destination::of(why).whole();
        let Trigger::Exhausted(budget) = trigger else { return self.carry(at.fails, &why, span) };
        let (BudgetRef::Counter(id) | BudgetRef::Meter(id, _)) = budget;
        self.carry(self.budget(at.instance, *id), &why, span);
        if let BudgetRef::Meter(_, key) = budget {
            self.apart(|builder| builder.evaluate(at, key, &why));
        }
    }

    /// The answer of a node, which its edges may read.
    fn result_of(&self, instance: InstanceId, node: NodeId) -> Option<VertexId> {
        self.of(instance).results.get(&node).copied()
    }

    /// Texts that a person is asked at a pause, before any transition of a composite or of the graph.
    fn pauses(
        &mut self,
        instance: InstanceId,
        graph: &'m Graph,
        pause: Option<&'m Pause>,
        (composite, name): (Option<NodeId>, &'m Str),
    ) {
        let Some(pause) = pause else { return };
        let asked = self.labelled(None, format!("the question of the pause of `{name}`"));
        let inside = |node: NodeId| {
            composite.is_none_or(|own| own == node || graph.cfg.around(node).any(|outer| outer == own))
        };
        let points: Vec<NodeId> = graph.graph.node_indices().filter(|node| inside(*node)).collect();
        for node in points {
            let at = self.at(instance, graph.cfg.node(node), Some(node));
            self.apart(|builder| {
                builder.note(at, Some(&pause.when));
                builder.text_source(at, pause.ask.as_ref(), &Destination::of(asked), pause.span);
            });
        }
        let node = composite.map(|own| &graph.graph[own].name.value);
        self.target(FlowTarget::Ask(name.clone()), Destination::of(asked), (instance, node, pause.span));
    }
}
