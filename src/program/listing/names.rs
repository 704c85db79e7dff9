//! Names for what the program knows by number.

use rustc_hash::FxHashMap;

use crate::program::Program;
use crate::program::graph::GraphCode;
use crate::program::shape::{ShapeKind, Shapes};
use crate::value::Str;

/// Names of one graph's variables and budgets, and of the records; each is given to one thing only. Two composites may have a
/// field of one name, two files a record: those get an addition.
pub(super) struct Names {
    slots: Vec<String>,
    budgets: Vec<String>,
    families: Vec<String>,
    records: FxHashMap<u32, String>,
}

impl Names {
    pub(super) fn new(program: &Program, graph: &GraphCode) -> Self {
        Self {
            slots: scoped(graph, graph.slots.iter().map(|slot| (&slot.name, slot.scope))),
            budgets: scoped(graph, graph.budgets.iter().map(|budget| (&budget.name, budget.scope))),
            families: scoped(graph, graph.families.iter().map(|family| (&family.name, family.scope))),
            records: records(&program.shapes),
        }
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
        self.records.get(&base).cloned().unwrap_or_default()
    }
}

fn scoped<'a>(graph: &GraphCode, named: impl Iterator<Item = (&'a Str, Option<u32>)> + Clone) -> Vec<String> {
    let mut counts: FxHashMap<&str, u32> = FxHashMap::default();
    for (name, _) in named.clone() {
        *counts.entry(name).or_default() += 1;
    }
    let full = |(name, scope): (&'a Str, Option<u32>)| match scope {
        Some(node) if counts[name.as_str()] > 1 => format!("{name}@{}", graph.nodes[node as usize].name),
        _ => name.to_string(),
    };
    named.map(full).collect()
}

/// The names of all records by base, numbered where several have the same one.
pub(super) fn records(shapes: &Shapes) -> FxHashMap<u32, String> {
    let mut counts: FxHashMap<&str, u32> = FxHashMap::default();
    let mut names = FxHashMap::default();
    for (id, shape) in (0..).zip(&shapes.shapes) {
        if let ShapeKind::Record { name, base, .. } = &shape.kind
            && id == *base
        {
            let count = counts.entry(name).or_default();
            *count += 1;
            names.insert(id, if *count == 1 { name.to_string() } else { format!("{name}@{count}") });
        }
    }
    names
}
