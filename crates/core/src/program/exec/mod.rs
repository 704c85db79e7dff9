//! Running statement lists. A list that fails undoes its own writes; spends stay.

mod assign;
mod undo;

use super::change::{Change, ChangeLog, Emit, Spend};
use super::code::{Block, Code, LoopPlaces};
use super::eval::{Eval, MAX_STATEMENTS, Scratch, Trouble, World};
use super::frame::{Counters, Frame};
use super::graph::{Gate, GraphCode};
use super::op::{Counter, OpId};
use super::{Program, Stop};
use crate::program::error::ErrorKind;
use crate::program::level::MAX_NESTED_LISTS;
use crate::source::Span;
use crate::value::{Str, Value};

pub use undo::Undo;

/// A run of statement lists over one frame: one atomic unit.
#[derive(Debug)]
pub struct Exec<'a> {
    /// The program.
    pub program: &'a Program,
    /// The graph of the frame.
    pub graph: &'a GraphCode,
    /// The frame.
    pub frame: &'a mut Frame,
    /// The knowledge of the machine.
    pub world: &'a World,
    /// Room.
    pub scratch: &'a mut Scratch,
    /// The changes so far.
    pub changes: &'a mut ChangeLog,
    /// The means to take the writes back.
    pub undo: &'a mut Undo,
    /// The number of bytes that the state may still grow.
    pub room: i64,
    /// Nesting of actions and blocks.
    pub depth: u32,
}

impl Exec<'_> {
    /// Runs one list as part of the unit. Locals start afresh.
    ///
    /// # Errors
    /// A [`Stop`]; the caller takes back the unit's writes with [`Exec::revert`].
    #[inline]
    pub fn run(&mut self, block: Block) -> Result<(), Stop> {
        if block.is_empty() {
            return Ok(());
        }
        let mark = self.scratch.open();
        let result = self.list(block);
        self.scratch.close(mark);
        result
    }

    /// Runs one list as the whole of a unit, whose locals are afresh already.
    ///
    /// # Errors
    /// As [`Exec::run`].
    #[inline]
    pub fn whole(&mut self, block: Block) -> Result<(), Stop> {
        self.list(block)
    }

    /// Takes back all writes of the unit; spends, emits of before and branch marks of coverage stay as they were.
    pub fn revert(&mut self) {
        self.undo.revert(self.frame);
        self.changes.take_back();
        self.scratch.forget();
    }

    /// Evaluates an expression of the unit.
    ///
    /// # Errors
    /// A [`Stop`] of kind `evaluation` or `too_large`.
    #[inline]
    pub fn eval(&mut self, op: OpId) -> Result<Value, Stop> {
        let program = self.program;
        let value = self.evaluation().eval(op).and_then(|value| program.within(value, op));
        value.map_err(|trouble| program.stopped(trouble))
    }

    /// The truth of a condition.
    ///
    /// # Errors
    /// As [`Exec::eval`].
    #[inline]
    pub fn test(&mut self, op: OpId) -> Result<bool, Stop> {
        let program = self.program;
        self.evaluation().test(op).map_err(|trouble| program.stopped(trouble))
    }

    /// An evaluation over the frame as it is now, with a full meter.
    #[inline]
    pub fn evaluation(&mut self) -> Eval<'_> {
        self.scratch.refill();
        Eval {
            program: self.program,
            graph: self.graph,
            frame: self.frame,
            world: self.world,
            scratch: self.scratch,
        }
    }

    /// Runs a list inside another one, which counts against the unit's own limit.
    fn nested(&mut self, block: Block) -> Result<(), Stop> {
        if block.is_empty() {
            return Ok(());
        }
        self.charge(block.start, block.len)?;
        if self.depth >= MAX_NESTED_LISTS {
            return Err(self.refuse(block.start, format!("statements nest deeper than {MAX_NESTED_LISTS}")));
        }
        self.depth += 1;
        let result = self.list(block);
        self.depth -= 1;
        result
    }

    fn list(&mut self, block: Block) -> Result<(), Stop> {
        let program = self.program;
        for (code, at) in program.block(block).iter().zip(block.start..) {
            self.statement(code, at)?;
        }
        Ok(())
    }

    #[inline]
    fn statement(&mut self, code: &Code, at: u32) -> Result<(), Stop> {
        match code {
            Code::Assign { slot, steps, add: false, value } if steps.is_empty() => {
                self.assign_whole(*slot, *value, at)
            }
            Code::Spend(Counter { budget, key: None }, None) => self.spend_one(*budget, at),
            _ => self.rarer(code, at),
        }
    }

    /// The statements that take longer anyway, apart from the quick ones: those need little room on the stack.
    #[inline(never)]
    fn rarer(&mut self, code: &Code, at: u32) -> Result<(), Stop> {
        match code {
            Code::Assign { slot, steps, add, value } => self.assign(*slot, steps, *add, *value, at),
            Code::Let(local, value) => {
                let value = self.eval(*value)?;
                self.scratch.set_local(*local, value);
                Ok(())
            }
            Code::Spend(counter, amount) => self.spend(*counter, *amount, at),
            Code::Emit(name, payload) => {
                let payload = payload.map_or(Ok(Value::Null), |p| self.eval(p))?;
                let name = self.name(*name);
                self.undo.written += payload.size_estimate();
                self.changes.push(|| Change::Emit(Box::new(Emit { name, payload })));
                Ok(())
            }
            Code::If { branch, arms, otherwise } => self.branch(*branch, arms, *otherwise),
            Code::Call(action) => {
                let mark = self.scratch.open();
                let result = self.nested(self.graph.actions[*action as usize]);
                self.scratch.close(mark);
                result
            }
            Code::For(places, list, body) => self.each(*places, *list, *body, at),
            Code::Fail(kind, message) => {
                let message = match message {
                    Some(op) => text(self.eval(*op)?),
                    None => self.name(*kind),
                };
                Err(Stop::error(self.name(*kind), message, self.span(at)))
            }
        }
    }

    #[inline(never)]
    fn branch(&mut self, first: u32, arms: &[(OpId, Block)], otherwise: Block) -> Result<(), Stop> {
        let mut taken = (first, otherwise);
        for (condition, body) in arms {
            if self.test(*condition)? {
                taken.1 = *body;
                break;
            }
            taken.0 += 1;
        }
        self.changes.push(|| Change::Branch(taken.0));
        self.nested(taken.1)
    }

    fn each(&mut self, places: LoopPlaces, list: OpId, body: Block, at: u32) -> Result<(), Stop> {
        match self.eval(list)? {
            Value::List(list) => {
                for (i, item) in (0..).zip(&list) {
                    self.charge(at, 1)?;
                    if let Some(index) = places.index {
                        self.scratch.set_local(index, Value::Int(i));
                    }
                    self.scratch.set_local(places.item, item.clone());
                    self.nested(body)?;
                }
                Ok(())
            }
            Value::Map(map) => {
                for key in map.keys() {
                    self.charge(at, 1)?;
                    self.scratch.set_local(places.item, Value::Str(key.clone()));
                    self.nested(body)?;
                }
                Ok(())
            }
            other => Err(self.refuse(at, format!("found {} where a list is wanted", other.type_name()))),
        }
    }

    /// Counts statements and turns of loops against the unit's own limit: each expression has its meter, what is around
    /// them has this.
    #[inline]
    fn charge(&mut self, at: u32, many: u32) -> Result<(), Stop> {
        if self.scratch.statements(many) {
            return Ok(());
        }
        let message = format!("this list of statements runs too long: more than {MAX_STATEMENTS} steps");
        Err(self.refuse(at, message))
    }

    /// `spend` of one from a plain budget.
    #[inline(never)]
    fn spend_one(&mut self, budget: u32, at: u32) -> Result<(), Stop> {
        let counters = self.frame.counters.get_mut(budget as usize);
        let counters = counters.expect("a frame has a counter for every budget of its graph");
        let gate = self.graph.budgets[budget as usize].gate;
        if spend(counters, gate, 1).is_err() {
            return Err(Stop::exhausted(budget, None, self.span(at)));
        }
        self.changes.push(|| Change::Spend(Spend { budget, key: None, amount: 1 }));
        self.scratch.forget();
        Ok(())
    }

    /// `spend`: a hard budget refuses what its limit and grace do not cover; what is made is never undone.
    fn spend(&mut self, counter: Counter, amount: Option<OpId>, at: u32) -> Result<(), Stop> {
        let amount = match amount {
            None => 1,
            Some(op) => match self.eval(op)? {
                Value::Int(n) if n >= 1 => n,
                other => {
                    let message = format!(
                        "found {} where an amount to spend is wanted: an int of at least 1",
                        json(&other)
                    );
                    return Err(self.refuse(at, message));
                }
            },
        };
        let program = self.program;
        let key = match counter.key {
            None => None,
            Some(_) => self.evaluation().key(counter).map_err(|t| program.stopped(t))?,
        };
        let gate = self.graph.budgets[counter.budget as usize].gate;
        let counters = match &key {
            None => self.frame.counters.get_mut(counter.budget as usize),
            Some(_) => self.frame.counter_mut(self.graph, counter.budget, key.as_ref()),
        };
        let Some(counters) = counters else {
            let name = &self.graph.budgets[counter.budget as usize].name;
            let key = key.unwrap_or_default();
            return Err(self.refuse(at, format!("the budget {name} has no key '{key}'")));
        };
        if spend(counters, gate, amount).is_err() {
            return Err(Stop::exhausted(counter.budget, key, self.span(at)));
        }
        self.changes.push(|| Change::Spend(Spend { budget: counter.budget, key: key.map(Box::new), amount }));
        self.scratch.forget();
        Ok(())
    }

    /// An evaluation error at a statement.
    #[cold]
    fn refuse(&self, at: u32, message: String) -> Stop {
        evaluation(message, self.span(at))
    }

    /// The place of a statement in its file.
    fn span(&self, at: u32) -> Span {
        self.program.code_spans.get(at as usize).copied().unwrap_or_default()
    }

    fn name(&self, index: u32) -> Str {
        self.program.names[index as usize].clone()
    }
}

impl Program {
    /// Turns the trouble of an evaluation outside a unit into a stop.
    #[cold]
    #[must_use]
    #[expect(clippy::boxed_local, reason = "the error of `Evaluated` comes boxed")]
    pub fn stopped(&self, trouble: Box<Trouble>) -> Stop {
        self.stop(*trouble)
    }
}

/// Adds to a counter if its gate lets that through.
#[inline]
fn spend(counters: &mut Counters, gate: Gate, amount: i64) -> Result<(), ()> {
    if gate == Gate::Hard && !counters.admits(amount) {
        return Err(());
    }
    counters.used = counters.used.saturating_add(amount);
    Ok(())
}

pub(super) fn evaluation(message: String, span: Span) -> Stop {
    Stop::error(ErrorKind::Evaluation, message, span)
}

fn text(value: Value) -> Str {
    match value {
        Value::Str(text) => text,
        other => json(&other).into(),
    }
}

fn json(value: &Value) -> String {
    value.to_json().to_string()
}
