//! Assignments.

use super::{Exec, evaluation};
use crate::program::change::{Change, ChangePath, Write};
use crate::program::code::Step;
use crate::program::error::ErrorKind;
use crate::program::function::Function;
use crate::program::graph::PlaceCode;
use crate::program::op::{Op, OpId};
use crate::program::{Program, Stop};
use crate::source::Span;
use crate::value::{PathSeg, Value};

impl Exec<'_> {
    pub(super) fn assign(
        &mut self,
        slot: u32,
        steps: &[Step],
        add: bool,
        value: OpId,
        at: u32,
    ) -> Result<(), Stop> {
        let at = AssignPlace::Statement(at);
        let path = self.steps(steps)?;
        let value = self.eval(value)?;
        if add { self.add(slot, path, value, at) } else { self.put(slot, path, value, at) }
    }

    /// Assigns to a whole variable.
    #[inline(never)]
    pub(super) fn assign_whole(&mut self, slot: u32, value: OpId, at: u32) -> Result<(), Stop> {
        if let Op::Const(constant) = self.program.ops[value.0 as usize] {
            let program = self.program;
            return self.set(slot, &program.constants[constant as usize], AssignPlace::Statement(at));
        }
        let value = self.eval(value)?;
        self.set(slot, &value, AssignPlace::Statement(at))
    }

    /// Writes an answer to its place (`into`).
    ///
    /// # Errors
    /// As for an assignment.
    pub fn store(&mut self, place: &PlaceCode, value: Value, span: Span) -> Result<(), Stop> {
        let path = self.steps(&place.steps)?;
        self.put(place.slot, path, value, AssignPlace::Given(span))
    }

    /// The present value of a place.
    ///
    /// # Errors
    /// When an index on the way cannot be evaluated.
    pub fn fetch(&mut self, place: &PlaceCode) -> Result<Value, Stop> {
        self.scratch.note_slot(self.frame.graph, place.slot);
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

    /// Sets a whole variable. Each of the three copies is made where it stays, and shares what is large.
    #[inline]
    fn set(&mut self, slot: u32, value: &Value, at: AssignPlace) -> Result<(), Stop> {
        let place = &mut self.frame.slots[slot as usize];
        let (before, after) = (place.size_estimate(), value.size_estimate());
        self.undo.slot(slot, || std::mem::replace(place, value.clone()));
        self.undo.written += after;
        self.changes.push(|| {
            Change::Write(Write { slot, path: ChangePath::default(), append: false, value: value.clone() })
        });
        self.scratch.forget();
        self.grown(slot, before, after, at)
    }

    fn put(&mut self, slot: u32, path: Box<[PathSeg]>, value: Value, at: AssignPlace) -> Result<(), Stop> {
        if path.is_empty() {
            return self.set(slot, &value, at);
        }
        self.scratch.note_slot(self.frame.graph, slot);
        let place = &mut self.frame.slots[slot as usize];
        let before = place.size_estimate();
        let old = place.get_path(&path).cloned();
        place
            .set_path(&path, value.clone())
            .map_err(|fault| evaluation(fault.kind.to_string(), at.span(self.program)))?;
        self.undo.inside(slot, path.clone(), old);
        self.wrote(Write { slot, path: path.into(), append: false, value }, before, at)
    }

    fn add(&mut self, slot: u32, path: Box<[PathSeg]>, value: Value, at: AssignPlace) -> Result<(), Stop> {
        self.scratch.note_slot(self.frame.graph, slot);
        let place = &mut self.frame.slots[slot as usize];
        let before = place.size_estimate();
        let is_list = matches!(place.get_path(&path), Some(Value::List(_)));
        if !is_list {
            let old = place.get_path(&path).cloned().unwrap_or_default();
            let functions = &self.program.functions;
            let sum =
                functions.call(Function::ADD, &[old, value], self.scratch.meter()).map_err(|fault| {
                    let span = at.span(self.program);
                    Stop::error(fault.kind.error(), fault.message, span)
                })?;
            return self.put(slot, path, sum, at);
        }
        place
            .append_path(&path, value.clone())
            .map_err(|fault| evaluation(fault.kind.to_string(), at.span(self.program)))?;
        self.undo.appended(slot, path.clone());
        self.wrote(Write { slot, path: path.into(), append: true, value }, before, at)
    }

    /// Records a write into the middle of a variable whose size was `before`.
    fn wrote(&mut self, write: Write, before: usize, at: AssignPlace) -> Result<(), Stop> {
        let slot = write.slot;
        self.undo.written += write.value.size_estimate() + write.path.len() * size_of::<PathSeg>();
        self.changes.push(|| Change::Write(write));
        self.scratch.forget();
        let after = self.frame.slots[slot as usize].size_estimate();
        self.grown(slot, before, after, at)
    }

    /// Counts how the state grew, and stops a unit that takes it over the cap.
    #[inline]
    fn grown(&mut self, slot: u32, before: usize, after: usize, at: AssignPlace) -> Result<(), Stop> {
        if after == before {
            return Ok(());
        }
        let signed = |n: usize| i64::try_from(n).unwrap_or(i64::MAX / 4).min(i64::MAX / 4);
        self.undo.growth = self.undo.growth.saturating_add(signed(after) - signed(before));
        if self.undo.growth > self.room && after > before {
            return Err(self.too_large(slot, at));
        }
        Ok(())
    }

    #[cold]
    fn too_large(&self, slot: u32, at: AssignPlace) -> Stop {
        let name = &self.graph.slots[slot as usize].name;
        let limit = crate::program::MAX_STATE_MIB;
        let message = format!("the state would grow past {limit} MiB with this write to {name}");
        Stop::error(ErrorKind::TooLarge, message, at.span(self.program))
    }
}

/// The place of a write: a statement, or given from outside. Looked up only when something is wrong.
#[derive(Debug, Clone, Copy)]
enum AssignPlace {
    Statement(u32),
    Given(Span),
}

impl AssignPlace {
    fn span(self, program: &Program) -> Span {
        match self {
            Self::Statement(at) => program.code_spans.get(at as usize).copied().unwrap_or_default(),
            Self::Given(span) => span,
        }
    }
}
