//! Nodes, edges and branches that were taken, each with the first run that took it.

use super::trail::Trail;
use crate::machine::{Changes, Event, EventCursor, EventKind};
use crate::program::Program;

/// A part of a graph that a run can take.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ProgramPart {
    /// A node: its graph and its number.
    Node(u32, u32),
    /// An edge: its graph and its number.
    Edge(u32, u32),
    /// A branch of an `if`, by its number in the program.
    Branch(u32),
}

/// The parts of a program that were taken.
#[derive(Debug)]
pub(super) struct CoveredParts {
    /// The first number of the nodes of each graph, then that of its edges.
    starts: Vec<(usize, usize)>,
    branches: usize,
    first: Vec<Option<Trail>>,
}

impl CoveredParts {
    pub(super) fn of(program: &Program) -> Self {
        let mut count = 0;
        let mut starts = Vec::new();
        for graph in &program.graphs {
            starts.push((count, count + graph.nodes.len()));
            count += graph.nodes.len() + graph.edges.len();
        }
        let branches = count;
        let first = vec![None; count + program.branches as usize];
        Self { starts, branches, first }
    }

    fn number(&self, part: ProgramPart) -> usize {
        match part {
            ProgramPart::Node(graph, node) => self.starts[graph as usize].0 + node as usize,
            ProgramPart::Edge(graph, edge) => self.starts[graph as usize].1 + edge as usize,
            ProgramPart::Branch(branch) => self.branches + branch as usize,
        }
    }

    /// The parts that events take for the first time.
    pub(super) fn new_parts(
        &self,
        program: &Program,
        mut cursor: EventCursor,
        events: &[Event],
    ) -> Vec<ProgramPart> {
        let mut found = Vec::new();
        let mut add = |part: ProgramPart| {
            if self.first[self.number(part)].is_none() && !found.contains(&part) {
                found.push(part);
            }
        };
        for event in events {
            let place = cursor.next(program, event);
            if let Some(node) = place.enters {
                add(ProgramPart::Node(place.graph, node));
            }
            if let EventKind::Took { edge, .. } = &event.kind {
                add(ProgramPart::Edge(place.graph, *edge));
            }
            for branch in event.kind.changes().into_iter().flat_map(Changes::branches) {
                add(ProgramPart::Branch(branch));
            }
        }
        found
    }

    /// Notes the first run that takes a part.
    pub(super) fn take(&mut self, part: ProgramPart, trail: &Trail) {
        let number = self.number(part);
        self.first[number].get_or_insert_with(|| trail.clone());
    }

    /// The first run that takes a part.
    pub(super) fn first(&self, part: ProgramPart) -> Option<&Trail> {
        self.first[self.number(part)].as_ref()
    }

    /// All parts of a program, in order.
    pub(super) fn all(program: &Program) -> Vec<ProgramPart> {
        let mut all = Vec::new();
        for (graph, own) in (0..).zip(&program.graphs) {
            all.extend((0..).zip(&own.nodes).map(|(node, _)| ProgramPart::Node(graph, node)));
            all.extend((0..).zip(&own.edges).map(|(edge, _)| ProgramPart::Edge(graph, edge)));
        }
        all.extend((0..program.branches).map(ProgramPart::Branch));
        all
    }
}
