//! `migrate`: the names of an earlier version, each with the name of today.

use super::Lower;
use super::form::{Form, Key};
use crate::syntax::ast::Name;
use crate::syntax::tree::MigrateDecl;
use crate::syntax::yaml::Node;

/// The keys of `migrate`.
pub(in crate::syntax) const MIGRATE_KEYS: &[Key<MigrateDecl>] = &[
    Key::new("graph", Form::Text, "The id that the graph had.", |l, _, e, m| m.graph = l.text(&e.value)),
    Key::new(
        "fields",
        Form::Renames,
        "Inputs and state fields: the name of today by the earlier one.",
        |l, _, e, m| {
            m.fields = l.renames(&e.value, "a field");
        },
    ),
    Key::new("nodes", Form::Renames, "Nodes: the name of today by the earlier one.", |l, _, e, m| {
        m.nodes = l.renames(&e.value, "a node");
    }),
    Key::new(
        "budgets",
        Form::Renames,
        "Budgets and families of budgets: the name of today by the earlier one.",
        |l, _, e, m| {
            m.budgets = l.renames(&e.value, "a budget");
        },
    ),
];

impl Lower<'_> {
    pub(super) fn migrate(&mut self, node: &Node<'_>) -> MigrateDecl {
        let mut decl = MigrateDecl::default();
        self.mapping(node, "`migrate`", MIGRATE_KEYS, &mut decl);
        decl
    }

    fn renames(&mut self, node: &Node<'_>, what: &str) -> Vec<(Name, Name)> {
        let mut renames = Vec::new();
        for entry in self.entries(node, "a list of earlier names") {
            let names = (self.name_in(&entry.key, what, false), self.name(&entry.value, what));
            if let (Some(before), Some(now)) = names {
                renames.push((before, now));
            }
        }
        renames
    }
}
