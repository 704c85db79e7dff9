//! Assignments.

use super::{Exec, evaluation};
use crate::program::Stop;
use crate::program::change::Write;
use crate::program::code::Step;
use crate::program::function;
use crate::program::graph::PlaceCode;
use crate::program::op::OpId;
use crate::source::Span;
use crate::value::{Function, PathSeg, Value};

impl Exec<'_> {
    pub(super) fn assign(
        &mut self,
        slot: u32,
        steps: &[Step],
        add: bool,
        value: OpId,
        span: Span,
    ) -> Result<(), Stop> {
        let path = self.steps(steps)?;
        let value = self.eval(value)?;
        if add { self.add(slot, path, value, span) } else { self.put(slot, path, value, span) }
    }

    /// Writes an answer to its place (`into`).
    ///
    /// # Errors
    /// As for an assignment.
    pub fn store(&mut self, place: &PlaceCode, value: Value, span: Span) -> Result<(), Stop> {
        let path = self.steps(&place.steps)?;
        self.put(place.slot, path, value, span)
    }

    /// What stands at a place now.
    ///
    /// # Errors
    /// When an index on the way cannot be evaluated.
    pub fn fetch(&mut self, place: &PlaceCode) -> Result<Value, Stop> {
        let path = self.steps(&place.steps)?;
        Ok(self.frame.slots[place.slot as usize].get_path(&path).cloned().unwrap_or_default())
    }

    fn steps(&mut self, steps: &[Step]) -> Result<Box<[PathSeg]>, Stop> {
        if steps.is_empty() {
            return Ok(Box::default());
        }
        steps
            .iter()
            .map(|step| match *step {
                Step::Field(name, _) => Ok(PathSeg::Key(self.name(name))),
                Step::Index(op) => match self.eval(op)? {
                    Value::Str(key) => Ok(PathSeg::Key(key)),
                    Value::Int(i) => Ok(PathSeg::Index(i)),
                    other => {
                        let message = format!("found {} where an index or key is wanted", other.type_name());
                        Err(evaluation(message, self.program.op_spans[op.0 as usize]))
                    }
                },
            })
            .collect()
    }

    fn put(&mut self, slot: u32, path: Box<[PathSeg]>, value: Value, span: Span) -> Result<(), Stop> {
        let place = slot as usize;
        let before = self.frame.slots[place].size_estimate();
        if path.is_empty() {
            let old = std::mem::replace(&mut self.frame.slots[place], value.clone());
            self.undo.slot(slot, old);
        } else {
            let old = self.frame.slots[place].get_path(&path).cloned();
            self.frame.slots[place]
                .set_path(&path, value.clone())
                .map_err(|fault| evaluation(fault.kind.to_string(), span))?;
            self.undo.inside(slot, path.clone(), old);
        }
        self.changes.writes.push(Write { slot, path, append: false, value });
        self.grown(slot, before, span)
    }

    fn add(&mut self, slot: u32, path: Box<[PathSeg]>, value: Value, span: Span) -> Result<(), Stop> {
        let place = slot as usize;
        let before = self.frame.slots[place].size_estimate();
        let is_list = matches!(self.frame.slots[place].get_path(&path), Some(Value::List(_)));
        if !is_list {
            let old = self.frame.slots[place].get_path(&path).cloned().unwrap_or_default();
            let sum =
                function::call(Function::Add, &[old, value], self.scratch.meter()).map_err(|fault| {
                    Stop::Error { kind: fault.kind.name().into(), message: fault.message, span }
                })?;
            return self.put(slot, path, sum, span);
        }
        self.frame.slots[place]
            .append_path(&path, value.clone())
            .map_err(|fault| evaluation(fault.kind.to_string(), span))?;
        self.undo.appended(slot, path.clone());
        self.changes.writes.push(Write { slot, path, append: true, value });
        self.grown(slot, before, span)
    }

    /// Counts how the state grew, and stops a unit that takes it over the cap.
    fn grown(&mut self, slot: u32, before: usize, span: Span) -> Result<(), Stop> {
        self.scratch.forget();
        let signed = |n: usize| i64::try_from(n).unwrap_or(i64::MAX / 4).min(i64::MAX / 4);
        let after = self.frame.slots[slot as usize].size_estimate();
        self.undo.growth = self.undo.growth.saturating_add(signed(after) - signed(before));
        if self.undo.growth > self.room && after > before {
            let name = &self.graph.slots[slot as usize].name;
            let message = format!(
                "the state would grow past {} MiB with this write to {name}",
                crate::program::MAX_STATE_MIB
            );
            return Err(Stop::Error { kind: "too_large".into(), message: message.into(), span });
        }
        Ok(())
    }
}
