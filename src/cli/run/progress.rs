//! The live line on a terminal: node, step, budgets.

use indicatif::{ProgressBar, ProgressStyle};
use std::fmt::Write as _;

use crate::machine::{Event, EventKind};
use crate::port::{Observer, View};

/// A line that is drawn over itself while the run goes on.
#[derive(Debug, Clone)]
pub(super) struct Progress(ProgressBar);

impl Progress {
    /// Begins the line on standard error.
    pub(super) fn new() -> Self {
        let bar = ProgressBar::new_spinner();
        if let Ok(style) = ProgressStyle::with_template("{spinner} {msg}") {
            bar.set_style(style);
        }
        bar.enable_steady_tick(std::time::Duration::from_millis(120));
        Self(bar)
    }

    /// Takes the line away.
    pub(super) fn clear(&self) {
        self.0.finish_and_clear();
    }
}

impl Observer for Progress {
    fn recorded(&self, event: &Event, view: View<'_>) {
        if let EventKind::Asked(_) = event.kind {
            // The question comes on lines of its own.
            return self.0.set_message("waiting for you");
        }
        let Some(root) = view.snapshot.root() else { return };
        self.0.set_message(line(view.program, &root.frame));
    }
}

/// `think  step 4  rounds 2/4  tools 1/9`
fn line(program: &crate::program::Program, frame: &crate::program::frame::Frame) -> String {
    let graph = &program.graphs[frame.graph as usize];
    let mut text = format!("{}  step {}", graph.nodes[frame.node as usize].name, frame.steps);
    for (budget, counters) in graph.budgets.iter().zip(&frame.counters).filter(|(b, _)| b.family.is_none()) {
        let _ = write!(text, "  {} {}/{}", budget.name, counters.used, counters.limit);
    }
    text
}
