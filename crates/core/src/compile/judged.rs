//! The properties whose value an entry of each leaf may change.
//!
//! Judged at every entry, properties take a good part of the time of a search, and nearly all of them ask for a few variables that
//! few nodes write. So the writes since the last entry flow along the steps of the graph, and a property is judged where one of them
//! may have changed what it reads.

use rustc_hash::FxHashMap;

use crate::model::cfg::{Point, PointId, Step};
use crate::model::expr::{Block, BudgetId, BudgetRef, Expr, ExprKind, LetId, SlotId, StatementKind};
use crate::model::graph::{Graph, PropertyBody};
use crate::model::node::{NodeId, NodeKind, Trigger};
use crate::program::graph::JudgedLeaf;
use crate::program::op::Special;

/// Places that properties read, as bits.
type PlaceMask = u64;

/// The bit of what changes with every entry: the leaf itself, numbers of steps, what the machine supplies.
const ENTRY: PlaceMask = 1 << 63;

/// The bit of all places that have none of their own.
const OTHERS: u32 = 62;

/// A place that can be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum WrittenPlace {
    Slot(SlotId),
    Budget(BudgetId),
    /// Which side of a node the last entry was on: inside of it or not.
    Side(NodeId, bool),
}

/// The places that may have been written since the entry before, and since the one before that.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Since {
    last: PlaceMask,
    last_but_one: PlaceMask,
}

/// The reads of a property.
#[derive(Debug, Clone, Default)]
struct PropertyReads {
    now: PlaceMask,
    /// The nodes of which it asks whether the run is inside.
    nodes: Vec<NodeId>,
    /// By `previous`.
    before: PlaceMask,
}

/// What to judge at each leaf; nothing in a graph without properties.
pub(super) fn judged_leaves(graph: &Graph) -> Vec<JudgedLeaf> {
    if graph.properties.is_empty() {
        return Vec::new();
    }
    let mut bits = PlaceBits { graph, bits: FxHashMap::default() };
    let reads: Vec<PropertyReads> =
        graph.properties.iter().map(|property| bits.of_property(&property.body)).collect();
    let remembered = reads.iter().fold(0, |all, own| all | own.before);
    // A run may be begun at any node, so all of them are beginnings.
    let first = Since { last: ENTRY, last_but_one: ENTRY };
    let failed_edges = graph.graph.node_indices().map(|node| bits.of_failed_edges(node)).collect();
    let since = vec![first; graph.cfg.len()];
    let arriving = WriteFlow { graph, bits: &bits, failed_edges, since }.solve();
    let leaf = |node: NodeId| {
        let open = (0..).zip(&graph.properties).zip(&reads);
        let open = open.filter(|((_, property), _)| !is_settled(graph, &property.body, node));
        let at_first = open.clone().map(|((number, _), _)| number).collect();
        let since = arriving[graph.cfg.node(node).index()];
        let Since { last, last_but_one } = since.with(bits.of_block(&graph.graph[node].entry));
        let is_new = |reads: &PropertyReads| {
            let now = reads.now | reads.before | bits.of_other_sides(&reads.nodes, node);
            now & last != 0 || reads.before & last_but_one != 0
        };
        let properties = open.filter(|(_, reads)| is_new(reads)).map(|((number, _), _)| number).collect();
        JudgedLeaf { properties, at_first, remembers: remembered & last != 0 }
    };
    graph.graph.node_indices().map(leaf).collect()
}

/// True for a property that an entry of the leaf leaves as it is, whatever the variables hold.
fn is_settled(graph: &Graph, property: &PropertyBody, leaf: NodeId) -> bool {
    let is_moot = matches!(property, PropertyBody::Always(_));
    property.conditions().all(|condition| graph.settled(condition, leaf) == Some(is_moot))
}

impl Since {
    const fn with(self, written: PlaceMask) -> Self {
        Self { last: self.last | written, last_but_one: self.last_but_one | written }
    }

    const fn or(self, other: Self) -> Self {
        Self { last: self.last | other.last, last_but_one: self.last_but_one | other.last_but_one }
    }
}

/// The bits of the places that properties read.
struct PlaceBits<'m> {
    graph: &'m Graph,
    bits: FxHashMap<WrittenPlace, u32>,
}

impl PlaceBits<'_> {
    fn of_property(&mut self, property: &PropertyBody) -> PropertyReads {
        let mut reads = PropertyReads::default();
        // Each entry counts for it, also one at which nothing is new.
        if matches!(property, PropertyBody::Precedes(..)) {
            reads.now = ENTRY;
        }
        for condition in property.conditions() {
            condition.walk(&mut |part| {
                if let ExprKind::Previous(value) = &part.kind {
                    let (places, nodes) = self.of_expr(value);
                    // Which side the entry before was on is told for one entry only.
                    reads.before |= if nodes.is_empty() { places } else { places | ENTRY };
                    // One inside of another goes back further.
                    value.walk(&mut |inner| {
                        reads.before |= if matches!(inner.kind, ExprKind::Previous(_)) { ENTRY } else { 0 };
                    });
                }
            });
            let (places, nodes) = self.of_expr(condition);
            reads.now |= places;
            reads.nodes.extend(nodes);
        }
        reads
    }

    /// The places that an expression reads, and the nodes of which it asks whether the run is inside.
    fn of_expr(&mut self, expr: &Expr) -> (PlaceMask, Vec<NodeId>) {
        let (mut places, mut lets, mut nodes) = (0, Vec::new(), Vec::new());
        self.add(expr, &mut places, &mut lets, &mut nodes);
        (places, nodes)
    }

    fn add(&mut self, expr: &Expr, places: &mut PlaceMask, lets: &mut Vec<LetId>, nodes: &mut Vec<NodeId>) {
        let graph = self.graph;
        expr.walk(&mut |part| match &part.kind {
            ExprKind::Slot(slot) => *places |= self.bit(WrittenPlace::Slot(*slot)),
            ExprKind::Budget(_, BudgetRef::Counter(budget))
                if graph.budgets[budget.0 as usize].charge.is_none() =>
            {
                *places |= self.bit(WrittenPlace::Budget(*budget));
            }
            ExprKind::Let(id) if lets.contains(id) => {}
            ExprKind::Let(id) => {
                lets.push(*id);
                self.add(&graph.lets[id.0 as usize].body, places, lets, nodes);
            }
            ExprKind::InState(node) => {
                for inside in [true, false] {
                    self.bit(WrittenPlace::Side(*node, inside));
                }
                nodes.push(*node);
            }
            ExprKind::Special(Special::Tools) | ExprKind::Previous(_) => {}
            ExprKind::Special(_)
            | ExprKind::Budget(..)
            | ExprKind::InFamily(..)
            | ExprKind::Step
            | ExprKind::RolledBack
            | ExprKind::Visits(_)
            | ExprKind::Render(_)
            | ExprKind::Now => *places |= ENTRY,
            _ => {}
        });
    }

    fn bit(&mut self, place: WrittenPlace) -> PlaceMask {
        let next = u32::try_from(self.bits.len()).unwrap_or(u32::MAX);
        1 << (*self.bits.entry(place).or_insert(next)).min(OTHERS)
    }

    fn known(&self, place: WrittenPlace) -> PlaceMask {
        self.bits.get(&place).map_or(0, |bit| 1 << (*bit).min(OTHERS))
    }

    /// The sides of all nodes that properties ask for on which a leaf is.
    fn of_sides(&self, leaf: NodeId) -> PlaceMask {
        self.bits.keys().fold(0, |all, place| match place {
            WrittenPlace::Side(node, inside) if *inside == self.graph.is_inside(leaf, *node) => {
                all | self.known(*place)
            }
            _ => all,
        })
    }

    /// The sides of nodes on which a leaf is not: who comes from there finds another answer.
    fn of_other_sides(&self, nodes: &[NodeId], leaf: NodeId) -> PlaceMask {
        let other = |node: &NodeId| WrittenPlace::Side(*node, !self.graph.is_inside(leaf, *node));
        nodes.iter().fold(0, |all, node| all | self.known(other(node)))
    }

    fn of_slot(&self, slot: SlotId) -> PlaceMask {
        self.known(WrittenPlace::Slot(slot))
    }

    fn of_block(&self, block: &Block) -> PlaceMask {
        let [assigned, spent] = self.of_parts(block);
        assigned | spent
    }

    /// What the edges of a node write though they fail: what was spent stays spent.
    fn of_failed_edges(&self, node: NodeId) -> PlaceMask {
        let edges = self.graph.graph.edges(node);
        edges.fold(0, |all, edge| all | self.of_parts(&edge.weight().action)[1])
    }

    /// The variables that a block assigns to, and the budgets that it spends.
    fn of_parts(&self, block: &Block) -> [PlaceMask; 2] {
        let (mut assigned, mut spent, mut open, mut actions) = (0, 0, vec![block], Vec::new());
        while let Some(block) = open.pop() {
            for statement in &block.statements {
                match &statement.kind {
                    StatementKind::Assign { place, .. } => assigned |= self.of_slot(place.slot),
                    StatementKind::Spend(BudgetRef::Counter(budget) | BudgetRef::Meter(budget, _), _) => {
                        spent |= self.known(WrittenPlace::Budget(*budget));
                    }
                    StatementKind::Call(id) if !actions.contains(id) => {
                        actions.push(*id);
                        open.push(&self.graph.actions[id.0 as usize].body);
                    }
                    other => open.extend(other.bodies()),
                }
            }
        }
        [assigned, spent]
    }

    /// The places that a node writes once it was judged: its answer, and what follows on it.
    fn of_work(&self, node: NodeId) -> PlaceMask {
        let own = &self.graph.graph[node];
        own.kind.places().fold(self.of_block(&own.then), |all, place| all | self.of_slot(place.slot))
    }

    /// The places that a composite writes when it is entered.
    fn of_composite(&self, node: NodeId) -> PlaceMask {
        let own = &self.graph.graph[node];
        let NodeKind::Composite(composite) = &own.kind else { return 0 };
        let slots = composite.slots.iter().fold(0, |all, slot| all | self.of_slot(*slot));
        let budgets = composite.budgets.iter();
        let budgets = budgets.fold(0, |all, budget| all | self.known(WrittenPlace::Budget(*budget)));
        slots | budgets | self.of_block(&own.entry)
    }
}

/// The forward flow of writes.
struct WriteFlow<'m> {
    graph: &'m Graph,
    bits: &'m PlaceBits<'m>,
    /// By node: what its edges write though they fail.
    failed_edges: Vec<PlaceMask>,
    /// By point: what may have been written when a run comes there.
    since: Vec<Since>,
}

impl WriteFlow<'_> {
    fn solve(mut self) -> Vec<Since> {
        let cfg = &self.graph.cfg;
        let mut open: Vec<PointId> = (0..cfg.len()).map(PointId::new).collect();
        while let Some(from) = open.pop() {
            for (step, to) in cfg.steps(from) {
                let known = self.since[to.index()];
                let all = known.or(self.along(self.since[from.index()], from, step, to));
                if known != all {
                    self.since[to.index()] = all;
                    open.push(to);
                }
            }
        }
        self.since
    }

    /// What was written when the target of a step is reached.
    fn along(&self, since: Since, from: PointId, step: Step, to: PointId) -> Since {
        let (graph, cfg) = (self.graph, &self.graph.cfg);
        let source = match cfg.point(from) {
            Point::Node(node) | Point::Done(node) | Point::Failed(node) => Some(node),
            Point::Start | Point::End => None,
        };
        let mut after = match cfg.point(from) {
            Point::Node(node) if !cfg.is_composite(node) => self.left(since, node, step),
            Point::Failed(node) => since.with(self.failed_edges[node.index()]),
            _ => since,
        };
        if let Step::Edge(edge) = step {
            after = after.with(self.bits.of_block(&graph.graph[edge].action));
        }
        if let Point::Node(target) = cfg.point(to) {
            let entered = cfg.entered(source, target);
            after = entered.iter().fold(after, |after, node| after.with(self.bits.of_composite(*node)));
        }
        after
    }

    /// What was written when a leaf is left. It may have failed before it was judged.
    fn left(&self, since: Since, node: NodeId, step: Step) -> Since {
        let entered = since.with(self.bits.of_block(&self.graph.graph[node].entry));
        let last = ENTRY | self.bits.of_sides(node);
        let judged = Since { last, last_but_one: entered.last }.with(self.bits.of_work(node));
        let is_done = match step {
            Step::Edge(edge) => self.graph.graph[edge].on.iter().all(Trigger::is_done),
            Step::Begin | Step::Finish => true,
            Step::Fail => false,
        };
        if is_done {
            return judged;
        }
        judged.or(entered.with(self.bits.of_work(node))).with(self.failed_edges[node.index()])
    }
}
