//! Pairs the parts of two graphs by name.

use rustc_hash::FxHashMap;

use crate::program::Program;
use crate::program::graph::{GraphCode, SlotCode};
use crate::program::migration::Migration;
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
        let migration = &new.migration;
        let node_now = |name| migration.node(name);
        let names = places(new.nodes.iter().map(|node| &node.name));
        let nodes = old.nodes.iter().map(|node| {
            let found = *names.get(node_now(&node.name))?;
            let was = path(old, &node.chain).into_iter().map(node_now);
            was.eq(path(new, &new.nodes[found as usize].chain)).then_some(found)
        });
        let mut before = places(old.nodes.iter().map(|node| node_now(&node.name)));
        // Where two nodes became one, it is first of all the one of its name.
        before.extend(places(old.nodes.iter().map(|node| &node.name)));
        let slot_now = |slot: &'a SlotCode| (migration.field(&slot.name).clone(), slot.scope);
        let budget_now = |name: &'a Str, scope| (migration.budget(name), scope);
        Self {
            old,
            new,
            index: (was, is),
            nodes: nodes.collect(),
            named: new.nodes.iter().map(|node| before.get(&node.name).copied()).collect(),
            slots: matched(
                &scoped(old, migration, old.slots.iter().map(slot_now)),
                &scoped(new, migration, new.slots.iter().map(|s| (s.name.clone(), s.scope))),
            ),
            budgets: matched(
                &scoped(old, migration, old.budgets.iter().map(|b| budget_now(&b.name, b.scope))),
                &scoped(new, migration, new.budgets.iter().map(|b| (b.name.clone(), b.scope))),
            ),
            families: matched(
                &scoped(old, migration, old.families.iter().map(|f| budget_now(&f.name, f.scope))),
                &scoped(new, migration, new.families.iter().map(|f| (f.name.clone(), f.scope))),
            ),
        }
    }

    /// The new node at the path of an old one.
    pub(super) fn node(&self, old: u32) -> Option<u32> {
        self.nodes.get(old as usize).copied().flatten()
    }

    /// Returns true if a node has another name now.
    pub(super) fn is_renamed(&self, old: u32) -> bool {
        let name = &self.old.nodes[old as usize].name;
        self.new.migration.node(name) != name
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

/// A name with that of the composite it belongs to.
type ScopedName<'g> = (Str, Option<&'g Str>);

/// Names of today with those of the composites they belong to, which no migration changes where they are of today, too.
fn scoped<'g>(
    graph: &'g GraphCode,
    migration: &'g Migration,
    names: impl Iterator<Item = (Str, Option<u32>)>,
) -> Vec<ScopedName<'g>> {
    let around = |scope: u32| migration.node(&graph.nodes[scope as usize].name);
    names.map(|(name, scope)| (name, scope.map(around))).collect()
}

fn matched(old: &[ScopedName<'_>], new: &[ScopedName<'_>]) -> Vec<Option<u32>> {
    let old = places(old.iter());
    new.iter().map(|name| old.get(name).copied()).collect()
}
