//! Operators over operands that stay where they are: what a path names is read by reference, only the rest is built.

use super::{Eval, Evaluated, trouble};
use crate::program::function::Function;
use crate::program::function::{Fault, operator};
use crate::program::meter::Meter;
use crate::program::op::OpId;
use crate::value::Value;

static NULL: Value = Value::Null;

impl Eval<'_> {
    /// The value of an operator with two operands.
    pub(super) fn binary(
        &mut self,
        id: OpId,
        function: Function,
        left: OpId,
        right: OpId,
    ) -> Evaluated<Value> {
        self.operator(id, |a, b, meter| operator::binary(function, a, b, meter), left, right)
    }

    /// An operator over two operands, the left one evaluated first.
    #[inline]
    pub(super) fn operator<T>(
        &mut self,
        id: OpId,
        operator: impl Fn(&Value, &Value, &mut Meter) -> Result<T, Fault>,
        left: OpId,
        right: OpId,
    ) -> Evaluated<T> {
        self.note(left);
        self.note(right);
        let locals = &self.scratch.locals;
        let (a, b) =
            (self.program.path(self.frame, locals, left), self.program.path(self.frame, locals, right));
        let done = match (a, b) {
            (Some(a), Some(b)) => operator(a, b, &mut self.scratch.meter),
            (None, Some(_)) => {
                let left = self.eval(left)?;
                // Evaluating the other side may have moved the locals: it is looked up anew.
                let right = self.program.path(self.frame, &self.scratch.locals, right).unwrap_or(&NULL);
                operator(&left, right, &mut self.scratch.meter)
            }
            (Some(_), None) => {
                let right = self.eval(right)?;
                let left = self.program.path(self.frame, &self.scratch.locals, left).unwrap_or(&NULL);
                operator(left, &right, &mut self.scratch.meter)
            }
            (None, None) => {
                let (left, right) = (self.eval(left)?, self.eval(right)?);
                operator(&left, &right, &mut self.scratch.meter)
            }
        };
        done.map_err(|fault| trouble(fault, id))
    }

    /// `size(a)` without a copy of `a`.
    pub(super) fn size(&mut self, id: OpId, of: OpId) -> Evaluated<Value> {
        match self.path(of) {
            Some(Value::List(list)) => Ok(Value::Int(i64::try_from(list.len()).unwrap_or(i64::MAX))),
            Some(Value::Map(map)) => Ok(Value::Int(i64::try_from(map.len()).unwrap_or(i64::MAX))),
            _ => {
                let value = [self.eval(of)?];
                let Self { program, scratch, .. } = self;
                program
                    .functions
                    .call(Function::SIZE, &value, &mut scratch.meter)
                    .map_err(|fault| trouble(fault, id))
            }
        }
    }
}
