//! Notes on standard error beside a run's events: what is done with the run.

use crate::cli::screen;
use loopwright_core::machine::Event;
use loopwright_core::port::{Observer, RunView};

/// Prints each note as a line.
#[derive(Debug, Clone, Copy)]
pub(super) struct Notes;

impl Observer for Notes {
    fn recorded(&self, _: &Event, _: u32, _: RunView<'_>) {}

    fn noted(&self, note: &str) {
        screen::say(&format!("{}\n", screen::line(note)));
    }
}
