//! The table of a graph: the causes that can leave each node, and those that leave the graph.

use rustc_hash::FxHashMap;

use super::answers::{Classes, EdgeAnswers};
use super::causes::{Causes, ErrorKinds};
use super::lists::ListCauses;
use super::second::{SecondFailure, SecondFailures};
use super::used_up::{UsedUp, exhausted_at};
use crate::model::Graph;
use crate::model::expr::BudgetId;
use crate::model::graph::{Budget, GraphId};
use crate::model::node::{EdgeId, Node, NodeId, NodeKind};
use crate::program::error::ErrorKind;
use crate::program::graph::{Charge, Gate};
use crate::program::kind::OnError;

/// Errors that any node can come to, and that are not looked for: evaluating, a budget of a caller, an operator.
const EVERYWHERE: ErrorKinds = ErrorKinds::of(&[
    ErrorKind::Evaluation,
    ErrorKind::TooLarge,
    ErrorKind::Stuck,
    ErrorKind::Internal,
    ErrorKind::Cancelled,
    ErrorKind::BudgetExhausted,
]);

/// Errors of a model that a graph has to reckon with.
const OF_MODELS: ErrorKinds = ErrorKinds::of(&[
    ErrorKind::InvalidOutput,
    ErrorKind::ContextLimit,
    ErrorKind::RateLimited,
    ErrorKind::Unavailable,
    ErrorKind::Timeout,
    ErrorKind::Denied,
]);

/// Errors of a tool that a graph has to reckon with.
const OF_TOOLS: ErrorKinds = ErrorKinds::of(&[
    ErrorKind::InvalidArgs,
    ErrorKind::UnknownTool,
    ErrorKind::ToolFailed,
    ErrorKind::RateLimited,
    ErrorKind::Unavailable,
    ErrorKind::Timeout,
    ErrorKind::Denied,
]);

/// The exits out of a node.
#[derive(Debug, Default)]
pub(super) struct NodeExits {
    /// All causes that can leave it: more than there are, never fewer.
    pub(super) possible: Causes,
    /// Those of them that a graph has to reckon with: refused budgets, and what the world may do.
    pub(super) expected: Causes,
    /// Those that its own `fail` statements name.
    named: Causes,
}

/// The exits out of a graph and of all its nodes.
#[derive(Debug)]
pub(super) struct GraphExits {
    pub(super) nodes: Vec<NodeExits>,
    /// The expected causes of each node that no edge answers.
    pub(super) unanswered: Vec<(NodeId, Causes)>,
    /// Refused budgets of edges that are taken after another edge failed, where no composite answers them.
    pub(super) second: Vec<SecondFailure>,
    /// The causes that may leave the graph: more than there are, never fewer.
    escaping: Causes,
    /// Those of them that its caller has to reckon with.
    expected: Causes,
    asks_models: bool,
    calls_tools: bool,
}

impl GraphExits {
    /// The table of a graph; `called` are those of the graphs that it calls.
    pub(super) fn of(graph: &Graph, called: &[Option<Self>]) -> Self {
        TableBuilder::of(graph, called).build()
    }
}

struct TableBuilder<'g> {
    graph: &'g Graph,
    called: &'g [Option<GraphExits>],
    lists: ListCauses<'g>,
    classes: Classes<'g>,
    answers: Vec<EdgeAnswers>,
    /// Hard budgets that the runtime charges.
    charged: Vec<(BudgetId, Charge, &'g Budget)>,
}

impl<'g> TableBuilder<'g> {
    fn of(graph: &'g Graph, called: &'g [Option<GraphExits>]) -> Self {
        let lists = ListCauses::of(graph);
        let hard = graph.budgets.iter().zip(0..).filter(|(budget, _)| budget.gate == Gate::Hard);
        let mut own = Self {
            graph,
            called,
            lists,
            classes: graph.errors.iter().map(|(kind, class)| (kind.value.as_str(), class)).collect(),
            answers: Vec::new(),
            charged: hard.filter_map(|(b, i)| Some((BudgetId(i), b.charge?, b))).collect(),
        };
        let nodes = graph.graph.node_indices();
        own.answers = nodes
            .map(|id| EdgeAnswers::of(graph, &graph.graph[id], &own.lists, own.charged_for_errors(id)))
            .collect();
        own
    }

    /// The budgets that the edges of a node are charged for where a called graph failed.
    fn charged_for_errors(&self, id: NodeId) -> Vec<BudgetId> {
        let moves = self.charged_at(id, true);
        let calls = |node: NodeId| self.graph.graph[node].kind.called().next().is_some();
        let inside = |node: NodeId| node == id || self.graph.cfg.around(node).any(|outer| outer == id);
        if moves.is_empty() || !self.graph.graph.node_indices().any(|node| calls(node) && inside(node)) {
            return Vec::new();
        }
        moves
    }

    fn build(&self) -> GraphExits {
        let nodes = &self.graph.graph;
        let charged = |id, leaving| self.charged_at(id, leaving);
        let UsedUp { nodes: exhausted, edges: by_edge } = exhausted_at(self.graph, &self.lists, &charged);
        let own = nodes.node_indices().zip(exhausted);
        let mut exits: Vec<NodeExits> = own.map(|(id, exhausted)| self.own(id, exhausted)).collect();
        let mut escaping = Causes { kinds: EVERYWHERE, ..Causes::default() };
        // Inner nodes stand behind their composite.
        for id in nodes.node_indices().rev() {
            let mut leaving = exits[id.index()].possible.clone();
            self.answers[id.index()].answer(&mut leaving, &self.classes);
            for edge in nodes[id].edges.iter().map(|edge| &nodes[*edge]) {
                if edge.action.can_fail() && !edge.on.iter().all(crate::model::node::Trigger::is_done) {
                    leaving.add(&self.lists.causes(&edge.action));
                }
            }
            match nodes[id].parent {
                Some(outer) => exits[outer.index()].possible.add(&leaving),
                None => escaping.add(&leaving),
            }
        }
        let reached = self.graph.cfg.reached();
        let reached = |id: &NodeId| reached[self.graph.cfg.node(*id).index()];
        let failures = self.second_failures(by_edge);
        let (mut unanswered, mut expected, mut second) = (Vec::new(), Causes::default(), Vec::new());
        for id in nodes.node_indices().filter(reached) {
            let left = self.left(id, &exits[id.index()].expected);
            expected.add(&left);
            expected.add(&self.left(id, &exits[id.index()].named));
            if !left.is_empty() {
                unanswered.push((id, left));
            }
            for mut failure in failures.at(id) {
                failure.causes = self.left_around(id, &failure.causes);
                expected.add(&failure.causes);
                if !failure.causes.exhausted.is_empty() {
                    second.push(failure);
                }
            }
        }
        GraphExits {
            nodes: exits,
            unanswered,
            second,
            escaping,
            expected,
            asks_models: self.does(|exits| exits.asks_models, |kind| matches!(kind, NodeKind::Model(_))),
            calls_tools: self.does(|exits| exits.calls_tools, |kind| matches!(kind, NodeKind::Tool(_))),
        }
    }

    /// True if a node of the graph, or of one that it calls, is such a one.
    fn does(&self, of_called: impl Fn(&GraphExits) -> bool, here: impl Fn(&NodeKind) -> bool) -> bool {
        self.graph.graph.node_weights().any(|node| {
            here(&node.kind) || node.kind.called().any(|id| self.called(*id).is_none_or(&of_called))
        })
    }

    fn called(&self, id: GraphId) -> Option<&GraphExits> {
        self.called.get(id.0 as usize).and_then(Option::as_ref)
    }

    fn second_failures(&self, by_edge: FxHashMap<EdgeId, Causes>) -> SecondFailures<'_, 'g> {
        let moves = self.charged.iter().filter(|(_, charge, _)| *charge == Charge::Transitions);
        SecondFailures {
            graph: self.graph,
            lists: &self.lists,
            classes: &self.classes,
            moves: moves.map(|(budget, ..)| *budget).collect(),
            by_edge,
        }
    }

    /// The causes that no edge of a node and of the composites around it answers.
    fn left(&self, id: NodeId, causes: &Causes) -> Causes {
        let mut left = causes.clone();
        self.answers[id.index()].answer(&mut left, &self.classes);
        self.left_around(id, &left)
    }

    /// The causes that no edge of the composites around a node answers.
    fn left_around(&self, id: NodeId, causes: &Causes) -> Causes {
        let mut left = causes.clone();
        for at in self.graph.cfg.around(id) {
            if left.is_empty() {
                break;
            }
            self.answers[at.index()].answer(&mut left, &self.classes);
        }
        left
    }

    /// The exits out that a node has by itself.
    fn own(&self, id: NodeId, exhausted: Causes) -> NodeExits {
        let node = &self.graph.graph[id];
        let mut named = Causes::default();
        for block in [&node.entry, &node.then] {
            named.add(&self.lists.causes(block));
        }
        for edge in &node.edges {
            named.add(&self.lists.causes(&self.graph.graph[*edge].action));
        }
        let mut expected = self.work(node);
        let mut possible = expected.clone();
        possible.add(&named);
        for budget in [false, true].into_iter().flat_map(|leaving| self.charged_at(id, leaving)) {
            possible.add_budget(budget);
        }
        named.exhausted.clear();
        expected.exhausted = exhausted.exhausted;
        possible.kinds = possible.kinds.or(EVERYWHERE);
        self.may_come_to(node, &mut possible);
        NodeExits { possible, expected, named }
    }

    /// The errors of a node's work that a graph has to reckon with.
    fn work(&self, node: &Node) -> Causes {
        let mut causes = Causes::default();
        if node.timeout.is_some() {
            causes.add_error(ErrorKind::Timeout.name());
        }
        match &node.kind {
            NodeKind::Model(_) => {
                causes.kinds = causes.kinds.or(OF_MODELS);
                causes.any_own = true;
            }
            NodeKind::Tool(tool) => {
                causes.kinds = causes.kinds.or(OF_TOOLS);
                causes.any_own = true;
                if tool.into.is_some() {
                    causes.add_error(ErrorKind::InvalidOutput.name());
                }
            }
            kind if !collects(kind) => {
                for called in kind.called().filter_map(|id| self.called(*id)) {
                    causes.add(&Causes { exhausted: smallvec::SmallVec::new(), ..called.expected.clone() });
                    if !called.expected.exhausted.is_empty() {
                        causes.add_error(ErrorKind::BudgetExhausted.name());
                    }
                }
            }
            _ => {}
        }
        causes
    }

    /// The budgets that are charged for the work of a node, or for leaving it.
    fn charged_at(&self, id: NodeId, leaving: bool) -> Vec<BudgetId> {
        let node = &self.graph.graph[id];
        let active = |budget: &Budget| {
            budget.scope.is_none_or(|scope| scope == id || self.graph.cfg.around(id).any(|at| at == scope))
        };
        let concerns = |charge| match charge {
            Charge::Transitions if leaving => !node.edges.is_empty(),
            _ if leaving => false,
            charge => self.concerns(charge, node),
        };
        let charged =
            self.charged.iter().filter(|(_, charge, declared)| concerns(*charge) && active(declared));
        charged.map(|(budget, ..)| *budget).collect()
    }

    fn concerns(&self, charge: Charge, node: &Node) -> bool {
        let inside = |does: fn(&GraphExits) -> bool| {
            !collects(&node.kind) && node.kind.called().any(|id| self.called(*id).is_none_or(does))
        };
        let models = || matches!(node.kind, NodeKind::Model(_)) || inside(|exits| exits.asks_models);
        let tools = || matches!(node.kind, NodeKind::Tool(_)) || inside(|exits| exits.calls_tools);
        match charge {
            Charge::Transitions => inside(|_| true),
            Charge::ModelCalls | Charge::ModelTokens | Charge::ModelCost => models(),
            Charge::ToolCalls => tools(),
            Charge::Time => models() || tools(),
        }
    }

    /// Adds what the work of a node may come to besides.
    fn may_come_to(&self, node: &Node, causes: &mut Causes) {
        match &node.kind {
            NodeKind::Model(_) | NodeKind::Tool(_) => {
                causes.kinds = ErrorKinds::of(ErrorKind::ALL);
                causes.any_own = true;
                causes.unknown = true;
                causes.hidden_timeout = matches!(node.kind, NodeKind::Tool(_));
            }
            // Time-outs and the budgets of inner composites come from inside.
            NodeKind::Composite(_) => {
                let transitions = self.charged.iter().filter(|(_, charge, _)| *charge == Charge::Transitions);
                transitions.for_each(|(budget, ..)| causes.add_budget(*budget));
            }
            NodeKind::Action | NodeKind::Choice | NodeKind::Final(_) | NodeKind::Wait(_) => {}
            NodeKind::Human(_) | NodeKind::Call(_) | NodeKind::Each(_) | NodeKind::Parallel(_) => {
                causes.add_error(ErrorKind::InvalidOutput.name());
                causes.add_error(ErrorKind::InvalidArgs.name());
                if collects(&node.kind) {
                    return;
                }
                for called in node.kind.called() {
                    if let Some(exits) = self.called(*called) {
                        // Its budgets and lost calls are errors here.
                        causes.add(&Causes {
                            exhausted: smallvec::SmallVec::new(),
                            unknown: false,
                            hidden_timeout: false,
                            ..exits.escaping.clone()
                        });
                    } else {
                        causes.kinds = ErrorKinds::of(ErrorKind::ALL);
                        causes.any_own = true;
                    }
                }
            }
        }
    }
}

/// True if the errors of called graphs are values there.
pub(super) fn collects(kind: &NodeKind) -> bool {
    match kind {
        NodeKind::Each(each) => each.on_error == OnError::Collect,
        NodeKind::Parallel(parallel) => parallel.on_error == OnError::Collect,
        _ => false,
    }
}
