//! Facts of a run, in the words scenarios use: names and JSON values.

use super::play::{PlayEnd, PlayedRun};
use crate::machine::{Event, EventCursor, EventKind, Request, Violation};
use crate::program::Program;
use crate::program::frame::Frame;
use crate::program::graph::{BudgetCode, Charge, GraphCode, LinkedNodeKind, NodeCode, PropertyCode};
use crate::source::Span;
use crate::value::{List, Map, Str, Value};

/// The facts of a run.
#[derive(Debug, Clone, Default)]
pub struct RunFacts {
    /// Top-level nodes entered.
    pub path: Vec<Str>,
    /// Leaves entered.
    pub leaf_path: Vec<Str>,
    /// The outcome, where the run ended.
    pub outcome: Option<Str>,
    /// True if it was a success, where it ended.
    pub ok: Option<bool>,
    /// The nodes that wait for a person.
    pub waiting: Vec<Str>,
    /// The error that ended it, null otherwise.
    pub error: Value,
    /// The graph's output, null where it did not end well.
    pub output: Value,
    /// The state of the root graph.
    pub state: Map,
    /// The amounts used of the root graph's budgets.
    pub budgets: Map,
    /// Tool calls of all graphs: `tool`, `args`, `node`, `lane`, `attempt`.
    pub tool_calls: Vec<Value>,
    /// Model calls of all graphs: `role`, `system`, `prompt`, `node`, `lane`, `attempt`.
    pub model_calls: Vec<Value>,
    /// Questions of all graphs: `node`, `text`, `reason`, `lane`.
    pub questions: Vec<Value>,
    /// Emitted events: `name`, `payload`.
    pub events: Vec<Value>,
    /// Properties that did not hold.
    pub violates: Vec<BrokenProperty>,
}

/// A property that did not hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BrokenProperty {
    /// Its name.
    pub name: Str,
    /// The place in the file, in the graph.
    pub span: Span,
    /// The leaf that was entered last.
    pub node: Str,
    /// The error for which it could not be judged, if any.
    pub trouble: Option<Str>,
}

impl BrokenProperty {
    fn of(program: &Program, violation: &Violation) -> Self {
        let graph = &program.graphs[violation.graph as usize];
        let (name, code) = &graph.properties[violation.property as usize];
        let (PropertyCode::Never(op)
        | PropertyCode::Always(op)
        | PropertyCode::Eventually(op)
        | PropertyCode::Precedes(op, _)) = code;
        Self {
            name: name.clone(),
            span: program.op_spans[op.0 as usize],
            node: graph.nodes[violation.node as usize].name.clone(),
            trouble: violation.trouble.clone(),
        }
    }
}

impl RunFacts {
    /// Reads a run.
    #[must_use]
    pub fn of(program: &Program, run: &PlayedRun) -> Self {
        let graph = &program.graphs[0];
        let mut facts = Self {
            violates: run.violations.iter().map(|violation| BrokenProperty::of(program, violation)).collect(),
            ..Self::default()
        };
        match &run.ended {
            PlayEnd::Done(done) => {
                facts.outcome = Some(done.outcome.clone());
                facts.ok = Some(done.ok);
                facts.error = done.error.clone();
                facts.output = done.output.clone();
            }
            PlayEnd::Waiting(asks) => facts.waiting = asks.iter().map(|ask| ask.node.clone()).collect(),
            PlayEnd::Lacking(_) | PlayEnd::TooLong(_) | PlayEnd::Drifted(_) => {}
        }
        if let Some(root) = run.snapshot.root() {
            facts.state = state(graph, &root.frame);
            facts.budgets = budgets(graph, &root.frame);
        }
        let mut cursor = EventCursor::new();
        for event in &run.events {
            let place = cursor.next(program, event);
            if let Some(node) = place.enters.filter(|_| event.frame == 0) {
                facts.entered(&graph.nodes[node as usize]);
            }
            facts.event(event);
        }
        facts
    }

    fn entered(&mut self, node: &NodeCode) {
        if node.parent.is_none() {
            self.path.push(node.name.clone());
        }
        if !matches!(node.kind, LinkedNodeKind::Composite(_)) {
            self.leaf_path.push(node.name.clone());
        }
    }

    fn event(&mut self, event: &Event) {
        match &event.kind {
            EventKind::Called(call) => {
                let mut entry = Map::new();
                let list = match &call.request {
                    Request::Tool { tool, args, .. } => {
                        entry.set("tool", tool.clone());
                        entry.set("args", args.clone());
                        &mut self.tool_calls
                    }
                    Request::Model { role, system, prompt, messages, offer, .. } => {
                        entry.set("role", role.clone());
                        entry.set("system", system.clone());
                        entry.set("prompt", prompt.clone());
                        if let Some(messages) = messages {
                            entry.set("messages", messages.clone());
                        }
                        if let Some(offer) = offer {
                            entry.set("offer", offer.clone());
                        }
                        &mut self.model_calls
                    }
                };
                entry.set("node", call.node.clone());
                entry.set("lane", call.lane.clone());
                entry.set("attempt", i64::from(call.attempt));
                list.push(Value::Map(entry));
            }
            EventKind::Asked(ask) => {
                let mut entry = Map::new();
                entry.set("node", ask.node.clone());
                entry.set("text", ask.text.clone());
                entry.set("reason", ask.reason.name());
                entry.set("lane", ask.lane.clone());
                self.questions.push(Value::Map(entry));
            }
            EventKind::Crossed { changes, .. }
            | EventKind::Entered { changes, .. }
            | EventKind::Completed { changes, .. }
            | EventKind::Failed { changes, .. }
            | EventKind::Took { changes, .. } => {
                for emit in changes.emits() {
                    let mut entry = Map::new();
                    entry.set("name", emit.name.clone());
                    entry.set("payload", emit.payload.clone());
                    self.events.push(Value::Map(entry));
                }
            }
            _ => {}
        }
    }
}

/// State fields by name, those of composites too; inputs are left out. Where two composites have a field of one name,
/// the second is `composite.field`.
pub fn state(graph: &GraphCode, frame: &Frame) -> Map {
    let mut state = Map::new();
    for (slot, value) in graph.slots.iter().zip(&frame.slots).skip(graph.inputs as usize) {
        let scope = slot.scope.filter(|_| state.contains_key(&slot.name));
        let name = scope.map_or_else(
            || slot.name.clone(),
            |node| ecow::eco_format!("{}.{}", graph.nodes[node as usize].name, slot.name),
        );
        state.insert(name, value.clone());
    }
    state
}

/// Counters by name; a family is a map by key.
fn budgets(graph: &GraphCode, frame: &Frame) -> Map {
    let mut used = Map::new();
    for (code, counters) in graph.budgets.iter().zip(&frame.counters) {
        if code.family.is_none() {
            used.insert(code.name.clone(), amount(code, counters.used));
        }
    }
    for (family, counters) in graph.families.iter().zip(&frame.families) {
        let mut keys = Map::new();
        for (key, row) in counters.keys.iter().zip(&counters.rows) {
            let meters = family.meters.iter().zip(row).map(|(meter, counters)| {
                let code = &graph.budgets[*meter as usize];
                let name = code.name.rsplit('.').next().unwrap_or_default();
                (Str::from(name), amount(code, counters.used))
            });
            keys.insert(key.clone(), Value::Map(meters.collect()));
        }
        used.insert(family.name.clone(), Value::Map(keys));
    }
    used
}

/// A counter as expressions read it.
#[must_use]
pub const fn amount(code: &BudgetCode, used: i64) -> Value {
    match code.charge {
        Some(Charge::ModelCost) => Value::Usd(used),
        Some(Charge::Time) => Value::Duration(used),
        _ => Value::Int(used),
    }
}

/// A list of names as a value.
pub(super) fn names(names: &[Str]) -> Value {
    Value::List(names.iter().cloned().map(Value::Str).collect::<List>())
}
