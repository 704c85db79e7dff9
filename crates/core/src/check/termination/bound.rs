//! The bound: how many transitions, model calls and tool calls a run makes at most.

use std::fmt;

use super::budgets::{Unknown, Unknowns};
use super::cost::Cost;
use super::interval::{range_with, size_with};
use super::judge::LoopJudge;
use super::solve::most;
use super::term::Term;
use super::unfold::{Arc, ArcKind, Unfolding};
use crate::model::expr::{BudgetId, Expr};
use crate::model::graph::GraphId;
use crate::model::node::{GraphSource, Node, NodeKind};
use crate::model::{Graph, Model};
use crate::program::graph::{Charge, Gate};

/// The most that a run does of one thing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Amount {
    /// The number, where all it depends on is the same for every input. [`u64::MAX`] stands for anything above.
    pub number: Option<u64>,
    /// The same for every input, as a sum over the limits: `4 + 3 * limit(rounds)`.
    pub formula: String,
    /// The parts of it that grow with one unknown alone: its name, as in the formula, and the amount for each unit of it.
    pub per_unit: Vec<(String, u64)>,
}

/// The most that a run of a graph does, with the graphs it calls. Work that people order by hand is not counted: a call made
/// again that was lost, a rollback.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bound {
    /// Edges taken.
    pub transitions: Amount,
    /// Calls of models, each attempt counted.
    pub model_calls: Amount,
    /// Calls of tools, each attempt counted.
    pub tool_calls: Amount,
}

impl Bound {
    /// The three amounts with their names.
    #[must_use]
    pub fn amounts(&self) -> [(&'static str, &Amount); 3] {
        [
            ("transitions", &self.transitions),
            ("model calls", &self.model_calls),
            ("tool calls", &self.tool_calls),
        ]
    }
}

impl Amount {
    /// The amount that each unit of a budget's limit adds.
    #[must_use]
    pub fn per_unit_of(&self, budget: &str) -> u64 {
        let limit = format!("limit({budget})");
        self.per_unit.iter().find(|(name, _)| *name == limit).map_or(0, |(_, amount)| *amount)
    }
}

impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.number {
            Some(u64::MAX) => f.write_str("more than can be counted"),
            Some(number) => write!(f, "{number}"),
            None => f.write_str(&self.formula),
        }
    }
}

/// The thing that is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Measure {
    Transitions,
    ModelCalls,
    ToolCalls,
}

impl Measure {
    const fn name(self) -> &'static str {
        match self {
            Self::Transitions => "transitions",
            Self::ModelCalls => "model_calls",
            Self::ToolCalls => "tool_calls",
        }
    }

    const fn of(self, bound: &Bound) -> &Amount {
        match self {
            Self::Transitions => &bound.transitions,
            Self::ModelCalls => &bound.model_calls,
            Self::ToolCalls => &bound.tool_calls,
        }
    }
}

/// The bound of a graph whose ways all end; `bounds` are those of the graphs it calls, by their number.
pub(super) fn bound(model: &Model, judge: &LoopJudge<'_>, bounds: &[Option<Bound>]) -> Bound {
    let graph = judge.declared.graph;
    let counting =
        Counting { model, graph, judge, unfolding: judge.unfolding, unknowns: judge.unknowns, bounds };
    Bound {
        transitions: counting.amount(Measure::Transitions),
        model_calls: counting.amount(Measure::ModelCalls),
        tool_calls: counting.amount(Measure::ToolCalls),
    }
}

struct Counting<'a, 'j> {
    model: &'a Model,
    graph: &'a Graph,
    judge: &'a LoopJudge<'j>,
    unfolding: &'a Unfolding,
    unknowns: &'a Unknowns<'a>,
    bounds: &'a [Option<Bound>],
}

impl Counting<'_, '_> {
    fn amount(&self, measure: Measure) -> Amount {
        let edge = Cost::of(u64::from(measure == Measure::Transitions));
        let weight = |arc: &Arc| match arc.kind {
            ArcKind::Work(id) => self.work(&self.graph.graph[id], measure),
            ArcKind::Edge(_) => edge.clone(),
            ArcKind::Start | ArcKind::Refused(_) | ArcKind::Nothing => Cost::default(),
        };
        let weights: Vec<Cost> = self.unfolding.graph.edge_weights().map(weight).collect();
        let mut cost =
            if weights.iter().all(Cost::is_nothing) { Cost::default() } else { most(self.judge, &weights) };
        if let Some(cap) = self.cap(measure)
            && cap.number < cost.number
        {
            cost = cap;
        }
        let value = |symbol| self.unknowns.value(symbol);
        let number = if self.unknowns.are_known() { Some(cost.number) } else { cost.formula.value(value) };
        let name = |symbol| self.unknowns.name(symbol);
        let per_unit = cost.formula.linear().map(|(symbol, amount)| (name(symbol), amount)).collect();
        Amount { number, formula: cost.formula.text(name), per_unit }
    }

    /// A hard budget of the whole graph that the runtime charges for every call bounds the calls by itself.
    fn cap(&self, measure: Measure) -> Option<Cost> {
        let meters = |charge: Option<Charge>| match measure {
            Measure::Transitions => false,
            Measure::ModelCalls => charge == Some(Charge::ModelCalls),
            Measure::ToolCalls => charge == Some(Charge::ToolCalls),
        };
        let mut caps = Vec::new();
        for (budget, id) in self.graph.budgets.iter().zip(0..) {
            if budget.gate == Gate::Hard
                && budget.scope.is_none()
                && budget.family.is_none()
                && meters(budget.charge)
            {
                caps.push(self.unknowns.allowed(BudgetId(id), 1));
            }
        }
        caps.into_iter().min_by_key(|cap| cap.number)
    }

    /// The cost of a leaf's work: its own calls, and all that the graphs do that it calls.
    fn work(&self, node: &Node, measure: Measure) -> Cost {
        match &node.kind {
            NodeKind::Model(_) if measure == Measure::ModelCalls => self.attempts(node),
            NodeKind::Tool(_) if measure == Measure::ToolCalls => self.attempts(node),
            NodeKind::Call(call) => self.called(&call.graph, measure),
            NodeKind::Parallel(parallel) => {
                let mut sum = Cost::default();
                for branch in &parallel.branches {
                    let cost = self.called(&branch.graph, measure);
                    sum.add(&cost);
                }
                sum
            }
            NodeKind::Each(each) => {
                let items = self.items(node, &each.over, each.limit.as_ref());
                self.called(&each.graph, measure).times(&items)
            }
            _ => Cost::default(),
        }
    }

    /// The number of times that the call of a node is made at one visit.
    fn attempts(&self, node: &Node) -> Cost {
        let Some(retry) = &node.retry else { return Cost::of(1) };
        match range_with(self.graph, &retry.attempts, &|term| self.unknowns.known(term)).most {
            Some(n) => Cost::of(u64::try_from(n).unwrap_or(0).max(1)),
            None => {
                self.unknowns.symbol(Unknown { name: format!("attempts({})", node.name.value), value: None })
            }
        }
    }

    /// The greatest number of items that a list has.
    fn items(&self, node: &Node, over: &Expr, limit: Option<&Expr>) -> Cost {
        let known = |term: &Term| self.unknowns.known(term);
        let size = size_with(self.graph, over, &known).most;
        let limit = limit.and_then(|limit| range_with(self.graph, limit, &known).most);
        let both = size.zip(limit).map(|(size, limit)| size.min(limit));
        if let Some(most) = both.or(size).or(limit) {
            return Cost::of(u64::try_from(most).unwrap_or(0));
        }
        self.unknowns.symbol(Unknown { name: format!("items({})", node.name.value), value: None })
    }

    /// The cost of a lane: that of the greatest of the graphs that it may run.
    fn called(&self, source: &GraphSource, measure: Measure) -> Cost {
        let mut greatest = Cost::default();
        for callable in source.callables() {
            greatest.raise(&self.graph(callable.graph, measure));
        }
        greatest
    }

    fn graph(&self, graph: GraphId, measure: Measure) -> Cost {
        let GraphId(graph) = graph;
        let bound = self.bounds.get(graph as usize).and_then(Option::as_ref);
        let amount = bound.map(|bound| measure.of(bound));
        match amount {
            Some(Amount { number: Some(number), .. }) => Cost::of(*number),
            Some(Amount { formula, .. }) if formula == "0" => Cost::default(),
            _ => {
                let id = &self.model.graphs[graph as usize].id.value;
                self.unknowns.symbol(Unknown { name: format!("{}({id})", measure.name()), value: None })
            }
        }
    }
}
