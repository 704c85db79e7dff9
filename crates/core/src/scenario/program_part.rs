//! The parts of a program that a run can take: nodes, edges and branches of `if`.

use std::fmt::Write as _;

use petgraph::visit::EdgeRef;

use crate::machine::{Changes, Event, EventCursor, EventKind, EventPlace};
use crate::model::Model;
use crate::model::node::NodeId;
use crate::program::Program;
use crate::source::Span;

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

impl ProgramPart {
    /// The word for its kind.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Node(..) => "node",
            Self::Edge(..) => "edge",
            Self::Branch(_) => "branch",
        }
    }
}

/// A part with its name and its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedPart {
    /// The part.
    pub part: ProgramPart,
    /// Its name in reports: a node's name, `a -> b`, `if`.
    pub name: String,
    /// Its place in the text.
    pub span: Span,
    /// Its number among the parts of its kind that have one place.
    pub number: u32,
}

/// All parts of a program: graph by graph its nodes, then its edges; at last the branches.
#[must_use]
pub fn program_parts(model: &Model, program: &Program) -> Vec<NamedPart> {
    let mut all = Vec::new();
    for (graph, own) in (0..).zip(&model.graphs) {
        for (node, weight) in (0..).zip(own.graph.node_weights()) {
            let (name, span) = (weight.name.value.to_string(), weight.name.span);
            all.push(NamedPart { part: ProgramPart::Node(graph, node), name, span, number: 0 });
        }
        for (number, edge) in (0..).zip(own.graph.edge_references()) {
            let name = |node: NodeId| own.graph[node].name.value.as_str();
            let mut text = format!("{} -> {}", name(edge.source()), name(edge.target()));
            if let Some(label) = edge.weight().label.as_ref().filter(|label| !label.is_empty()) {
                let _ = write!(text, " \"{label}\"");
            }
            let part = ProgramPart::Edge(graph, number);
            all.push(NamedPart { part, name: text, span: edge.weight().span, number: 0 });
        }
    }
    // The branches of one `if` may share a place: an absent `else` has that of its `if`.
    let mut number = 0;
    for (branch, span) in (0..).zip(&program.branch_spans) {
        let again =
            all.last().is_some_and(|last| matches!(last.part, ProgramPart::Branch(_)) && last.span == *span);
        number = if again { number + 1 } else { 0 };
        let name = if again { "if, not taken" } else { "branch of if" };
        all.push(NamedPart { part: ProgramPart::Branch(branch), name: name.to_owned(), span: *span, number });
    }
    all
}

/// Calls `take` for each part that events take. `cursor` stands before them.
pub fn each_taken(
    program: &Program,
    mut cursor: EventCursor,
    events: &[Event],
    take: &mut impl FnMut(ProgramPart),
) {
    for event in events {
        let place = cursor.next(program, event);
        taken_at(event, &place, take);
    }
}

/// Calls `take` for each part that an event takes, which happened at that place.
pub(crate) fn taken_at(event: &Event, place: &EventPlace, take: &mut impl FnMut(ProgramPart)) {
    if let Some(node) = place.enters {
        take(ProgramPart::Node(place.graph, node));
    }
    if let EventKind::Took { edge, .. } = &event.kind {
        take(ProgramPart::Edge(place.graph, *edge));
    }
    for branch in event.kind.changes().into_iter().flat_map(Changes::branches) {
        take(ProgramPart::Branch(branch));
    }
}
