//! Names of an earlier version of a graph, for runs that began with it.

use crate::value::Str;

/// The names that parts had, each with the name it has now. No earlier name is one of today.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Migration {
    /// The id that the graph had.
    pub graph: Option<Str>,
    /// Inputs and state fields.
    pub fields: Vec<(Str, Str)>,
    /// Nodes.
    pub nodes: Vec<(Str, Str)>,
    /// Budgets and families.
    pub budgets: Vec<(Str, Str)>,
}

impl Migration {
    /// The name that an input or state field of that name has now.
    #[must_use]
    pub fn field<'m>(&'m self, before: &'m Str) -> &'m Str {
        now(&self.fields, before)
    }

    /// The name that a node of that name has now.
    #[must_use]
    pub fn node<'m>(&'m self, before: &'m Str) -> &'m Str {
        now(&self.nodes, before)
    }

    /// The name that a budget, a family or a meter of that name has now.
    #[must_use]
    pub fn budget(&self, before: &Str) -> Str {
        match before.split_once('.') {
            Some((family, meter)) => ecow::eco_format!("{}.{meter}", now(&self.budgets, &family.into())),
            None => now(&self.budgets, before).clone(),
        }
    }

    /// Each part with what it is called in a listing.
    pub fn rows(&self) -> impl Iterator<Item = (&'static str, &Str, &Str)> {
        let fields = self.fields.iter().map(|(before, now)| ("field", before, now));
        let nodes = self.nodes.iter().map(|(before, now)| ("node", before, now));
        fields.chain(nodes).chain(self.budgets.iter().map(|(before, now)| ("budget", before, now)))
    }
}

fn now<'m>(renames: &'m [(Str, Str)], before: &'m Str) -> &'m Str {
    renames.iter().find(|(name, _)| name == before).map_or(before, |(_, now)| now)
}
