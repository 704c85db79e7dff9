//! The path of a run: its events without what differs from one run of the same way to the next. Nodes, edges and graphs go
//! by their names, lanes by their paths, so that the ways of two programs can be compared with each other.

use crate::machine::{Call, Done, Event, EventCursor, EventKind, Question, Request};
use crate::program::Program;
use crate::program::graph::GraphCode;
use crate::value::{Str, Value};

/// Something that belongs to the way of a run, and the lane it happened in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathSign {
    /// The path of the lane; empty for the root graph.
    pub lane: Str,
    /// The node the lane is at.
    pub node: Str,
    /// The mark.
    pub mark: PathMark,
}

/// The parts of a run's path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PathMark {
    /// A graph began in this lane.
    Began {
        /// The id of the graph.
        graph: Str,
    },
    /// A node was entered.
    At {
        /// The name of the node.
        node: Str,
    },
    /// An edge was taken.
    Took {
        /// The name of the node it leaves.
        from: Str,
        /// The name of the node it leads to.
        to: Str,
    },
    /// A call was made.
    Called(Box<Call>),
    /// A failed call is tried again.
    Again {
        /// The attempt that comes, from 2.
        attempt: u32,
    },
    /// A node ended with an error.
    Failed {
        /// The name of the node.
        node: Str,
        /// The kind of the error.
        kind: Str,
        /// The message.
        message: Str,
    },
    /// A person was asked.
    Asked(Box<Question>),
    /// The lane ended.
    Ended {
        /// The name of the outcome.
        outcome: Str,
        /// True if that is a success.
        ok: bool,
        /// The message of the error that ended it; empty where there is none.
        message: Str,
    },
}

impl PathMark {
    /// Returns true if both are the same thing on the path of a run, whatever they say: texts of requests, questions
    /// and errors may differ.
    #[must_use]
    pub fn is_alike(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Called(one), Self::Called(other)) => {
                let called = match (&one.request, &other.request) {
                    (Request::Model { role: one, .. }, Request::Model { role: other, .. })
                    | (Request::Tool { tool: one, .. }, Request::Tool { tool: other, .. }) => one == other,
                    _ => false,
                };
                called && one.node == other.node && one.attempt == other.attempt
            }
            (Self::Asked(one), Self::Asked(other)) => one.node == other.node && one.reason == other.reason,
            (
                Self::Failed { node: n1, kind: k1, message: _ },
                Self::Failed { node: n2, kind: k2, message: _ },
            ) => (n1, k1) == (n2, k2),
            (
                Self::Ended { outcome: o1, ok: k1, message: _ },
                Self::Ended { outcome: o2, ok: k2, message: _ },
            ) => (o1, k1) == (o2, k2),
            _ => self == other,
        }
    }
}

/// Reads events in order and keeps what belongs to the way.
#[derive(Debug, Clone)]
pub struct PathReader<'p> {
    program: &'p Program,
    cursor: EventCursor,
}

impl<'p> PathReader<'p> {
    /// A way before its first event.
    #[must_use]
    pub fn new(program: &'p Program) -> Self {
        Self { program, cursor: EventCursor::new() }
    }

    /// Takes the next event; gives what of it belongs to the way.
    pub fn next(&mut self, event: &Event) -> Option<PathSign> {
        let place = self.cursor.next(self.program, event);
        let graph = self.program.graphs.get(place.graph as usize);
        let mark = mark(graph, event)?;
        let node = match &mark {
            // An entry that fails is reported before the node is entered.
            PathMark::Failed { node, .. } | PathMark::At { node } => node.clone(),
            _ => name(graph, place.node),
        };
        Some(PathSign { lane: place.lane, node, mark })
    }
}

fn name(graph: Option<&GraphCode>, node: u32) -> Str {
    let node = graph.and_then(|graph| graph.nodes.get(node as usize));
    node.map(|node| node.name.clone()).unwrap_or_default()
}

/// The mark of an event on the path; `graph` is the graph it happened in.
fn mark(graph: Option<&GraphCode>, event: &Event) -> Option<PathMark> {
    Some(match &event.kind {
        EventKind::Started { .. } | EventKind::Opened { .. } => {
            PathMark::Began { graph: graph.map(|graph| graph.id.clone()).unwrap_or_default() }
        }
        EventKind::Crossed { node, .. } | EventKind::Entered { node, .. } => {
            PathMark::At { node: name(graph, *node) }
        }
        EventKind::Took { edge, .. } => {
            let edge = graph?.edges.get(*edge as usize)?;
            PathMark::Took { from: name(graph, edge.from), to: name(graph, edge.to) }
        }
        EventKind::Called(call) => PathMark::Called(call.clone()),
        EventKind::Retrying { attempt, .. } => PathMark::Again { attempt: *attempt },
        EventKind::Failed { node, error, .. } => {
            let (kind, message) = (text(error, "kind"), text(error, "message"));
            PathMark::Failed { node: name(graph, *node), kind, message }
        }
        EventKind::Asked(ask) => PathMark::Asked(ask.clone()),
        EventKind::Closed { outcome, ok, output } => {
            let message = if *ok { Str::new() } else { text(output, "message") };
            PathMark::Ended { outcome: outcome.clone(), ok: *ok, message }
        }
        EventKind::Done(done) => ended(done),
        _ => return None,
    })
}

fn ended(done: &Done) -> PathMark {
    PathMark::Ended { outcome: done.outcome.clone(), ok: done.ok, message: text(&done.error, "message") }
}

fn text(error: &Value, field: &str) -> Str {
    error.as_map().and_then(|map| map.get(field)).and_then(Value::as_str).unwrap_or_default().into()
}
