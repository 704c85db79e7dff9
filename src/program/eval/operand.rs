//! Operators over operands that stay where they are: what a path names is read by reference, only the rest is built.

use super::{Eval, Evaluated, trouble};
use crate::program::function::Fault;
use crate::program::meter::Meter;
use crate::program::op::{Op, OpId};
use crate::value::Value;

static NULL: Value = Value::Null;

impl Eval<'_> {
    /// An operator over two operands, the left one evaluated first.
    #[inline]
    pub(super) fn operator<T>(
        &mut self,
        id: OpId,
        operator: impl FnOnce(&Value, &Value, &mut Meter) -> Result<T, Fault>,
        left: OpId,
        right: OpId,
    ) -> Evaluated<T> {
        let built_left = self.build(left)?;
        let built_right = self.build(right)?;
        let place = |id| self.program.path(self.frame, &self.scratch.locals, id).unwrap_or(&NULL);
        let left = built_left.as_ref().unwrap_or_else(|| place(left));
        let right = built_right.as_ref().unwrap_or_else(|| place(right));
        operator(left, right, &mut self.scratch.meter).map_err(|fault| trouble(fault, id))
    }

    /// `size(a)` without a copy of `a`.
    pub(super) fn size(&mut self, id: OpId, of: OpId) -> Evaluated<Value> {
        use crate::program::function::{Args, body};
        use crate::value::Function;

        match self.program.path(self.frame, &self.scratch.locals, of) {
            Some(Value::List(list)) => Ok(Value::Int(i64::try_from(list.len()).unwrap_or(i64::MAX))),
            Some(Value::Map(map)) => Ok(Value::Int(i64::try_from(map.len()).unwrap_or(i64::MAX))),
            _ => {
                let value = [self.eval(of)?];
                body(Function::Size)(Args::new(Function::Size, &value), &mut self.scratch.meter)
                    .map_err(|fault| trouble(fault, id))
            }
        }
    }

    /// The value of an operand that is no plain path.
    #[inline]
    fn build(&mut self, id: OpId) -> Evaluated<Option<Value>> {
        let plain = match self.program.ops[id.0 as usize] {
            Op::Const(_) | Op::Slot(_) => true,
            Op::Local(_) | Op::Field { .. } | Op::Special(_) => self.path(id).is_some(),
            _ => false,
        };
        if plain {
            return Ok(None);
        }
        self.eval(id).map(Some)
    }
}
