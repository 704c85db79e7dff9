//! The live line on a terminal: node, step, budgets.

use indicatif::{ProgressBar, ProgressStyle};
use std::fmt::Write as _;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::machine::Event;
use crate::port::{Observer, View};

/// A line that is drawn over itself while the run goes on. While a person is asked there is none: it would be drawn over
/// what they type.
#[derive(Debug, Clone, Default)]
pub(super) struct Progress(Arc<Mutex<Option<ProgressBar>>>);

impl Progress {
    /// Takes the line away.
    pub(super) fn clear(&self) {
        if let Some(bar) = self.bar().take() {
            bar.finish_and_clear();
        }
    }

    fn bar(&self) -> MutexGuard<'_, Option<ProgressBar>> {
        // A line half drawn is no harm.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Observer for Progress {
    fn recorded(&self, _: &Event, view: View<'_>) {
        if view.snapshot.asks().next().is_some() || view.snapshot.done.is_some() {
            return self.clear();
        }
        let Some(root) = view.snapshot.root() else { return };
        self.bar().get_or_insert_with(spinner).set_message(line(view.program, &root.frame));
    }
}

/// The line on standard error.
fn spinner() -> ProgressBar {
    let bar = ProgressBar::new_spinner();
    if let Ok(style) = ProgressStyle::with_template("{spinner} {msg}") {
        bar.set_style(style);
    }
    bar.enable_steady_tick(std::time::Duration::from_millis(120));
    bar
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
