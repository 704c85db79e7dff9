//! Taking back the writes of a unit: only what was overwritten is kept, never a copy of the state.

use crate::program::frame::Frame;
use crate::value::{PathSeg, Value};

/// The writes of one unit, newest last.
#[derive(Debug, Default)]
pub struct Undo {
    entries: Vec<UndoEntry>,
    /// By how many bytes the unit made the state grow.
    pub(super) growth: i64,
    /// The bytes that units wrote since this was made, also those taken back.
    pub(super) written: usize,
}

#[derive(Debug)]
enum UndoEntry {
    Slot(u32, Value),
    Inside(Box<(u32, Box<[PathSeg]>, Option<Value>)>),
    Appended(u32, Box<[PathSeg]>),
}

impl Undo {
    /// Forgets everything: the writes of the unit are final. Returns by how many bytes they made the state grow.
    #[inline]
    pub fn commit(&mut self) -> i64 {
        if !self.entries.is_empty() {
            self.entries.clear();
        }
        std::mem::take(&mut self.growth)
    }

    /// Counts bytes that are recorded besides the values written.
    #[inline]
    pub const fn note(&mut self, bytes: usize) {
        self.written = self.written.saturating_add(bytes);
    }

    /// The bytes that units wrote since this was made.
    #[must_use]
    #[inline]
    pub const fn written(&self) -> usize {
        self.written
    }

    /// The old value is put straight into its place, as in [`Log::push`](crate::program::change::Log::push).
    #[inline]
    pub(super) fn slot(&mut self, slot: u32, old: impl FnOnce() -> Value) {
        self.entries.extend(std::iter::once_with(|| UndoEntry::Slot(slot, old())));
    }

    pub(super) fn inside(&mut self, slot: u32, path: Box<[PathSeg]>, old: Option<Value>) {
        self.entries.push(UndoEntry::Inside(Box::new((slot, path, old))));
    }

    pub(super) fn appended(&mut self, slot: u32, path: Box<[PathSeg]>) {
        self.entries.push(UndoEntry::Appended(slot, path));
    }

    /// Takes the writes back, newest first.
    pub fn revert(&mut self, frame: &mut Frame) {
        self.growth = 0;
        while let Some(entry) = self.entries.pop() {
            match entry {
                UndoEntry::Slot(slot, old) => frame.slots[slot as usize] = old,
                UndoEntry::Inside(inside) => {
                    let (slot, path, old) = *inside;
                    restore(&mut frame.slots[slot as usize], &path, old);
                }
                UndoEntry::Appended(slot, path) => {
                    let popped = frame.slots[slot as usize].update_path(&path, |v| {
                        if let Value::List(list) = v {
                            list.pop();
                        }
                    });
                    debug_assert!(popped.is_ok(), "an appended list is still there");
                }
            }
        }
    }
}

fn restore(root: &mut Value, path: &[PathSeg], old: Option<Value>) {
    let done = match (old, path.split_last()) {
        (Some(old), _) => root.set_path(path, old),
        (None, Some((PathSeg::Key(key), outer))) => root.update_path(outer, |v| {
            if let Value::Map(map) = v {
                map.remove(key);
            }
        }),
        (None, _) => Ok(()),
    };
    debug_assert!(done.is_ok(), "a written place is still there");
}
