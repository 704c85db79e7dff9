//! The decisions to make calls, and to end in one final and not in another.
//!
//! An edge that answers to an error counts where it leads to the call. That a failure keeps a call from being made is no
//! decision of anybody: without the edge the run would end.

use super::builder::{Destination, FlowBuilder, InstanceId};
use super::layout::FlowLayout;
use super::network::VertexId;
use crate::model::Graph;
use crate::model::node::NodeId;

/// The most calls times points of a graph that are followed one by one; beyond, every choice counts for every call.
const MAX_DECIDING: usize = 4_000_000;

impl<'m> FlowBuilder<'m> {
    /// Lets everything flow to a call that decides whether it is made, or made once more: the choices from which its node can
    /// be reached and avoided, and whatever decides that its graph is run.
    pub(super) fn decisions(&mut self, instance: InstanceId, graph: &'m Graph) {
        let own = self.of(instance);
        let (layout, outer) = (own.layout.clone(), own.control);
        let decided: Vec<_> = own.decisions.iter().map(|(node, all)| (*node, all.clone())).collect();
        let any = (decided.len() * layout.points() > MAX_DECIDING).then(|| self.any_choice(instance));
        for (node, vertices) in decided {
            let choices = match any {
                Some(any) => vec![any],
                None => self.choices_before(instance, graph, &layout, node),
            };
            let span = graph.graph[node].name.span;
            for vertex in vertices {
                let to = Destination::of(vertex).whole();
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
    }

    /// The choices that decide whether a run comes to a node.
    fn choices_before(
        &self,
        instance: InstanceId,
        graph: &Graph,
        layout: &FlowLayout,
        node: NodeId,
    ) -> Vec<VertexId> {
        let own = self.of(instance);
        let deciding = layout.deciding(graph, node);
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
