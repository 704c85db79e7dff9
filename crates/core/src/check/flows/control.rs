//! The decisions to make calls, and to end in one final and not in another.
//!
//! An edge that answers to an error counts where it leads to the call. That a failure keeps a call from being made is no
//! decision of anybody: without the edge the run would end.

use super::builder::{Destination, FlowBuilder, InstanceId};
use super::layout::FlowLayout;
use super::network::{Passage, VertexId};
use crate::model::Graph;
use crate::model::cfg::PointId;

/// The most calls times points of a graph that are followed one by one; beyond, every choice counts for every call.
const MAX_DECIDING: usize = 4_000_000;
/// The same for the points at which something is written.
const MAX_DECIDING_WRITES: usize = 200_000;

impl<'m> FlowBuilder<'m> {
    /// Lets everything flow to a call that decides whether it is made, or made once more: the choices from which its node can
    /// be reached and avoided, and whatever decides that its graph is run. The same for what is written.
    pub(super) fn decisions(&mut self, instance: InstanceId, graph: &'m Graph) {
        let any = self.any_choice(instance);
        let own = self.of(instance);
        let (layout, outer) = (own.layout.clone(), own.control);
        let decided: Vec<_> = own.decisions.iter().map(|(node, all)| (*node, all.clone())).collect();
        let is_long = decided.len() * layout.points() > MAX_DECIDING;
        for (node, vertices) in decided {
            let choices = if is_long {
                vec![any]
            } else {
                self.choices_before(instance, graph, &layout, graph.cfg.node(node))
            };
            let span = graph.graph[node].name.span;
            for vertex in vertices {
                let to = control_of(vertex);
                self.carry(outer, &to, span);
                for choice in &choices {
                    self.carry(*choice, &to, span);
                }
                if let Some(retry) = &graph.graph[node].retry {
                    let at = self.at(instance, graph.cfg.node(node), Some(node));
                    self.apart(|builder| builder.flow(at, &retry.attempts, &to));
                }
            }
        }
        self.decided_writes(instance, graph, (&layout, any));
        // Choices decide which calls are made, and so what may fail and what is spent.
        let own = self.of(instance);
        let (failure, usage) = (own.failure, own.usage);
        for vertex in [failure, usage] {
            self.carry(any, &control_of(vertex), graph.id.span);
        }
    }

    /// Lets the choices before a point flow to what decides about the writes there.
    fn decided_writes(
        &mut self,
        instance: InstanceId,
        graph: &'m Graph,
        (layout, any): (&FlowLayout, VertexId),
    ) {
        let own = self.of(instance);
        let arrivals = own.arrivals.iter().map(|(point, vertex)| (*point, *vertex, false));
        let departures = own.departures.iter().map(|(point, vertex)| (*point, *vertex, true));
        let writes: Vec<(PointId, VertexId, bool)> = arrivals.chain(departures).collect();
        let is_long = writes.len() * layout.points() > MAX_DECIDING_WRITES;
        for (point, vertex, leaves) in writes {
            let mut choices =
                if is_long { vec![any] } else { self.choices_before(instance, graph, layout, point) };
            if leaves {
                let own = self.of(instance);
                choices.extend(own.choices.get(&point));
                choices.extend(own.triggers.get(&point).into_iter().flatten().map(|(_, why)| *why));
            }
            let node = super::layout::owner(graph.cfg.point(point));
            let span = node.map_or(graph.id.span, |node| graph.graph[node].name.span);
            for choice in choices {
                self.carry(choice, &control_of(vertex), span);
            }
        }
    }

    /// The choices that decide whether a run comes to a point.
    fn choices_before(
        &self,
        instance: InstanceId,
        graph: &Graph,
        layout: &FlowLayout,
        point: PointId,
    ) -> Vec<VertexId> {
        let own = self.of(instance);
        let deciding = layout.deciding(graph, point);
        let mut found = Vec::new();
        for point in &deciding.points {
            found.extend(own.choices.get(point));
            let triggers = own.triggers.get(point).into_iter().flatten();
            let leading = triggers.filter(|(target, _)| deciding.is_reached_from(*target));
            found.extend(leading.map(|(_, why)| *why));
        }
        found
    }

    /// All choices of a graph together.
    fn any_choice(&mut self, instance: InstanceId) -> VertexId {
        let own = self.of(instance);
        let name = &own.graph.id;
        let (label, span) = (format!("the choices of `{}`", name.value), name.span);
        let triggers = own.triggers.values().flatten().map(|(_, why)| *why);
        let all: Vec<VertexId> = own.choices.values().copied().chain(triggers).collect();
        let any = self.labelled(None, label);
        for choice in all {
            self.carry(choice, &Destination::of(any).whole(), span);
        }
        any
    }
}

/// A vertex that something decides about.
fn control_of(vertex: VertexId) -> Destination {
    Destination { passage: Passage::Control, ..Destination::of(vertex) }
}
