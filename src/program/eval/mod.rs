//! Evaluation of expressions over a frame, in place: a path is read by reference, nothing is copied to compare it.

mod macros;
mod path;
mod query;
mod truth;

use super::frame::Frame;
use super::function::{self, Fault, Meter};
use super::graph::GraphCode;
use super::op::{Op, OpId, Range};
use super::{Program, Stop};
use crate::model::expr::Special;
use crate::value::{Function, List, Map, Value};

/// What the machine knows besides the frame; constant during one step.
#[derive(Debug, Clone, Default)]
pub struct World {
    /// `now()`, nanoseconds since 1970.
    pub now: i64,
    /// `tools`.
    pub tools: List,
}

/// Room that evaluations share, so that a step allocates nothing for them. It holds nothing that outlives a step.
#[derive(Debug, Default)]
pub struct Scratch {
    locals: Vec<Value>,
    base: usize,
    memo: Vec<Option<Value>>,
    meter: Meter,
    /// Units used since this was made, those in the meter left out.
    work: u64,
    depth: u32,
    statements: u32,
}

/// Evaluations nest this deep at most (lets in lets in templates).
const MAX_DEPTH: u32 = 64;

/// Turns of `for` loops in one unit.
const MAX_TURNS: u32 = 1_000_000;

impl Scratch {
    /// Forgets memoised lets: something they may read was written.
    pub fn forget(&mut self) {
        self.memo.clear();
    }

    /// Puts a value into a local of the running statement list.
    pub fn set_local(&mut self, local: u32, value: Value) {
        let at = self.base + local as usize;
        if self.locals.len() <= at {
            self.locals.resize(at + 1, Value::Null);
        }
        self.locals[at] = value;
    }

    /// Opens a fresh row of locals above the present ones and returns what [`Scratch::close`] needs.
    pub(super) fn open(&mut self) -> (usize, usize) {
        let mark = (self.base, self.locals.len());
        self.base = self.locals.len();
        mark
    }

    /// Drops the row opened last.
    pub(super) fn close(&mut self, (base, len): (usize, usize)) {
        self.base = base;
        self.locals.truncate(len);
    }

    /// Drops all locals and begins a new unit of statements.
    pub fn reset(&mut self) {
        self.locals.clear();
        self.base = 0;
        self.depth = 0;
        self.statements = 0;
        self.memo.clear();
    }

    /// Fills the meter for the next expression, as far as the work of the whole step allows.
    pub fn refill(&mut self) {
        self.work = self.work.saturating_add(self.meter.used());
        self.meter = Meter::within(self.work);
    }

    pub(super) fn meter(&mut self) -> &mut Meter {
        &mut self.meter
    }

    /// Counts a turn of a loop; false when the unit has had too many.
    pub(super) fn statement(&mut self) -> bool {
        self.statements += 1;
        self.statements <= MAX_TURNS
    }
}

/// A fault and the op it happened at.
#[derive(Debug, Clone)]
pub struct Trouble {
    /// What happened.
    pub fault: Fault,
    /// Where.
    pub at: OpId,
}

/// The result of an evaluation; the error is boxed to keep the good case small.
pub type Evaluated<T> = Result<T, Box<Trouble>>;

impl Program {
    /// Turns a fault of an evaluation into what a statement list stops with.
    #[must_use]
    pub fn stop(&self, trouble: Trouble) -> Stop {
        Stop::Error {
            kind: trouble.fault.kind.name().into(),
            message: trouble.fault.message,
            // A text may fail in a graph that has no expression at all, and so no op.
            span: trouble
                .fault
                .place
                .or_else(|| self.op_spans.get(trouble.at.0 as usize).copied())
                .unwrap_or_default(),
        }
    }
}

/// An evaluation over one frame.
#[derive(Debug)]
pub struct Eval<'a> {
    /// The program.
    pub program: &'a Program,
    /// The graph of the frame.
    pub graph: &'a GraphCode,
    /// The frame.
    pub frame: &'a Frame,
    /// What the machine knows.
    pub world: &'a World,
    /// Room.
    pub scratch: &'a mut Scratch,
}

impl Eval<'_> {
    /// The value of an expression.
    ///
    /// # Errors
    /// A [`Trouble`] of kind `evaluation` or `too_large`.
    pub fn eval(&mut self, id: OpId) -> Evaluated<Value> {
        self.tick(id)?;
        match self.program.ops[id.0 as usize] {
            Op::Const(c) => Ok(self.program.constants[c as usize].clone()),
            Op::Slot(slot) => Ok(self.frame.slots[slot as usize].clone()),
            Op::Local(local) => Ok(self.scratch.locals[self.scratch.base + local as usize].clone()),
            Op::Special(special) => Ok(self.special(special)),
            Op::Let(index) => self.memoised(index),
            Op::Bind { local, value, body } => {
                let value = self.eval(value)?;
                self.scratch.set_local(local, value);
                self.eval(body)
            }
            Op::Field { target, name, hint } => self.field(id, target, name, hint),
            Op::Index(target, index) => self.index(id, target, index),
            Op::Call(Function::Equal | Function::NotEqual, _)
            | Op::IsConst { .. }
            | Op::And(..)
            | Op::Or(..) => self.test(id).map(Value::Bool),
            Op::Call(function, args) => self.call(id, function, args),
            Op::Not(inner) => self.test(inner).map(|b| Value::Bool(!b)),
            Op::Coalesce(first, second) => {
                let value = self.eval(first)?;
                if value.is_null() { self.eval(second) } else { Ok(value) }
            }
            Op::Conditional(condition, then, otherwise) => {
                let branch = if self.test(condition)? { then } else { otherwise };
                self.eval(branch)
            }
            Op::List(items) => self.list(items),
            Op::Map(entries) => self.map(id, entries),
            Op::Record { names, values } => self.record(names, values),
            Op::Has(target, name) => self.has(id, target, name).map(Value::Bool),
            Op::Macro { kind, over, local, second, filter, each } => {
                self.macro_call(id, kind, over, macros::Body { local, second, filter, each })
            }
            Op::Is(inner, shape) => {
                let value = self.eval(inner)?;
                Ok(Value::Bool(self.program.shapes.is(shape, &value)))
            }
            Op::Coerce(inner, shape) => {
                let value = self.eval(inner)?;
                self.coerce(id, shape, value)
            }
            Op::Budget(query, counter) => self.budget(id, query, counter),
            Op::InFamily(key, family) => self.in_family(key, family),
            Op::Step => Ok(Value::Int(i64::try_from(self.frame.steps).unwrap_or(i64::MAX))),
            Op::Visits(node) => {
                Ok(Value::Int(i64::from(self.frame.visits.get(node as usize).copied().unwrap_or(0))))
            }
            Op::InState(node) => Ok(Value::Bool(self.in_state(node))),
            Op::Render(text) => self.render(id, text).map(Value::Str),
            Op::Now => Ok(Value::Duration(self.world.now)),
        }
    }

    fn tick(&mut self, id: OpId) -> Evaluated<()> {
        self.scratch.meter.charge(1).map_err(|fault| trouble(fault, id))
    }

    fn special(&self, special: Special) -> Value {
        match special {
            Special::Result => self.frame.result.clone(),
            Special::Error => self.frame.error.clone(),
            Special::Outcome => self.frame.outcome.clone(),
            Special::Tools => Value::List(self.world.tools.clone()),
        }
    }

    /// A let is evaluated once between writes: guards of one node often share it.
    fn memoised(&mut self, index: u32) -> Evaluated<Value> {
        let i = index as usize;
        if let Some(Some(value)) = self.scratch.memo.get(i) {
            return Ok(value.clone());
        }
        let body = self.graph.lets[i];
        self.descend(body)?;
        let mark = self.scratch.open();
        let value = self.eval(body);
        self.scratch.close(mark);
        self.scratch.depth -= 1;
        let value = value?;
        if self.scratch.memo.len() <= i {
            self.scratch.memo.resize(self.graph.lets.len().max(i + 1), None);
        }
        self.scratch.memo[i] = Some(value.clone());
        Ok(value)
    }

    fn descend(&mut self, at: OpId) -> Evaluated<()> {
        if self.scratch.depth >= MAX_DEPTH {
            return Err(trouble(Fault::evaluation(format!("lets nest deeper than {MAX_DEPTH}")), at));
        }
        self.scratch.depth += 1;
        Ok(())
    }

    fn call(&mut self, id: OpId, function: Function, args: Range) -> Evaluated<Value> {
        let operands = self.program.list(args);
        let result = match *operands {
            [one] => {
                let values = [self.eval(one)?];
                function::call(function, &values, &mut self.scratch.meter)
            }
            [left, right] => {
                let values = [self.eval(left)?, self.eval(right)?];
                function::call(function, &values, &mut self.scratch.meter)
            }
            _ => {
                let values = operands.iter().map(|o| self.eval(*o)).collect::<Evaluated<Vec<_>>>()?;
                function::call(function, &values, &mut self.scratch.meter)
            }
        };
        result.map_err(|fault| trouble(fault, id))
    }

    fn list(&mut self, items: Range) -> Evaluated<Value> {
        self.program.list(items).iter().map(|o| self.eval(*o)).collect::<Evaluated<List>>().map(Value::List)
    }

    fn map(&mut self, id: OpId, entries: Range) -> Evaluated<Value> {
        let mut map = Map::new();
        for pair in self.program.list(entries).chunks_exact(2) {
            let key = match self.eval(pair[0])? {
                Value::Str(key) => key,
                other => {
                    let message =
                        format!("found {} where a map's key is wanted: a string", other.type_name());
                    return Err(trouble(Fault::evaluation(message), id));
                }
            };
            let value = self.eval(pair[1])?;
            if map.contains_key(&key) {
                let message = format!("the key '{key}' stands twice in this map");
                return Err(trouble(Fault::evaluation(message), id));
            }
            map.insert(key, value);
        }
        Ok(Value::Map(map))
    }

    fn record(&mut self, names: u32, values: Range) -> Evaluated<Value> {
        let mut map = Map::new();
        for (i, operand) in self.program.list(values).iter().enumerate() {
            let value = self.eval(*operand)?;
            map.insert(self.program.names[names as usize + i].clone(), value);
        }
        Ok(Value::Map(map))
    }

    fn coerce(&mut self, id: OpId, shape: u32, value: Value) -> Evaluated<Value> {
        self.program.shapes.fit(shape, value).map_err(|misfits| {
            let message = misfits.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ");
            trouble(Fault::evaluation(message), id)
        })
    }
}

#[expect(
    clippy::unnecessary_box_returns,
    reason = "the error of `Evaluated` is boxed to keep its good case small"
)]
pub(super) fn trouble(fault: Fault, at: OpId) -> Box<Trouble> {
    Box::new(Trouble { fault, at })
}
