//! The graph that a lane of an old program runs, and the one it runs on by.

use super::Carrier;
use super::pairing::Pairing;
use crate::machine::snapshot::{Lane, Phase};
use crate::program::graph::{Linked, LinkedNodeKind};
use crate::program::kind::{Candidate, GraphSource};

/// The graph of a lane on one side.
#[derive(Debug, Clone, Copy)]
pub(super) struct LaneGraph {
    /// Its number among those that the node chooses from.
    pub(super) choice: u32,
    /// Its number in the program.
    pub(super) graph: u32,
}

impl LaneGraph {
    /// The graph of that number of a node's lane.
    pub(super) fn of(kind: &LinkedNodeKind, lane: u32, choice: u32) -> Option<Self> {
        Some(Self { choice, graph: kind.source(lane)?.get(choice)?.graph })
    }
}

impl<'a> Carrier<'a> {
    /// The number of the graph that a lane of this caller runs in the new program. One that its node does not call any more is
    /// reported.
    pub(super) fn callee(&mut self, pairing: &Pairing<'a>, caller: &Lane, lane: u32) -> Option<u32> {
        let Phase::Joining(join) = &caller.phase else { return None };
        let was = &pairing.old.nodes[caller.frame.node as usize].kind;
        let is = &pairing.new.nodes[pairing.node(caller.frame.node)? as usize].kind;
        let found = self.graph_now(was, is, lane, join.choice(lane));
        if found.is_none() {
            self.refuse_graph(was, is, lane, join.choice(lane));
        }
        found.map(|found| found.graph)
    }

    /// The graph that a lane runs in the new program: the only one, or the same one as before, by its name or under another one.
    /// Where none is the same it is the one of the same name, which is reported as another graph.
    pub(super) fn graph_now(
        &self,
        was: &LinkedNodeKind,
        is: &LinkedNodeKind,
        lane: u32,
        choice: u32,
    ) -> Option<LaneGraph> {
        let now = match is.source(lane)? {
            GraphSource::Fixed(_) => 0,
            GraphSource::Computed { among, .. } => {
                let before = name(was.source(lane)?, choice);
                let graph = was.source(lane)?.get(choice)?.graph;
                let named = |one: &Candidate<Linked>| Some(one.name.as_str()) == before;
                let same = |one: &Candidate<Linked>| self.is_same(graph, one.callable.graph);
                let all = among.iter();
                let found = all.clone().position(|one| named(one) && same(one));
                let found = found.or_else(|| all.clone().position(same));
                u32::try_from(found.or_else(|| all.clone().position(named))?).ok()?
            }
        };
        LaneGraph::of(is, lane, now)
    }

    /// Reports a graph that a node does not call any more.
    pub(super) fn refuse_graph(&mut self, was: &LinkedNodeKind, is: &LinkedNodeKind, lane: u32, choice: u32) {
        let Some(own) = LaneGraph::of(was, lane, choice) else { return };
        let Some(GraphSource::Computed { among, .. }) = is.source(lane) else { return };
        let own = &self.old.graphs[own.graph as usize].id;
        let now = among.iter().map(|one| format!("`{}`", self.new.graphs[one.callable.graph as usize].id));
        let now = now.collect::<Vec<_>>().join(", ");
        self.refuse(format!("it runs the graph `{own}`; now its node chooses from {now}"));
    }

    /// True if a graph of the old program is that of the new one, perhaps under an earlier name.
    pub(super) fn is_same(&self, old: u32, new: u32) -> bool {
        let (was, is) = (&self.old.graphs[old as usize].id, &self.new.graphs[new as usize]);
        *was == is.id || is.migration.graph.as_ref() == Some(was)
    }
}

fn name(source: &GraphSource<Linked>, choice: u32) -> Option<&str> {
    match source {
        GraphSource::Fixed(_) => None,
        GraphSource::Computed { among, .. } => among.get(choice as usize).map(|one| one.name.as_str()),
    }
}
