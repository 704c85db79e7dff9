//! The order in which nodes are typed first.

use crate::model::build::context::Context;
use crate::model::node::NodeId;

/// Places of nodes in an order that follows the flow: sources before targets but for edges that go back.
pub(super) fn order(cx: &Context<'_>, start: NodeId) -> Vec<u32> {
    let plan = &cx.plan;
    let next = |id: NodeId| -> Vec<NodeId> {
        let planned = plan.at(id);
        let edges = planned.decl.edges.iter().flatten().filter_map(|edge| plan.find(&edge.to));
        let inner = (!planned.children.is_empty()).then(|| plan.first(id));
        edges.chain(inner).collect()
    };
    let mut seen = vec![false; plan.nodes.len()];
    let mut done: Vec<NodeId> = Vec::with_capacity(plan.nodes.len());
    for root in std::iter::once(start).chain(plan.ids()) {
        if std::mem::replace(&mut seen[root.index()], true) {
            continue;
        }
        let mut way = vec![(root, next(root))];
        while let Some((at, rest)) = way.last_mut() {
            match rest.pop() {
                Some(to) if !std::mem::replace(&mut seen[to.index()], true) => way.push((to, next(to))),
                Some(_) => {}
                None => {
                    done.push(*at);
                    way.pop();
                }
            }
        }
    }
    let mut order = vec![u32::MAX; plan.nodes.len()];
    for (place, id) in done.iter().rev().enumerate() {
        order[id.index()] = u32::try_from(place).unwrap_or(u32::MAX);
    }
    order
}
