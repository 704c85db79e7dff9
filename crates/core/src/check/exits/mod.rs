//! Ways out: the causes that can leave a node, and the edges that answer them.
//!
//! One table a graph, called graphs before those that call them, has for every node the causes that can leave it: errors,
//! time-outs, calls whose outcome nobody knows, refused budgets. What no edge of a node answers goes on to the composite
//! around it; so does what an edge raises that is taken after another one failed. What leaves a called graph is an error of
//! the node that calls it. Two rules read the table: an edge on a cause that cannot occur is dead, and a cause that the world
//! may bring about and that ends the run is unhandled.
//!
//! # Why
//! - The table has more causes than there are, never fewer: an edge is not called dead for want of knowledge.
//! - Unhandled causes are looked for from the graph that was asked for. A called graph whose errors its caller answers
//!   is in order; checked by itself it is not.
//! - A `fail` statement is the graph's own word: a run of the graph may end with its kind, and a caller has to answer it.
//! - What an operator does, a call whose outcome nobody knows and faults of evaluation need no edge: they stand in
//!   the table of run-time faults.

mod answers;
mod causes;
mod dead;
mod lists;
mod paste;
mod rooms;
mod second;
mod table;
mod unhandled;
mod used_up;

use self::table::GraphExits;
use crate::diag::Diagnostic;
use crate::model::typing::dependencies_first;
use crate::model::{Graph, Model};

/// The tables of all graphs of a model.
pub(super) struct Exits {
    graphs: Vec<Option<GraphExits>>,
}

impl Exits {
    pub(super) fn of(model: &Model) -> Self {
        let called =
            |graph: &Graph| graph.called().into_iter().map(|id| id.0 as usize).collect::<Vec<usize>>();
        let calls: Vec<Vec<usize>> = model.graphs.iter().map(called).collect();
        let mut graphs: Vec<Option<GraphExits>> = model.graphs.iter().map(|_| None).collect();
        for id in dependencies_first(&calls).0 {
            graphs[id] = Some(GraphExits::of(&model.graphs[id], &graphs));
        }
        Self { graphs }
    }

    /// Edges that can never be taken for what they answer.
    pub(super) fn judge_edges(&self, model: &Model, findings: &mut Vec<Diagnostic>) {
        for (graph, exits) in model.graphs.iter().zip(&self.graphs) {
            if let Some(exits) = exits {
                dead::judge(graph, exits, findings);
            }
        }
    }

    /// Causes that no edge answers, so that a run of the graph that was asked for ends by them.
    pub(super) fn judge_ends(&self, model: &Model, findings: &mut Vec<Diagnostic>) {
        if let (Some(graph), Some(Some(exits))) = (model.graphs.first(), self.graphs.first()) {
            unhandled::judge(graph, exits, findings);
        }
    }
}
