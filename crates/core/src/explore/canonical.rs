//! The canonical form of a state: all that can still matter to what follows, and nothing else.
//!
//! Two states with one form go on alike. Left out are variables that nothing reads any more, counters that nothing asks for and
//! no spend is refused by, numbers and names of calls, texts that only go out, and the time of day: waits count from now.
//!
//! An integer and a float of one value are equal, and their hashes are. `is` tells them apart, so the form says which values are
//! floats where a type leaves it open.

use std::hash::{Hash, Hasher};

use super::live::{LiveSlots, SlotParts, SlotSet};
use super::template::template_texts;
use super::uses::ValueUses;
use crate::check::expressions::{GraphPart, each};
use crate::machine::{
    Call, Join, Lane, LaneEnd, NodeExit, Phase, PropertyMonitor, Question, Request, Snapshot, Time,
};
use crate::model::Model;
use crate::model::expr::{BudgetRef, Expr, ExprKind};
use crate::model::graph::Graph;
use crate::model::record::TypeTable;
use crate::model::types::{Kind, RecordId, Type};
use crate::program::Program;
use crate::program::eval::ReadLog;
use crate::program::frame::Frame;
use crate::program::graph::Gate;
use crate::value::Value;

/// A digest of a canonical form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StateDigest(u128);

impl StateDigest {
    /// A digest of that value.
    #[cfg(test)]
    pub(super) const fn of(value: u128) -> Self {
        Self(value)
    }
}

/// The parts of a run that can still matter.
#[derive(Debug)]
pub(super) struct CanonicalForm {
    live: Vec<LiveSlots>,
    graphs: Vec<GraphForm>,
    reads_clock: bool,
    reads_specials: bool,
}

/// The parts of one graph that can still matter besides its variables.
#[derive(Debug, Default)]
struct GraphForm {
    /// By budget: a spend may be refused by it, or something asks for it.
    budgets: Vec<bool>,
    /// The nodes whose visits something asks for.
    visits: Vec<u32>,
    /// True if something asks for the number of steps.
    steps: bool,
    /// By variable: a number in it may be an integer or a float.
    mixed: Vec<bool>,
}

impl CanonicalForm {
    pub(super) fn of(model: &Model, uses: &ValueUses) -> Self {
        let graphs = model.graphs.iter().map(|graph| GraphForm::of(graph, &model.types)).collect();
        Self {
            live: LiveSlots::of_model(model),
            graphs,
            reads_clock: uses.unexplored.iter().any(|used| used.why == super::uses::CLOCK),
            reads_specials: uses.reads_specials,
        }
    }

    /// The variables of a lane that may still be read.
    pub(super) fn live(&self, lane: &Lane) -> &SlotSet {
        let own = &self.live[lane.frame.graph as usize];
        match &lane.phase {
            Phase::Paused { at, .. } | Phase::Leave { at, .. } => own.when_left(*at),
            _ => own.while_waiting(lane.frame.node),
        }
    }

    /// Notes which answers the form of a state holds as a whole.
    pub(super) fn note_reads(&self, snapshot: &Snapshot, log: &ReadLog) {
        for lane in snapshot.lanes.iter().flatten() {
            let graph = lane.frame.graph;
            for (slot, parts) in self.live(lane).iter() {
                match parts {
                    SlotParts::Whole => log.slot(graph, slot.0),
                    SlotParts::Fields(names) => names.iter().for_each(|name| log.field(graph, slot.0, name)),
                }
            }
            let has_specials =
                self.reads_specials || matches!(lane.phase, Phase::Paused { .. } | Phase::Leave { .. });
            if has_specials && !(lane.frame.result.is_null() && lane.frame.error.is_null()) {
                log.special(graph);
            }
        }
    }

    /// The canonical form of a state as bytes. `bytes` is emptied first.
    pub(super) fn write(
        &self,
        program: &Program,
        snapshot: &Snapshot,
        judge: &PropertyMonitor,
        bytes: &mut Vec<u8>,
    ) {
        bytes.clear();
        let mut to = ByteHasher(bytes);
        if let Some(done) = &snapshot.done {
            (1_u8, &done.outcome, done.ok).hash(&mut to);
            let kind = done.error.as_map().and_then(|error| error.get("kind"));
            kind.hash(&mut to);
            return;
        }
        2_u8.hash(&mut to);
        if self.reads_clock {
            snapshot.at.hash(&mut to);
        }
        snapshot.back.hash(&mut to);
        for (index, lane) in (0_u32..).zip(&snapshot.lanes) {
            let Some(lane) = lane else { continue };
            index.hash(&mut to);
            self.lane(program, snapshot.at, lane, &mut to);
        }
        judge.hash_progress(&mut to);
    }

    /// The digest of a canonical form.
    pub(super) fn digest(bytes: &[u8]) -> StateDigest {
        let mut first = [0; 16];
        first.copy_from_slice(&blake3::hash(bytes).as_bytes()[..16]);
        StateDigest(u128::from_le_bytes(first))
    }

    fn lane(&self, program: &Program, now: Time, lane: &Lane, to: &mut ByteHasher<'_>) {
        lane.parent.hash(to);
        lane.approved.is_some().hash(to);
        (lane.pause_tested == Some(lane.frame.steps)).hash(to);
        self.frame(program, lane, to);
        let relative = |time: Time| time.saturating_sub(now).max(0);
        match &lane.phase {
            Phase::Calling(call) => {
                3_u8.hash(to);
                request(call, to);
                call.deadline.map(relative).hash(to);
            }
            Phase::Backoff { call, until } => {
                4_u8.hash(to);
                request(call, to);
                relative(*until).hash(to);
            }
            Phase::Asking(ask) => {
                5_u8.hash(to);
                question(ask, now, to);
            }
            Phase::Paused { ask, at, exit } => {
                6_u8.hash(to);
                question(ask, now, to);
                at.hash(to);
                leaving(exit, to);
                specials(&lane.frame, to);
            }
            Phase::Lost { ask, call } => {
                7_u8.hash(to);
                question(ask, now, to);
                request(call, to);
            }
            Phase::Approving { ask, call } => {
                8_u8.hash(to);
                question(ask, now, to);
                request(call, to);
            }
            Phase::Sleeping { until } => {
                9_u8.hash(to);
                relative(*until).hash(to);
            }
            Phase::Joining(join) => {
                10_u8.hash(to);
                joining(join, to);
                join.deadline.map(relative).hash(to);
            }
            Phase::Enter { target, inside } => (11_u8, target, inside).hash(to),
            Phase::Leave { at, exit } => {
                (12_u8, at).hash(to);
                leaving(exit, to);
                specials(&lane.frame, to);
            }
        }
    }

    fn frame(&self, program: &Program, lane: &Lane, to: &mut ByteHasher<'_>) {
        let frame = &lane.frame;
        (frame.graph, frame.node).hash(to);
        let (code, form) = (&program.graphs[frame.graph as usize], &self.graphs[frame.graph as usize]);
        for (slot, parts) in self.live(lane).iter() {
            let parts = parts.of(&frame.slots[slot.0 as usize]);
            parts.hash(to);
            if form.mixed[slot.0 as usize] {
                parts.values().for_each(|value| floats(value, to));
            }
        }
        let here = &code.nodes[frame.node as usize];
        let is_inside = |scope: Option<u32>| scope.is_none_or(|c| c == frame.node || here.chain.contains(&c));
        for (at, counters) in frame.counters.iter().enumerate() {
            let budget = &code.budgets[at];
            if form.budgets[at] && budget.family.is_none() && is_inside(budget.scope) {
                counters.hash(to);
            }
        }
        for (family, counters) in code.families.iter().zip(&frame.families) {
            if is_inside(family.scope) {
                counters.hash(to);
            }
        }
        for node in &form.visits {
            frame.visits[*node as usize].hash(to);
        }
        if form.steps {
            frame.steps.hash(to);
        }
        if self.reads_specials {
            specials(frame, to);
        }
    }
}

impl GraphForm {
    fn of(graph: &Graph, types: &TypeTable) -> Self {
        let mut form = Self {
            budgets: graph.budgets.iter().map(|budget| budget.gate == Gate::Hard).collect(),
            mixed: graph.slots.iter().map(|slot| is_mixed(&slot.ty, types, &mut Vec::new())).collect(),
            ..Self::default()
        };
        let mut asks_all = false;
        let mut ask = |expr: &Expr| match &expr.kind {
            ExprKind::Budget(_, BudgetRef::Counter(id) | BudgetRef::Meter(id, _)) => {
                form.budgets[id.0 as usize] = true;
            }
            ExprKind::Visits(node) => form.visits.extend(u32::try_from(node.index())),
            ExprKind::Step => form.steps = true,
            ExprKind::Render(_) => asks_all = true,
            _ => {}
        };
        each(graph, &mut |part| match part {
            GraphPart::Expr(expr) | GraphPart::Property(expr) => expr.walk(&mut ask),
            GraphPart::Budget(_) => {}
        });
        if asks_all && texts_ask_for_budgets(graph) {
            form.budgets.fill(true);
        }
        form.visits.sort_unstable();
        form.visits.dedup();
        form
    }
}

fn texts_ask_for_budgets(graph: &Graph) -> bool {
    template_texts(graph).is_none_or(|texts| {
        graph.texts.iter().any(|text| texts.variables(&text.name.value).iter().any(|own| own == "budgets"))
    })
}

fn specials(frame: &Frame, to: &mut ByteHasher<'_>) {
    (&frame.result, &frame.error, &frame.outcome).hash(to);
    floats(&frame.result, to);
    floats(&frame.error, to);
}

/// True if a number in a value of the type may be an integer or a float. `inside` are the records that it lies in.
fn is_mixed(ty: &Type, types: &TypeTable, inside: &mut Vec<RecordId>) -> bool {
    match &ty.kind {
        Kind::Any => true,
        Kind::List(item, _) | Kind::Map(item) => is_mixed(item, types, inside),
        Kind::Record(id) if !inside.contains(id) => {
            inside.push(*id);
            types.record(*id).fields.iter().any(|field| is_mixed(&field.ty, types, inside))
        }
        _ => false,
    }
}

/// Tells which parts of a value are floats, in the order in which they are hashed.
fn floats(value: &Value, to: &mut ByteHasher<'_>) {
    match value {
        Value::Float(_) => to.write_u8(1),
        Value::List(list) => list.iter().for_each(|item| floats(item, to)),
        Value::Map(map) => map.iter().for_each(|(_, item)| floats(item, to)),
        _ => to.write_u8(0),
    }
}

fn request(call: &Call, to: &mut ByteHasher<'_>) {
    call.attempt.hash(to);
    match &call.request {
        Request::Model { role, limits, .. } => (role, limits).hash(to),
        Request::Tool { tool, delivery, .. } => (tool, delivery).hash(to),
    }
}

fn question(ask: &Question, now: Time, to: &mut ByteHasher<'_>) {
    ask.reason.hash(to);
    ask.deadline.map(|deadline| deadline.saturating_sub(now).max(0)).hash(to);
}

fn leaving(exit: &NodeExit, to: &mut ByteHasher<'_>) {
    match exit {
        NodeExit::Unknown(call, error) => {
            13_u8.hash(to);
            request(call, to);
            error.hash(to);
        }
        other => other.hash(to),
    }
    if let NodeExit::Error(error) | NodeExit::Unknown(_, error) = exit {
        floats(error, to);
    }
}

fn joining(join: &Join, to: &mut ByteHasher<'_>) {
    (&join.choices, join.started, join.at_once, &join.running, &join.ended).hash(to);
    for input in join.inputs.iter().skip(join.started as usize) {
        input.hash(to);
        input.iter().flatten().for_each(|value| floats(value, to));
    }
    join.inputs.len().hash(to);
    for end in join.ended.iter().flatten() {
        match &**end {
            LaneEnd::Ok(value) => floats(value, to),
            LaneEnd::Error(exit) => leaving(exit, to),
        }
    }
}

/// Takes down what is hashed.
struct ByteHasher<'b>(&'b mut Vec<u8>);

impl Hasher for ByteHasher<'_> {
    fn finish(&self) -> u64 {
        0
    }

    fn write(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }
}
