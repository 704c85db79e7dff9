//! Conversations whose beginning changes from one request to the next: no provider finds it in its cache.
//!
//! Only what surely happens in every round is judged. A conversation that is made shorter now and then loses its cache then,
//! which is what its author wants.

use std::cell::RefCell;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::diag::{Diagnostic, rule};
use crate::model::Graph;
use crate::model::cfg::{Cfg, Point, Step};
use crate::model::expr::{Block, Expr, ExprKind, LetId, Place, PlaceStep, SlotId, Statement, StatementKind};
use crate::model::node::{EdgeId, NodeId, NodeKind};
use crate::source::Span;
use crate::value::Value;

/// The most points that are visited for the nodes of one graph, but for the searches of one node. Nodes past that are not judged.
const MAX_POINTS: usize = 1_000_000;

/// Judges the messages of each model that is asked in a loop.
pub(super) fn judge(graph: &Graph, findings: &mut Vec<Diagnostic>) {
    let talks = graph.graph.node_indices().filter_map(|id| match &graph.graph[id].kind {
        NodeKind::Model(model) => Some((id, model.messages.as_ref()?)),
        _ => None,
    });
    // Each is a search of the whole graph.
    for (id, messages) in talks.take(MAX_POINTS / graph.cfg.len().max(1)) {
        let rounds = Rounds { graph, node: id };
        if !rounds.repeat() {
            continue;
        }
        let mut judging = Judging {
            rounds: &rounds,
            judged: FxHashSet::default(),
            lets: FxHashSet::default(),
            changing: RefCell::default(),
        };
        if let Some(change) = judging.beginning(messages, false) {
            let node = &graph.graph[id].name.value;
            let message = format!("the messages of `{node}` begin anew in each round: {}", change.why);
            findings.push(Diagnostic::note(rule::NOT_CACHEABLE, change.span, message).help(
                "keep what was sent as it was and append to it: put what changes into the last message, and shorten a long \
                 conversation now and then rather than in each round",
            ));
        }
    }
}

/// A change of the beginning of a list.
struct BeginningChange {
    span: Span,
    why: String,
}

/// The rounds of a loop through a node.
struct Rounds<'g> {
    graph: &'g Graph,
    node: NodeId,
}

impl Rounds<'_> {
    /// Returns true if the node may be entered again.
    fn repeat(&self) -> bool {
        self.leads_round(&|_| false, &|_| false)
    }

    /// Returns true if each round passes one of the blocks and places that `writes` names.
    fn always(&self, writes: &dyn Fn(StateWrite<'_>) -> bool) -> bool {
        let block = |block: &Block| self.has(block, writes);
        let at_node = |id: NodeId| {
            let node = &self.graph.graph[id];
            let into = node.kind.into_place().is_some_and(|place| writes(StateWrite::Into(place)));
            into || block(&node.entry) || block(&node.then)
        };
        let on_edge = |id: EdgeId| block(&self.graph.graph[id].action);
        at_node(self.node) || !self.leads_round(&at_node, &on_edge)
    }

    /// Returns true if a block surely makes one of these writes.
    fn has(&self, block: &Block, writes: &dyn Fn(StateWrite<'_>) -> bool) -> bool {
        block.statements.iter().any(|statement| match &statement.kind {
            StatementKind::Assign { .. } => writes(StateWrite::Statement(statement)),
            StatementKind::Call(action) => self.has(&self.graph.actions[action.0 as usize].body, writes),
            StatementKind::If(arms, Some(otherwise)) => {
                arms.iter().map(|(_, arm)| arm).chain([otherwise]).all(|arm| self.has(arm, writes))
            }
            _ => false,
        })
    }

    /// Returns true if a path leads from the node back to it that passes none of these nodes and edges.
    fn leads_round(&self, node: &dyn Fn(NodeId) -> bool, edge: &dyn Fn(EdgeId) -> bool) -> bool {
        let cfg: &Cfg = &self.graph.cfg;
        let own = cfg.node(self.node);
        let mut seen = vec![false; cfg.len()];
        let mut open = vec![own];
        while let Some(at) = open.pop() {
            for (step, to) in cfg.steps(at) {
                if matches!(step, Step::Edge(id) if edge(id)) {
                    continue;
                }
                if to == own {
                    return true;
                }
                let passes = matches!(cfg.point(to), Point::Node(id) if node(id));
                if !passes && !std::mem::replace(&mut seen[to.index()], true) {
                    open.push(to);
                }
            }
        }
        false
    }
}

/// A write to the state.
#[derive(Clone, Copy)]
enum StateWrite<'a> {
    /// The answer of a node goes to a place.
    Into(&'a Place),
    /// A statement assigns.
    Statement(&'a Statement),
}

impl<'a> StateWrite<'a> {
    fn place(self) -> Option<&'a Place> {
        match self {
            Self::Into(place) => Some(place),
            Self::Statement(statement) => match &statement.kind {
                StatementKind::Assign { place, .. } => Some(place),
                _ => None,
            },
        }
    }
}

struct Judging<'r> {
    rounds: &'r Rounds<'r>,
    /// The fields whose writes were judged.
    judged: FxHashSet<SlotId>,
    /// The lets that were judged.
    lets: FxHashSet<LetId>,
    /// The fields that were looked at, and whether they change.
    changing: RefCell<FxHashMap<SlotId, bool>>,
}

impl Judging<'_> {
    /// The change of a list's beginning, if it surely changes in each round. `followed`: something follows the list.
    fn beginning(&mut self, list: &Expr, followed: bool) -> Option<BeginningChange> {
        match &list.kind {
            ExprKind::Coerce(inner, _) => self.beginning(inner, followed),
            ExprKind::Bind { body, .. } => self.beginning(body, followed),
            ExprKind::Let(id) => {
                if !self.lets.insert(*id) {
                    return None;
                }
                let change = self.beginning(&self.rounds.graph.lets[id.0 as usize].body, followed)?;
                Some(BeginningChange { span: list.span, ..change })
            }
            ExprKind::Slot(slot) => self.rewritten(*slot, list.span),
            ExprKind::List(items) => self.items(items, followed),
            ExprKind::Macro { over, filter, each, .. } => self.beginning(over, followed).or_else(|| {
                let part = filter.iter().chain(each).find(|part| self.changes(part))?;
                Some(BeginningChange { span: part.span, why: "what is made of its items changes".to_owned() })
            }),
            ExprKind::Call(function, args) => match (function.name(), args.as_slice()) {
                (Some("+"), [left, right]) => self.sum(left, right, followed),
                (Some("slice"), [over, start, _]) => self.beginning(over, followed).or_else(|| {
                    let moves = self.changes(start);
                    moves.then(|| BeginningChange {
                        span: start.span,
                        why: "the start of the slice moves".to_owned(),
                    })
                }),
                (Some("reverse"), [over]) => {
                    let change =
                        BeginningChange { span: list.span, why: "the newest message comes first".to_owned() };
                    self.changes(over).then_some(change)
                }
                _ => None,
            },
            _ => None,
        }
    }

    fn sum(&mut self, left: &Expr, right: &Expr, followed: bool) -> Option<BeginningChange> {
        self.beginning(left, true).or_else(|| {
            // Behind a list that stays as it is the rest begins at the same place.
            if self.changes(left) { None } else { self.beginning(right, followed) }
        })
    }

    /// The first item that changes, if anything follows it.
    fn items(&self, items: &[Expr], followed: bool) -> Option<BeginningChange> {
        let last = if followed { items.len() } else { items.len().saturating_sub(1) };
        let item = items[..last].iter().find(|item| self.changes(item))?;
        let why = "this message changes, and others follow it".to_owned();
        Some(BeginningChange { span: item.span, why })
    }

    /// The change of a field's beginning, if each round writes it anew. A field is judged once.
    fn rewritten(&mut self, slot: SlotId, span: Span) -> Option<BeginningChange> {
        if !self.judged.insert(slot) {
            return None;
        }
        let rounds = self.rounds;
        let judging = RefCell::new(self);
        let anew = |write: StateWrite<'_>| match write {
            StateWrite::Into(place) => place.slot == slot && place.steps.is_empty(),
            StateWrite::Statement(statement) => match &statement.kind {
                StatementKind::Assign { place, add: false, value } if place.slot == slot => {
                    let whole =
                        place.steps.is_empty() && judging.borrow_mut().beginning(value, true).is_some();
                    whole || is_first(place)
                }
                _ => false,
            },
        };
        let name = &rounds.graph.slots[slot.0 as usize].name.value;
        let why = || format!("the beginning of `{name}` is written anew");
        rounds.always(&anew).then(|| BeginningChange { span, why: why() })
    }

    /// Returns true if a value surely is another one in each round.
    fn changes(&self, value: &Expr) -> bool {
        self.changes_but_for(value, &mut FxHashSet::default())
    }

    /// The same without the lets that were looked at.
    fn changes_but_for(&self, value: &Expr, seen: &mut FxHashSet<LetId>) -> bool {
        let mut found = false;
        value.walk(&mut |part| {
            found = found
                || match &part.kind {
                    ExprKind::Now | ExprKind::Step => true,
                    ExprKind::Visits(node) => *node == self.rounds.node,
                    ExprKind::Let(id) => {
                        seen.insert(*id)
                            && self.changes_but_for(&self.rounds.graph.lets[id.0 as usize].body, seen)
                    }
                    ExprKind::Slot(slot) => self.is_written(*slot),
                    _ => false,
                };
        });
        found
    }

    /// Returns true if each round writes to a field.
    fn is_written(&self, slot: SlotId) -> bool {
        let known = self.changing.borrow().get(&slot).copied();
        known.unwrap_or_else(|| {
            let written = |write: StateWrite<'_>| write.place().is_some_and(|place| place.slot == slot);
            let changes = self.rounds.always(&written);
            self.changing.borrow_mut().insert(slot, changes);
            changes
        })
    }
}

/// Returns true for the first item of a list, or a part of it.
fn is_first(place: &Place) -> bool {
    matches!(place.steps.first(), Some(PlaceStep::Index(Expr { kind: ExprKind::Const(Value::Int(0)), .. })))
}
