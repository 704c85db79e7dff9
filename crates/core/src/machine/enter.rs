//! Entering: composites on the way, outermost first, then the node.

use rustc_hash::FxHashSet;

use super::event::EventKind;
use super::fault;
use super::snapshot::{NodeExit, Phase};
use super::step::Machine;
use crate::program::Stop;
use crate::program::error::ErrorKind;
use crate::program::exec::Exec;
use crate::program::frame::{Counters, FamilyCounters};
use crate::program::graph::{Charge, CompositeCode, LimitStep, LinkedNodeKind, NodeCode};
use crate::program::op::OpId;
use crate::value::{Map, Str, Value};

impl Machine<'_> {
    /// Enters `target` from inside the composite `inside`: runs the `do` of every composite entered, follows the
    /// starts of composites down to a leaf, and does the leaf's work.
    pub(super) fn enter(&mut self, lane: u32, target: u32, inside: Option<u32>) {
        let graph = self.graph(lane);
        let node = &graph.nodes[target as usize];
        for composite in node.chain.iter().skip(shared(graph, &node.chain, inside)) {
            if !self.cross(lane, *composite) {
                return;
            }
        }
        match &node.kind {
            LinkedNodeKind::Composite(composite) => {
                if self.cross(lane, target) {
                    self.lane_mut(lane).phase =
                        Phase::Enter { target: composite.start, inside: Some(target) };
                }
            }
            _ => self.visit(lane, target),
        }
    }

    /// Enters one composite: its state and budgets afresh, then its `do`. False if that failed.
    pub(super) fn cross(&mut self, lane: u32, composite: u32) -> bool {
        let graph = self.graph(lane);
        let node = &graph.nodes[composite as usize];
        let LinkedNodeKind::Composite(code) = &node.kind else { return true };
        self.arrive(lane, composite);
        let entry = node.entry;
        let (result, changes) = self.unit(lane, |exec| {
            refresh(exec, code)?;
            exec.run(entry)
        });
        match result {
            Ok(()) => {
                self.record(lane, || EventKind::Crossed { node: composite, changes });
                true
            }
            Err(stop) => {
                let exit = fault::exit(graph, lane, stop);
                self.fail_at(lane, composite, exit, changes);
                false
            }
        }
    }

    /// Counts an entry.
    pub(super) fn arrive(&mut self, lane: u32, node: u32) -> u32 {
        let frame = &mut self.lane_mut(lane).frame;
        frame.node = node;
        let visits = &mut frame.visits[node as usize];
        *visits = visits.saturating_add(1);
        *visits
    }

    /// Does a leaf's work up to the point where something outside is needed.
    fn visit(&mut self, lane: u32, node: u32) {
        let program = self.program;
        let frame = &mut self.lane_mut(lane).frame;
        let code = &program.graphs[frame.graph as usize].nodes[node as usize];
        frame.node = node;
        let visits = &mut frame.visits[node as usize];
        *visits = visits.saturating_add(1);
        let visit = *visits;
        if !frame.result.is_null() {
            frame.result = Value::Null;
        }
        match &code.kind {
            LinkedNodeKind::Action | LinkedNodeKind::Choice | LinkedNodeKind::Composite(_) => {
                self.pure(lane, code, node, visit);
            }
            LinkedNodeKind::Final(last) => self.end(lane, node, visit, last.outcome, last.ok),
            _ => self.effect(lane, node, visit),
        }
    }

    fn pure(&mut self, lane: u32, code: &NodeCode, node: u32, visit: u32) {
        let done = self.block(lane, code.entry);
        let changes = self.changes();
        if let Err(stop) = done {
            return self.fail(lane, fault::exit(self.graph(lane), lane, stop), changes);
        }
        self.record(lane, || EventKind::Entered { node, visit, changes });
        self.judge_entry(lane, node);
        if code.then.is_empty() {
            self.leave_well(lane, node);
        } else {
            self.finish(lane, &Value::Null);
        }
    }

    /// A final: ends the composite it lies in, or the graph.
    fn end(&mut self, lane: u32, node: u32, visit: u32, outcome: Option<OpId>, ok: Option<OpId>) {
        let graph = self.graph(lane);
        let code = &graph.nodes[node as usize];
        let (result, changes) = self.unit(lane, |exec| {
            exec.run(code.entry)?;
            let outcome = outcome.map_or_else(|| Ok(Value::Str(code.name.clone())), |op| exec.eval(op))?;
            let ok = ok.map_or(Ok(true), |op| exec.test(op))?;
            let output = if code.parent.is_none() { output(exec)? } else { Value::Null };
            Ok((named(outcome, &code.name), ok, output))
        });
        match result {
            Err(stop) => self.fail(lane, fault::exit(graph, lane, stop), changes),
            Ok((outcome, ok, output)) => {
                self.record(lane, || EventKind::Entered { node, visit, changes });
                self.judge_entry(lane, node);
                match code.parent {
                    Some(composite) => {
                        let state = self.lane_mut(lane);
                        state.frame.outcome = Value::Str(outcome);
                        state.frame.node = composite;
                        state.phase = Phase::Leave { at: composite, exit: NodeExit::Done };
                    }
                    None => self.close(lane, outcome, ok, output, Value::Null),
                }
            }
        }
    }
}

/// The number of of the composites in `chain` stay active when a node is entered from inside `inside`.
fn shared(graph: &crate::program::graph::GraphCode, chain: &[u32], inside: Option<u32>) -> usize {
    let Some(inside) = inside else { return 0 };
    let outer = &graph.nodes[inside as usize].chain;
    let active = outer.iter().chain(std::iter::once(&inside));
    active.zip(chain).take_while(|(a, b)| a == b).count()
}

/// Gives a composite's own state and budgets their first values.
fn refresh(exec: &mut Exec<'_>, code: &CompositeCode) -> Result<(), Stop> {
    for slot in &code.slots {
        let init = exec.graph.slots[*slot as usize].init;
        let value = init.map_or(Ok(Value::Null), |op| exec.eval(op))?;
        exec.frame.slots[*slot as usize] = value;
        exec.scratch.forget();
    }
    limits(exec, &code.limits)
}

/// Gives budgets their limits, in an order in which each comes after those it reads.
pub(super) fn limits(exec: &mut Exec<'_>, steps: &[LimitStep]) -> Result<(), Stop> {
    steps.iter().try_for_each(|step| match *step {
        LimitStep::Counter(budget) => limit(exec, budget),
        LimitStep::Keys(family) => family_keys(exec, family),
        LimitStep::Meter(budget) => meter_limits(exec, budget),
    })
}

/// Fixes a plain budget's limit and grace and sets its counter to 0.
fn limit(exec: &mut Exec<'_>, budget: u32) -> Result<(), Stop> {
    let counters = counters(exec, budget)?;
    exec.frame.counters[budget as usize] = counters;
    exec.scratch.forget();
    Ok(())
}

/// Fixes the keys of a family; its meters have no limits yet.
fn family_keys(exec: &mut Exec<'_>, family: u32) -> Result<(), Stop> {
    let code = &exec.graph.families[family as usize];
    let span = exec.program.op_spans[code.each.0 as usize];
    let refuse = |message: String| Stop::error(ErrorKind::Evaluation, message, span);
    let Value::List(list) = exec.eval(code.each)? else {
        return Err(refuse(format!("the keys of the budgets {} are no list", code.name)));
    };
    let mut keys: Vec<Str> = Vec::with_capacity(list.len());
    let mut known = FxHashSet::default();
    for item in &list {
        let Value::Str(key) = item else {
            return Err(refuse(format!("a key of the budgets {} is no string: {item:?}", code.name)));
        };
        if !known.insert(key.clone()) {
            return Err(refuse(format!("the key '{key}' stands twice among the budgets {}", code.name)));
        }
        keys.push(key.clone());
    }
    let rows = vec![vec![Counters::default(); code.meters.len()]; keys.len()];
    exec.frame.families[family as usize] = FamilyCounters { keys, rows };
    exec.scratch.forget();
    Ok(())
}

/// Fixes limit and grace of a meter for every key of its family.
fn meter_limits(exec: &mut Exec<'_>, budget: u32) -> Result<(), Stop> {
    let Some((family, meter)) = exec.graph.budgets[budget as usize].family else { return Ok(()) };
    let binding = exec.graph.families[family as usize].binding;
    for row in 0..exec.frame.families[family as usize].keys.len() {
        let key = exec.frame.families[family as usize].keys[row].clone();
        exec.scratch.set_local(binding, Value::Str(key));
        let counters = counters(exec, budget)?;
        exec.frame.families[family as usize].rows[row][meter as usize] = counters;
        exec.scratch.forget();
    }
    Ok(())
}

fn counters(exec: &mut Exec<'_>, budget: u32) -> Result<Counters, Stop> {
    let code = &exec.graph.budgets[budget as usize];
    let mut amount = |op: OpId| -> Result<i64, Stop> {
        let value = exec.eval(op)?;
        amount_of(&value, code.charge).ok_or_else(|| {
            let message = format!("the limit of {} is no number: {value:?}", code.name);
            Stop::error(ErrorKind::Evaluation, message, exec.program.op_spans[op.0 as usize])
        })
    };
    let limit = amount(code.limit)?.max(0);
    let grace = code.grace.map_or(Ok(0), amount)?.max(0);
    Ok(Counters { used: 0, limit, grace })
}

/// A limit in the unit the counter counts in: see [`Charge`].
fn amount_of(value: &Value, charge: Option<Charge>) -> Option<i64> {
    const SECOND_NS: i64 = 1_000_000_000;
    match (value, charge) {
        (Value::Int(n), Some(Charge::ModelCost | Charge::Time)) => Some(n.saturating_mul(SECOND_NS)),
        (Value::Int(n) | Value::Usd(n) | Value::Duration(n), _) => Some(*n),
        (Value::Float(f), Some(Charge::ModelCost | Charge::Time)) => {
            crate::value::int_of_float((f * 1e9).round())
        }
        _ => None,
    }
}

fn output(exec: &mut Exec<'_>) -> Result<Value, Stop> {
    let fields = exec.graph.output.iter().map(|(name, op)| Ok((name.clone(), exec.eval(*op)?)));
    Ok(Value::Map(Map::from_fields(fields.collect::<Result<_, Stop>>()?)))
}

/// An outcome is a name; null falls back to the final's own.
fn named(outcome: Value, name: &Str) -> Str {
    match outcome {
        Value::Str(text) => text,
        Value::Null => name.clone(),
        other => other.to_json().to_string().into(),
    }
}
