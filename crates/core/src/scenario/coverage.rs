//! Coverage of nodes, edges and `if` branches by scenarios.

use std::collections::BTreeMap;
use std::fmt::Write;

use rustc_hash::FxHashMap;
use serde_json::{Value as Json, json};

use super::program_part::{NamedPart, ProgramPart, each_taken, program_parts};
use crate::machine::{Event, EventCursor};
use crate::model::Model;
use crate::program::Program;
use crate::source::{Sources, Span};

/// The kinds of things that can be taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CoveragePart {
    /// A node: it was entered.
    Node,
    /// An edge: it was taken.
    Edge,
    /// A branch of an `if`: its statements ran, or those of none did.
    Branch,
}

impl CoveragePart {
    const fn of(part: ProgramPart) -> Self {
        match part {
            ProgramPart::Node(..) => Self::Node,
            ProgramPart::Edge(..) => Self::Edge,
            ProgramPart::Branch(_) => Self::Branch,
        }
    }

    /// The word for several of them.
    #[must_use]
    pub const fn plural(self) -> &'static str {
        match self {
            Self::Node => "nodes",
            Self::Edge => "edges",
            Self::Branch => "branches",
        }
    }
}

/// Something that can be taken, where it is written, and how often it was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CoverageItem {
    /// The kind.
    pub part: CoveragePart,
    /// Its name in reports: a node's name, `a -> b`, `if`.
    pub name: String,
    /// `file:line:column`.
    pub place: String,
    /// The id of the graph of an edge, and the number of the edge in it, as events and drawings have them.
    pub edge: Option<(String, usize)>,
    /// The number of times it was taken.
    pub taken: u64,
}

/// The number of times everything was taken, over any number of scenarios and graphs. Items are distinguished by their
/// place, so that a graph which several others call is counted once.
#[derive(Debug, Clone, Default)]
pub struct Coverage {
    items: BTreeMap<CoverageKey, CoverageItem>,
}

/// File, start, part, and a number for what is at one place.
type CoverageKey = (String, u32, CoveragePart, u32);

/// The keys of one program's nodes, edges and branches.
#[derive(Debug, Clone, Default)]
pub struct Keys(FxHashMap<ProgramPart, CoverageKey>);

impl Coverage {
    /// Nothing yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds everything a model can take; what is there already keeps its count.
    pub fn add(&mut self, model: &Model, program: &Program, sources: &Sources) -> Keys {
        let mut keys = Keys::default();
        for NamedPart { part, name, span, number } in program_parts(model, program) {
            let key = self.item(sources, CoveragePart::of(part), span, number, name);
            if let (ProgramPart::Edge(graph, edge), Some(item)) = (part, self.items.get_mut(&key)) {
                let id = || model.graphs[graph as usize].id.value.to_string();
                item.edge.get_or_insert_with(|| (id(), edge as usize));
            }
            keys.0.insert(part, key);
        }
        keys
    }

    fn item(
        &mut self,
        sources: &Sources,
        part: CoveragePart,
        span: Span,
        number: u32,
        name: String,
    ) -> CoverageKey {
        let key = (sources.name(span.file).to_owned(), span.start, part, number);
        self.items.entry(key.clone()).or_insert_with(|| {
            let place = super::print::place(span, sources);
            CoverageItem { part, name, place, edge: None, taken: 0 }
        });
        key
    }

    /// Counts what a run of the program took.
    pub fn count(&mut self, keys: &Keys, program: &Program, events: &[Event]) {
        each_taken(program, EventCursor::new(), events, &mut |part| self.took(keys.0.get(&part)));
    }

    fn took(&mut self, key: Option<&CoverageKey>) {
        if let Some(item) = key.and_then(|key| self.items.get_mut(key)) {
            item.taken += 1;
        }
    }

    /// Everything, in order of file and place.
    pub fn items(&self) -> impl Iterator<Item = &CoverageItem> {
        self.items.values()
    }

    /// The items that were never taken.
    pub fn missed(&self) -> impl Iterator<Item = &CoverageItem> {
        self.items().filter(|item| item.taken == 0)
    }

    /// The number of items of a part that were taken, and of all.
    #[must_use]
    pub fn share(&self, part: CoveragePart) -> (usize, usize) {
        let of = || self.items().filter(move |item| item.part == part);
        (of().filter(|item| item.taken > 0).count(), of().count())
    }

    /// The share of all items that was taken, in percent; 100 where there is nothing to take.
    #[must_use]
    pub fn percent(&self) -> f64 {
        let all = self.items().count();
        let taken = all - self.missed().count();
        #[expect(clippy::cast_precision_loss, reason = "a share of files needs no more digits")]
        let share = if all == 0 { 1.0 } else { taken as f64 / all as f64 };
        share * 100.0
    }

    /// As text for people: the shares, then what was never taken.
    #[must_use]
    pub fn text(&self) -> String {
        let mut out = String::new();
        for part in [CoveragePart::Node, CoveragePart::Edge, CoveragePart::Branch] {
            let (taken, all) = self.share(part);
            let _ = writeln!(out, "{:9} {taken} of {all}", part.plural());
        }
        if self.missed().next().is_some() {
            out.push_str("never taken:\n");
        }
        for item in self.missed() {
            let _ = writeln!(out, "  {}  {} {}", item.place, singular(item.part), item.name);
        }
        out
    }

    /// As JSON.
    #[must_use]
    pub fn json(&self) -> Json {
        let share = |part| {
            let (taken, all) = self.share(part);
            json!({"taken": taken, "all": all})
        };
        let missed: Vec<Json> = self
            .missed()
            .map(|item| {
                let mut json = json!({"part": singular(item.part), "name": item.name, "at": item.place});
                if let Some((graph, edge)) = &item.edge {
                    json["graph"] = graph.as_str().into();
                    json["edge"] = (*edge).into();
                }
                json
            })
            .collect();
        json!({
            "nodes": share(CoveragePart::Node),
            "edges": share(CoveragePart::Edge),
            "branches": share(CoveragePart::Branch),
            "missed": missed,
        })
    }
}

const fn singular(part: CoveragePart) -> &'static str {
    match part {
        CoveragePart::Node => "node",
        CoveragePart::Edge => "edge",
        CoveragePart::Branch => "branch",
    }
}
