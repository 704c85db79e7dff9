//! Reading along paths.

use super::scratch::Locals;
use super::{Eval, Evaluated, Fault, Trouble, trouble};
use crate::program::Program;
use crate::program::frame::Frame;
use crate::program::function::Function;
use crate::program::op::{Op, OpId, Special};
use crate::value::Value;

static NULL: Value = Value::Null;

impl Program {
    /// The value an op names, by reference, if it is a plain path whose every step is there.
    #[inline]
    pub(super) fn path<'v>(&'v self, frame: &'v Frame, locals: &'v Locals, id: OpId) -> Option<&'v Value> {
        match &self.ops[id.0 as usize] {
            Op::Slot(slot) => frame.slots.get(*slot as usize),
            Op::Field { .. } => self.field_path(frame, locals, id),
            _ => self.other_path(frame, locals, id),
        }
    }

    /// A field of a record. Nearly all are near; what is not is looked for elsewhere, so that this needs no room of its own.
    #[inline(never)]
    fn field_path<'v>(&'v self, frame: &'v Frame, locals: &'v Locals, id: OpId) -> Option<&'v Value> {
        match self.near_field(frame, locals, id) {
            Some(value) => Some(value),
            None => self.far_field(frame, locals, id),
        }
    }

    /// A field of a variable or of an item of a short list, in a short record that has it where its type says.
    #[inline]
    fn near_field<'v>(&'v self, frame: &'v Frame, locals: &'v Locals, id: OpId) -> Option<&'v Value> {
        let Op::Field { target, name, hint } = &self.ops[id.0 as usize] else { return None };
        let record = match &self.ops[target.0 as usize] {
            Op::Local(local) => locals.near(*local)?,
            Op::Slot(slot) => frame.slots.get(*slot as usize)?,
            _ => return None,
        };
        match record {
            Value::Map(map) => map.near(*hint as usize, &self.names[*name as usize]),
            _ => None,
        }
    }

    /// Apart from [`Program::path`], so that reading a variable takes no call.
    #[inline(never)]
    fn other_path<'v>(&'v self, frame: &'v Frame, locals: &'v Locals, id: OpId) -> Option<&'v Value> {
        match &self.ops[id.0 as usize] {
            Op::Local(local) => locals.get(*local),
            Op::Const(c) => self.constants.get(*c as usize),
            Op::Special(Special::Result) => Some(&frame.result),
            Op::Special(Special::Error) => Some(&frame.error),
            Op::Special(Special::Outcome) => Some(&frame.outcome),
            _ => None,
        }
    }

    #[inline(never)]
    fn far_field<'v>(&'v self, frame: &'v Frame, locals: &'v Locals, id: OpId) -> Option<&'v Value> {
        let Op::Field { target, name, hint } = &self.ops[id.0 as usize] else { return None };
        match self.path(frame, locals, *target)? {
            Value::Map(map) => map.get_at(*hint as usize, &self.names[*name as usize]),
            Value::Null => Some(&NULL),
            _ => None,
        }
    }
}

impl Eval<'_> {
    /// As [`Program::path`].
    #[inline]
    pub(super) fn path(&self, id: OpId) -> Option<&Value> {
        self.note(id);
        self.program.path(self.frame, &self.scratch.locals, id)
    }

    pub(super) fn field(&mut self, id: OpId, target: OpId, name: u32, hint: u32) -> Evaluated<Value> {
        if let Some(value) = self.path(id) {
            return Ok(value.clone());
        }
        let name = &self.program.names[name as usize];
        match self.eval(target)? {
            Value::Null => Ok(Value::Null),
            Value::Map(map) => match map.get_at(hint as usize, name) {
                Some(value) => Ok(value.clone()),
                None => Err(trouble(Fault::evaluation(format!("there is no key '{name}'")), id)),
            },
            other => Err(no_fields(&other, name, id)),
        }
    }

    pub(super) fn index(&mut self, id: OpId, target: OpId, index: OpId) -> Evaluated<Value> {
        let key = self.eval(index)?;
        if let (Some(Value::List(list)), Value::Int(i)) = (self.path(target), &key)
            && let Some(value) = usize::try_from(*i).ok().and_then(|i| list.get(i))
        {
            return Ok(value.clone());
        }
        let target = self.eval(target)?;
        if target.is_null() {
            return Ok(Value::Null);
        }
        self.program
            .functions
            .call(Function::INDEX, &[target, key], &mut self.scratch.meter)
            .map_err(|f| trouble(f, id))
    }

    /// A path on the left of `??`: null where a key of a map on the way is not there.
    #[inline(never)]
    pub(super) fn present(&mut self, id: OpId) -> Evaluated<Value> {
        match self.program.ops[id.0 as usize] {
            Op::Field { target, name, .. } => {
                let outer = self.begin_path(id);
                let value = self.present_field(id, target, name);
                self.end_path(outer);
                value
            }
            Op::Index(target, index) => {
                self.tick(id)?;
                let key = self.eval(index)?;
                match (self.present(target)?, key) {
                    (Value::Null, _) => Ok(Value::Null),
                    (Value::Map(map), Value::Str(key)) => Ok(map.get(&key).cloned().unwrap_or_default()),
                    (target, key) => self
                        .program
                        .functions
                        .call(Function::INDEX, &[target, key], &mut self.scratch.meter)
                        .map_err(|fault| trouble(fault, id)),
                }
            }
            // In a chain the right side of one is on the left of the next.
            Op::Coalesce(first, second) => {
                self.tick(id)?;
                let value = self.present(first)?;
                if value.is_null() { self.present(second) } else { Ok(value) }
            }
            _ => self.eval(id),
        }
    }

    fn present_field(&mut self, id: OpId, target: OpId, name: u32) -> Evaluated<Value> {
        self.tick(id)?;
        let name = &self.program.names[name as usize];
        match self.present(target)? {
            Value::Null => Ok(Value::Null),
            Value::Map(map) => Ok(map.get(name).cloned().unwrap_or_default()),
            other => Err(no_fields(&other, name, id)),
        }
    }

    pub(super) fn has(&mut self, id: OpId, target: OpId, name: u32) -> Evaluated<bool> {
        let name = &self.program.names[name as usize];
        match self.eval(target)? {
            Value::Null => Ok(false),
            Value::Map(map) => Ok(map.get(name).is_some_and(|v| !v.is_null())),
            other => {
                let message = format!("found {} where a record or map is wanted", other.type_name());
                Err(trouble(Fault::evaluation(message), id))
            }
        }
    }
}

/// The fault of a field of what has none.
#[cold]
#[expect(
    clippy::unnecessary_box_returns,
    reason = "the error of `Evaluated` is boxed to keep its good case small"
)]
fn no_fields(found: &Value, name: &str, id: OpId) -> Box<Trouble> {
    let message = format!("found {} where a record or map with '{name}' is wanted", found.type_name());
    trouble(Fault::evaluation(message), id)
}
