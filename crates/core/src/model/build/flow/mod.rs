//! Types all nodes and edges while facts flow along the control-flow graph.
//!
//! The facts at a node's entry are those that hold on every path that leads there. A node is typed anew when
//! that shrinks; the findings of its last typing count. Facts only ever shrink, so this ends.

mod arrival;
mod layout;

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

use rustc_hash::FxHashMap;

pub(super) use self::layout::layout;
use super::context::{Context, named, text};
use super::edges::{self, Begun, Leaving, Typed};
use super::keys::Keys;
use super::kinds;
use super::slots;
use super::work::{Target, Work, put};
use crate::diag::{Diagnostic, rule};
use crate::model::cfg::{Cfg, PointId, Step};
use crate::model::expr::{Block, SlotKind};
use crate::model::graph::Graph;
use crate::model::node::{Node, NodeId, NodeKind, Retry};
use crate::model::typing::{Cx, Facts, Here, Path, Reach, Rendering, Root};
use crate::syntax::KindName;
use crate::syntax::ast;
use crate::syntax::tree::{EdgeDecl, KeyValue, NodeDecl};

/// A node that is typed more often than this is taken to know nothing at its entry: bounds the work on hostile graphs.
const MAX_TYPINGS_OF_A_NODE: u32 = 24;

/// A node as its last typing left it.
struct Made {
    entry: Block,
    then: Block,
    kind: NodeKind,
    timeout: Option<crate::model::expr::Expr>,
    retry: Option<Box<Retry>>,
    edges: Vec<Typed>,
    renderings: Vec<Rendering>,
    findings: Vec<Diagnostic>,
    /// The facts after the entry statements.
    entered: Facts,
    /// The facts that hold wherever it fails.
    failed: Facts,
    /// The facts when it is done.
    done: Facts,
}

struct Flow<'c, 'u> {
    cx: &'c Context<'u>,
    cfg: &'c Cfg,
    /// The facts at each point so far.
    known: Vec<Facts>,
    made: Vec<Option<Made>>,
    rounds: Vec<u32>,
    /// Nodes to type, by their place in a flow order.
    open: BinaryHeap<Reverse<(u32, u32)>>,
    queued: Vec<bool>,
    order: Vec<u32>,
    /// The state of each composite, and whether it starts as something else than null.
    inside: FxHashMap<NodeId, Vec<(Path, bool)>>,
    /// The number of findings.
    faults: usize,
}

/// After so many findings the rest of a graph is not looked at: each may cost a search for a name that was meant.
const MAX_FINDINGS: usize = 300;

/// Types all nodes and edges and puts them into the graph. Gives what is known where the graph ends; [`None`] where
/// so much is wrong that it gave up.
pub(super) fn run(
    cx: &Context<'_>,
    cfg: &Cfg,
    known: Facts,
    graph: &mut Graph,
    sink: &mut Vec<Diagnostic>,
) -> Option<Facts> {
    let count = cx.plan.nodes.len();
    let mut flow = Flow {
        cx,
        cfg,
        known: vec![Facts::unreached(); cfg.len()],
        made: (0..count).map(|_| None).collect(),
        rounds: vec![0; count],
        open: BinaryHeap::new(),
        queued: vec![false; count],
        order: cfg.flow_order(),
        inside: FxHashMap::default(),
        faults: 0,
    };
    flow.note_inner_state(graph);
    if let Some(start) = cfg.first(cfg.start()) {
        flow.arrive(None, start, known);
    }
    while let Some(Reverse((_, index))) = flow.open.pop() {
        let id = NodeId::new(index as usize);
        flow.queued[id.index()] = false;
        flow.visit(id);
        if flow.is_full() {
            return flow.give_up(sink);
        }
    }
    // What is never reached is typed too, so that its faults are found.
    for id in cx.plan.ids() {
        if flow.made[id.index()].is_none() {
            let made = flow.make(id, &Facts::unreached());
            flow.faults += made.findings.len();
            flow.made[id.index()] = Some(made);
            if flow.is_full() {
                return flow.give_up(sink);
            }
        }
    }
    Some(flow.finish(graph, sink))
}

impl Flow<'_, '_> {
    const fn is_full(&self) -> bool {
        self.faults > MAX_FINDINGS
    }

    /// Reports what was found so far, and that there may be more.
    fn give_up(self, sink: &mut Vec<Diagnostic>) -> Option<Facts> {
        for made in self.made.into_iter().flatten() {
            sink.extend(made.findings);
        }
        if let Some(last) = sink.iter().map(Diagnostic::span).max() {
            let message = "too much is wrong with this graph: the rest was not looked at";
            sink.push(
                Diagnostic::error(rule::TOO_MANY_FINDINGS, last, message)
                    .help("fix the first ones and check again"),
            );
        }
        None
    }

    fn note_inner_state(&mut self, graph: &Graph) {
        for (i, slot) in graph.slots.iter().enumerate() {
            if let SlotKind::Inner(home) = slot.kind {
                let path = Path::root(Root::Slot(slots::id(i)));
                self.inside.entry(home).or_default().push((path, slots::is_set(slot)));
            }
        }
    }

    fn queue(&mut self, id: NodeId) {
        if !std::mem::replace(&mut self.queued[id.index()], true) {
            let index = u32::try_from(id.index()).expect("nodes are limited by the file's size");
            self.open.push(Reverse((self.order[id.index()], index)));
        }
    }

    fn visit(&mut self, id: NodeId) {
        let entry = self.cfg.node(id).index();
        let rounds = &mut self.rounds[id.index()];
        *rounds += 1;
        if *rounds > MAX_TYPINGS_OF_A_NODE {
            self.known[entry] = Facts::default();
        }
        let facts = self.known[entry].clone();
        let made = self.make(id, &facts);
        // A node that is typed again reports again; what it reported before no longer counts.
        let before = self.made[id.index()].as_ref().map_or(0, |old| old.findings.len());
        self.faults = self.faults + made.findings.len() - before;
        self.leave(id, &made);
        self.made[id.index()] = Some(made);
    }

    /// Passes on what is known after a node.
    fn leave(&mut self, id: NodeId, made: &Made) {
        let cfg = self.cfg;
        let edges = made.edges.iter().filter(|edge| edge.to.is_some());
        for (edge, to) in edges.zip(cfg.targets(id)) {
            // A composite's `done` edges are only taken when an inner final was entered: no facts, no way.
            if !edge.after.is_unreached() {
                self.arrive(Some(id), to, edge.after.clone());
            }
        }
        if let Some(first) = cfg.first(cfg.node(id)) {
            self.arrive_inside(id, first, made.entered.clone());
        }
        // From the point where it failed: what a composite itself does is in what is known there.
        for (step, to) in cfg.steps(cfg.failed(id)) {
            match step {
                Step::Finish => self.meet_exit(to, &made.done),
                Step::Fail => self.meet_exit(to, &made.failed),
                Step::Begin | Step::Edge(_) => {}
            }
        }
    }

    /// The facts where a composite is left. One without nodes is never left.
    fn known_at_exit(&self, composite: NodeId, exit: PointId) -> Facts {
        if self.cfg.is_composite(composite) { self.known[exit.index()].clone() } else { Facts::unreached() }
    }

    /// A context for what is in a composite.
    fn context<'s>(&'s self, home: Option<NodeId>, facts: Facts, sink: &'s mut Vec<Diagnostic>) -> Cx<'s> {
        let here = Here { composite: home, ..Here::new(Reach::All) };
        Cx::new(&self.cx.scope, self.cx.types, here, sink).knowing(facts)
    }

    /// Types a node with what is known at its entry.
    fn make(&self, id: NodeId, known: &Facts) -> Made {
        let planned = self.cx.plan.at(id);
        let decl = planned.decl;
        let unknown = self.cx.kinds[id.index()].is_none();
        let kind = self.cx.kinds[id.index()].unwrap_or(KindName::Action);
        let is_composite = !planned.children.is_empty() || kind == KindName::Composite;
        let home = if is_composite { Some(id) } else { planned.parent };
        let keys = Keys::of_node(decl, kind);
        let mut findings = Vec::new();
        let mut at = self.context(home, known.clone(), &mut findings);
        let entry = decl.entry.as_ref().map(|block| at.block(block)).unwrap_or_default();
        if decl.unread.has_key("do") {
            at.facts = Facts::error();
        }
        let entered = at.facts.of_slots();
        let mut work = if unknown { Work::unknown() } else { kinds::work(self.cx, id, kind, &keys, &mut at) };
        let timeout = kinds::timeout(&keys, &mut at);
        let retry = super::retry::retry(self.cx, &keys, &mut at);
        for (target, ty) in std::mem::take(&mut work.into) {
            if let Some(place) = place(&keys, decl, &target) {
                match at.into_place(&place, &ty) {
                    Some(place) => put(&mut work.kind, target, place),
                    None => at.facts = Facts::error(),
                }
            }
        }
        if unknown || decl.unread.has_key("into") || decl.unread.has_key("merge") {
            at.facts = Facts::error();
        }
        let stored = at.facts.of_slots();
        let mut renderings = std::mem::take(&mut at.renderings);
        let mut done = stored.clone();
        let mut then = Block::default();
        if let Some(block) = &decl.then {
            let here = Here { composite: home, result: work.result.clone(), ..Here::new(Reach::All) };
            let mut at = Cx::new(&self.cx.scope, self.cx.types, here, &mut findings).knowing(stored);
            then = at.block(block);
            renderings.append(&mut at.renderings);
            done = at.facts.of_slots();
        }
        if decl.unread.has_key("then") {
            done = Facts::error();
        }
        // A list that fails is undone, so a failure is met with what was known before or after each list.
        let mut failed = known.of_slots().meet(&entered).meet(&done);
        if is_composite {
            failed = failed.meet(&self.known_at_exit(id, self.cfg.failed(id)));
            done = if unknown { Facts::error() } else { self.known_at_exit(id, self.cfg.done(id)) };
        }
        let begun = self.begun(decl, &work, &entered);
        let composite = is_composite || unknown;
        let leaving = Leaving { done, failed, begun, result: work.result, composite };
        let none: &[EdgeDecl] = &[];
        let edges =
            edges::edges(self.cx, home, decl.edges.as_deref().unwrap_or(none), &leaving, &mut findings);
        let Leaving { done, failed, .. } = leaving;
        let kind = work.kind;
        Made { entry, then, kind, timeout, retry, edges, renderings, findings, entered, failed, done }
    }

    /// The facts once the effect of a node began, if it has one.
    fn begun(&self, decl: &NodeDecl, work: &Work, entered: &Facts) -> Option<Begun> {
        let has_effect = match work.kind {
            NodeKind::Action | NodeKind::Choice | NodeKind::Composite(_) | NodeKind::Final(_) => false,
            NodeKind::Model(_)
            | NodeKind::Tool(_)
            | NodeKind::Human(_)
            | NodeKind::Call(_)
            | NodeKind::Each(_)
            | NodeKind::Parallel(_)
            | NodeKind::Wait(_) => true,
        };
        has_effect.then(|| {
            let mut fails = BTreeSet::new();
            let of_edges = decl.edges.iter().flatten().filter_map(|edge| edge.action.as_ref());
            for block in decl.entry.iter().chain(&decl.then).chain(of_edges) {
                self.cx.scope.add_fail_kinds(block, &mut fails);
            }
            Begun { facts: entered.clone(), fails }
        })
    }

    fn finish(self, graph: &mut Graph, sink: &mut Vec<Diagnostic>) -> Facts {
        // A node of unknown kind may be a final.
        let unknown = self.cx.kinds.iter().any(Option::is_none);
        let mut end = if unknown { Facts::error() } else { Facts::unreached() };
        let mut all: Vec<Vec<Typed>> = Vec::with_capacity(self.made.len());
        for (id, made) in self.cx.plan.ids().zip(self.made) {
            let Some(mut made) = made else { continue };
            let planned = self.cx.plan.at(id);
            let decl = planned.decl;
            if let Some(kind) = self.cx.kinds[id.index()] {
                Keys::check_owners(decl, kind, sink);
            }
            sink.append(&mut made.findings);
            graph.renderings.append(&mut made.renderings);
            if planned.parent.is_none() && matches!(made.kind, NodeKind::Final(_)) {
                end = end.meet(&made.done);
            }
            graph.graph.add_node(Node {
                name: named(&decl.name),
                title: text(decl.title.as_ref()),
                doc: text(decl.doc.as_ref()),
                parent: planned.parent,
                kind: made.kind,
                entry: made.entry,
                then: made.then,
                timeout: made.timeout,
                retry: made.retry,
                edges: Vec::with_capacity(made.edges.len()),
                known: made.done,
                span: decl.span,
            });
            all.push(made.edges);
        }
        for (source, edges) in self.cx.plan.ids().zip(all) {
            add_edges(graph, source, edges);
        }
        end
    }
}

fn add_edges(graph: &mut Graph, source: NodeId, edges: Vec<Typed>) {
    for mut typed in edges {
        graph.renderings.append(&mut typed.renderings);
        if let Some(to) = typed.to {
            let id = graph.graph.add_edge(source, to, typed.edge);
            graph.graph[source].edges.push(id);
        }
    }
}

/// The place a key names.
fn place(keys: &Keys<'_>, decl: &NodeDecl, target: &Target) -> Option<ast::Place> {
    let value = match target {
        Target::Node => keys.value("into")?,
        Target::Branch(i) => {
            let keys = &decl.branches.get(*i)?.keys;
            keys.iter().find(|(key, _)| key.value == "into").map(|(_, value)| value)?
        }
        Target::Merge(_) => keys.value("merge")?,
    };
    match value {
        KeyValue::Place(place) => Some(place.clone()),
        KeyValue::Name(root) => Some(ast::Place { root: root.clone(), steps: Vec::new(), span: root.span }),
        _ => None,
    }
}
