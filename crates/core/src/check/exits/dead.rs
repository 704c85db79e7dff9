//! Edges on causes that cannot occur.

use rustc_hash::FxHashSet;

use super::answers::{Classes, has_no_guard, may_fire};
use super::causes::Causes;
use super::lists::ListCauses;
use super::table::{GraphExits, collects};
use crate::diag::{Diagnostic, rule};
use crate::model::Graph;
use crate::model::expr::BudgetRef;
use crate::model::node::{Edge, Node, NodeId, NodeKind, Trigger};
use crate::program::error::{ErrorClass, ErrorKind};
use crate::program::graph::Gate;
use crate::source::Span;

/// More dead edges of one node than this are counted, not named.
const MAX_DEAD_EDGES_OF_A_NODE: usize = 100;

/// Judges the triggers of every edge that is not dead for its guards or for the edges before it.
pub(super) fn judge(graph: &Graph, exits: &GraphExits, findings: &mut Vec<Diagnostic>) {
    let dead = findings.iter().filter(|finding| finding.rule == rule::DEAD_EDGE);
    let dead: FxHashSet<Span> = dead.map(Diagnostic::span).collect();
    let classes: Classes<'_> =
        graph.errors.iter().map(|(kind, class)| (kind.value.as_str(), class)).collect();
    let lists = ListCauses::of(graph);
    for (id, own) in graph.graph.node_indices().zip(&exits.nodes) {
        let node = &graph.graph[id];
        let at = TriggerJudge {
            graph,
            node,
            possible: &own.possible,
            classes: &classes,
            lists: &lists,
            dead: &dead,
        };
        at.judge(findings);
        without_final(graph, id, node, findings);
    }
}

/// A composite that nothing inside ends is never done.
fn without_final(graph: &Graph, id: NodeId, node: &Node, findings: &mut Vec<Diagnostic>) {
    let edges = || node.edges.iter().map(|edge| &graph.graph[*edge]);
    let mut done = edges().filter(|edge| !edge.on.is_empty() && edge.on.iter().all(Trigger::is_done));
    if matches!(node.kind, NodeKind::Composite(_))
        && let Some(edge) = done.next()
        && graph.cfg.finals(id).next().is_none()
    {
        let why = format!("`{}` contains no final", node.name.value);
        let cure = "a composite is done when a final directly inside it is entered";
        findings.push(dead(edge, &why).help(cure));
    }
}

fn dead(edge: &Edge, why: &str) -> Diagnostic {
    Diagnostic::warning(rule::DEAD_EDGE, edge.span, format!("this edge can never be taken: {why}"))
}

/// A reason for which a trigger never fires.
struct Reason {
    why: String,
    cure: String,
    /// An edge that is taken instead.
    instead: Option<Span>,
}

impl Reason {
    fn new(why: impl Into<String>, cure: impl Into<String>) -> Self {
        Self { why: why.into(), cure: cure.into(), instead: None }
    }
}

/// A node, and the causes that may leave it.
struct TriggerJudge<'g> {
    graph: &'g Graph,
    node: &'g Node,
    possible: &'g Causes,
    classes: &'g Classes<'g>,
    lists: &'g ListCauses<'g>,
    /// Edges that are named already.
    dead: &'g FxHashSet<Span>,
}

impl TriggerJudge<'_> {
    fn judge(&self, findings: &mut Vec<Diagnostic>) {
        let mut for_errors: Option<&Edge> = None;
        let mut found: Vec<Diagnostic> = Vec::new();
        let mut unnamed = 0;
        for edge in self.node.edges.iter().map(|id| &self.graph.graph[*id]) {
            match self.fault(edge, for_errors) {
                Some(fault) if found.len() < MAX_DEAD_EDGES_OF_A_NODE => found.push(fault),
                Some(_) => unnamed += 1,
                None => {}
            }
            if for_errors.is_none()
                && has_no_guard(edge)
                && edge.on.iter().any(includes_timeouts)
                && !self.raises_timeouts(edge)
            {
                for_errors = Some(edge);
            }
        }
        if unnamed > 0
            && let Some(last) = found.last_mut()
        {
            last.help.push(format!("so it is with {unnamed} more edges of `{}`", self.node.name.value));
        }
        findings.append(&mut found);
    }

    /// The finding about an edge that answers to nothing that occurs.
    fn fault(&self, edge: &Edge, for_errors: Option<&Edge>) -> Option<Diagnostic> {
        if edge.on.is_empty() || self.dead.contains(&edge.span) {
            return None;
        }
        let reasons: Option<Vec<Reason>> = edge.on.iter().map(|t| self.reason(t, for_errors)).collect();
        let reason = reasons?.into_iter().next()?;
        let fault = dead(edge, &reason.why);
        let fault = match reason.instead {
            Some(span) => fault.also(span, "this one answers to a time-out, too"),
            None => fault,
        };
        Some(fault.help(reason.cure))
    }

    /// True if the statements of an edge may end with a time-out: it is passed over then.
    fn raises_timeouts(&self, edge: &Edge) -> bool {
        self.lists.causes(&edge.action).kinds.has(ErrorKind::Timeout)
    }

    /// The reason for which a trigger never fires here, if it does not.
    fn reason(&self, trigger: &Trigger, for_errors: Option<&Edge>) -> Option<Reason> {
        if let Trigger::Exhausted(BudgetRef::Counter(id) | BudgetRef::Meter(id, _)) = trigger
            && self.graph.budgets[id.0 as usize].gate == Gate::Advisory
        {
            return Some(Reason::new(
                "an advisory budget stops nothing",
                "test it with `when: exhausted(budget)`, or make the budget's gate `hard`",
            ));
        }
        if !may_fire(trigger, self.possible, self.classes) {
            return Some(self.never_occurs(trigger));
        }
        let first = for_errors?;
        let is_timeout = matches!(trigger, Trigger::Kind(kind) if ErrorKind::Timeout.is(kind));
        (is_timeout && !self.possible.hidden_timeout).then(|| Reason {
            instead: Some(first.span),
            ..Reason::new(
                "`on: error` includes time-outs",
                "put the edge for time-outs before it, or remove it",
            )
        })
    }

    fn never_occurs(&self, trigger: &Trigger) -> Reason {
        let name = &self.node.name.value;
        let composite = matches!(self.node.kind, NodeKind::Composite(_));
        let place = if composite { format!("inside `{name}`") } else { format!("at `{name}`") };
        if collects(&self.node.kind) && self.may_leave_a_lane(trigger) {
            return Reason::new(
                "with `on_error: collect` a call that is refused or fails ends its lane, and the error is collected",
                "look for `error` in the results, or remove the edge",
            );
        }
        match trigger {
            Trigger::Exhausted(BudgetRef::Counter(id) | BudgetRef::Meter(id, _)) => {
                let budget = &self.graph.budgets[id.0 as usize];
                let charged = if budget.charge.is_some() { " or charges" } else { "" };
                Reason::new(
                    format!("nothing {place} spends{charged} the budget `{}`", budget.name.value),
                    "move the edge to the node that spends it, or remove it",
                )
            }
            Trigger::Unknown => Reason::new(
                format!("nothing {place} is a call of a tool or a model"),
                "only such a call can have an outcome that nobody knows; remove the edge",
            ),
            Trigger::Kind(kind) if ErrorKind::Timeout.is(kind) => {
                let has_time_limit = !matches!(
                    self.node.kind,
                    NodeKind::Action | NodeKind::Choice | NodeKind::Composite(_) | NodeKind::Final(_)
                );
                if has_time_limit {
                    Reason::new(
                        format!("`{name}` has no `timeout`"),
                        "add `timeout: 1h` with the time that it may take, or remove the edge",
                    )
                } else {
                    Reason::new(format!("nothing {place} has a `timeout`"), "remove the edge")
                }
            }
            Trigger::Kind(kind) => {
                Reason::new(format!("nothing {place} fails with `{kind}`"), self.cure(trigger))
            }
            Trigger::Class(class) => Reason::new(
                format!("nothing {place} fails with an error of the class `{class}`"),
                self.cure(trigger),
            ),
            Trigger::Done | Trigger::AnyError => {
                Reason::new(format!("nothing {place} fails"), "remove the edge")
            }
        }
    }

    /// True for what a called graph may come to, and not the node that calls it.
    fn may_leave_a_lane(&self, trigger: &Trigger) -> bool {
        match trigger {
            Trigger::Exhausted(BudgetRef::Counter(id) | BudgetRef::Meter(id, _)) => {
                self.graph.budgets[id.0 as usize].charge.is_some()
            }
            Trigger::Kind(kind) => !ErrorKind::Timeout.is(kind),
            Trigger::Class(_) | Trigger::AnyError => true,
            Trigger::Unknown | Trigger::Done => false,
        }
    }

    fn cure(&self, trigger: &Trigger) -> &'static str {
        let outside = match trigger {
            Trigger::Kind(kind) => ErrorKind::named(kind).is_some(),
            _ => true,
        };
        match self.node.kind {
            NodeKind::Action | NodeKind::Choice if outside => {
                "what is computed here fails with `evaluation`, `too_large` or a kind that `fail` names; remove the edge"
            }
            _ => "remove the edge, or raise the error with `fail`",
        }
    }
}

/// True for a trigger that answers to time-outs among other errors.
fn includes_timeouts(trigger: &Trigger) -> bool {
    match trigger {
        Trigger::AnyError => true,
        Trigger::Class(class) => class == ErrorClass::Transient.name(),
        _ => false,
    }
}
