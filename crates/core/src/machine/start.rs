//! The beginning of a run and of every called graph.

use smallvec::SmallVec;

use super::enter;
use super::event::EventKind;
use super::fault;
use super::input::{MidwayStart, Start};
use super::snapshot::{Lane, NodeExit, Phase};
use super::step::Machine;
use crate::program::error::ErrorKind;
use crate::program::exec::Exec;
use crate::program::frame::{Counters, FamilyCounters, Frame};
use crate::program::graph::SlotCode;
use crate::program::{MAX_STATE_MIB, Program, Span, Stop, StopKind};
use crate::value::{Map, Str, Value};

impl Machine<'_> {
    /// The first input of a run.
    pub(super) fn start(&mut self, start: Start) {
        if !self.snap.lanes.is_empty() || self.snap.done.is_some() {
            return;
        }
        self.snap.program = self.program.digest.clone();
        self.snap.run = start.run.clone();
        self.snap.random = start.seed;
        self.snap.tools = start.tools.clone();
        self.world.tools = start.tools.clone();
        let given = start.given.clone();
        if let Some(judge) = &mut self.judge {
            judge.begin(given.is_some());
        }
        let input = start.input.clone();
        let program = self.program.digest.clone();
        let lane = self.open(0, None, Str::new());
        self.record(lane, || EventKind::Started { start: Box::new(start), program });
        let graph = &self.program.graphs[0];
        let unknown =
            input.keys().find(|key| !graph.slots[..graph.inputs as usize].iter().any(|s| s.name == **key));
        if let Some(name) = unknown {
            return self.refuse(lane, ErrorKind::InvalidArgs, format!("the graph has no input '{name}'"));
        }
        let inputs =
            graph.slots[..graph.inputs as usize].iter().map(|s| input.get(&s.name).cloned()).collect();
        self.begin(lane, inputs, given);
    }

    /// Makes room for a lane.
    pub(super) fn open(&mut self, graph: u32, parent: Option<(u32, u32)>, path: Str) -> u32 {
        let frame = blank(self.program, graph);
        let phase = Phase::Enter { target: frame.node, inside: None };
        let lane = Some(Box::new(Lane { frame, parent, path, phase, pause_tested: None, approved: None }));
        // Place 0 is the root's for good; a free place is taken again, so that ids depend on the run alone.
        let lanes = &self.snap.lanes;
        let free = lanes.iter().skip(self.first_free).position(Option::is_none);
        let place = free.map_or(lanes.len(), |free| self.first_free + free);
        self.first_free = place + 1;
        if place == self.snap.lanes.len() {
            self.snap.lanes.push(lane);
        } else {
            self.snap.lanes[place] = lane;
        }
        u32::try_from(place).expect("lanes are counted in u32")
    }

    /// Gives a lane its inputs, state and budgets, and sets it on its way.
    pub(super) fn begin(&mut self, lane: u32, inputs: Vec<Option<Value>>, given: Option<MidwayStart>) {
        let graph = self.graph(lane);
        let fitted = self.held_by_caller(lane, &inputs);
        let (result, _) = self.unit(lane, |exec| {
            set_inputs(exec, inputs, &fitted)?;
            for (i, slot) in graph.slots.iter().enumerate().skip(graph.inputs as usize) {
                if slot.scope.is_none() {
                    exec.frame.slots[i] = slot.init.map_or(Ok(Value::Null), |op| exec.eval(op))?;
                    exec.scratch.forget();
                }
            }
            enter::limits(exec, &graph.limits)
        });
        if let Err(stop) = result {
            let (kind, message) = match stop.into_kind() {
                StopKind::Error { kind, message, .. } => (kind, message),
                StopKind::Exhausted { .. } => {
                    (Str::from(ErrorKind::Internal), Str::from("a limit cannot spend"))
                }
            };
            return self.refuse(lane, kind, message);
        }
        let size: usize = self.lane(lane).frame.slots.iter().map(Value::size_estimate).sum();
        self.snap.size = self.snap.size.saturating_add(i64::try_from(size).unwrap_or(i64::MAX / 4));
        if self.snap.size > MAX_STATE_MIB << 20 && self.program.semantics.bounds_starts() {
            return self.begins_too_large(lane);
        }
        if let Some(given) = given {
            self.begin_at(lane, &given);
        }
    }

    /// For each input: a variable of the caller holds it whose type takes the same values. To look through a list once more at
    /// each call would take longer the longer it grows.
    fn held_by_caller(&self, lane: u32, inputs: &[Option<Value>]) -> SmallVec<[bool; 8]> {
        // Before, a variable could hold a result that does not fit it.
        if !self.program.semantics.fits_results() {
            return SmallVec::new();
        }
        let Some((caller, _)) = self.lane(lane).parent else { return SmallVec::new() };
        let (held, code) = (&self.lane(caller).frame.slots, &self.graph(caller).slots);
        let (slots, shapes) = (&self.graph(lane).slots, &self.program.shapes);
        let is_held = |(value, slot): (&Option<Value>, &SlotCode)| {
            let has = |(own, held): (&SlotCode, &Value)| {
                value.as_ref().is_some_and(|value| value.is_same(held))
                    && shapes.are_alike(own.shape, slot.shape)
            };
            matches!(value, Some(Value::List(_) | Value::Map(_))) && code.iter().zip(held).any(has)
        };
        inputs.iter().zip(slots).map(is_held).collect()
    }

    /// A graph that would begin with more than the state of a run may take: the largest field is named.
    #[cold]
    fn begins_too_large(&mut self, lane: u32) {
        let sized = self.lane(lane).frame.slots.iter().map(Value::size_estimate).zip(&self.graph(lane).slots);
        let largest = sized.max_by_key(|(size, _)| *size);
        let (size, name) = largest.map_or((0, Str::new()), |(size, slot)| (size >> 20, slot.name.clone()));
        let message = format!(
            "the state would begin with more than {MAX_STATE_MIB} MiB: {name} alone takes {size} MiB"
        );
        self.refuse(lane, ErrorKind::TooLarge, message);
    }

    /// Begins in the middle: enters the composites around the node, then sets what is given.
    fn begin_at(&mut self, lane: u32, given: &MidwayStart) {
        let graph = self.graph(lane);
        let target = match &given.at {
            None => graph.start,
            Some(name) => match graph.nodes.iter().position(|n| n.name == *name) {
                Some(place) => u32::try_from(place).expect("nodes are counted in u32"),
                None => {
                    return self.refuse(
                        lane,
                        ErrorKind::InvalidArgs,
                        format!("the graph has no node '{name}'"),
                    );
                }
            },
        };
        let chain = graph.nodes[target as usize].chain.clone();
        for composite in &chain {
            if !self.cross(lane, *composite) {
                return;
            }
        }
        let (result, _) = self.unit(lane, |exec| {
            patch_state(exec, &given.state)?;
            patch_budgets(exec, &given.budgets)
        });
        match result {
            Ok(()) => self.lane_mut(lane).phase = Phase::Enter { target, inside: chain.last().copied() },
            Err(stop) => {
                let exit = fault::exit(graph, lane, stop);
                let error = self.shown(lane, &exit);
                self.refuse(lane, ErrorKind::InvalidArgs, Str::from(fault::text(&error, "message")));
            }
        }
    }

    /// A graph that cannot begin: its inputs do not fit.
    fn refuse(&mut self, lane: u32, kind: impl Into<Str>, message: impl Into<Str>) {
        let kind = kind.into();
        let exit = self.error(lane, kind.clone(), message, Value::Null);
        let error = self.shown(lane, &exit);
        if self.lane(lane).parent.is_none() {
            return self.close(lane, kind, false, Value::Null, error);
        }
        self.record(lane, || EventKind::Closed { outcome: kind, ok: false, output: Box::new(error) });
        let NodeExit::Error(value) = exit else { return };
        // Whoever started it starts the next one.
        self.mark_ended(lane, super::snapshot::LaneEnd::Error(NodeExit::Error(value)));
    }
}

/// A frame with room for all a graph has.
pub(super) fn blank(program: &Program, graph: u32) -> Frame {
    let code = &program.graphs[graph as usize];
    Frame {
        graph,
        slots: vec![Value::Null; code.slots.len()],
        counters: vec![Counters::default(); code.budgets.len()],
        families: vec![FamilyCounters::default(); code.families.len()],
        visits: vec![0; code.nodes.len()],
        node: code.start,
        ..Frame::default()
    }
}

/// `fitted` says which of the inputs are known to fit; those beyond its end are not.
fn set_inputs(exec: &mut Exec<'_>, inputs: Vec<Option<Value>>, fitted: &[bool]) -> Result<(), Stop> {
    for (i, value) in inputs.into_iter().enumerate() {
        let slot = &exec.graph.slots[i];
        let value = match (value, slot.init) {
            (Some(value), _) => value,
            (None, Some(init)) => exec.eval(init)?,
            (None, None) if slot.is_required(&exec.program.shapes) => {
                let wanted = exec.program.shapes.describe(slot.shape);
                return Err(invalid(format!("the input '{}' is missing: it wants {wanted}", slot.name)));
            }
            (None, None) => Value::Null,
        };
        let is_fitted = fitted.get(i).copied().unwrap_or_default();
        exec.frame.slots[i] = if is_fitted { value } else { fit(exec, slot.shape, value, &slot.name)? };
        exec.scratch.forget();
    }
    for i in 0..exec.graph.inputs as usize {
        let slot = &exec.graph.slots[i];
        if let Some(condition) = slot.condition
            && !exec.test(condition)?
        {
            return Err(invalid(format!("the input '{}' does not meet its condition", slot.name)));
        }
    }
    Ok(())
}

fn fit(exec: &Exec<'_>, shape: u32, value: Value, name: &str) -> Result<Value, Stop> {
    exec.program.shapes.fit(shape, value).map_err(|misfits| {
        let found = misfits.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ");
        invalid(format!("'{name}' does not fit its type: {found}"))
    })
}

fn patch_state(exec: &mut Exec<'_>, state: &Map) -> Result<(), Stop> {
    for (name, value) in state {
        let Some(i) = exec.graph.slots.iter().position(|s| s.name == **name) else {
            return Err(invalid(format!("the graph has no state field '{name}'")));
        };
        let shape = exec.graph.slots[i].shape;
        exec.frame.slots[i] = fit(exec, shape, value.clone(), name)?;
        exec.scratch.forget();
    }
    Ok(())
}

fn patch_budgets(exec: &mut Exec<'_>, budgets: &Map) -> Result<(), Stop> {
    for (name, value) in budgets {
        match value {
            Value::Int(used) => patch_counter(exec, name, None, *used)?,
            Value::Map(keys) => {
                for (key, meters) in keys {
                    for (meter, used) in meters.as_map().into_iter().flat_map(Map::iter) {
                        let used =
                            used.as_int().ok_or_else(|| invalid(format!("{name}.{meter} is no int")))?;
                        patch_counter(exec, &format!("{name}.{meter}"), Some(key), used)?;
                    }
                }
            }
            _ => return Err(invalid(format!("what is used of '{name}' is no int"))),
        }
    }
    Ok(())
}

fn patch_counter(exec: &mut Exec<'_>, name: &str, key: Option<&Str>, used: i64) -> Result<(), Stop> {
    let graph = exec.graph;
    let index = graph.budgets.iter().position(|b| b.name == name).and_then(|i| u32::try_from(i).ok());
    let counter = index.and_then(|i| exec.frame.counter_mut(graph, i, key));
    let Some(counter) = counter else { return Err(invalid(format!("the graph has no budget '{name}'"))) };
    counter.used = used;
    exec.scratch.forget();
    Ok(())
}

fn invalid(message: String) -> Stop {
    Stop::error(ErrorKind::InvalidArgs, message, Span::default())
}
