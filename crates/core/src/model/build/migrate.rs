//! `migrate`: each name of today exists, and none of the earlier ones does.
//!
//! # Why
//! A name that was given up and is used again would mean two things: in a run of the version before it was given up the one
//! part, in later runs the other.

use super::context::Context;
use crate::diag::{Diagnostic, Rule, nearest, rule};
use crate::model::graph::Graph;
use crate::syntax::ast::Name;

/// Reports the names of today that the graph does not have, and the earlier ones that it still has.
pub(super) fn judge(cx: &Context<'_>, graph: &Graph, sink: &mut Vec<Diagnostic>) {
    let fields: Vec<&str> = graph.slots.iter().map(|slot| slot.name.value.as_str()).collect();
    let nodes: Vec<&str> = cx.plan.nodes.iter().map(|node| node.decl.name.as_str()).collect();
    let single = graph.budgets.iter().filter(|budget| budget.family.is_none()).map(|b| b.name.value.as_str());
    let budgets: Vec<&str> = single.chain(graph.families.iter().map(|f| f.name.value.as_str())).collect();
    let decl = &graph.migrate;
    for (_, now) in decl.fields.iter().chain(&decl.budgets) {
        cx.scope.note_name(now, now.span, None);
    }
    for (_, now) in &decl.nodes {
        cx.scope.note_node(now, now.span);
    }
    names(&decl.fields, ("field", rule::UNKNOWN_NAME), &fields, sink);
    names(&decl.nodes, ("node", rule::UNKNOWN_NODE), &nodes, sink);
    names(&decl.budgets, ("budget", rule::UNKNOWN_BUDGET), &budgets, sink);
    if let Some(id) = decl.graph.as_ref().filter(|id| id.value == graph.id.value.as_str()) {
        still(id, "graph", sink);
    }
}

fn names(renames: &[(Name, Name)], (what, unknown): (&str, Rule), own: &[&str], sink: &mut Vec<Diagnostic>) {
    for (before, now) in renames {
        if !own.contains(&now.as_str()) {
            let message = format!("there is no {what} `{}`", now.value);
            let fault = Diagnostic::error(unknown, now.span, message);
            let hint = format!("after the earlier name stands the one that the {what} has now");
            sink.push(fault.meant_or(nearest(now, own.iter().copied()), hint));
        }
        if own.contains(&before.as_str()) {
            still(before, what, sink);
        }
    }
}

fn still(before: &Name, what: &str, sink: &mut Vec<Diagnostic>) {
    let message = format!("`{}` is no earlier name: the {what} is still called so", before.value);
    let fault = Diagnostic::error(rule::BAD_MIGRATION, before.span, message);
    sink.push(fault.help("remove it, or choose a name that was never used for what is called so now"));
}
