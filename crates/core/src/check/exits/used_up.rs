//! The budgets that a node may find used up: those that do not surely have room where they are spent.
//!
//! A budget has room after `!exhausted(b)`, and at the start if its limit is at least 1; its grace comes on top. It must have
//! room on every path that leads to a point. A spend takes from it, and a charge leaves nothing known.

use rustc_hash::FxHashMap;

use super::causes::Causes;
use super::lists::ListCauses;
use super::rooms::Rooms;
use crate::model::Graph;
use crate::model::cfg::{Point, PointId, Step};
use crate::model::expr::{Block, BudgetId, BudgetRef, Expr, ExprKind, StatementKind};
use crate::model::node::{EdgeId, NodeId, NodeKind, Trigger};
use crate::program::graph::{Charge, Gate};
use crate::value::Value;

/// A point that is looked at more often than this counts as one where nothing is known.
const MAX_VISITS_OF_A_POINT: u32 = 24;

/// Statements of one list that are followed, those of its actions among them.
const MAX_FOLLOWED_STATEMENTS: u32 = 1_000;

/// The budgets that may be found used up.
pub(super) struct UsedUp {
    /// By the statements, the work and the edges of each node.
    pub(super) nodes: Vec<Causes>,
    /// By single edges.
    pub(super) edges: FxHashMap<EdgeId, Causes>,
}

/// The budgets that each node may find used up. `charged` gives those that the runtime charges for the work of a node, or,
/// with `true`, for leaving it.
pub(super) fn exhausted_at(
    graph: &Graph,
    lists: &ListCauses<'_>,
    charged: &dyn Fn(NodeId, bool) -> Vec<BudgetId>,
) -> UsedUp {
    let count = graph.graph.node_count();
    let mut flow = Flow {
        graph,
        lists,
        charged,
        known: vec![None; graph.cfg.len()],
        visits: vec![0; graph.cfg.len()],
        open: Vec::new(),
        found: UsedUp { nodes: vec![Causes::default(); count], edges: FxHashMap::default() },
        edge: None,
        fuel: 0,
    };
    let mut start = Rooms::default();
    let all = (0..).map(BudgetId).zip(&graph.budgets);
    all.filter(|(_, budget)| budget.scope.is_none()).for_each(|(id, _)| start.begin(graph, id));
    if let Some(first) = graph.cfg.first(graph.cfg.start()) {
        flow.arrive(None, first, start);
    }
    while let Some(point) = flow.open.pop() {
        flow.visit(point);
    }
    flow.found
}

struct Flow<'g, 'c> {
    graph: &'g Graph,
    lists: &'c ListCauses<'g>,
    charged: &'c dyn Fn(NodeId, bool) -> Vec<BudgetId>,
    /// The budgets with room at each point; [`None`] where no path was found yet.
    known: Vec<Option<Rooms>>,
    visits: Vec<u32>,
    open: Vec<PointId>,
    found: UsedUp,
    /// The edge that is gone along.
    edge: Option<EdgeId>,
    /// The statements of a list that may still be followed.
    fuel: u32,
}

impl<'g> Flow<'g, '_> {
    /// Notes that a node may find a budget used up.
    fn refuse(&mut self, id: NodeId, budget: BudgetId) {
        self.found.nodes[id.index()].add_budget(budget);
        if let Some(edge) = self.edge {
            self.found.edges.entry(edge).or_default().add_budget(budget);
        }
    }

    /// Keeps what is known on all paths to a point, which is looked at again if that changed.
    fn meet(&mut self, point: PointId, rooms: &Rooms) {
        let known = &mut self.known[point.index()];
        let met = match known {
            None => rooms.clone(),
            Some(known) => known.meet(rooms),
        };
        if known.as_ref() != Some(&met) {
            *known = Some(met);
            self.open.push(point);
        }
    }

    fn arrive(&mut self, source: Option<NodeId>, target: NodeId, mut rooms: Rooms) {
        for composite in self.graph.cfg.entered(source, target) {
            if composite != target {
                rooms = self.through(composite, &rooms);
            }
        }
        self.meet(self.graph.cfg.node(target), &rooms);
    }

    /// Enters a composite: its budgets begin afresh, then its statements run, which may fail.
    fn through(&mut self, composite: NodeId, before: &Rooms) -> Rooms {
        let graph = self.graph;
        let mut rooms = before.clone();
        let node = &graph.graph[composite];
        if let NodeKind::Composite(own) = &node.kind {
            own.budgets.iter().for_each(|id| rooms.begin(graph, *id));
        }
        let rooms = self.list(composite, &node.entry, rooms);
        self.meet(graph.cfg.failed(composite), &self.barred(composite, before.meet(&rooms)));
        rooms
    }

    fn visit(&mut self, point: PointId) {
        let visits = &mut self.visits[point.index()];
        *visits += 1;
        if *visits > MAX_VISITS_OF_A_POINT {
            self.known[point.index()] = Some(Rooms::default());
            if *visits > MAX_VISITS_OF_A_POINT + 1 {
                return;
            }
        }
        let rooms = self.known[point.index()].clone().unwrap_or_default();
        let graph = self.graph;
        match graph.cfg.point(point) {
            Point::Start | Point::End => {}
            Point::Node(id) if graph.cfg.is_composite(id) => {
                let inside = self.through(id, &rooms);
                if let Some(first) = graph.cfg.first(point) {
                    self.meet(graph.cfg.node(first), &inside);
                }
            }
            Point::Node(id) => self.leaf(id, point, rooms),
            Point::Done(id) => self.done(id, point, rooms),
            Point::Failed(id) => self.fail(id, point, &rooms),
        }
    }

    fn leaf(&mut self, id: NodeId, point: PointId, rooms: Rooms) {
        let node = &self.graph.graph[id];
        let mut failed = rooms.clone();
        let mut rooms = self.list(id, &node.entry, rooms);
        failed = failed.meet(&rooms);
        for budget in (self.charged)(id, false) {
            let once = node.retry.is_none() && node.kind.called().next().is_none();
            if !rooms.spend(budget, Some(1)) || !once {
                self.refuse(id, budget);
            }
            rooms.forget(budget);
            failed.forget(budget);
        }
        if !matches!(node.kind, NodeKind::Action | NodeKind::Choice) {
            // A tool may report what a model cost that it asked.
            for budget in (0..).map(BudgetId).zip(&self.graph.budgets).filter_map(|(id, budget)| {
                matches!(budget.charge, Some(Charge::ModelTokens | Charge::ModelCost)).then_some(id)
            }) {
                rooms.forget(budget);
                failed.forget(budget);
            }
        }
        let rooms = self.list(id, &node.then, rooms);
        let failed = self.barred(id, failed.meet(&rooms));
        let finish = self.graph.cfg.steps(point).find(|(step, _)| *step == Step::Finish);
        match finish {
            Some((_, to)) => self.meet(to, &rooms),
            None => self.done(id, point, rooms),
        }
        self.fail(id, point, &failed);
    }

    /// The rooms where an edge of a node may have failed: of what its edges spend nothing is known.
    fn barred(&self, id: NodeId, mut rooms: Rooms) -> Rooms {
        for edge in &self.graph.graph[id].edges {
            let spent = self.lists.causes(&self.graph.graph[*edge].action).exhausted;
            spent.into_iter().for_each(|budget| rooms.forget(budget));
        }
        rooms
    }

    /// The edges of a node that is done: each knows that the guards of those before it were false.
    fn done(&mut self, id: NodeId, point: PointId, mut rooms: Rooms) {
        let graph = self.graph;
        for (edge_id, target) in graph.cfg.edges(point) {
            let edge = &graph.graph[edge_id];
            if edge.on.iter().any(Trigger::is_done) {
                self.take(id, edge_id, target, rooms.clone());
                if let Some(guard) = &edge.when {
                    rooms.learn(graph, guard, false);
                }
            }
        }
    }

    /// The edges of a node that failed, and what goes on to the composite around it.
    fn fail(&mut self, id: NodeId, point: PointId, rooms: &Rooms) {
        let graph = self.graph;
        for (edge, target) in graph.cfg.edges(point) {
            if !graph.graph[edge].on.iter().all(Trigger::is_done) {
                self.take(id, edge, target, rooms.clone());
            }
        }
        let outer = graph.cfg.steps(point).find(|(step, _)| *step == Step::Fail);
        if let Some((_, outer)) = outer
            && matches!(graph.cfg.point(outer), Point::Failed(_))
        {
            let rooms = self.barred(id, rooms.clone());
            self.meet(outer, &rooms);
        }
    }

    fn take(&mut self, id: NodeId, edge_id: EdgeId, target: NodeId, mut rooms: Rooms) {
        let graph = self.graph;
        let edge = &graph.graph[edge_id];
        self.edge = Some(edge_id);
        if let Some(guard) = &edge.when {
            rooms.learn(graph, guard, true);
        }
        let moves = (self.charged)(id, true);
        let exempt = edge.on.iter().all(|on| matches!(on, Trigger::Exhausted(_)));
        for budget in &moves {
            let has_room = rooms.spend(*budget, Some(1));
            if !has_room && !exempt {
                self.refuse(id, *budget);
            }
        }
        let rooms = self.list(id, &edge.action, rooms);
        self.edge = None;
        self.arrive(Some(id), target, rooms);
    }

    /// Runs a list of a node.
    fn list(&mut self, id: NodeId, block: &'g Block, mut rooms: Rooms) -> Rooms {
        self.fuel = MAX_FOLLOWED_STATEMENTS;
        self.block(id, block, &mut rooms);
        rooms
    }

    fn block(&mut self, id: NodeId, block: &'g Block, rooms: &mut Rooms) {
        for statement in &block.statements {
            let Some(fuel) = self.fuel.checked_sub(1) else { return self.any(id, block, rooms) };
            self.fuel = fuel;
            match &statement.kind {
                StatementKind::Spend(BudgetRef::Counter(budget), amount) => {
                    let amount = match amount.as_ref().map(|amount| &amount.kind) {
                        None => Some(1),
                        Some(ExprKind::Const(Value::Int(n))) => Some(*n),
                        Some(_) => None,
                    };
                    let is_hard = self.graph.budgets[budget.0 as usize].gate == Gate::Hard;
                    if !rooms.spend(*budget, amount) && is_hard {
                        self.refuse(id, *budget);
                    }
                }
                StatementKind::Spend(BudgetRef::Meter(budget, _), _) => {
                    if self.graph.budgets[budget.0 as usize].gate == Gate::Hard {
                        self.refuse(id, *budget);
                    }
                }
                StatementKind::If(arms, otherwise) => self.branches(id, arms, otherwise.as_ref(), rooms),
                StatementKind::For(_, _, body) => {
                    for budget in &self.lists.causes(body).exhausted {
                        rooms.forget(*budget);
                    }
                    self.block(id, body, &mut rooms.clone());
                }
                StatementKind::Call(action) => {
                    let graph = self.graph;
                    self.block(id, &graph.actions[action.0 as usize].body, rooms);
                }
                StatementKind::Assign { .. }
                | StatementKind::Let(..)
                | StatementKind::Emit(..)
                | StatementKind::Fail(..) => {}
            }
        }
    }

    /// A list that is not followed: it may find used up whatever it spends.
    fn any(&mut self, id: NodeId, block: &Block, rooms: &mut Rooms) {
        let causes = self.lists.causes(block);
        for budget in &causes.exhausted {
            rooms.forget(*budget);
            self.refuse(id, *budget);
        }
    }

    fn branches(
        &mut self,
        id: NodeId,
        arms: &'g [(Expr, Block)],
        otherwise: Option<&'g Block>,
        rooms: &mut Rooms,
    ) {
        let mut joined: Option<Rooms> = None;
        let mut join = |rooms: &Rooms| {
            joined = Some(match joined.take() {
                None => rooms.clone(),
                Some(joined) => joined.meet(rooms),
            });
        };
        for (condition, body) in arms {
            let mut inside = rooms.clone();
            inside.learn(self.graph, condition, true);
            self.block(id, body, &mut inside);
            join(&inside);
            rooms.learn(self.graph, condition, false);
        }
        if let Some(body) = otherwise {
            self.block(id, body, rooms);
        }
        join(rooms);
        *rooms = joined.unwrap_or_default();
    }
}
