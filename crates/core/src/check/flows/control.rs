//! The decisions to make calls.
//!
//! An edge that answers to an error counts where it leads to the call. That a failure keeps a call from being made is no
//! decision of anybody: without the edge the run would end.

use super::builder::{Destination, FlowBuilder, InstanceId};
use crate::model::Graph;

impl<'m> FlowBuilder<'m> {
    /// Lets everything flow to a call that decides whether it is made, or made once more: the choices from which its node can
    /// be reached and avoided, and whatever decides that its graph is run.
    pub(super) fn decisions(&mut self, instance: InstanceId, graph: &'m Graph) {
        let layout = self.of(instance).layout.clone();
        let decided: Vec<_> =
            self.of(instance).decisions.iter().map(|(node, vertices)| (*node, vertices.clone())).collect();
        for (node, vertices) in decided {
            let deciding = layout.deciding(graph, node);
            let triggers = self.of(instance).triggers.clone();
            let attempts = graph.graph[node].retry.as_ref().map(|retry| &retry.attempts);
            for vertex in vertices {
                let to = Destination::of(vertex).whole();
                let outer = self.of(instance).control;
                self.carry(outer, &to, graph.graph[node].name.span);
                for point in &deciding.points {
                    let choice = self.choice(instance, *point);
                    self.carry(choice, &to, graph.graph[node].name.span);
                    for (target, why) in triggers.get(point).into_iter().flatten() {
                        if deciding.is_reached_from(*target) {
                            self.carry(*why, &to, graph.graph[node].name.span);
                        }
                    }
                }
                if let Some(attempts) = attempts {
                    let at = self.at(instance, graph.cfg.node(node), Some(node));
                    self.apart(|builder| builder.flow(at, attempts, &to));
                }
            }
        }
    }
}
