//! All ways a run of a graph can take, point by point, with what each surely spends.
//!
//! A point is the work of a leaf, or a way in which a leaf or composite is left. Arcs follow the machine: an edge that is
//! taken, work that is done or fails, a failure that goes outward to the next composite.

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use super::lists::{Failures, Lists, Pays, Summary, add};
use crate::model::Graph;
use crate::model::expr::{BudgetId, BudgetRef, Expr, ExprKind};
use crate::model::node::{Edge, EdgeId, NodeId, NodeKind, Trigger};
use crate::program::graph::{Charge, Gate};
use crate::value::Value;

/// Index of a [`Point`].
pub(super) type PointId = u32;

/// Where a run can be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Point {
    /// Before anything.
    Start,
    /// At the end.
    End,
    /// About to do the work of a leaf.
    Work(NodeId),
    /// About to leave a leaf or composite, and whether an edge or guard of it failed before.
    Exit(NodeId, Cause, bool),
}

/// Why a node is left.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Cause {
    Done,
    /// By what evaluating can come to.
    Plain,
    /// By an error of any kind that `on: error` answers to.
    Any,
    /// By an error that must be named.
    Named,
    /// By a call whose outcome is not known.
    Unknown,
    /// By a spend that was refused.
    Exhausted(BudgetId),
}

/// What happens along an arc.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// The run begins.
    Start,
    /// A leaf does its work, or fails in it.
    Work(NodeId),
    /// A leaf fails before its work begins.
    Refused(NodeId),
    /// An edge is taken: a transition.
    Edge(EdgeId),
    /// Only what a failure is changes, or who is to handle it.
    Nothing,
}

/// A step from a point to the next.
#[derive(Debug, Clone)]
pub(super) struct Arc {
    pub(super) from: PointId,
    pub(super) to: PointId,
    pub(super) way: Way,
    /// What is surely spent.
    pub(super) pays: Pays,
    /// The composites that are entered; their budgets begin afresh.
    pub(super) enters: SmallVec<[NodeId; 2]>,
}

/// The points that can be reached and the arcs between them.
pub(super) struct Walk {
    pub(super) points: Vec<Point>,
    pub(super) arcs: Vec<Arc>,
}

impl Walk {
    pub(super) const START: PointId = 0;

    /// Lays out the ways of a graph; `called`: other graphs call it.
    pub(super) fn of(graph: &Graph, called: bool) -> Self {
        let mut laying = Laying::of(graph, called);
        laying.begin();
        let mut next = 1;
        while let Some(point) = laying.walk.points.get(next).copied() {
            laying.lay(PointId::try_from(next).expect("points are counted in u32"), point);
            next += 1;
        }
        laying.walk
    }
}

/// How surely a trigger answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Fit {
    No,
    Perhaps,
    Yes,
}

/// A walk while it is laid out.
struct Laying<'g> {
    graph: &'g Graph,
    walk: Walk,
    known: FxHashMap<Point, PointId>,
    entries: Vec<Summary>,
    thens: Vec<Summary>,
    actions: Vec<Summary>,
    /// Which nodes have an edge for a failure, or lie in one that has.
    hears: Vec<bool>,
    heard: Heard,
    /// Hard budgets that the runtime charges.
    metered: Vec<(BudgetId, Charge)>,
    pauses: bool,
    called: bool,
}

/// Which causes some edge of the graph answers to.
#[derive(Debug, Default)]
struct Heard {
    named: bool,
    unknown: bool,
    /// Any budget's exhaustion.
    exhausted: bool,
    budgets: FxHashSet<BudgetId>,
}

impl Heard {
    fn by(graph: &Graph) -> Self {
        let mut heard = Self::default();
        for trigger in graph.graph.edge_weights().flat_map(|edge| &edge.on) {
            heard.named |= answer(trigger, Cause::Named) > Fit::No;
            heard.unknown |= answer(trigger, Cause::Unknown) > Fit::No;
            match trigger {
                Trigger::Kind(kind) => heard.exhausted |= kind == "budget_exhausted",
                Trigger::Exhausted(BudgetRef::Counter(id) | BudgetRef::Meter(id, _)) => {
                    heard.budgets.insert(*id);
                }
                _ => {}
            }
        }
        heard
    }

    fn has(&self, cause: Cause) -> bool {
        match cause {
            Cause::Done | Cause::Plain | Cause::Any => true,
            Cause::Named => self.named,
            Cause::Unknown => self.unknown,
            Cause::Exhausted(id) => self.exhausted || self.budgets.contains(&id),
        }
    }
}

impl<'g> Laying<'g> {
    fn of(graph: &'g Graph, called: bool) -> Self {
        let lists = Lists::of(graph);
        let nodes = || graph.graph.node_weights();
        let mut hears: Vec<bool> = Vec::with_capacity(graph.graph.node_count());
        for node in nodes() {
            // Inner nodes stand behind their composite.
            let outer = node.parent.is_some_and(|outer| hears.get(outer.index()).copied().unwrap_or(true));
            let own = |id: &EdgeId| graph.graph[*id].on.iter().any(|t| !matches!(t, Trigger::Done));
            hears.push(outer || node.edges.iter().any(own));
        }
        let metered = graph.budgets.iter().zip(0..).filter(|(b, _)| b.gate == Gate::Hard);
        let paused = |kind: &NodeKind| matches!(kind, NodeKind::Composite(own) if own.pause.is_some());
        Self {
            graph,
            walk: Walk { points: Vec::new(), arcs: Vec::new() },
            known: FxHashMap::default(),
            entries: nodes().map(|n| lists.summary(&n.entry)).collect(),
            thens: nodes().map(|n| lists.summary(&n.then)).collect(),
            actions: graph.graph.edge_weights().map(|e| lists.summary(&e.action)).collect(),
            hears,
            heard: Heard::by(graph),
            called,
            metered: metered.filter_map(|(b, i)| Some((BudgetId(i), b.charge?))).collect(),
            pauses: graph.pause.is_some() || nodes().any(|n| paused(&n.kind)),
        }
    }

    fn point(&mut self, point: Point) -> PointId {
        let points = &mut self.walk.points;
        *self.known.entry(point).or_insert_with(|| {
            points.push(point);
            PointId::try_from(points.len() - 1).expect("points are counted in u32")
        })
    }

    fn arc(&mut self, from: PointId, to: Point, way: Way, pays: Pays, enters: &[NodeId]) {
        let to = self.point(to);
        self.walk.arcs.push(Arc { from, to, way, pays, enters: enters.into() });
    }

    /// A failure at a node: it is left so, or the run is over, if nobody could hear of it.
    fn fail(&mut self, from: PointId, at: (NodeId, bool), cause: Cause, how: (Way, Pays, &[NodeId])) {
        // At a pause it may still become another failure.
        let heard = self.hears[at.0.index()] && (self.pauses || self.heard.has(cause));
        let to = if heard { Point::Exit(at.0, cause, at.1) } else { Point::End };
        self.arc(from, to, how.0, how.1, how.2);
    }

    fn begin(&mut self) {
        let from = self.point(Point::Start);
        let start = self.graph.start;
        self.enter(from, start, &[], (Way::Start, Pays::new()));
    }

    fn lay(&mut self, id: PointId, point: Point) {
        match point {
            Point::Start | Point::End => {}
            Point::Work(node) => self.work(id, node),
            Point::Exit(node, cause, tried) => self.leave(id, node, cause, tried),
        }
    }

    // ---- the work of a leaf ---------------------------------------------------------------------------

    fn work(&mut self, from: PointId, id: NodeId) {
        let node = &self.graph.graph[id];
        let way = Way::Work(id);
        let (entry, then) = (self.entries[id.index()].clone(), self.thens[id.index()].clone());
        let mut whole = entry.clone();
        whole.follow(&then);
        if let Some(pays) = &whole.sure {
            match (&node.kind, node.parent) {
                (NodeKind::Final(_), None) => self.arc(from, Point::End, way, pays.clone(), &[]),
                (NodeKind::Final(_), Some(outer)) => {
                    self.arc(from, Point::Exit(outer, Cause::Done, false), way, pays.clone(), &[]);
                }
                _ => self.arc(from, Point::Exit(id, Cause::Done, false), way, pays.clone(), &[]),
            }
        }
        let refused = Way::Refused(id);
        for cause in causes(entry.fails) {
            self.fail(from, (id, false), cause, (refused, entry.before.clone(), &[]));
        }
        let charged = self.charged_by(&node.kind);
        let later = |budget: &BudgetId| then.may.contains(budget) || charged.contains(budget);
        for budget in entry.may.iter().filter(|budget| !later(budget)) {
            self.fail(from, (id, false), Cause::Exhausted(*budget), (refused, Pays::new(), &[]));
        }
        let Some(pays) = entry.sure else { return };
        let (fails, unknown) = self.effect_failures(id);
        for cause in causes(fails.or(then.fails)).chain(unknown.then_some(Cause::Unknown)) {
            self.fail(from, (id, false), cause, (way, pays.clone(), &[]));
        }
        let mut exhausted: SmallVec<[BudgetId; 4]> = then.may.iter().copied().chain(charged).collect();
        exhausted.sort_unstable();
        exhausted.dedup();
        for budget in exhausted {
            self.fail(from, (id, false), Cause::Exhausted(budget), (way, Pays::new(), &[]));
        }
    }

    /// How the work beside the lists can fail, and whether its outcome may not be known.
    fn effect_failures(&self, id: NodeId) -> (Failures, bool) {
        let node = &self.graph.graph[id];
        let (any, plain) = match &node.kind {
            NodeKind::Action | NodeKind::Choice | NodeKind::Composite(_) => (false, false),
            NodeKind::Final(own) => {
                let whole = node.parent.is_none() && !self.graph.output.is_empty();
                (false, whole || own.outcome.is_some() || own.ok.is_some())
            }
            NodeKind::Human(_) | NodeKind::Wait(_) => (node.timeout.is_some(), true),
            NodeKind::Model(_)
            | NodeKind::Tool(_)
            | NodeKind::Call(_)
            | NodeKind::Each(_)
            | NodeKind::Parallel(_) => (true, true),
        };
        let effect = !matches!(node.kind, NodeKind::Action | NodeKind::Choice | NodeKind::Final(_));
        // An operator ends a run while it waits; a budget of a caller runs out during calls.
        let fails = Failures { plain: plain || self.pauses, any, named: effect || self.pauses };
        (fails, matches!(node.kind, NodeKind::Model(_) | NodeKind::Tool(_)))
    }

    /// Hard budgets that the runtime charges for the work of such a node.
    fn charged_by(&self, kind: &NodeKind) -> SmallVec<[BudgetId; 2]> {
        let concerns = |charge: Charge| match kind {
            NodeKind::Model(_) => !matches!(charge, Charge::Transitions | Charge::ToolCalls),
            NodeKind::Tool(_) => matches!(charge, Charge::ToolCalls | Charge::Time),
            NodeKind::Call(_) | NodeKind::Each(_) | NodeKind::Parallel(_) => true,
            _ => false,
        };
        self.metered.iter().filter(|(_, charge)| concerns(*charge)).map(|(id, _)| *id).collect()
    }

    // ---- leaving --------------------------------------------------------------------------------------

    /// The edges that may be taken, and what becomes of it if none is or one fails.
    fn leave(&mut self, from: PointId, at: NodeId, cause: Cause, tried: bool) {
        let graph = self.graph;
        let node = &graph.graph[at];
        // What must be named may be a budget of a caller that is used up.
        let pays_nothing = matches!(cause, Cause::Exhausted(_) | Cause::Named);
        let mut fails = Failures::default();
        let mut may: SmallVec<[BudgetId; 4]> = SmallVec::new();
        let mut handled = false;
        for id in &node.edges {
            let edge = &graph.graph[*id];
            let (fit, guard_fails) = fit(edge, cause);
            fails.plain |= guard_fails;
            if fit == Fit::No {
                continue;
            }
            let action = self.actions[id.index()].clone();
            // The edge that failed before is not looked at again: it may be this one.
            let barred = tried && (action.fails.can() || !action.may.is_empty() || self.counts_transitions());
            fails = fails.or(action.fails);
            may.extend(action.may.iter().copied());
            if !matches!(cause, Cause::Exhausted(_)) {
                fails.named |= self.called;
                may.extend(self.metered.iter().filter(|(_, c)| *c == Charge::Transitions).map(|(id, _)| *id));
            }
            if let Some(mut pays) = action.sure {
                if !pays_nothing {
                    add(&mut pays, &self.charged_at(at));
                }
                self.take(from, at, *id, pays);
            }
            if fit == Fit::Yes && !barred {
                handled = true;
                break;
            }
        }
        if !handled && cause == Cause::Done {
            fails.plain = true;
        }
        if self.pauses && !tried {
            // The condition of a pause fails, or a person ends the run there. Neither counts as an edge that failed.
            fails.plain = true;
            if cause != Cause::Named {
                self.fail(from, (at, false), Cause::Named, (Way::Nothing, Pays::new(), &[]));
            }
            if !matches!(cause, Cause::Named | Cause::Plain) {
                self.fail(from, (at, false), Cause::Plain, (Way::Nothing, Pays::new(), &[]));
            }
        }
        if !handled && cause != Cause::Done {
            self.outward(from, at, cause);
        }
        may.sort_unstable();
        may.dedup();
        for failure in causes(fails).chain(may.into_iter().map(Cause::Exhausted)) {
            if tried {
                self.outward(from, at, failure);
            } else {
                self.fail(from, (at, true), failure, (Way::Nothing, Pays::new(), &[]));
            }
        }
    }

    fn outward(&mut self, from: PointId, at: NodeId, cause: Cause) {
        match self.graph.graph[at].parent {
            Some(outer) => self.fail(from, (outer, false), cause, (Way::Nothing, Pays::new(), &[])),
            None => self.arc(from, Point::End, Way::Nothing, Pays::new(), &[]),
        }
    }

    /// Whether a hard budget may refuse a transition: of this graph, or of one that calls it.
    fn counts_transitions(&self) -> bool {
        self.called || self.metered.iter().any(|(_, charge)| *charge == Charge::Transitions)
    }

    /// What every transition from here costs of budgets that count transitions.
    fn charged_at(&self, at: NodeId) -> Pays {
        let counted = self.metered.iter().filter(|(_, charge)| *charge == Charge::Transitions);
        let here = counted.filter(|(id, _)| {
            let scope = self.graph.budgets[id.0 as usize].scope;
            scope.is_none_or(|scope| scope == at || around(self.graph, at).contains(&scope))
        });
        here.map(|(id, _)| (*id, 1)).collect()
    }

    fn take(&mut self, from: PointId, at: NodeId, id: EdgeId, pays: Pays) {
        if let Some((_, target)) = self.graph.graph.edge_endpoints(id) {
            let stay = around(self.graph, at);
            self.enter(from, target, &stay, (Way::Edge(id), pays));
        }
    }

    /// Enters a node: every composite on the way that is not among those that stay, then the leaf.
    fn enter(&mut self, from: PointId, target: NodeId, stay: &[NodeId], how: (Way, Pays)) {
        let (way, mut pays) = how;
        let (crossed, leaf) = crossed(self.graph, target, stay);
        for (i, composite) in crossed.iter().enumerate() {
            let entered = &crossed[..=i];
            let list = self.entries[composite.index()].clone();
            let fresh = self.begins_surely(*composite);
            let fails = if fresh { list.fails } else { list.fails.or(Failures::PLAIN) };
            for cause in causes(fails) {
                let mut paid = pays.clone();
                if fresh {
                    add(&mut paid, &list.before);
                }
                self.fail(from, (*composite, false), cause, (way, paid, entered));
            }
            for budget in &list.may {
                self.fail(from, (*composite, false), Cause::Exhausted(*budget), (way, pays.clone(), entered));
            }
            match &list.sure {
                Some(sure) => add(&mut pays, sure),
                None => return,
            }
        }
        self.arc(from, Point::Work(leaf), way, pays, &crossed);
    }

    /// Whether the state and budgets of a composite can be set without fail.
    fn begins_surely(&self, composite: NodeId) -> bool {
        let NodeKind::Composite(own) = &self.graph.graph[composite].kind else { return true };
        let fixed = |e: &Expr| matches!(e.kind, ExprKind::Const(_));
        own.families.is_empty()
            && own.slots.iter().all(|id| self.graph.slots[id.0 as usize].init.as_ref().is_none_or(fixed))
            && own.budgets.iter().all(|id| {
                let budget = &self.graph.budgets[id.0 as usize];
                fixed(&budget.limit) && budget.grace.as_ref().is_none_or(fixed)
            })
    }
}

fn causes(fails: Failures) -> impl Iterator<Item = Cause> {
    let plain = (fails.plain && !fails.any).then_some(Cause::Plain);
    plain.into_iter().chain(fails.any.then_some(Cause::Any)).chain(fails.named.then_some(Cause::Named))
}

/// How surely an edge is taken for a cause when it is looked at, and whether looking at it can fail.
fn fit(edge: &Edge, cause: Cause) -> (Fit, bool) {
    let answers = edge.on.iter().map(|trigger| answer(trigger, cause)).max().unwrap_or(Fit::No);
    // All triggers are looked at, and the key of a meter is evaluated whether it fits or not.
    let keyed = |t: &Trigger| matches!((t, cause), (Trigger::Exhausted(BudgetRef::Meter(id, _)), Cause::Exhausted(b)) if *id == b);
    let keyed = edge.on.iter().any(keyed);
    let constant =
        |e: &Expr| if let ExprKind::Const(Value::Bool(holds)) = e.kind { Some(holds) } else { None };
    match edge.when.as_ref().map(constant) {
        None | Some(Some(true)) => (answers, keyed),
        Some(Some(false)) => (Fit::No, keyed),
        Some(None) => (answers.min(Fit::Perhaps), keyed || answers > Fit::No),
    }
}

fn answer(trigger: &Trigger, cause: Cause) -> Fit {
    let perhaps = |fits: bool| if fits { Fit::Perhaps } else { Fit::No };
    match (trigger, cause) {
        (Trigger::Done, Cause::Done)
        | (Trigger::AnyError, Cause::Plain | Cause::Any)
        | (Trigger::Unknown, Cause::Unknown) => Fit::Yes,
        (Trigger::Kind(_) | Trigger::Class(_), Cause::Any) => Fit::Perhaps,
        (Trigger::Kind(kind), Cause::Plain) => {
            perhaps(matches!(kind.as_str(), "evaluation" | "too_large" | "stuck" | "internal"))
        }
        (Trigger::Class(class), Cause::Plain) => perhaps(matches!(class.as_str(), "recoverable" | "fatal")),
        (Trigger::Kind(kind), Cause::Named) => {
            perhaps(matches!(kind.as_str(), "cancelled" | "unknown" | "budget_exhausted"))
        }
        (Trigger::Class(class), Cause::Named) => {
            perhaps(matches!(class.as_str(), "cancelled" | "fatal" | "unknown"))
        }
        (Trigger::Kind(kind), Cause::Unknown) => perhaps(kind == "timeout"),
        (Trigger::Kind(kind), Cause::Exhausted(_)) if kind == "budget_exhausted" => Fit::Yes,
        (Trigger::Exhausted(BudgetRef::Counter(id)), Cause::Exhausted(budget)) if *id == budget => Fit::Yes,
        (Trigger::Exhausted(BudgetRef::Meter(id, _)), Cause::Exhausted(budget)) => perhaps(*id == budget),
        _ => Fit::No,
    }
}

/// The composites around a node, innermost first.
pub(super) fn around(graph: &Graph, node: NodeId) -> SmallVec<[NodeId; 4]> {
    std::iter::successors(graph.graph[node].parent, |at| graph.graph[*at].parent).collect()
}

/// The composites that are entered on the way to a node, outermost first, and the leaf where the way ends.
fn crossed(graph: &Graph, target: NodeId, stay: &[NodeId]) -> (SmallVec<[NodeId; 2]>, NodeId) {
    let outer = around(graph, target);
    let mut crossed: SmallVec<[NodeId; 2]> =
        outer.iter().rev().copied().filter(|c| !stay.contains(c)).collect();
    let mut leaf = target;
    while let NodeKind::Composite(own) = &graph.graph[leaf].kind {
        crossed.push(leaf);
        leaf = own.start;
    }
    (crossed, leaf)
}
