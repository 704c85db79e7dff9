//! Pairs the nodes and actions of two versions.

use rustc_hash::{FxHashMap, FxHashSet};

use super::graphs::Pairs;
use super::kind::{ChangeEffect, named};
use super::side::{Side, action_names, node_names};
use super::sides::Sides;
use super::{Version, edge, node};
use crate::value::Str;

/// Stands for the name of everything that is in one version only.
const ANYBODY: &str = "?";

/// The graphs of these indices, with one name for what was only renamed: the one it had before.
pub(super) fn sides<'v>(
    before: &Version<'v>,
    after: &Version<'v>,
    (one, other): (usize, usize),
    pairs: &Pairs,
) -> Sides<'v> {
    let (model, now) = (&before.model.graphs[one], &after.model.graphs[other]);
    let nodes = [node_names(model), node_names(now)];
    let actions = [action_names(model), action_names(now)];
    let (lone_nodes, lone_actions) = (alone(&nodes), alone(&actions));
    let [old_nodes, mut new_nodes] = nodes;
    let [old_actions, mut new_actions] = actions;
    let (mut renamed, mut renamed_actions) = (Vec::new(), Vec::new());
    if lone_nodes.iter().all(|lone| !lone.is_empty()) || lone_actions.iter().all(|lone| !lone.is_empty()) {
        let mut masked = [
            Side::new(
                before,
                one,
                mask(&old_nodes, &lone_nodes[0]),
                mask(&old_actions, &lone_actions[0]),
                pairs.before(),
            ),
            Side::new(
                after,
                other,
                mask(&new_nodes, &lone_nodes[1]),
                mask(&new_actions, &lone_actions[1]),
                pairs.after(),
            ),
        ];
        renamed = only_ones(node_prints(&mut masked, &lone_nodes));
        renamed_actions = in_order(action_prints(&mut masked, &lone_actions));
    }
    for (old, new) in &renamed {
        new_nodes[*new] = old_nodes[*old].clone();
    }
    for (old, new) in &renamed_actions {
        new_actions[*new] = old_actions[*old].clone();
    }
    Sides {
        before: Side::new(before, one, old_nodes, old_actions, pairs.before()),
        after: Side::new(after, other, new_nodes, new_actions, pairs.after()),
        renamed,
        renamed_actions,
    }
}

/// The names in one version only, by index.
fn alone(names: &[Vec<Str>; 2]) -> [Vec<usize>; 2] {
    let sets = names.each_ref().map(|names| names.iter().map(Str::as_str).collect::<FxHashSet<_>>());
    let missing = |own: &[Str], other: &FxHashSet<&str>| {
        (0..own.len()).filter(|at| !other.contains(own[*at].as_str())).collect()
    };
    [missing(&names[0], &sets[1]), missing(&names[1], &sets[0])]
}

fn mask(names: &[Str], lone: &[usize]) -> Vec<Str> {
    let mut masked = names.to_vec();
    for at in lone {
        masked[*at] = ANYBODY.into();
    }
    masked
}

/// Things without their names, and the indices in each version that are equal to them.
type Fingerprints = FxHashMap<String, [Vec<usize>; 2]>;

/// Nodes by what they do, where they lie and the edges from and to them.
fn node_prints(sides: &mut [Side<'_>; 2], lone: &[Vec<usize>; 2]) -> Fingerprints {
    let mut prints = Fingerprints::default();
    for (version, (side, lone)) in sides.iter_mut().zip(lone).enumerate() {
        let mut arriving = arrivals(side, lone);
        for at in lone {
            let id = crate::model::node::NodeId::new(*at);
            let facts =
                node::facts(side, id).into_iter().filter(|f| named(f.slug).effect == ChangeEffect::Run);
            let mut print = String::new();
            for fact in facts {
                print.extend([&*fact.key, ": ", &*fact.abridged.meaning, "\n"]);
            }
            let edge_texts = edge::edges(side, id);
            print.extend(edge_texts.iter().map(edge::EdgeText::print));
            let mut arriving = arriving.remove(at).unwrap_or_default();
            arriving.sort_unstable();
            if edge_texts.is_empty() && arriving.iter().all(|edge_text| edge_text.starts_with("from ? ")) {
                // The end of another part of the graph: little says that it is the same one.
                continue;
            }
            print.extend(arriving);
            prints.entry(print).or_default()[version].push(*at);
        }
    }
    prints
}

/// The edges that lead to these nodes, in words.
fn arrivals(side: &mut Side<'_>, lone: &[usize]) -> FxHashMap<usize, Vec<String>> {
    let mut found: FxHashMap<usize, Vec<String>> = lone.iter().map(|at| (*at, Vec::new())).collect();
    let graph = side.graph;
    for source in graph.graph.node_indices() {
        let reaches = |edge: &crate::model::node::EdgeId| {
            let target = graph.graph.edge_endpoints(*edge).map(|(_, to)| to.index());
            target.filter(|at| found.contains_key(at))
        };
        let targets: Vec<Option<usize>> = graph.graph[source].edges.iter().map(reaches).collect();
        if targets.iter().all(Option::is_none) {
            continue;
        }
        let name = side.nodes[source.index()].clone();
        for (edge_text, target) in edge::edges(side, source).iter().zip(targets) {
            if let Some(arriving) = target.and_then(|at| found.get_mut(&at)) {
                arriving.push(format!("from {name} {}", edge_text.print()));
            }
        }
    }
    found
}

fn action_prints(sides: &mut [Side<'_>; 2], lone: &[Vec<usize>; 2]) -> Fingerprints {
    let mut prints = Fingerprints::default();
    for (version, (side, lone)) in sides.iter_mut().zip(lone).enumerate() {
        for at in lone {
            let print = side.words.block(side.code.actions[*at]);
            prints.entry(print).or_default()[version].push(*at);
        }
    }
    prints
}

/// Those of which each version has exactly one.
fn only_ones(prints: Fingerprints) -> Vec<(usize, usize)> {
    let mut pairs: Vec<_> = prints
        .into_values()
        .filter_map(|[before, after]| match (before.as_slice(), after.as_slice()) {
            ([one], [other]) => Some((*one, *other)),
            _ => None,
        })
        .collect();
    pairs.sort_unstable();
    pairs
}

/// The first with the first, the second with the second.
fn in_order(prints: Fingerprints) -> Vec<(usize, usize)> {
    let mut pairs: Vec<_> =
        prints.into_values().flat_map(|[before, after]| before.into_iter().zip(after)).collect();
    pairs.sort_unstable();
    pairs
}
