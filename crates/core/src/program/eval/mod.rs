//! Evaluation of expressions over a frame, in place: a path is read by reference, nothing is copied to compare it.

mod macros;
mod operand;
mod path;
mod query;
mod reads;
mod scratch;
mod truth;

use super::frame::Frame;
use super::function::Fault;
use super::graph::GraphCode;
use super::op::{Counter, Op, OpId, Range};
use super::{Program, Stop};

use crate::program::level::{MAX_LEVELS, MAX_NESTED_LETS};

use crate::program::function::Function;
use crate::program::op::Special;
use crate::value::{List, Map, Value};
pub use reads::{AnswerRead, ReadLog, ReadWatch};
pub(super) use scratch::MAX_STATEMENTS;
pub use scratch::Scratch;

/// The knowledge of the machine besides the frame; constant during one step.
#[derive(Debug, Clone, Default)]
pub struct World {
    /// `now()`, nanoseconds since 1970.
    pub now: i64,
    /// `tools`.
    pub tools: List,
    /// `rolled_back()`.
    pub rolled_back: Value,
}

/// A fault and the op it happened at.
#[derive(Debug, Clone)]
pub struct Trouble {
    /// The fault that happened.
    pub fault: Fault,
    /// The op that failed.
    pub at: OpId,
}

/// The result of an evaluation; the error is boxed to keep the good case small.
pub type Evaluated<T> = Result<T, Box<Trouble>>;

impl Program {
    /// The value of an expression, if it nests no deeper than a value may: whoever goes through it later, or lets go of
    /// it, takes stack for each level.
    #[inline]
    pub(super) fn within(&self, value: Value, at: OpId) -> Evaluated<Value> {
        let deepest = self.semantics.deepest();
        if value.depth() <= deepest {
            return Ok(value);
        }
        let message = format!("lists and maps would nest deeper than {deepest}");
        Err(trouble(Fault::evaluation(message), at))
    }

    /// Turns a fault of an evaluation into what a statement list stops with.
    #[must_use]
    pub fn stop(&self, trouble: Trouble) -> Stop {
        // A text may fail in a graph that has no expression at all, and so no op.
        let op = || self.op_spans.get(trouble.at.0 as usize).copied();
        let span = trouble.fault.place.or_else(op).unwrap_or_default();
        Stop::error(trouble.fault.kind.error(), trouble.fault.message, span)
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
    /// The knowledge of the machine.
    pub world: &'a World,
    /// Room.
    pub scratch: &'a mut Scratch,
}

impl Eval<'_> {
    /// The value of an expression.
    ///
    /// # Errors
    /// A [`Trouble`] of kind `evaluation` or `too_large`.
    #[inline]
    pub fn eval(&mut self, id: OpId) -> Evaluated<Value> {
        match self.program.ops[id.0 as usize] {
            Op::Const(c) => Ok(self.program.constants[c as usize].clone()),
            Op::Slot(slot) => {
                self.note(id);
                Ok(self.frame.slots[slot as usize].clone())
            }
            Op::Budget(query, Counter { budget, key: None }) => Ok(self.counter(query, budget)),
            _ => self.compute(id),
        }
    }

    fn compute(&mut self, id: OpId) -> Evaluated<Value> {
        self.tick(id)?;
        match self.program.ops[id.0 as usize] {
            Op::Const(_) | Op::Slot(_) | Op::Local(_) => Ok(self.path(id).cloned().unwrap_or_default()),
            Op::Special(special) => {
                self.note(id);
                Ok(self.special(special))
            }
            Op::Let(index, level) => self.memoised(index, level),
            Op::Bind { local, value, body } => {
                let value = self.eval(value).and_then(|found| self.program.within(found, value))?;
                self.scratch.set_local(local, value);
                self.eval(body)
            }
            Op::Field { target, name, hint } => self.field(id, target, name, hint),
            Op::Index(target, index) => self.index(id, target, index),
            Op::Call(function, args) => self.call(id, function, args),
            Op::Binary(function, left, right) => self.binary(id, function, left, right),
            Op::IsConst { .. } | Op::And(..) | Op::Or(..) | Op::Not(_) => self.test(id).map(Value::Bool),
            Op::Coalesce(first, second) => {
                let value = if self.program.semantics.coalesces_missing_keys() {
                    self.present(first)?
                } else {
                    self.eval(first)?
                };
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
                self.macro_call(id, kind, over, macros::MacroBody { local, second, filter, each })
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
            Op::Render(text, level) => self.render(id, text, level).map(Value::Str),
            Op::Now => Ok(Value::Duration(self.world.now)),
            Op::RolledBack => Ok(self.world.rolled_back.clone()),
            Op::Previous(_, place) => {
                Ok(self.scratch.previous.get(place as usize).cloned().unwrap_or_default())
            }
        }
    }

    #[inline]
    fn tick(&mut self, id: OpId) -> Evaluated<()> {
        if self.scratch.meter.tick() { Ok(()) } else { Err(self.exhausted(id)) }
    }

    #[cold]
    #[inline(never)]
    #[expect(
        clippy::unnecessary_box_returns,
        reason = "the error of `Evaluated` is boxed to keep its good case small"
    )]
    fn exhausted(&self, id: OpId) -> Box<Trouble> {
        trouble(self.scratch.meter.exceeded(), id)
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
    fn memoised(&mut self, index: u32, level: u32) -> Evaluated<Value> {
        let i = index as usize;
        if let Some(value) = self.scratch.memo.get(index) {
            return Ok(value.clone());
        }
        let body = self.graph.lets[i];
        let above = self.descend(body, level, self.graph.let_levels[i])?;
        let mark = self.scratch.open();
        let value = self.eval(body);
        self.scratch.close(mark);
        self.ascend(above);
        let value = self.program.within(value?, body)?;
        self.scratch.memo.set(index, value.clone());
        Ok(value)
    }

    /// Goes from that level of the expression in hand into another one with `own` levels. Returns what [`Eval::ascend`]
    /// needs.
    #[inline]
    fn descend(&mut self, at: OpId, level: u32, own: u32) -> Evaluated<u32> {
        let levels = self.scratch.levels.saturating_add(level);
        if self.scratch.depth >= MAX_NESTED_LETS
            || levels.saturating_add(own) > self.program.semantics.most_levels()
        {
            return Err(self.too_deep(at));
        }
        self.scratch.depth += 1;
        Ok(std::mem::replace(&mut self.scratch.levels, levels))
    }

    #[inline]
    const fn ascend(&mut self, above: u32) {
        self.scratch.depth -= 1;
        self.scratch.levels = above;
    }

    #[cold]
    #[inline(never)]
    #[expect(
        clippy::unnecessary_box_returns,
        reason = "the error of `Evaluated` is boxed to keep its good case small"
    )]
    fn too_deep(&self, at: OpId) -> Box<Trouble> {
        let message = if self.scratch.depth >= MAX_NESTED_LETS {
            format!("lets nest deeper than {MAX_NESTED_LETS}")
        } else {
            format!("this nests deeper than {MAX_LEVELS} levels once the lets it names are written out")
        };
        trouble(Fault::evaluation(message), at)
    }

    fn call(&mut self, id: OpId, function: Function, args: Range) -> Evaluated<Value> {
        let operands = self.program.list(args);
        if let ([one], Function::SIZE) = (operands, function) {
            return self.size(id, *one);
        }
        match operands {
            // Nearly all have one or two, and gathering more takes longer than many a function.
            [one] => {
                let values = [self.eval(*one)?];
                self.call_with(id, function, &values)
            }
            [one, other] => {
                let values = [self.eval(*one)?, self.eval(*other)?];
                self.call_with(id, function, &values)
            }
            _ => {
                let values = operands.iter().map(|o| self.eval(*o)).collect::<Evaluated<Vec<Value>>>()?;
                self.call_with(id, function, &values)
            }
        }
    }

    fn call_with(&mut self, id: OpId, function: Function, values: &[Value]) -> Evaluated<Value> {
        let Self { program, scratch, .. } = self;
        program.functions.call(function, values, &mut scratch.meter).map_err(|fault| trouble(fault, id))
    }

    fn list(&mut self, items: Range) -> Evaluated<Value> {
        let operands = self.program.list(items);
        let mut values = Vec::with_capacity(operands.len());
        for operand in operands {
            values.push(self.eval(*operand)?);
        }
        Ok(Value::List(values.into()))
    }

    fn map(&mut self, id: OpId, entries: Range) -> Evaluated<Value> {
        let operands = self.program.list(entries);
        let mut map = Map::with_room(operands.len() / 2);
        for pair in operands.chunks_exact(2) {
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
        let operands = self.program.list(values);
        let mut entries = Vec::with_capacity(operands.len());
        for (name, operand) in self.program.names[names as usize..].iter().zip(operands) {
            entries.push((name.clone(), self.eval(*operand)?));
        }
        Ok(Value::Map(Map::from_fields(entries)))
    }

    fn coerce(&mut self, id: OpId, shape: u32, value: Value) -> Evaluated<Value> {
        self.program.shapes.fit(shape, value).map_err(|misfits| {
            let message = misfits.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ");
            trouble(Fault::evaluation(message), id)
        })
    }
}

#[cold]
#[expect(
    clippy::unnecessary_box_returns,
    reason = "the error of `Evaluated` is boxed to keep its good case small"
)]
pub(super) fn trouble(fault: Fault, at: OpId) -> Box<Trouble> {
    Box::new(Trouble { fault, at })
}
