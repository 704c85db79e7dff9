//! The network of values: what may flow from where to where.
//!
//! A vertex is a variable, an answer, a text or a value on its way, with all that lies in it. An edge reads at one path of a
//! vertex and writes at a path of another. A [`Spread`] is all that a source reaches: facts of the form "what is at this path
//! of this vertex may hold something of the source".

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use super::path::{FieldNames, FieldPath, ITEM, MAX_STEPS, PathStep, meet};
use super::source::CutSet;
use crate::model::record::TypeTable;
use crate::model::types::Type;
use crate::source::Span;

/// Facts about one vertex beyond which it is taken as a whole.
const MAX_FACTS_OF_A_VERTEX: usize = 200;

/// Index of a vertex.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct VertexId(u32);

/// A value that others flow to and from.
#[derive(Debug)]
struct Vertex {
    /// Its type, as far as it is known.
    ty: Option<Type>,
    /// Its name for people; none for a value in between.
    label: Option<Box<str>>,
}

/// The way in which a value goes over an edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Passage {
    /// As it is, with its structure.
    Copy,
    /// With its structure, into something longer: cuts end.
    Joined,
    /// All that is in it becomes part of something else: cuts end.
    Whole,
    /// Only what is at the path itself counts, not what lies below it: keys, lengths. Cuts end.
    Keys,
    /// The value decides whether something is written, and is no part of it. What follows counts for decisions alone.
    Control,
}

/// A flow from one vertex to another.
#[derive(Debug, Clone)]
pub(super) struct FlowEdge {
    pub(super) to: VertexId,
    /// The path that is read.
    pub(super) read: FieldPath,
    /// The path that is written.
    pub(super) write: FieldPath,
    pub(super) passage: Passage,
    /// The cuts that the edge itself makes.
    pub(super) gives: CutSet,
    /// The place in the text.
    pub(super) span: Span,
}

/// The network of one model.
#[derive(Debug)]
pub(super) struct FlowNetwork<'m> {
    vertices: Vec<Vertex>,
    edges: Vec<Vec<FlowEdge>>,
    pub(super) names: FieldNames,
    types: &'m TypeTable,
}

/// A value that may hold something of a source.
#[derive(Debug)]
struct FlowFact {
    vertex: VertexId,
    path: FieldPath,
    cuts: CutSet,
    /// True if the source decided about the value, on some step of the way, and is no part of it.
    decides: bool,
    /// The fact it follows from, and the number of the edge out of that one's vertex.
    from: Option<(usize, usize)>,
}

/// All that some sources reach, nearest first.
#[derive(Debug, Default)]
pub(super) struct Spread {
    facts: Vec<FlowFact>,
    of_vertex: FxHashMap<VertexId, Vec<usize>>,
}

/// A step of a value's way.
#[derive(Debug)]
pub(super) struct PassedEdge<'n> {
    pub(super) span: Span,
    /// The name of the value that it leads to.
    pub(super) label: &'n str,
}

impl<'m> FlowNetwork<'m> {
    pub(super) fn new(types: &'m TypeTable) -> Self {
        Self { vertices: Vec::new(), edges: Vec::new(), names: FieldNames::default(), types }
    }

    pub(super) fn vertex(&mut self, ty: Option<Type>, label: Option<String>) -> VertexId {
        let id = VertexId(u32::try_from(self.vertices.len()).unwrap_or(u32::MAX));
        self.vertices.push(Vertex { ty, label: label.map(String::into_boxed_str) });
        self.edges.push(Vec::new());
        id
    }

    pub(super) fn connect(&mut self, from: VertexId, edge: FlowEdge) {
        self.edges[from.0 as usize].push(edge);
    }

    /// All that something at one of these vertices reaches.
    pub(super) fn spread(&self, from: impl IntoIterator<Item = VertexId>) -> Spread {
        let mut spread = Spread::default();
        let mut open = VecDeque::new();
        for vertex in from {
            self.arrive(&mut spread, &mut open, (vertex, FieldPath::new(), CutSet::NONE, false), None);
        }
        while let Some(at) = open.pop_front() {
            let vertex = spread.facts[at].vertex;
            for (number, edge) in self.edges[vertex.0 as usize].iter().enumerate() {
                let fact = &spread.facts[at];
                if let Some((path, cuts)) = edge.pass(&fact.path, fact.cuts) {
                    let decides = fact.decides || edge.passage == Passage::Control;
                    self.arrive(&mut spread, &mut open, (edge.to, path, cuts, decides), Some((at, number)));
                }
            }
        }
        spread
    }

    fn arrive(
        &self,
        spread: &mut Spread,
        open: &mut VecDeque<usize>,
        (vertex, mut path, mut cuts, decides): (VertexId, FieldPath, CutSet, bool),
        from: Option<(usize, usize)>,
    ) {
        path.truncate(MAX_STEPS);
        let known = spread.of_vertex.entry(vertex).or_default();
        if known.len() > MAX_FACTS_OF_A_VERTEX {
            path.clear();
            cuts = CutSet::NONE;
        }
        let own = self.vertices[vertex.0 as usize].ty.as_ref();
        let ty = own.and_then(|ty| self.names.type_at(self.types, ty, &path));
        cuts = cuts.with(ty.map_or(CutSet::NONE, CutSet::of_type));
        if decides {
            cuts = CutSet::NONE;
        }
        let covers = |fact: &FlowFact| {
            (decides || !fact.decides)
                && fact.cuts.is_within(cuts)
                && fact.path.len() <= path.len()
                && path.starts_with(&fact.path)
        };
        if known.iter().any(|at| covers(&spread.facts[*at])) {
            return;
        }
        known.push(spread.facts.len());
        open.push_back(spread.facts.len());
        spread.facts.push(FlowFact { vertex, path, cuts, decides, from });
    }

    /// The path of a value: where it began, and the edges that lead to something with a name for people.
    pub(super) fn path<'n>(&'n self, spread: &Spread, to: ReachedValue) -> (VertexId, Vec<PassedEdge<'n>>) {
        let mut passed = Vec::new();
        let mut at = to.fact;
        while let Some((before, number)) = spread.facts[at].from {
            let fact = &spread.facts[at];
            let edge = &self.edges[spread.facts[before].vertex.0 as usize][number];
            if let Some(label) = &self.vertices[fact.vertex.0 as usize].label {
                passed.push(PassedEdge { span: edge.span, label });
            }
            at = before;
        }
        passed.reverse();
        (spread.facts[at].vertex, passed)
    }
}

impl FlowEdge {
    /// The fact about the target that follows from one about the vertex that is read.
    fn pass(&self, path: &[PathStep], cuts: CutSet) -> Option<(FieldPath, CutSet)> {
        if !meet(path, &self.read) || self.passage == Passage::Keys && path.len() > self.read.len() {
            return None;
        }
        let mut written = self.write.clone();
        if matches!(self.passage, Passage::Copy | Passage::Joined) {
            written.extend(path.iter().skip(self.read.len()).copied());
        }
        let carried = if self.passage == Passage::Copy { cuts } else { CutSet::NONE };
        Some((written, carried.with(self.gives)))
    }
}

/// A value at a target that may hold something of a source.
#[derive(Debug, Clone, Copy)]
pub(super) struct ReachedValue {
    fact: usize,
    /// The cuts on its way that have not ended.
    pub(super) cuts: CutSet,
    /// True if it is no part of the value, and only decided about it.
    pub(super) decides: bool,
}

impl Spread {
    /// The values that reach a path of a vertex, nearest first. Many members of an enum, side by side in a list, may say anything.
    pub(super) fn reaching(&self, vertex: VertexId, path: &[PathStep]) -> impl Iterator<Item = ReachedValue> {
        let facts = self.of_vertex.get(&vertex).map_or(&[][..], Vec::as_slice);
        facts.iter().map(|at| (*at, &self.facts[*at])).filter(move |(_, fact)| meet(&fact.path, path)).map(
            move |(at, fact)| {
                let in_list = fact.path.iter().skip(path.len()).any(|step| *step == ITEM);
                ReachedValue {
                    fact: at,
                    cuts: if in_list { CutSet::NONE } else { fact.cuts },
                    decides: fact.decides,
                }
            },
        )
    }
}
