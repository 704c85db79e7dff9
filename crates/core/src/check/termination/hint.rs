//! The cure of a loop without end: a budget, the place of its spend, the edge for when it is used up.

use super::cause::Cause;
use super::holds::Atom;
use super::judge::LoopJudge;
use super::lists::Lists;
use super::region::Component;
use super::term::Term;
use super::unchanged::cure_of_guards;
use super::unfold::{ArcId, ArcKind, State};
use crate::diag::{Diagnostic, EditKind, SuggestedEdit};
use crate::model::Graph;
use crate::model::expr::{Block, BudgetId, BudgetRef, SlotKind};
use crate::model::graph::Budget;
use crate::model::node::{EdgeId, NodeId, NodeKind, Trigger};
use crate::program::error::ErrorKind;
use crate::program::graph::{Charge, Gate};
use crate::source::Span;
use crate::syntax::Syntax;

/// A limit for a loop of which nothing says how often it goes round.
const USUAL_LIMIT: &str = "10";

/// An edge that a way round takes, the cause, and where it arrives.
pub(super) type CycleStep = (EdgeId, Cause, NodeId);

/// Adds the cure to a finding.
pub(super) fn hints(
    judge: &LoopJudge<'_>,
    part: &Component,
    (round, steps): (&[ArcId], &[CycleStep]),
    closing: Option<EdgeId>,
    finding: Diagnostic,
) -> Diagnostic {
    let graph = judge.declared.graph;
    let budget = spent_budget(judge, part, steps);
    let free = free_name(graph, steps);
    let name = budget.map_or(free.as_str(), |id| graph.budgets[id.0 as usize].name.value.as_str());
    let cure = cure_of_guards(judge, round);
    let or = if cure.is_some() { "or else " } else { "" };
    let finding = cure.into_iter().fold(finding, Diagnostic::help);
    let mut finding = measured_budgets(graph, part, judge, finding);
    if budget.is_none() {
        let (limit, choice) = match size_of_input(judge, part) {
            Some(size) => (size, ""),
            None => (USUAL_LIMIT.to_owned(), "; choose the number"),
        };
        finding = finding.help(format!(
            "{or}declare a budget that limits the number of passes: `budgets: {{{name}: {limit}}}`{choice}"
        ));
    }
    let place = match (budget.and_then(|id| waiting(judge, part, steps, id)), closing) {
        (Some(node), _) => format!("of `{}`", graph.graph[node].name.value),
        (None, Some(edge)) => match graph.graph.edge_endpoints(edge) {
            Some((from, to)) => {
                let name = |node: NodeId| &graph.graph[node].name.value;
                format!("of the edge from `{}` to `{}`", name(from), name(to))
            }
            None => "of an edge of the loop".to_owned(),
        },
        (None, None) => "of an edge of the loop".to_owned(),
    };
    let hint = format!("add `spend {name}` to the `do` {place}");
    let spend = match (budget.and_then(|id| waiting(judge, part, steps, id)), closing) {
        (Some(node), _) => Some(first_statement(&graph.graph[node].entry, graph.graph[node].span, name)),
        (None, Some(edge)) => Some(first_statement(&graph.graph[edge].action, graph.graph[edge].span, name)),
        (None, None) => None,
    };
    if let Some(spend) = spend {
        let declared = budget.is_none().then(|| declaration(graph, name));
        finding = finding.suggestion(hint.clone(), std::iter::once(spend).chain(declared).collect());
    }
    finding = finding.help(hint);
    let answered = |t: &Trigger| match t {
        Trigger::Exhausted(BudgetRef::Counter(id) | BudgetRef::Meter(id, _)) => budget == Some(*id),
        Trigger::Kind(kind) => ErrorKind::BudgetExhausted.is(kind),
        _ => false,
    };
    if graph.graph.edge_weights().flat_map(|e| &e.on).any(answered) {
        return finding;
    }
    let finding = finding.help(format!("add an edge `on: exhausted({name})` for when it is used up"));
    let people = graph.graph.node_weights().any(|n| matches!(n.kind, NodeKind::Human(_) | NodeKind::Wait(_)));
    if people {
        finding.help("a loop that waits for people or time needs a limit, too; it may be large")
    } else {
        finding
    }
}

/// The edit that adds a spend to the statements of a node or an edge.
fn first_statement(block: &Block, whole: Span, budget: &str) -> SuggestedEdit {
    match block.statements.last() {
        Some(last) => {
            SuggestedEdit { span: last.span, text: format!("; spend {budget}"), kind: EditKind::After }
        }
        None => {
            SuggestedEdit { span: whole, text: format!("spend {budget}"), kind: EditKind::FirstStatement }
        }
    }
}

/// The edit that declares a budget with the usual limit.
fn declaration(graph: &Graph, name: &str) -> SuggestedEdit {
    let is_yaml = Syntax::of(&graph.path) == Syntax::Yaml;
    let plain = graph.budgets.iter().filter(|budget| budget.scope.is_none() && budget.family.is_none());
    let places = plain.map(|budget| budget.name.span).filter(|span| span.file == graph.id.span.file);
    let item =
        if is_yaml { format!("{name}: {USUAL_LIMIT}") } else { format!("budget {name} = {USUAL_LIMIT}") };
    if let Some(span) = places.min() {
        return SuggestedEdit { span, text: item, kind: EditKind::PreviousItem };
    }
    let text = if is_yaml { format!("budgets: {{{item}}}") } else { item };
    SuggestedEdit { span: graph.id.span, text, kind: EditKind::NextItem }
}

/// A budget that is meant for the loop: one that is spent in it already, that a node of it waits for, or that nothing spends.
/// One of another loop would be a wrong advice.
fn spent_budget(judge: &LoopJudge<'_>, part: &Component, steps: &[CycleStep]) -> Option<BudgetId> {
    let graph = judge.declared.graph;
    // A loop that goes on when a budget is used up cannot be closed by that budget.
    let used_up = |id: BudgetId| steps.iter().any(|(_, cause, _)| *cause == Cause::Exhausted(id));
    let is_usable =
        |b: &Budget| b.gate == Gate::Hard && b.scope.is_none() && b.family.is_none() && b.charge.is_none();
    let lists = Lists::of(graph);
    let anywhere: Vec<BudgetId> = blocks(graph).flat_map(|block| lists.summary(block).may).collect();
    let spends = spent(judge, part);
    let is_meant = |id: BudgetId| {
        let awaited = || steps.iter().any(|(.., node)| waits_for(graph, *node, id));
        spends.contains(&id) || !anywhere.contains(&id) || awaited()
    };
    let mut budgets = graph.budgets.iter().zip((0..).map(BudgetId));
    budgets.find(|(b, id)| is_usable(b) && !used_up(*id) && is_meant(*id)).map(|(_, id)| id)
}

/// All statement lists of nodes and edges.
fn blocks(graph: &Graph) -> impl Iterator<Item = &Block> {
    let nodes = graph.graph.node_weights().flat_map(|node| [&node.entry, &node.then]);
    nodes.chain(graph.graph.edge_weights().map(|edge| &edge.action))
}

/// True if a node can spend a budget in its `do`, and an edge of it answers to the budget that is used up.
fn waits_for(graph: &Graph, node: NodeId, budget: BudgetId) -> bool {
    if matches!(graph.graph[node].kind, NodeKind::Choice | NodeKind::Final(_)) {
        return false;
    }
    let waits = |t: &Trigger| matches!(t, Trigger::Exhausted(BudgetRef::Counter(id)) if *id == budget);
    graph.graph[node].edges.iter().any(|id| graph.graph[*id].on.iter().any(waits))
}

/// The hard budgets that lists of a region may spend.
fn spent(judge: &LoopJudge<'_>, part: &Component) -> Vec<BudgetId> {
    let graph = judge.declared.graph;
    let lists = Lists::of(graph);
    let mut found = Vec::new();
    let mut look = |block: &Block| found.extend(lists.summary(block).may);
    for arc in part.arcs.iter().map(|id| &judge.unfolding.graph[*id]) {
        match arc.kind {
            ArcKind::Work(id) | ArcKind::Refused(id) => {
                look(&graph.graph[id].entry);
                look(&graph.graph[id].then);
            }
            ArcKind::Edge(id) => look(&graph.graph[id].action),
            ArcKind::Start | ArcKind::Nothing => {}
        }
        arc.enters.iter().for_each(|id| look(&graph.graph[*id].entry));
    }
    found
}

/// The node of the loop that has an edge for when the budget is used up, if a spend in its `do` ends the loop.
fn waiting(judge: &LoopJudge<'_>, part: &Component, steps: &[CycleStep], budget: BudgetId) -> Option<NodeId> {
    let graph = judge.declared.graph;
    let nodes = steps.iter().map(|(.., node)| *node);
    let mut waiting = nodes.filter(|node| waits_for(graph, *node, budget));
    waiting.find(|node| {
        let done = |id: ArcId| {
            judge.unfolding.graph[id].kind == ArcKind::Work(*node)
                && matches!(judge.unfolding.graph[judge.unfolding.to(id)], State::Exit(_, Cause::Done, _))
        };
        judge.endless(part, done).is_empty()
    })
}

/// The size of an input that a guard of the loop compares with.
fn size_of_input(judge: &LoopJudge<'_>, part: &Component) -> Option<String> {
    let graph = judge.declared.graph;
    let sums = part.arcs.iter().flat_map(|id| judge.unfolding.graph[*id].holds.iter());
    let sums = sums.filter_map(|atom| match atom {
        Atom::Positive(sum) => Some(sum),
        Atom::Among(..) => None,
    });
    sums.flat_map(|sum| &sum.terms).find_map(|(term, factor)| {
        let (slot, path) = term.place()?;
        let slot = &graph.slots[slot.0 as usize];
        let fits = matches!(term, Term::Size(_)) && *factor > 0 && slot.kind == SlotKind::Input;
        (fits && path.fields.is_empty()).then(|| format!("size({})", slot.name.value))
    })
}

/// Says of budgets that are charged in the loop why they do not bound it.
fn measured_budgets(
    graph: &Graph,
    part: &Component,
    judge: &LoopJudge<'_>,
    finding: Diagnostic,
) -> Diagnostic {
    let works = |id: &ArcId| match judge.unfolding.graph[*id].kind {
        ArcKind::Work(node) => Some(&graph.graph[node].kind),
        _ => None,
    };
    let kinds = || part.arcs.iter().filter_map(works);
    let mut finding = finding;
    for budget in graph.budgets.iter().filter(|budget| budget.gate == Gate::Hard) {
        let is_model = |kind: &NodeKind| matches!(kind, NodeKind::Model(_));
        let is_tool = |kind: &NodeKind| matches!(kind, NodeKind::Tool(_));
        let why = match budget.charge {
            Some(Charge::ModelTokens) if kinds().any(is_model) => "a call may use no tokens",
            Some(Charge::ModelCost) if kinds().any(is_model) => "a call may cost nothing",
            Some(Charge::Time) => "a pass may take no time",
            Some(Charge::ModelCalls) if kinds().any(is_model) => {
                "a pass may fail before the call or in it: only a model node that is done has surely made one"
            }
            Some(Charge::ToolCalls) if kinds().any(is_tool) => {
                "a pass may fail before the call or in it: only a tool node that is done has surely made one"
            }
            _ => continue,
        };
        finding = finding.help(format!("`{}` does not bound the number of passes: {why}", budget.name.value));
    }
    finding
}

/// A name for a budget that nothing else in the graph has, made from the first node of the loop.
fn free_name(graph: &Graph, steps: &[CycleStep]) -> String {
    let taken = |name: &str| {
        let budgets = graph.budgets.iter().map(|b| &b.name).chain(graph.families.iter().map(|f| &f.name));
        let values = graph.slots.iter().map(|s| &s.name).chain(graph.lets.iter().map(|l| &l.name));
        let actions = graph.actions.iter().map(|a| &a.name);
        budgets.chain(values).chain(actions).any(|own| own.value == name)
    };
    let node = steps.last().map(|(.., node)| graph.graph[*node].name.value.as_str());
    let base = node.map_or_else(|| "rounds".to_owned(), |node| format!("{node}_rounds"));
    let numbered = (2_u32..).map(|n| format!("{base}{n}"));
    std::iter::once(base.clone()).chain(numbered).find(|name| !taken(name)).unwrap_or_default()
}
