//! Variables that something may still read, by the place where a run waits.
//!
//! Two states that differ only in variables that nothing reads any more go on alike. What only goes out to models, tools and
//! people is no reading, unless working it out may fail.

mod judged;
mod of_type;
mod reads;
mod results;
mod slot_set;
mod total;

use petgraph::graph::NodeIndex;
use rustc_hash::FxHashMap;

pub(super) use self::of_type::is_unbounded_list;
pub(super) use self::reads::GraphReads;
pub(super) use self::results::ReadResults;
pub(super) use self::slot_set::{SeenParts, SlotParts, SlotSet};
use crate::model::cfg::{Point, PointId, Step};
use crate::model::expr::{Block, Statement, StatementKind};
use crate::model::node::{EdgeId, NodeId, NodeKind, Trigger};
use crate::model::{Graph, Model};

/// The variables of one graph that may still be read.
#[derive(Debug)]
pub(super) struct LiveSlots {
    /// By node: while it waits for something outside.
    wait: Vec<SlotSet>,
    /// By node: when it is about to be left.
    leave: Vec<SlotSet>,
}

/// What may still be read in a model.
#[derive(Debug, Default)]
pub(super) struct ModelReads {
    /// By graph: the variables that may be read while a run is somewhere.
    pub(super) live: Vec<LiveSlots>,
    /// By graph: those that may be read after each statement.
    pub(super) after: Vec<ReadAfter>,
    /// The parts of results that callers read.
    pub(super) results: ReadResults,
}

impl ModelReads {
    pub(super) fn of(model: &Model) -> Self {
        let mut all = Self::default();
        for (number, graph) in (0..).zip(&model.graphs) {
            // The first graph is called by none: what it gives at its end only goes out.
            LiveFlow::new(graph, number > 0).solve(model, &mut all);
        }
        all
    }
}

impl LiveSlots {
    /// The variables that may be read after a node that waits for something outside.
    pub(super) fn while_waiting(&self, node: u32) -> &SlotSet {
        &self.wait[node as usize]
    }

    /// The variables that may be read when a node is left.
    pub(super) fn when_left(&self, node: u32) -> &SlotSet {
        &self.leave[node as usize]
    }
}

/// The variables of one graph that may be read after each of its statements, wherever it is called from.
#[derive(Debug, Default)]
pub(super) struct ReadAfter(FxHashMap<*const Statement, SlotSet>);

impl ReadAfter {
    fn add(&mut self, statement: &Statement, after: &SlotSet) {
        let known = self.0.entry(std::ptr::from_ref(statement)).or_default();
        *known = std::mem::take(known).with(after);
    }

    /// The variables that may be read after a statement; nothing for one that is never run.
    pub(super) fn get(&self, statement: &Statement) -> Option<&SlotSet> {
        self.0.get(&std::ptr::from_ref(statement))
    }
}

/// The backward flow of what is read.
struct LiveFlow<'m> {
    graph: &'m Graph,
    reads: GraphReads<'m>,
    /// By node: what properties read where it is entered.
    judged: Vec<SlotSet>,
    /// True if another graph may call this one.
    is_called: bool,
    /// By point: what may be read from there on.
    live: Vec<SlotSet>,
    /// What may be read after each statement, once that is known of all points.
    after: Option<ReadAfter>,
}

/// Variables that may be read after a point, by the path on which it is left.
struct Exits {
    done: SlotSet,
    failed: SlotSet,
}

impl<'m> LiveFlow<'m> {
    fn new(graph: &'m Graph, is_called: bool) -> Self {
        let live = vec![SlotSet::default(); graph.cfg.len()];
        let reads = GraphReads::new(graph);
        let judged = reads.judged();
        Self { graph, reads, judged, is_called, live, after: None }
    }

    fn solve(mut self, model: &Model, to: &mut ModelReads) {
        self.settle();
        self.add_results(model, &mut to.results);
        let nodes = || self.graph.graph.node_indices();
        let wait = nodes().map(|node| self.waiting(node)).collect();
        let leave = nodes().map(|node| self.leaving(node)).collect();
        // Once more, now that all is known.
        self.after = Some(ReadAfter::default());
        for at in 0..self.graph.cfg.len() {
            self.at(NodeIndex::new(at));
        }
        to.live.push(LiveSlots { wait, leave });
        to.after.extend(self.after);
    }

    fn settle(&mut self) {
        loop {
            let mut changed = false;
            for at in (0..self.graph.cfg.len()).rev() {
                let live = self.at(NodeIndex::new(at));
                changed |= live != self.live[at];
                self.live[at] = live;
            }
            if !changed {
                break;
            }
        }
    }

    /// Variables that may be read from a point on.
    fn at(&mut self, point: PointId) -> SlotSet {
        match self.graph.cfg.point(point) {
            Point::Node(node) if !self.graph.cfg.is_composite(node) => {
                let own = &self.graph.graph[node];
                let failed = self.exits(point).failed;
                // Properties are judged between `do` and the work.
                let after =
                    self.waiting(node).with(&self.reads.of_work(own)).with(&self.judged[node.index()]);
                self.before(&own.entry, after).with(&failed)
            }
            Point::Start | Point::Node(_) | Point::Done(_) | Point::Failed(_) => {
                let exits = self.exits(point);
                exits.done.with(&exits.failed)
            }
            Point::End => self.reads.at_end(self.is_called),
        }
    }

    /// Variables that may be read while a leaf waits.
    fn waiting(&mut self, node: NodeId) -> SlotSet {
        let own = &self.graph.graph[node];
        let failed = self.exits(self.graph.cfg.node(node)).failed;
        let mut after = self.stored(node);
        if let Some(place) = own.kind.into_place().filter(|place| place.steps.is_empty()) {
            after.remove(place.slot);
        }
        let after = after.with(&self.reads.of_results(&own.kind));
        after.with(&failed).with(&self.reads.of_wait(own)).with(&self.reads.always)
    }

    /// Variables that may be read once the answer of a leaf is stored.
    fn stored(&mut self, node: NodeId) -> SlotSet {
        let exits = self.exits(self.graph.cfg.node(node));
        self.before(&self.graph.graph[node].then, exits.done.with(&exits.failed))
    }

    /// Variables that may be read when a node is left, on any path.
    fn leaving(&mut self, node: NodeId) -> SlotSet {
        let cfg = &self.graph.cfg;
        let mut all = self.reads.always.clone();
        for point in [cfg.node(node), cfg.done(node), cfg.failed(node)] {
            let exits = self.exits(point);
            all = all.with(&exits.done).with(&exits.failed);
        }
        all
    }

    fn exits(&mut self, point: PointId) -> Exits {
        let mut exits = Exits { done: SlotSet::default(), failed: SlotSet::default() };
        let graph = self.graph;
        let steps: Vec<_> = graph.cfg.steps(point).collect();
        for (step, to) in steps {
            match step {
                Step::Begin | Step::Finish => {
                    let next = self.target(point, to);
                    exits.done = exits.done.with(&next);
                }
                Step::Fail => exits.failed = exits.failed.with(&self.live[to.index()]),
                Step::Edge(edge) => {
                    let taken = self.edge(point, edge, to);
                    let on = &graph.graph[edge].on;
                    if on.iter().any(Trigger::is_done) {
                        exits.done = exits.done.with(&taken);
                    }
                    if on.iter().any(|trigger| !trigger.is_done()) {
                        exits.failed = exits.failed.with(&taken);
                    }
                }
            }
        }
        // What an edge does may fail, and another edge answers.
        exits.done = exits.done.with(&exits.failed);
        exits
    }

    fn edge(&mut self, point: PointId, edge: EdgeId, to: PointId) -> SlotSet {
        let own = &self.graph.graph[edge];
        let next = self.target(point, to);
        self.before(&own.action, next).with(&self.reads.of_edge(own))
    }

    /// Variables that may be read from the target of a step on: the composites that it enters are begun afresh. A target that is one
    /// is begun by its own step to its first node.
    fn target(&mut self, from: PointId, to: PointId) -> SlotSet {
        let cfg = &self.graph.cfg;
        let mut live = self.live[to.index()].clone();
        let Point::Node(target) = cfg.point(to) else { return live };
        let source = match cfg.point(from) {
            Point::Node(node) | Point::Done(node) | Point::Failed(node) => Some(node),
            Point::Start | Point::End => None,
        };
        for composite in
            cfg.entered(source, target).into_iter().rev().filter(|composite| *composite != target)
        {
            let failed = self.graph.cfg.failed(composite);
            live = self.entered(composite, live).with(&self.live[failed.index()]);
        }
        live
    }

    /// Variables that may be read before a composite is entered, unless that fails.
    fn entered(&mut self, composite: NodeId, after: SlotSet) -> SlotSet {
        let own = &self.graph.graph[composite];
        let mut live = self.before(&own.entry, after);
        if let NodeKind::Composite(inner) = &own.kind {
            for slot in inner.slots.iter().rev() {
                live.remove(*slot);
                if let Some(init) = &self.graph.slots[slot.0 as usize].init {
                    live = live.with(&self.reads.of(init));
                }
            }
            live = live.with(&self.reads.of_limits(composite));
        }
        live
    }

    /// Variables that may be read before a list of statements.
    fn before(&mut self, block: &'m Block, after: SlotSet) -> SlotSet {
        block.statements.iter().rev().fold(after, |after, statement| self.before_one(statement, after))
    }

    fn before_one(&mut self, statement: &'m Statement, mut after: SlotSet) -> SlotSet {
        if let Some(known) = &mut self.after {
            known.add(statement, &after);
        }
        match &statement.kind {
            StatementKind::Assign { place, add, value } => {
                if place.steps.is_empty() && !add {
                    after.remove(place.slot);
                } else if self.reads.is_unread(&after, place, *add) && self.reads.is_total(value) {
                    // A value is put into something that nothing looks into.
                    return after.with(&self.reads.of_place(place));
                } else {
                    after.insert(place.slot);
                }
                after.with(&self.reads.of(value)).with(&self.reads.of_place(place))
            }
            StatementKind::If(arms, otherwise) => {
                let mut all = match otherwise {
                    Some(body) => self.before(body, after.clone()),
                    None => after.clone(),
                };
                for (condition, body) in arms {
                    all = all.with(&self.before(body, after.clone())).with(&self.reads.of(condition));
                }
                all
            }
            StatementKind::For(_, list, body) => {
                // What a turn reads may be written by any before it.
                let mut turn = after;
                loop {
                    let more = self.before(body, turn.clone()).with(&turn);
                    if more == turn {
                        break turn.with(&self.reads.of(list));
                    }
                    turn = more;
                }
            }
            StatementKind::Call(id) => {
                let body = &self.graph.actions[id.0 as usize].body;
                self.before(body, after)
            }
            StatementKind::Emit(_, payload) => match payload {
                Some(payload) => after.with(&self.reads.of_sent(payload)),
                None => after,
            },
            StatementKind::Let(..) | StatementKind::Spend(..) | StatementKind::Fail(..) => {
                after.with(&self.reads.of_statement(statement))
            }
        }
    }
}
