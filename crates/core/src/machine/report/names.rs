//! Names of what events know by number. A number that the program does not have becomes `?`, since a journal may come
//! from anywhere.

use crate::machine::event::{Spend, Write};
use crate::program::Program;
use crate::program::graph::{Charge, EdgeCode, GraphCode};
use crate::value::{PathSeg, duration, usd};

/// The text for an unknown number.
const UNKNOWN: &str = "?";

/// One graph's names.
#[derive(Clone, Copy)]
pub(super) struct GraphNames<'a>(Option<&'a GraphCode>);

impl<'a> GraphNames<'a> {
    pub(super) fn new(program: &'a Program, graph: u32) -> Self {
        Self(program.graphs.get(graph as usize))
    }

    pub(super) fn graph(self) -> &'a str {
        self.0.map_or(UNKNOWN, |graph| graph.id.as_str())
    }

    pub(super) fn node(self, id: u32) -> &'a str {
        self.0.and_then(|graph| graph.nodes.get(id as usize)).map_or(UNKNOWN, |node| node.name.as_str())
    }

    pub(super) fn edge(self, id: u32) -> Option<&'a EdgeCode> {
        self.0.and_then(|graph| graph.edges.get(id as usize))
    }

    /// The source and target of an edge.
    pub(super) fn ends(self, id: u32) -> (&'a str, &'a str) {
        self.edge(id).map_or((UNKNOWN, UNKNOWN), |edge| (self.node(edge.from), self.node(edge.to)))
    }

    /// A budget's name; a meter's is `family.meter`.
    pub(super) fn budget(self, id: u32) -> &'a str {
        self.0.and_then(|graph| graph.budgets.get(id as usize)).map_or(UNKNOWN, |budget| budget.name.as_str())
    }

    /// A budget with its key, as a statement writes it: `family[key].meter`.
    pub(super) fn spent(self, spend: &Spend) -> String {
        let name = self.budget(spend.budget);
        match (&spend.key, name.split_once('.')) {
            (Some(key), Some((family, meter))) => format!("{family}['{key}'].{meter}"),
            (Some(key), None) => format!("{name}['{key}']"),
            (None, _) => name.to_owned(),
        }
    }

    /// An amount of a budget as people read it: `$0.3`, `1s500ms`, `7`.
    pub(super) fn amount(self, spend: &Spend) -> String {
        let budget = self.0.and_then(|graph| graph.budgets.get(spend.budget as usize));
        match budget.and_then(|budget| budget.charge) {
            Some(Charge::ModelCost) => format!("${}", usd::text(spend.amount)),
            Some(Charge::Time) => duration::text(spend.amount),
            _ => spend.amount.to_string(),
        }
    }

    /// The place of a write, as a statement writes it.
    pub(super) fn place(self, write: &Write) -> String {
        let slot = self.0.and_then(|graph| graph.slots.get(write.slot as usize));
        let mut text = slot.map_or(UNKNOWN, |slot| slot.name.as_str()).to_owned();
        for segment in write.path.iter() {
            match segment {
                PathSeg::Key(key) if is_name(key) => text.extend([".", key.as_str()]),
                PathSeg::Key(key) => text.extend(["['", key.as_str(), "']"]),
                PathSeg::Index(index) => text.extend(["[", &index.to_string(), "]"]),
            }
        }
        text
    }
}

fn is_name(key: &str) -> bool {
    let mut bytes = key.bytes();
    bytes.next().is_some_and(|first| first.is_ascii_alphabetic() || first == b'_')
        && bytes.all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}
