//! Pairs the parts of two graphs by name.

use rustc_hash::FxHashMap;

use crate::program::Program;
use crate::program::graph::{GraphCode, LinkedNodeKind};
use crate::value::Str;

/// A graph of the program a run went by, and the graph of the program it continues by.
#[derive(Debug)]
pub(super) struct Pairing<'a> {
    pub(super) old: &'a GraphCode,
    pub(super) new: &'a GraphCode,
    /// The numbers of the two.
    pub(super) index: (u32, u32),
    /// For each old node the new one at the same path.
    pub(super) nodes: Vec<Option<u32>>,
    /// For each new node the old one of that name, wherever it lies.
    pub(super) named: Vec<Option<u32>>,
    /// For each new variable the old one.
    pub(super) slots: Vec<Option<u32>>,
    /// For each new budget or meter the old one.
    pub(super) budgets: Vec<Option<u32>>,
    /// For each new family the old one.
    pub(super) families: Vec<Option<u32>>,
}

impl<'a> Pairing<'a> {
    pub(super) fn new(programs: (&'a Program, &'a Program), was: u32, is: u32) -> Self {
        let (old, new) = (&programs.0.graphs[was as usize], &programs.1.graphs[is as usize]);
        let names = places(new.nodes.iter().map(|node| &node.name));
        let nodes = old.nodes.iter().map(|node| {
            let found = *names.get(&node.name)?;
            (path(old, &node.chain) == path(new, &new.nodes[found as usize].chain)).then_some(found)
        });
        let before = places(old.nodes.iter().map(|node| &node.name));
        Self {
            old,
            new,
            index: (was, is),
            nodes: nodes.collect(),
            named: new.nodes.iter().map(|node| before.get(&node.name).copied()).collect(),
            slots: matched(
                &scoped(old, old.slots.iter().map(|s| (&s.name, s.scope))),
                scoped(new, new.slots.iter().map(|s| (&s.name, s.scope))),
            ),
            budgets: matched(
                &scoped(old, old.budgets.iter().map(|b| (&b.name, b.scope))),
                scoped(new, new.budgets.iter().map(|b| (&b.name, b.scope))),
            ),
            families: matched(
                &scoped(old, old.families.iter().map(|f| (&f.name, f.scope))),
                scoped(new, new.families.iter().map(|f| (&f.name, f.scope))),
            ),
        }
    }

    /// The new node at the path of an old one.
    pub(super) fn node(&self, old: u32) -> Option<u32> {
        self.nodes.get(old as usize).copied().flatten()
    }

    /// The graph that the new node at the path of an old one calls in its lane of that number.
    pub(super) fn called(&self, old: u32, lane: u32) -> Option<u32> {
        called(&self.new.nodes[self.node(old)? as usize].kind, lane)
    }

    /// The path of an old node as people read it.
    pub(super) fn old_path(&self, node: u32) -> String {
        shown(self.old, node)
    }

    /// The path of a new node as people read it.
    pub(super) fn new_path(&self, node: u32) -> String {
        shown(self.new, node)
    }
}

/// The graph that a node calls in its lane of that number.
pub(super) fn called(kind: &LinkedNodeKind, lane: u32) -> Option<u32> {
    match kind {
        LinkedNodeKind::Call(call) => Some(call.graph),
        LinkedNodeKind::Each(each) => Some(each.graph),
        LinkedNodeKind::Parallel(parallel) => parallel.branches.get(lane as usize).map(|branch| branch.graph),
        _ => None,
    }
}

fn shown(graph: &GraphCode, node: u32) -> String {
    let node = &graph.nodes[node as usize];
    let around = path(graph, &node.chain).into_iter().map(Str::as_str);
    around.chain([node.name.as_str()]).collect::<Vec<_>>().join(" / ")
}

fn path<'g>(graph: &'g GraphCode, chain: &[u32]) -> Vec<&'g Str> {
    chain.iter().map(|composite| &graph.nodes[*composite as usize].name).collect()
}

fn places<K: std::hash::Hash + Eq>(names: impl Iterator<Item = K>) -> FxHashMap<K, u32> {
    names.zip(0..).collect()
}

/// Names with those of the composites they belong to.
fn scoped<'g>(
    graph: &'g GraphCode,
    names: impl Iterator<Item = (&'g Str, Option<u32>)>,
) -> Vec<(&'g Str, Option<&'g Str>)> {
    names.map(|(name, scope)| (name, scope.map(|scope| &graph.nodes[scope as usize].name))).collect()
}

fn matched(old: &[(&Str, Option<&Str>)], new: Vec<(&Str, Option<&Str>)>) -> Vec<Option<u32>> {
    let old = places(old.iter().copied());
    new.into_iter().map(|name| old.get(&name).copied()).collect()
}
