//! Nodes: what can be reached, what can come to an end, who gets stuck, and who may wait for ever.

use petgraph::Direction;

use crate::diag::{Diagnostic, rule};
use crate::model::Graph;
use crate::model::cfg::{Cfg, Point, PointId};
use crate::model::expr::{Block, StatementKind};
use crate::model::node::{Node, NodeId, NodeKind, Trigger};

/// Judges the nodes of a graph. With `complete` the graph has all its nodes and edges; else some could not be read
/// and nothing is reported of ways.
pub(super) fn judge(graph: &Graph, complete: bool, findings: &mut Vec<Diagnostic>) {
    for node in graph.graph.node_weights() {
        if matches!(node.kind, NodeKind::Human(_)) && node.timeout.is_none() {
            let message = format!("`{}` has no `timeout`: it may wait forever", node.name.value);
            let note = Diagnostic::note(rule::WAITS_FOR_EVER, node.name.span, message);
            findings.push(note.help("add `timeout: 24h` and an edge `on: timeout`, or leave it"));
        }
    }
    if !complete {
        return;
    }
    let reached = graph.cfg.reached();
    unreachable(graph, &reached, findings);
    let stuck = stuck(graph, &reached, findings);
    endless(graph, &reached, &stuck, findings);
}

/// Nodes that no run comes to. What is only reached from another one is not named on its own.
fn unreachable(graph: &Graph, reached: &[bool], findings: &mut Vec<Diagnostic>) {
    let cfg = &graph.cfg;
    let mut entered: Vec<bool> = graph.graph.node_indices().map(|id| reached[cfg.node(id).index()]).collect();
    for id in graph.graph.node_indices().rev() {
        // Inner nodes are after their composite: going backwards, all of them were seen.
        if let Some(outer) = graph.graph[id].parent
            && entered[id.index()]
        {
            entered[outer.index()] = true;
        }
    }
    let mut chosen: Vec<bool> = reached.iter().map(|seen| !seen).collect();
    for id in graph.graph.node_indices() {
        chosen[cfg.node(id).index()] &= !entered[id.index()];
    }
    let mut roots: Vec<NodeId> = Vec::new();
    for group in cfg.outermost(&chosen, Direction::Incoming) {
        roots.extend(nodes(cfg, group).min());
    }
    roots.sort_unstable();
    for id in roots {
        let node = &graph.graph[id];
        if node.parent.is_some_and(|outer| !entered[outer.index()]) {
            continue;
        }
        let message = format!("no run reaches `{}`", node.name.value);
        let fault = Diagnostic::warning(rule::UNREACHABLE_NODE, node.name.span, message);
        findings.push(fault.help("add an edge to it, or remove it"));
    }
}

/// Nodes that are done and have no edge for that. Gives them.
fn stuck(graph: &Graph, reached: &[bool], findings: &mut Vec<Diagnostic>) -> Vec<NodeId> {
    let mut stuck = Vec::new();
    for id in graph.graph.node_indices() {
        let node = &graph.graph[id];
        let mut on = node.edges.iter().flat_map(|edge| &graph.graph[*edge].on);
        if on.any(Trigger::is_done) || !comes_to_be_done(&graph.cfg, id, node, reached) {
            continue;
        }
        let name = &node.name.value;
        let fault = if matches!(node.kind, NodeKind::Composite(_)) {
            let message = format!("`{name}` reaches an inner final, but has no edge for `done`");
            Diagnostic::error(rule::STUCK_NODE, node.name.span, message)
                .help("add an edge, or lead the inner edges to nodes outside")
        } else {
            Diagnostic::error(rule::STUCK_NODE, node.name.span, format!("`{name}` has no edge for `done`"))
                .help("add an edge under `next`, or make it a final: `kind: final`")
        };
        findings.push(fault);
        stuck.push(id);
    }
    stuck
}

fn comes_to_be_done(cfg: &Cfg, id: NodeId, node: &Node, reached: &[bool]) -> bool {
    match &node.kind {
        NodeKind::Final(_) => false,
        NodeKind::Composite(_) => cfg.finals(id).any(|point| reached[point.index()]),
        _ => reached[cfg.node(id).index()] && !always_fails(&node.entry) && !always_fails(&node.then),
    }
}

fn always_fails(block: &Block) -> bool {
    block.statements.iter().any(|statement| match &statement.kind {
        StatementKind::Fail(..) => true,
        StatementKind::If(arms, Some(otherwise)) => {
            arms.iter().all(|(_, body)| always_fails(body)) && always_fails(otherwise)
        }
        _ => false,
    })
}

/// Nodes from which no final can be reached.
fn endless(graph: &Graph, reached: &[bool], stuck: &[NodeId], findings: &mut Vec<Diagnostic>) {
    let cfg = &graph.cfg;
    if !cfg.has_end() {
        let fault =
            Diagnostic::error(rule::DEAD_END, graph.id.span, "the graph has no final, so no run of it ends");
        findings.push(fault.help("add a node of `kind: final` and an edge to it"));
        return;
    }
    // A composite where something failed need not lead anywhere.
    let mut chosen = cfg.ending();
    for (point, (lost, reached)) in cfg.points().zip(chosen.iter_mut().zip(reached)) {
        *lost = *reached && !*lost && !matches!(point, Point::Failed(_));
    }
    let mut ends: Vec<Vec<NodeId>> = Vec::new();
    for group in cfg.outermost(&chosen, Direction::Outgoing) {
        let mut nodes: Vec<NodeId> = nodes(cfg, group).collect();
        nodes.sort_unstable();
        if !nodes.is_empty() && !nodes.iter().any(|id| stuck.contains(id)) {
            ends.push(nodes);
        }
    }
    ends.sort();
    for nodes in ends {
        let node = &graph.graph[nodes[0]];
        let name = &node.name.value;
        let message = match nodes.len() {
            1 if node.edges.is_empty() => continue,
            1 => format!("no path leads from `{name}` to a final"),
            2 => format!("no path leads from `{name}` and one other node to a final"),
            n => format!("no path leads from `{name}` and {} other nodes to a final", n - 1),
        };
        let fault = Diagnostic::error(rule::DEAD_END, node.name.span, message);
        findings.push(fault.help("add an edge out of the cycle, for example `on: exhausted(budget)`"));
    }
}

/// The nodes among points.
fn nodes(cfg: &Cfg, points: Vec<PointId>) -> impl Iterator<Item = NodeId> {
    points.into_iter().filter_map(|point| match cfg.point(point) {
        Point::Node(node) => Some(node),
        _ => None,
    })
}
