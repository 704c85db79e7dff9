//! Expressions that have one value in all runs of a program, worked out beforehand.
//!
//! An operand is before its operator in the table, so one pass over it tells what each depends on. Only whole expressions are
//! replaced: what one costs, and how deep its lets nest, is known where it is evaluated as it is written.

use std::ops::Range;

use super::default::{outside_of_runs, reads_run};
use crate::program::Program;
use crate::program::eval::{Scratch, World};
use crate::program::level::MAX_NESTED_LETS;
use crate::program::op::{Op, OpId, Special};
use crate::value::{List, Value};

/// The most units of work that an expression may take. A constant takes none, and a step may have so few left that the expression fails.
const MAX_COST: u64 = 10_000;

/// The most units of work for all expressions together: whoever wrote the graph may have written many.
const MAX_ALL_COST: u64 = 20_000_000;

/// The greatest size of all values together, in bytes: they are held as long as the program.
const MAX_ALL_BYTES: usize = 16 << 20;

/// What is the same in all runs of a program, at all times.
#[derive(Debug, Clone, Default)]
pub struct KnownWorld {
    /// The time of day, in nanoseconds since 1970.
    pub now: Option<i64>,
    /// The catalogue of tools.
    pub tools: Option<List>,
}

/// Puts constants in place of the expressions that read nothing of a run but what is known of it. `first_ops` has the place of each
/// graph's first operation.
pub(super) fn fold(program: &mut Program, first_ops: &[usize], known: KnownWorld) {
    let count = program.ops.len();
    let (now, tools) = (known.now.unwrap_or_default(), known.tools.clone().unwrap_or_default());
    let world = World { now, tools, ..World::default() };
    let mut fold = Fold { program, needs: vec![Needs::Run; count], known, world };
    let mut values = Vec::new();
    let mut room = Room { cost: MAX_ALL_COST, bytes: MAX_ALL_BYTES };
    let ends = first_ops.iter().skip(1).copied().chain([count]);
    for ((graph, first), end) in (0..).zip(first_ops).zip(ends) {
        fold.graph(graph, *first..end);
        fold.values(graph, *first..end, &mut room, &mut values);
    }
    for (at, value) in values {
        program.constants.push(value);
        program.ops[at] = Op::Const(super::index(program.constants.len() - 1));
    }
}

struct Fold<'p> {
    program: &'p Program,
    /// By operation.
    needs: Vec<Needs>,
    known: KnownWorld,
    /// The world of all runs, as far as it is known.
    world: World,
}

/// What is left for the values of all expressions.
struct Room {
    cost: u64,
    bytes: usize,
}

/// What the value of an operation depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Needs {
    /// The run.
    Run,
    /// The locals of that set, by number, and constants.
    Locals(u64),
}

impl Needs {
    const NOTHING: Self = Self::Locals(0);

    const fn local(number: u32) -> Self {
        if number < u64::BITS { Self::Locals(1 << number) } else { Self::Run }
    }

    const fn with(self, other: Self) -> Self {
        match (self, other) {
            (Self::Locals(one), Self::Locals(other)) => Self::Locals(one | other),
            _ => Self::Run,
        }
    }

    /// The same outside of an expression that gives a local its value.
    const fn outside(self, local: u32) -> Self {
        match (self, Self::local(local)) {
            (Self::Locals(own), Self::Locals(bound)) => Self::Locals(own & !bound),
            _ => Self::Run,
        }
    }
}

impl Fold<'_> {
    /// Notes what each operation of a graph depends on.
    fn graph(&mut self, graph: usize, ops: Range<usize>) {
        let names_are_known = !self.may_nest_too_deep(graph);
        for at in ops {
            self.needs[at] = match self.program.ops[at] {
                Op::Let(entry, _) if names_are_known => self.named(graph, entry, at),
                _ => self.of(at),
            };
        }
    }

    /// True if a chain of lets and texts, each of which names the next one, may be longer than a run allows. In such a graph the run
    /// counts them.
    fn may_nest_too_deep(&self, graph: usize) -> bool {
        let graph = &self.program.graphs[graph];
        let naming = graph.lets.iter().filter(|body| self.names_another(**body)).count();
        naming + graph.texts.len() >= MAX_NESTED_LETS as usize
    }

    fn names_another(&self, body: OpId) -> bool {
        let mut open = vec![body];
        while let Some(id) = open.pop() {
            let op = &self.program.ops[id.0 as usize];
            if matches!(op, Op::Let(..) | Op::Render(..)) {
                return true;
            }
            op.each_operand(&self.program.operands, |operand| open.push(operand));
        }
        false
    }

    /// The name of an expression stands for its value. One that comes later is not known yet.
    fn named(&self, graph: usize, entry: u32, at: usize) -> Needs {
        let body = self.program.graphs[graph].lets[entry as usize].0 as usize;
        if body < at && self.needs[body] == Needs::NOTHING { Needs::NOTHING } else { Needs::Run }
    }

    fn of(&self, at: usize) -> Needs {
        let op = &self.program.ops[at];
        let known = |operand: OpId| self.needs[operand.0 as usize];
        match *op {
            Op::Now if self.known.now.is_some() => Needs::NOTHING,
            Op::Special(Special::Tools) if self.known.tools.is_some() => Needs::NOTHING,
            Op::Local(local) => Needs::local(local),
            Op::Bind { local, value, body } => known(value).with(known(body).outside(local)),
            Op::Macro { over, local, second, filter, each, .. } => {
                let bodies = filter.into_iter().chain(each).map(known).fold(Needs::NOTHING, Needs::with);
                let bodies = bodies.outside(local);
                known(over).with(second.map_or(bodies, |second| bodies.outside(second)))
            }
            _ if reads_run(op) => Needs::Run,
            _ => {
                let mut all = Needs::NOTHING;
                op.each_operand(&self.program.operands, |operand| all = all.with(known(operand)));
                all
            }
        }
    }

    /// The values of the expressions of a graph that depend on nothing. One that fails or takes too much is left to the run, with
    /// all that is in it.
    fn values(&self, graph: usize, ops: Range<usize>, room: &mut Room, values: &mut Vec<(usize, Value)>) {
        let first = ops.start;
        let mut is_inside = vec![false; ops.len()];
        // An operator is behind its operands.
        for at in ops.rev() {
            let op = &self.program.ops[at];
            let is_whole = self.needs[at] == Needs::NOTHING && !is_inside[at - first];
            if is_whole && !matches!(op, Op::Const(_)) {
                values.extend(self.value(graph, at, room).map(|value| (at, value)));
            }
            if is_whole || is_inside[at - first] {
                op.each_operand(&self.program.operands, |operand| {
                    is_inside[operand.0 as usize - first] = true;
                });
            }
        }
    }

    /// The value of an operation; none where it fails, which belongs to the run.
    fn value(&self, graph: usize, at: usize, room: &mut Room) -> Option<Value> {
        let mut scratch = Scratch::with_cost(room.cost.min(MAX_COST));
        let value = outside_of_runs(self.program, graph, OpId(super::index(at)), &self.world, &mut scratch);
        room.cost -= scratch.used();
        let value = value.ok().filter(|value| value.depth() <= self.program.semantics.deepest())?;
        room.bytes = room.bytes.checked_sub(value.size_estimate())?;
        Some(value)
    }
}
