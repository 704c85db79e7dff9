//! Conditions: evaluated to a `bool` without building values.

use super::{Eval, Evaluated, Fault, Trouble, trouble};
use crate::program::function::Function;
use crate::program::function::operator;
use crate::program::op::{Op, OpId, Range};
use crate::value::Value;

impl Eval<'_> {
    /// The truth of a condition.
    ///
    /// # Errors
    /// As [`Eval::eval`], and when the value is no boolean.
    #[inline]
    pub fn test(&mut self, id: OpId) -> Evaluated<bool> {
        match self.program.ops[id.0 as usize] {
            Op::IsConst { target, constant, negate } => self.one_is_const(id, target, constant, negate),
            Op::And(operands) => self.absorb(operands, false),
            _ => self.truth_other(id),
        }
    }

    fn truth_other(&mut self, id: OpId) -> Evaluated<bool> {
        // The negation of a flag is as common as the flag, and a call for each of the two would cost more than both.
        let (flag, negate) = match self.program.ops[id.0 as usize] {
            Op::Not(inner) => (inner, true),
            _ => (id, false),
        };
        match self.path(flag) {
            Some(Value::Bool(b)) => Ok(*b != negate),
            _ if negate => self.test(flag).map(|b| !b),
            _ => self.truth_built(id),
        }
    }

    fn truth_built(&mut self, id: OpId) -> Evaluated<bool> {
        match self.program.ops[id.0 as usize] {
            Op::And(operands) => self.absorb(operands, false),
            Op::Or(operands) => self.absorb(operands, true),
            Op::Binary(
                function @ (Function::LESS
                | Function::LESS_OR_EQUAL
                | Function::GREATER
                | Function::GREATER_OR_EQUAL
                | Function::EQUAL
                | Function::NOT_EQUAL),
                left,
                right,
            ) => self.relation(id, function, left, right),
            _ => self.flag(id),
        }
    }

    /// The truth of what is no comparison: the answer of a function.
    fn flag(&mut self, id: OpId) -> Evaluated<bool> {
        match self.eval(id)? {
            Value::Bool(b) => Ok(b),
            other => {
                let message = format!("found {} where a condition is wanted", other.type_name());
                Err(trouble(Fault::evaluation(message), id))
            }
        }
    }

    #[inline]
    fn is_const(&mut self, id: OpId, target: OpId, constant: u32, negate: bool) -> Evaluated<bool> {
        if !self.scratch.meter.tick() {
            return Err(self.exhausted(id));
        }
        let constant = &self.program.constants[constant as usize];
        self.note(id);
        let same = match self.program.path(self.frame, &self.scratch.locals, target) {
            Some(value) => value.equals(constant),
            None => self.built_equals(target, constant)?,
        };
        Ok(same != negate)
    }

    /// [`Eval::is_const`] where it is alone; in a chain it is part of the loop.
    #[inline(never)]
    fn one_is_const(&mut self, id: OpId, target: OpId, constant: u32, negate: bool) -> Evaluated<bool> {
        self.is_const(id, target, constant, negate)
    }

    #[inline(never)]
    fn built_equals(&mut self, target: OpId, constant: &Value) -> Evaluated<bool> {
        self.eval(target).map(|value| value.equals(constant))
    }

    fn relation(&mut self, id: OpId, function: Function, left: OpId, right: OpId) -> Evaluated<bool> {
        if !self.scratch.meter.tick() {
            return Err(self.exhausted(id));
        }
        self.operator(id, |a, b, meter| operator::relation(function, a, b, meter), left, right)
    }

    /// CEL's `&&` and `||`: an error of one operand is absorbed when another decides.
    fn absorb(&mut self, operands: Range, decides: bool) -> Evaluated<bool> {
        let mut first: Option<Box<Trouble>> = None;
        let program = self.program;
        for operand in program.list(operands) {
            let truth = match program.ops[operand.0 as usize] {
                Op::IsConst { target, constant, negate } => self.is_const(*operand, target, constant, negate),
                _ => self.truth_other(*operand),
            };
            match truth {
                Ok(b) if b == decides => return Ok(decides),
                Ok(_) => {}
                Err(trouble) => first = first.or(Some(trouble)),
            }
        }
        match first {
            None => Ok(!decides),
            Some(trouble) => Err(trouble),
        }
    }
}
