//! Causes that no edge answers.

use std::collections::BTreeMap;

use super::causes::{Causes, ErrorKinds};
use super::paste::EdgeText;
use super::second::SecondFailure;
use super::table::GraphExits;
use crate::diag::{Diagnostic, rule};
use crate::model::Graph;
use crate::model::expr::BudgetId;
use crate::model::node::{NodeId, Trigger};
use crate::program::error::{ErrorKind, is_answered_by_error};
use crate::value::Str;

/// More nodes than this are counted, not named.
const MAX_NAMED_NODES: usize = 5;

/// A cause as a finding tells of it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum UnansweredCause {
    /// Every error.
    Errors,
    /// Some kinds, where an edge answers others.
    Kinds(ErrorKinds, Vec<Str>),
    /// Kinds that are not built in: a tool or a provider of models may have its own.
    OtherKinds,
    /// A time-out and nothing else.
    Timeout,
    /// Budgets of a called graph.
    BudgetOfCalled,
    /// A budget that is spent or charged.
    Exhausted(BudgetId),
}

/// Judges the causes that end a run: one finding for each, and for each composite or the graph itself.
pub(super) fn judge(graph: &Graph, exits: &GraphExits, findings: &mut Vec<Diagnostic>) {
    let mut groups: BTreeMap<(UnansweredCause, Option<NodeId>), Vec<NodeId>> = BTreeMap::new();
    for (id, left) in &exits.unanswered {
        let outer = graph.cfg.around(*id).last();
        for cause in unanswered_causes(left, &exits.nodes[id.index()].expected) {
            let home = match &cause {
                // Only there and further in has the budget a name.
                UnansweredCause::Exhausted(budget) => graph.budgets[budget.0 as usize].scope.or(outer),
                _ => outer,
            };
            groups.entry((cause, home)).or_default().push(*id);
        }
    }
    let text = EdgeText::of(graph);
    findings.extend(groups.iter().map(|((cause, home), nodes)| finding(graph, cause, *home, nodes, &text)));
    findings.extend(exits.second.iter().map(|failure| second_finding(graph, failure, &text)));
}

/// The causes that are left at a node, among those that were expected there.
fn unanswered_causes(left: &Causes, expected: &Causes) -> Vec<UnansweredCause> {
    let budgets = ErrorKinds::of(&[ErrorKind::BudgetExhausted]);
    let only_timeouts = |causes: &Causes| {
        causes.own.is_empty()
            && !causes.any_own
            && causes.kinds.without(budgets) == ErrorKinds::of(&[ErrorKind::Timeout])
    };
    let mut all: Vec<UnansweredCause> =
        left.exhausted.iter().map(|budget| UnansweredCause::Exhausted(*budget)).collect();
    if left.kinds.has(ErrorKind::BudgetExhausted) {
        all.push(UnansweredCause::BudgetOfCalled);
    }
    let kinds = left.kinds.without(budgets);
    if kinds.is_empty() && left.own.is_empty() && !left.any_own {
        return all;
    }
    all.push(if only_timeouts(left) {
        UnansweredCause::Timeout
    } else if kinds.is_empty() && left.own.is_empty() {
        UnansweredCause::OtherKinds
    } else if kinds == expected.kinds.without(budgets) {
        UnansweredCause::Errors
    } else {
        UnansweredCause::Kinds(kinds, left.own.iter().cloned().collect())
    });
    all
}

fn finding(
    graph: &Graph,
    cause: &UnansweredCause,
    home: Option<NodeId>,
    nodes: &[NodeId],
    text: &EdgeText<'_>,
) -> Diagnostic {
    let name = |id: &NodeId| format!("`{}`", graph.graph[*id].name.value);
    let mut names: Vec<String> = nodes.iter().take(MAX_NAMED_NODES).map(name).collect();
    if nodes.len() > MAX_NAMED_NODES {
        names.push(format!("{} more", nodes.len() - MAX_NAMED_NODES));
    }
    let at = list(&names);
    let (message, trigger) = match cause {
        UnansweredCause::Errors => {
            (format!("no edge answers an error of {at}, so it ends the run"), "error".to_owned())
        }
        UnansweredCause::Kinds(kinds, own) => {
            let mut kinds: Vec<String> = kinds.names().map(|kind| format!("`{kind}`")).collect();
            kinds.extend(own.iter().map(|kind| format!("`{kind}`")));
            let message = format!("no edge answers {} of {at}, so they end the run", list(&kinds));
            (message, trigger_for(own, cause))
        }
        UnansweredCause::OtherKinds => (
            format!("no edge answers an error of {at} whose kind is not built in, so it ends the run"),
            "error".to_owned(),
        ),
        UnansweredCause::Timeout => {
            (format!("no edge answers a time-out of {at}, so it ends the run"), "timeout".to_owned())
        }
        UnansweredCause::BudgetOfCalled => (
            format!("no edge answers a used-up budget of the graph that {at} runs, so it ends the run"),
            "error(budget_exhausted)".to_owned(),
        ),
        UnansweredCause::Exhausted(budget) => {
            let name = &graph.budgets[budget.0 as usize].name.value;
            let message =
                format!("no edge answers when the budget `{name}` is used up at {at}, so it ends the run");
            (message, trigger_of_budget(graph, *budget))
        }
    };
    let first = &graph.graph[nodes[0]].name;
    let mut fault = Diagnostic::warning(rule::UNHANDLED, first.span, message);
    if let Some(edge) = answered_by_error(graph, cause, nodes) {
        fault = fault.also(edge, format!("`on: error` is not for this; `on: {trigger}` is"));
    }
    let place = match home {
        Some(composite) => format!("add to the edges of the composite {}", name(&composite)),
        None if nodes.len() == 1 => format!("add to the edges of {at}"),
        None => format!("add to the edges of each of {at}"),
    };
    let hint = format!("{place}: {}", text.edge(&trigger));
    let at = home.as_ref().map_or(nodes, std::slice::from_ref);
    let fault = match text.edits(graph, at, &trigger) {
        Some(edits) => fault.suggestion(hint.clone(), edits),
        None => fault,
    };
    let fault = fault.help(hint);
    match text.new_final() {
        Some(declared) => fault.help(format!("and the final that it leads to: {declared}")),
        None => fault,
    }
}

/// The finding about an edge that fails after another one did.
fn second_finding(graph: &Graph, failure: &SecondFailure, text: &EdgeText<'_>) -> Diagnostic {
    let nodes = &graph.graph;
    let node = &nodes[failure.node].name.value;
    let budget = failure.causes.exhausted[0];
    let declared = &graph.budgets[budget.0 as usize].name.value;
    let message = format!(
        "no edge answers when the budget `{declared}` is used up at this edge after another edge of `{node}` failed, so it ends the run"
    );
    let edge = text.edge(&trigger_of_budget(graph, budget));
    let fault = Diagnostic::warning(rule::UNHANDLED, nodes[failure.edge].span, message)
        .also(nodes[failure.first].span, "this edge may fail, and then the other one is taken");
    let why = "a second failure at a node goes past its further edges to the composite around it";
    match graph.cfg.around(failure.node).last() {
        Some(outer) => {
            let outer = &nodes[outer].name.value;
            let fault = fault.help(format!("{why}; add to the edges of the composite `{outer}`: {edge}"));
            match text.new_final() {
                Some(declared) => fault.help(format!("and the final that it leads to: {declared}")),
                None => fault,
            }
        }
        None => fault.help(format!(
            "{why}, and `{node}` is in none: spend in the node that the edge leads to instead, or test `!exhausted({declared})` first"
        )),
    }
}

/// The trigger that answers a used-up budget.
fn trigger_of_budget(graph: &Graph, budget: BudgetId) -> String {
    let declared = &graph.budgets[budget.0 as usize];
    if declared.family.is_some() {
        "error(budget_exhausted)".to_owned()
    } else {
        format!("exhausted({})", declared.name.value)
    }
}

/// The trigger that answers all of some kinds: `error`, unless one of them must be named.
fn trigger_for(own: &[Str], cause: &UnansweredCause) -> String {
    let UnansweredCause::Kinds(kinds, _) = cause else { return "error".to_owned() };
    let mut named = kinds.names().filter(|kind| !is_answered_by_error(kind));
    match named.next() {
        Some(kind) if own.is_empty() && kinds.names().count() == 1 => format!("error({kind})"),
        _ => "error".to_owned(),
    }
}

/// The edge `on: error` of one of the nodes, or of a composite around it, where the cause must be named.
fn answered_by_error(
    graph: &Graph,
    cause: &UnansweredCause,
    nodes: &[NodeId],
) -> Option<crate::source::Span> {
    if !matches!(cause, UnansweredCause::BudgetOfCalled | UnansweredCause::Exhausted(_)) {
        return None;
    }
    let around = |id: NodeId| std::iter::once(id).chain(graph.cfg.around(id));
    let edges =
        nodes.iter().take(MAX_NAMED_NODES).flat_map(|id| around(*id)).flat_map(|id| &graph.graph[id].edges);
    let mut edges = edges.map(|id| &graph.graph[*id]);
    edges.find(|edge| edge.on.iter().any(|on| matches!(on, Trigger::AnyError))).map(|edge| edge.span)
}

/// Names in a row: `a`, `b` and `c`.
fn list(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}
