//! A delivery that a node asks for and that its tool has anyway.

use super::Declared;
use crate::diag::{Diagnostic, rule};
use crate::model::Graph;
use crate::model::node::{NameSource, NodeKind};

/// Judges the nodes whose tool is declared with a stricter delivery than they ask for.
pub(super) fn judge(graph: &Graph, declared: &mut Declared<'_>, findings: &mut Vec<Diagnostic>) {
    for node in graph.graph.node_weights() {
        let NodeKind::Tool(tool) = &node.kind else { continue };
        let NameSource::Fixed(name) = &tool.tool else { continue };
        let Some(wanted) = tool.delivery else { continue };
        if let Some(own) = declared(&name.value).filter(|own| *own > wanted) {
            let message = format!(
                "`delivery: {}` has no effect here: `{}` is declared as `{}`, and the stricter one holds",
                wanted.name(),
                name.value,
                own.name()
            );
            findings.push(Diagnostic::warning(rule::WEAK_DELIVERY, name.span, message).help(format!(
                "remove it, or declare the tool with `delivery = \"{}\"` in the configuration",
                wanted.name()
            )));
        }
    }
}
