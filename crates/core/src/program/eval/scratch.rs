//! Room that evaluations share, so that a step allocates nothing for them.

use super::ReadLog;
use crate::program::meter::Meter;
use crate::value::Value;

/// Statements and turns of `for` loops in one unit.
pub(in crate::program) const MAX_STATEMENTS: u32 = 1_000_000;

/// Locals, memoised lets and the meter. Nothing in it outlives a step.
#[derive(Debug, Default)]
pub struct Scratch {
    pub(super) locals: Locals,
    pub(super) memo: LetMemo,
    pub(super) meter: Meter,
    pub(super) depth: u32,
    /// The levels of all expressions in progress, down to where each names the next one.
    pub(super) levels: u32,
    /// The size of all that macros in progress have gathered.
    pub(super) gathered: usize,
    statements: u32,
    /// The values of `previous(e)`; see [`GraphCode::remembered`](crate::program::graph::GraphCode::remembered).
    pub previous: Vec<Value>,
    /// Takes down the reads of an answer, if somebody asks for them.
    pub reads: Option<Box<ReadLog>>,
}

impl Scratch {
    /// Room for evaluations that may use so many units of work together.
    #[must_use]
    pub fn with_cost(limit: u64) -> Self {
        Self { meter: Meter::new(limit), ..Self::default() }
    }

    /// The units of work that were used since the meter was filled.
    #[must_use]
    pub const fn used(&self) -> u64 {
        self.meter.used()
    }

    /// Forgets memoised lets: something they may read was written.
    #[inline]
    pub fn forget(&mut self) {
        self.memo.forget();
    }

    /// Puts a value into a local of the running statement list.
    #[inline]
    pub fn set_local(&mut self, local: u32, value: Value) {
        *self.locals.place(local) = Local::Value(value);
    }

    /// Opens a fresh row of locals above the present ones and returns what [`Scratch::close`] needs.
    #[inline]
    pub(in crate::program) fn open(&mut self) -> (usize, usize) {
        let mark = (self.locals.base, self.locals.rows.len());
        self.locals.base = self.locals.rows.len();
        mark
    }

    /// Drops the row opened last.
    #[inline]
    pub(in crate::program) fn close(&mut self, (base, len): (usize, usize)) {
        self.locals.base = base;
        if self.locals.rows.len() > len {
            self.locals.rows.truncate(len);
        }
    }

    /// Begins a new step.
    #[inline]
    pub fn begin(&mut self) {
        self.reset();
        self.meter = Meter::default();
    }

    /// Drops all locals and begins a new unit of statements.
    #[inline]
    pub fn reset(&mut self) {
        if !self.locals.is_empty() {
            self.clear();
        }
        self.memo.forget();
        self.locals.base = 0;
        self.depth = 0;
        self.levels = 0;
        self.gathered = 0;
        self.statements = 0;
    }

    #[inline(never)]
    fn clear(&mut self) {
        self.locals.rows.clear();
        self.locals.lists.clear();
    }

    /// Fills the meter for the next expression, as far as the work of the whole step allows.
    #[inline]
    pub fn refill(&mut self) {
        self.meter.refill();
    }

    /// Notes that a variable of a graph is read as a whole.
    #[inline]
    pub(in crate::program) fn note_slot(&self, graph: u32, slot: u32) {
        if let Some(reads) = &self.reads {
            reads.slot(graph, slot);
        }
    }

    /// Notes that `result` or `error` of a graph is read as a whole.
    pub(super) fn note_special(&self, graph: u32) {
        if let Some(reads) = &self.reads {
            reads.special(graph);
        }
    }

    #[inline]
    pub(in crate::program) fn meter(&mut self) -> &mut Meter {
        &mut self.meter
    }

    /// Counts statements or a turn of a loop; false when the unit has had too many.
    #[inline]
    pub(in crate::program) const fn statements(&mut self, many: u32) -> bool {
        self.statements = self.statements.saturating_add(many);
        self.statements <= MAX_STATEMENTS
    }
}

/// The values of lets, each worked out once between writes.
#[derive(Debug, Default)]
pub(super) struct LetMemo {
    values: Vec<Option<Value>>,
    /// The lets that have a value: a graph has many, and few of them are asked for between two writes.
    filled: Vec<u32>,
}

impl LetMemo {
    #[inline]
    pub(super) fn get(&self, index: u32) -> Option<&Value> {
        self.values.get(index as usize)?.as_ref()
    }

    pub(super) fn set(&mut self, index: u32, value: Value) {
        let place = index as usize;
        if self.values.len() <= place {
            self.values.resize(place + 1, None);
        }
        if self.values[place].replace(value).is_none() {
            self.filled.push(index);
        }
    }

    #[inline]
    fn forget(&mut self) {
        if !self.filled.is_empty() {
            self.clear();
        }
    }

    fn clear(&mut self) {
        for index in self.filled.drain(..) {
            self.values[index as usize] = None;
        }
    }
}

/// The locals of everything in progress, a row above the other, and the lists that macros are running through.
#[derive(Debug, Default)]
pub(super) struct Locals {
    rows: Vec<Local>,
    base: usize,
    lists: Vec<Value>,
}

/// A local: a value of its own, or an item of a list that a macro runs through. An item is never copied to be looked at.
#[derive(Debug, Clone)]
enum Local {
    Value(Value),
    Item { list: u32, index: u32 },
}

impl Locals {
    /// The value of a local.
    #[inline]
    pub(super) fn get(&self, local: u32) -> Option<&Value> {
        match self.rows.get(self.base + local as usize)? {
            Local::Value(value) => Some(value),
            Local::Item { list, index } => self.item(*list, *index),
        }
    }

    /// The value of a local, if it is one of its own or an item of a short list.
    #[inline]
    pub(super) fn near(&self, local: u32) -> Option<&Value> {
        match self.rows.get(self.base + local as usize)? {
            Local::Value(value) => Some(value),
            Local::Item { list, index } => match self.lists.get(*list as usize)? {
                Value::List(list) => list.near(*index as usize),
                _ => None,
            },
        }
    }

    /// Keeps the list a macro is about to run through.
    pub(super) fn enter(&mut self, list: Value) -> u32 {
        self.lists.push(list);
        u32::try_from(self.lists.len() - 1).unwrap_or(u32::MAX)
    }

    /// Drops the list kept last.
    pub(super) fn leave(&mut self, list: u32) {
        self.lists.truncate(list as usize);
    }

    /// Lets a local stand for an item of a kept list.
    #[inline]
    pub(super) fn set_item(&mut self, local: u32, list: u32, index: u32) {
        match self.rows.get_mut(self.base + local as usize) {
            // The item before, nearly always: nothing to drop.
            Some(Local::Item { list: old, index: place }) => {
                *old = list;
                *place = index;
            }
            _ => *self.place(local) = Local::Item { list, index },
        }
    }

    /// An item of a kept list.
    #[inline]
    pub(super) fn item(&self, list: u32, index: u32) -> Option<&Value> {
        match self.lists.get(list as usize)? {
            Value::List(list) => list.get(index as usize),
            _ => None,
        }
    }

    #[inline(never)]
    fn place(&mut self, local: u32) -> &mut Local {
        let at = self.base + local as usize;
        if self.rows.len() <= at {
            self.rows.resize(at + 1, Local::Value(Value::Null));
        }
        &mut self.rows[at]
    }

    #[inline]
    const fn is_empty(&self) -> bool {
        self.rows.is_empty() && self.lists.is_empty()
    }
}
