//! Conditions: evaluated to a `bool` without building values.

use super::{Eval, Evaluated, Fault, Trouble, trouble};
use crate::program::function::operator;
use crate::program::op::{Op, OpId, Range};
use crate::value::{Function, Value};

impl Eval<'_> {
    /// The truth of a condition.
    ///
    /// # Errors
    /// As [`Eval::eval`], and when the value is no boolean.
    #[inline]
    pub fn test(&mut self, id: OpId) -> Evaluated<bool> {
        match self.program.ops[id.0 as usize] {
            Op::IsConst { target, constant, negate } => self.is_const(id, target, constant, negate),
            Op::And(left, right) => self.absorb(left, right, false),
            _ => self.test_other(id),
        }
    }

    fn test_other(&mut self, id: OpId) -> Evaluated<bool> {
        match self.program.ops[id.0 as usize] {
            Op::Or(left, right) => self.absorb(left, right, true),
            Op::Not(inner) => self.test(inner).map(|b| !b),
            Op::Slot(_) | Op::Local(_) | Op::Field { .. } if let Some(Value::Bool(b)) = self.path(id) => {
                Ok(*b)
            }
            Op::Call(
                function @ (Function::Less
                | Function::LessOrEqual
                | Function::Greater
                | Function::GreaterOrEqual),
                args,
            ) => self.compare(id, function, args),
            Op::Call(function @ (Function::Equal | Function::NotEqual), args) => {
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

    #[inline]
    fn is_const(&mut self, id: OpId, target: OpId, constant: u32, negate: bool) -> Evaluated<bool> {
        self.tick(id)?;
        let constant = &self.program.constants[constant as usize];
        let same = match self.path(target) {
            Some(value) => value.equals(constant),
            None => self.eval(target)?.equals(constant),
        };
        Ok(same != negate)
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
        self.tick(id)?;
        let [left, right] = *self.program.list(args) else { return Err(sides(id)) };
        let same = self.operator(id, operator::equal, left, right)?;
        Ok(same == (function == Function::Equal))
    }

    fn compare(&mut self, id: OpId, function: Function, args: Range) -> Evaluated<bool> {
        self.tick(id)?;
        let [left, right] = *self.program.list(args) else { return Err(sides(id)) };
        self.operator(id, |a, b, _| operator::compare(function, a, b), left, right)
    }
}

#[cold]
#[expect(
    clippy::unnecessary_box_returns,
    reason = "the error of `Evaluated` is boxed to keep its good case small"
)]
fn sides(id: OpId) -> Box<Trouble> {
    trouble(Fault::evaluation("a comparison has two sides"), id)
}
