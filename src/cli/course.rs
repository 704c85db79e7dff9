//! Along the journal of a run: which program it goes by, and which graph runs in a frame.

use super::kept::KeptRun;
use crate::machine::{Event, EventCursor};
use crate::port::EntryCause;
use crate::program::Program;

/// A place on the way.
pub(super) struct Course<'k> {
    kept: &'k KeptRun,
    program: &'k Program,
    cursor: EventCursor,
}

impl<'k> Course<'k> {
    /// Before the first entry.
    pub(super) fn new(kept: &'k KeptRun) -> Self {
        let program = kept.by(&kept.info.program).unwrap_or(&kept.program);
        Self { kept, program, cursor: EventCursor::new() }
    }

    /// What an entry begins with, before its events.
    pub(super) fn turn(&mut self, cause: &EntryCause) {
        match cause {
            // Between two steps of the root graph no other graph runs.
            EntryCause::Back { .. } => self.cursor = EventCursor::new(),
            EntryCause::Moved { program, .. } => {
                if let Some(next) = self.kept.by(program) {
                    self.cursor.carry_over(self.program, next);
                    self.program = next;
                }
            }
            EntryCause::Input(_)
            | EntryCause::Undo { .. }
            | EntryCause::Undone { .. }
            | EntryCause::Interrupted { .. }
            | EntryCause::Resumed => {}
        }
    }

    /// The next event.
    pub(super) fn pass(&mut self, event: &Event) {
        self.cursor.next(self.program, event);
    }

    /// The program that the run goes by here.
    pub(super) const fn program(&self) -> &'k Program {
        self.program
    }

    /// The graph that runs in a frame.
    pub(super) fn graph(&self, frame: u32) -> u32 {
        self.cursor.graph(frame)
    }
}
