//! Names for what the program knows by number.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::program::Program;
use crate::program::graph::GraphCode;
use crate::program::shape::{ShapeKind, Shapes};
use crate::value::Str;

/// Names of one graph's variables and budgets, and of the records; each is given to one thing only. Two composites may
/// have a field of one name, two files a record: those get an addition.
pub(super) struct ListingNames {
    nodes: Vec<Str>,
    /// The names of actions, where they go by name and not by number.
    actions: Option<Vec<Str>>,
    slots: Vec<String>,
    budgets: Vec<String>,
    families: Vec<String>,
    records: Rc<RecordNames>,
}

/// The names of all records of a program, by base.
pub(super) struct RecordNames(FxHashMap<u32, String>);

impl ListingNames {
    pub(super) fn new(graph: &GraphCode, records: &Rc<RecordNames>) -> Self {
        let nodes = graph.nodes.iter().map(|node| node.name.clone()).collect();
        Self::with(graph, Rc::clone(records), nodes, None)
    }

    /// Nodes and actions go by these names. What lies in a composite is always distinguished by its composite, so that
    /// a name does not depend on what other composites hold; nothing goes by number.
    pub(super) fn given(program: &Program, graph: &GraphCode, nodes: Vec<Str>, actions: Vec<Str>) -> Self {
        Self::with(graph, Rc::new(RecordNames::of(&program.shapes)), nodes, Some(actions))
    }

    fn with(graph: &GraphCode, records: Rc<RecordNames>, nodes: Vec<Str>, actions: Option<Vec<Str>>) -> Self {
        let always = actions.is_some();
        let slots = graph.slots.iter().map(|slot| (&slot.name, slot.scope));
        let budgets = graph.budgets.iter().map(|budget| (&budget.name, budget.scope));
        let families = graph.families.iter().map(|family| (&family.name, family.scope));
        Self {
            slots: scoped(&nodes, slots, always),
            budgets: scoped(&nodes, budgets, always),
            families: scoped(&nodes, families, always),
            records,
            nodes,
            actions,
        }
    }

    pub(super) fn node(&self, id: u32) -> &str {
        &self.nodes[id as usize]
    }

    /// The name of an action; [`None`] where actions go by number.
    pub(super) fn action(&self, id: u32) -> Option<&str> {
        self.actions.as_ref().map(|names| names[id as usize].as_str())
    }

    /// Returns true if the branches of `if` statements have their numbers.
    pub(super) const fn numbers(&self) -> bool {
        self.actions.is_none()
    }

    pub(super) fn slot(&self, id: u32) -> &str {
        &self.slots[id as usize]
    }

    pub(super) fn budget(&self, id: u32) -> &str {
        &self.budgets[id as usize]
    }

    pub(super) fn family(&self, id: u32) -> &str {
        &self.families[id as usize]
    }

    pub(super) fn record(&self, base: u32) -> String {
        self.records.name(base)
    }
}

impl RecordNames {
    /// Numbered where several records have the same name.
    pub(super) fn of(shapes: &Shapes) -> Self {
        let mut counts: FxHashMap<&str, u32> = FxHashMap::default();
        let mut names = FxHashMap::default();
        let all = || (0..).zip(&shapes.shapes);
        let own = all().filter(|(id, _)| !shapes.supplied.contains(id));
        for (id, shape) in own.chain(all().filter(|(id, _)| shapes.supplied.contains(id))) {
            if let ShapeKind::Record { name, base, .. } = &shape.kind
                && id == *base
            {
                let count = counts.entry(name).or_default();
                *count += 1;
                names.insert(id, if *count == 1 { name.to_string() } else { format!("{name}@{count}") });
            }
        }
        Self(names)
    }

    pub(super) fn name(&self, base: u32) -> String {
        self.0.get(&base).cloned().unwrap_or_default()
    }
}

/// `always`: also where no other one has the name.
fn scoped<'a>(
    nodes: &[Str],
    named: impl Iterator<Item = (&'a Str, Option<u32>)> + Clone,
    always: bool,
) -> Vec<String> {
    let mut counts: FxHashMap<&str, u32> = FxHashMap::default();
    for (name, _) in named.clone() {
        *counts.entry(name).or_default() += 1;
    }
    let full = |(name, scope): (&'a Str, Option<u32>)| match scope {
        Some(node) if always || counts[name.as_str()] > 1 => format!("{name}@{}", nodes[node as usize]),
        _ => name.to_string(),
    };
    named.map(full).collect()
}
