//! Expressions that have one value in all runs of a program, worked out beforehand.
//!
//! An operand is before its operator in the table, so one pass over it is enough.

use super::default::{outside_of_runs, reads_run};
use crate::program::Program;
use crate::program::eval::{Scratch, World};
use crate::program::op::{Op, OpId, Special};
use crate::value::{List, Value};

/// The most units of work that an expression may take: the limits of a step count what a constant does not.
const MAX_COST: u64 = 10_000;

/// The most lets that are named in each other: a run has a limit of its own, which a constant does not come to.
const MAX_LETS: u32 = 8;

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
    let (needs, lets) = (vec![Needs::Run; count], vec![0; count]);
    let mut fold = Fold { program, needs, lets, known, world };
    let ends = first_ops.iter().skip(1).copied().chain([fold.needs.len()]);
    for ((graph, first), end) in (0..).zip(first_ops).zip(ends) {
        for at in *first..end {
            fold.needs[at] = fold.one(graph, at);
        }
    }
}

struct Fold<'p> {
    program: &'p mut Program,
    /// By operation.
    needs: Vec<Needs>,
    /// By operation: the lets that are named in each other in it.
    lets: Vec<u32>,
    known: KnownWorld,
    /// The world of all runs, as far as it is known.
    world: World,
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
    /// Looks at an operation whose operands are known.
    fn one(&mut self, graph: usize, at: usize) -> Needs {
        let op = self.program.ops[at];
        if let Op::Let(entry, _) = op {
            return self.named(self.program.graphs[graph].lets[entry as usize], at);
        }
        let mut lets = 0;
        op.each_operand(&self.program.operands, |operand| lets = lets.max(self.lets[operand.0 as usize]));
        self.lets[at] = lets;
        let needs = self.of(&op);
        if needs != Needs::NOTHING || matches!(op, Op::Const(_)) {
            return needs;
        }
        let Some(value) = self.value(graph, at) else { return Needs::Run };
        self.program.constants.push(value);
        self.program.ops[at] = Op::Const(super::index(self.program.constants.len() - 1));
        Needs::NOTHING
    }

    /// The name of an expression stands for its value. One that comes later is not known yet.
    fn named(&mut self, body: OpId, at: usize) -> Needs {
        let body = body.0 as usize;
        match self.program.ops[body] {
            constant @ Op::Const(_) if body < at && self.lets[body] < MAX_LETS => {
                self.program.ops[at] = constant;
                self.lets[at] = self.lets[body] + 1;
                Needs::NOTHING
            }
            _ => Needs::Run,
        }
    }

    fn of(&self, op: &Op) -> Needs {
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

    /// The value of an operation; none where it fails, which belongs to the run.
    fn value(&self, graph: usize, at: usize) -> Option<Value> {
        let (id, scratch) = (OpId(super::index(at)), Scratch::with_cost(MAX_COST));
        let value = outside_of_runs(self.program, graph, id, &self.world, scratch).ok()?;
        (value.depth() <= self.program.semantics.deepest()).then_some(value)
    }
}
