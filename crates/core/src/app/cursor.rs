//! The program and the graph of every event of a journal.

use super::stored::OpenRun;
use crate::machine::{Event, EventCursor, EventPlace};
use crate::port::{EntryCause, JournalEntry};
use crate::program::Program;

/// Follows the journal of a run: the program that the run goes by, and the graph that runs in each frame.
#[derive(Debug)]
pub struct JournalCursor<'r> {
    run: &'r OpenRun,
    program: &'r Program,
    events: EventCursor,
}

impl<'r> JournalCursor<'r> {
    /// Before the first entry.
    #[must_use]
    pub fn new(run: &'r OpenRun) -> Self {
        let program = run.by(&run.info.program).unwrap_or(&run.program);
        Self { run, program, events: EventCursor::new() }
    }

    /// Before an event of an entry: the entry by its number from 0, the event by its number in the run.
    #[must_use]
    pub fn before(run: &'r OpenRun, entries: &[JournalEntry], entry: u64, event: u64) -> Self {
        let mut cursor = Self::new(run);
        for (number, own) in (0..).zip(entries) {
            if number > entry {
                break;
            }
            cursor.enter(&own.cause);
            for earlier in own.events.iter().filter(|earlier| earlier.seq < event) {
                cursor.pass(earlier);
            }
        }
        cursor
    }

    /// Enters an entry: takes its cause, before its events.
    pub fn enter(&mut self, cause: &EntryCause) {
        match cause {
            // Between two steps of the root graph no other graph runs.
            EntryCause::Back { .. } => self.events = EventCursor::new(),
            EntryCause::Moved { program, .. } => {
                if let Some(next) = self.run.by(program) {
                    self.events.carry_over(self.program, next);
                    self.program = next;
                }
            }
            EntryCause::Input(_)
            | EntryCause::Undo { .. }
            | EntryCause::Undone { .. }
            | EntryCause::Interrupted { .. }
            | EntryCause::Resumed
            | EntryCause::Forked { .. } => {}
        }
    }

    /// Takes the next event; says where it happened.
    pub fn pass(&mut self, event: &Event) -> EventPlace {
        self.events.next(self.program, event)
    }

    /// The program that the run goes by here.
    #[must_use]
    pub const fn program(&self) -> &'r Program {
        self.program
    }

    /// The graph that runs in a frame.
    #[must_use]
    pub fn graph(&self, frame: u32) -> u32 {
        self.events.graph(frame)
    }
}
