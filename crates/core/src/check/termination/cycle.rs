//! The finding about a loop without end: the way round, and the place where a spend would bound it.

use std::collections::VecDeque;
use std::collections::hash_map::Entry;

use rustc_hash::FxHashMap;

use super::budgets::Unknowns;
use super::cause::Cause;
use super::classes::MAX_LOOP_CLASSES;
use super::hint::{CycleStep, hints};
use super::judge::LoopJudge;
use super::region::{Component, RegionFacts};
use super::unbounding_spends::unbounding_spends;
use super::unfold::{ArcId, ArcKind, State, StateId, Unfolding};
use crate::diag::{Diagnostic, rule};
use crate::model::Graph;
use crate::model::node::{EdgeId, NodeId, Trigger};
use crate::source::Span;

/// The largest numbers of nodes and of labelled edges in the drawing of a cycle.
const MAX_DRAWN_NODES: usize = 12;
const MAX_EDGE_LABELS: usize = 5;
/// The number of edges and cycles that are tried in the search for the clearest one.
const MAX_CYCLES_TRIED: usize = 20;

/// Reports every loop, in order of the text.
///
/// `is_cut`: the guards of a loop tell apart more than was followed.
pub(super) fn report(
    judge: &LoopJudge<'_>,
    loops: &[Component],
    is_cut: bool,
    findings: &mut Vec<Diagnostic>,
) {
    for part in loops {
        let circle = Circle::of(judge.unfolding, judge.unknowns, part);
        let finding = circle.finding(judge, part);
        findings.push(if is_cut {
            finding.help(format!(
                "guards may exclude each other here, but they tell apart more than {MAX_LOOP_CLASSES} combinations of \
                 values, and not all are followed: compare fewer values, or store what is decided in a flag"
            ))
        } else {
            finding
        });
    }
}

/// A way round.
struct Circle {
    arcs: Vec<ArcId>,
    /// The edges that are taken, and where each arrives.
    steps: Vec<CycleStep>,
}

impl Circle {
    /// A way round that nothing pays for, through the first node of a part that does any work if there is one.
    fn of(unfolding: &Unfolding, unknowns: &Unknowns<'_>, part: &Component) -> Self {
        let mut next: FxHashMap<StateId, Vec<ArcId>> = FxHashMap::default();
        for id in &part.arcs {
            next.entry(unfolding.from(*id)).or_default().push(*id);
        }
        let place = |state: &StateId| match unfolding.graph[*state] {
            State::Work(node) => (0, node.index(), *state),
            State::Exit(node, ..) => (1, node.index(), *state),
            State::Start | State::End => (2, 0, *state),
        };
        let first = part.states.iter().copied().min_by_key(place).unwrap_or_default();
        let mut arcs = shortest(unfolding, &next, first, first);
        if !unpaid(unfolding, unknowns, &arcs) {
            // A composite's own budget closes that one: what makes it begin afresh is on another way round.
            let entering = part.arcs.iter().filter(|id| !unfolding.graph[**id].enters.is_empty());
            let through = |id: &ArcId| {
                let mut round = shortest(unfolding, &next, unfolding.to(*id), unfolding.from(*id));
                round.insert(0, *id);
                round
            };
            let other =
                entering.take(MAX_CYCLES_TRIED).map(through).find(|round| unpaid(unfolding, unknowns, round));
            arcs = other.unwrap_or(arcs);
        }
        let mut steps: Vec<_> = arcs.iter().filter_map(|id| step(unfolding, *id)).collect();
        // It is drawn from the node that stands first in the text.
        if let Some(first) = (0..steps.len()).min_by_key(|i| steps[*i].2) {
            let places = steps.len();
            steps.rotate_left((first + 1) % places);
        }
        Self { arcs, steps }
    }

    fn finding(&self, judge: &LoopJudge<'_>, part: &Component) -> Diagnostic {
        let (graph, unfolding, unknowns) = (judge.declared.graph, judge.unfolding, judge.unknowns);
        let closing = self.closing(judge, part);
        let span = closing.map_or(graph.id.span, |edge| graph.graph[edge].span);
        let message =
            format!("the loop `{}` may never end: no hard budget is spent on every pass", self.drawn(graph));
        let mut finding = Diagnostic::error(rule::ENDLESS_LOOP, span, message);
        let mut labelled: Vec<Span> = vec![span];
        let unbounding_spends =
            self.arcs.iter().flat_map(|id| unbounding_spends(graph, unfolding, *id, unknowns, part));
        for (place, why) in unbounding_spends {
            if !labelled.contains(&place) && labelled.len() <= MAX_EDGE_LABELS {
                labelled.push(place);
                finding = finding.also(place, why);
            }
        }
        for (edge, ..) in &self.steps {
            let place = graph.graph[*edge].span;
            if !labelled.contains(&place) && labelled.len() <= MAX_EDGE_LABELS {
                labelled.push(place);
                finding = finding.also(place, "this edge can be taken without spending");
            }
        }
        finding = finding.caret("a `spend` on this edge would bound the loop");
        let others = others(unfolding, part, &self.steps);
        if others > 0 {
            let nodes = if others == 1 {
                "one other node is".to_owned()
            } else {
                format!("{others} other nodes are")
            };
            finding = finding.help(format!("{nodes} in such loops, too"));
        }
        hints(judge, part, (&self.arcs, &self.steps), closing, finding)
    }

    /// The edge to put a spend on: one that closes every loop of the part, if there is one on this way round.
    fn closing(&self, judge: &LoopJudge<'_>, part: &Component) -> Option<EdgeId> {
        let edges = || self.steps.iter().rev().map(|(edge, ..)| *edge);
        let closes = |edge: &EdgeId| {
            let taken = |id: ArcId| judge.unfolding.graph[id].kind == ArcKind::Edge(*edge);
            judge.endless(part, taken).is_empty()
        };
        edges().take(MAX_CYCLES_TRIED).find(closes).or_else(|| edges().next())
    }

    /// The way round as words: `decision -> tool -(on error)-> decision`.
    fn drawn(&self, graph: &Graph) -> String {
        let name = |node: NodeId| graph.graph[node].name.value.as_str();
        let mut text = self.steps.last().map_or_else(String::new, |(.., node)| name(*node).to_owned());
        for (i, (edge, cause, node)) in self.steps.iter().enumerate() {
            if i + 1 == MAX_DRAWN_NODES && self.steps.len() > MAX_DRAWN_NODES {
                text.push_str(" -> …");
                continue;
            }
            if i + 1 > MAX_DRAWN_NODES && i + 1 < self.steps.len() {
                continue;
            }
            match why(graph, *edge, *cause) {
                Some(on) => text.extend([" -(on ", &on, ")-> "]),
                None => text.push_str(" -> "),
            }
            text.push_str(name(*node));
        }
        text
    }
}

/// A shortest way from one point to another of a part, of at least one arc if they are the same.
fn shortest(
    unfolding: &Unfolding,
    next: &FxHashMap<StateId, Vec<ArcId>>,
    from: StateId,
    to: StateId,
) -> Vec<ArcId> {
    let mut arc_into: FxHashMap<StateId, ArcId> = FxHashMap::default();
    let mut open = VecDeque::from([from]);
    while let Some(at) = open.pop_front().filter(|_| !arc_into.contains_key(&to)) {
        for id in next.get(&at).into_iter().flatten() {
            let reached = unfolding.to(*id);
            if let Entry::Vacant(new) = arc_into.entry(reached) {
                new.insert(*id);
                open.push_back(reached);
            }
        }
    }
    let mut arcs = Vec::new();
    let mut at = to;
    while let Some(id) = arc_into.get(&at).filter(|_| arcs.is_empty() || at != from) {
        arcs.push(*id);
        at = unfolding.from(*id);
    }
    arcs.reverse();
    arcs
}

/// True if nothing that is spent on a way round bounds it.
fn unpaid(unfolding: &Unfolding, unknowns: &Unknowns<'_>, round: &[ArcId]) -> bool {
    let states = round.iter().map(|id| unfolding.from(*id)).collect();
    let round = Component { states, arcs: round.to_vec() };
    let facts = RegionFacts::of(unfolding, &round);
    !round.arcs.iter().any(|id| facts.is_paid(*id, unfolding, unknowns))
}

/// The edge that an arc takes.
fn step(unfolding: &Unfolding, id: ArcId) -> Option<CycleStep> {
    let ArcKind::Edge(edge) = unfolding.graph[id].kind else { return None };
    let State::Exit(_, cause, _) = unfolding.graph[unfolding.from(id)] else { return None };
    match unfolding.graph[unfolding.to(id)] {
        State::Work(node) | State::Exit(node, ..) => Some((edge, cause, node)),
        State::Start | State::End => None,
    }
}

/// The reason for which an edge is taken here, unless it is that all went well.
fn why(graph: &Graph, edge: EdgeId, cause: Cause) -> Option<String> {
    if cause == Cause::Done {
        return None;
    }
    let words = graph.graph[edge].on.iter().filter_map(|trigger| match trigger {
        Trigger::Done => None,
        Trigger::AnyError => Some("error".to_owned()),
        Trigger::Kind(kind) => Some(format!("error({kind})")),
        Trigger::Class(class) => Some(format!("error({class})")),
        Trigger::Exhausted(budget) => {
            let (crate::model::expr::BudgetRef::Counter(id) | crate::model::expr::BudgetRef::Meter(id, _)) =
                budget;
            Some(format!("exhausted({})", graph.budgets[id.0 as usize].name.value))
        }
        Trigger::Unknown => Some("unknown".to_owned()),
    });
    let words: Vec<String> = words.collect();
    Some(if words.is_empty() { "error".to_owned() } else { words.join(", ") })
}

/// The number of leaves that lie in a part and not on the way that is drawn.
fn others(unfolding: &Unfolding, part: &Component, steps: &[CycleStep]) -> usize {
    let other = |state: &&StateId| match unfolding.graph[**state] {
        State::Work(node) => steps.iter().all(|(.., own)| *own != node),
        _ => false,
    };
    part.states.iter().filter(other).count()
}
