//! The control-flow graph of a graph that is not typed yet.

use crate::model::build::context::Context;
use crate::model::cfg::{Cfg, CfgBuilder};
use crate::model::node::{EdgeId, NodeId};
use crate::syntax::KindName;

/// Lays out where a run can go. Edges are numbered as the graph numbers them later: node by node, those without a target
/// left out.
pub(in crate::model::build) fn layout(cx: &Context<'_>, start: NodeId) -> Cfg {
    let plan = &cx.plan;
    let mut builder = CfgBuilder::new(plan.nodes.iter().map(|node| node.parent).collect());
    builder.begins(None, start);
    let mut edges = (0..).map(EdgeId::new);
    for (id, planned) in plan.ids().zip(&plan.nodes) {
        if !planned.children.is_empty() {
            builder.begins(Some(id), plan.first(id));
        }
        if cx.kinds[id.index()] == Some(KindName::Final) {
            builder.finishes(id);
        }
        for edge in planned.decl.edges.iter().flatten() {
            let Some(to) = plan.find(&edge.to) else { continue };
            let mut for_done = edge.on.iter().map(|trigger| trigger.name.value == "done");
            let done = edge.on.is_empty() || for_done.clone().any(|is_done| is_done);
            let failed = !for_done.all(|is_done| is_done);
            builder.edge(edges.next().unwrap_or_default(), (id, to), (done, failed));
        }
    }
    builder.build()
}
