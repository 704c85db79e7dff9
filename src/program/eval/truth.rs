//! Conditions: evaluated to a `bool` without building values.

use super::{Eval, Evaluated, Fault, trouble};
use crate::program::function;
use crate::program::op::{Op, OpId, Range};
use crate::value::{Function, Value};

impl Eval<'_> {
    /// The truth of a condition.
    ///
    /// # Errors
    /// As [`Eval::eval`], and when the value is no boolean.
    pub fn test(&mut self, id: OpId) -> Evaluated<bool> {
        match self.program.ops[id.0 as usize] {
            Op::IsConst { target, constant, negate } => {
                self.tick(id)?;
                let constant = &self.program.constants[constant as usize];
                let same = match self.path(target) {
                    Some(value) => value.equals(constant),
                    None => self.eval(target)?.equals(constant),
                };
                Ok(same != negate)
            }
            Op::And(left, right) => self.absorb(left, right, false),
            Op::Or(left, right) => self.absorb(left, right, true),
            Op::Not(inner) => self.test(inner).map(|b| !b),
            Op::Call(function @ (Function::Equal | Function::NotEqual), args) => {
                self.tick(id)?;
                self.equal(id, function, args)
            }
            _ => match self.eval(id)? {
                Value::Bool(b) => Ok(b),
                other => {
                    let message = format!("found {} where a condition is wanted", other.type_name());
                    Err(trouble(Fault::evaluation(message), id))
                }
            },
        }
    }

    /// CEL's `&&` and `||`: an error on one side is absorbed when the other side decides.
    fn absorb(&mut self, left: OpId, right: OpId, decides: bool) -> Evaluated<bool> {
        match self.test(left) {
            Ok(b) if b == decides => Ok(decides),
            Ok(_) => self.test(right),
            Err(trouble) => match self.test(right) {
                Ok(b) if b == decides => Ok(decides),
                _ => Err(trouble),
            },
        }
    }

    fn equal(&mut self, id: OpId, function: Function, args: Range) -> Evaluated<bool> {
        let [left, right] = *self.program.list(args) else {
            return Err(trouble(Fault::evaluation("an equation has two sides"), id));
        };
        if let (Some(a), Some(b)) = (self.path(left), self.path(right))
            && !matches!((a, b), (Value::List(_) | Value::Map(_), _))
        {
            return Ok(a.equals(b) == (function == Function::Equal));
        }
        let values = [self.eval(left)?, self.eval(right)?];
        match function::call(function, &values, &mut self.scratch.meter) {
            Ok(value) => Ok(value.as_bool().unwrap_or(false)),
            Err(fault) => Err(trouble(fault, id)),
        }
    }
}
