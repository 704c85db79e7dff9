//! Conditions: evaluated to a `bool` without building values.

use super::{Eval, Evaluated, Fault, Trouble, trouble};
use crate::program::op::{Op, OpId, Range};
use crate::value::{Function, Value};

impl Eval<'_> {
    /// The truth of a condition.
    ///
    /// # Errors
    /// As [`Eval::eval`], and when the value is no boolean.
    pub fn test(&mut self, id: OpId) -> Evaluated<bool> {
        match self.program.ops[id.0 as usize] {
            Op::IsConst { target, constant, negate } => self.is_const(id, target, constant, negate),
            Op::And(operands) => self.absorb(operands, false),
            Op::Or(operands) => self.absorb(operands, true),
            Op::Not(inner) => self.test(inner).map(|b| !b),
            Op::Binary(
                function @ (Function::Less
                | Function::LessOrEqual
                | Function::Greater
                | Function::GreaterOrEqual
                | Function::Equal
                | Function::NotEqual),
                left,
                right,
            ) => self.relation(id, function, left, right),
            _ => self.flag(id),
        }
    }

    /// The truth of what is no comparison: a path, the answer of a function.
    fn flag(&mut self, id: OpId) -> Evaluated<bool> {
        match self.path(id) {
            Some(Value::Bool(b)) => Ok(*b),
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

    /// CEL's `&&` and `||`: an error of one operand is absorbed when another decides.
    fn absorb(&mut self, operands: Range, decides: bool) -> Evaluated<bool> {
        let mut first: Option<Box<Trouble>> = None;
        let program = self.program;
        for operand in program.list(operands) {
            let truth = match program.ops[operand.0 as usize] {
                Op::IsConst { target, constant, negate } => self.is_const(*operand, target, constant, negate),
                _ => self.test(*operand),
            };
            match truth {
                Ok(b) if b == decides => return Ok(decides),
                Ok(_) => {}
                Err(trouble) => first = first.or(Some(trouble)),
            }
        }
        first.map_or(Ok(!decides), Err)
    }
}
