//! The live line on a terminal: node, step, budgets.

use indicatif::{ProgressBar, ProgressStyle};
use std::fmt::Write as _;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::cli::screen;
use loopwright_core::machine::{Event, Question};
use loopwright_core::port::{BoxFuture, Human, HumanReply, Observer, RunView, ToolListener};
use loopwright_core::program::graph::Charge;
use loopwright_core::value::{duration, usd};

/// A line that is drawn over itself while the run continues. While a person is asked there is none: it would be drawn over
/// what they type.
#[derive(Debug, Clone, Default)]
pub(in crate::cli) struct Progress(Arc<Mutex<ProgressState>>);

#[derive(Debug, Default)]
struct ProgressState {
    bar: Option<ProgressBar>,
    /// Something else is printed.
    held: bool,
}

impl Progress {
    /// Takes the line away.
    pub(super) fn clear(&self) {
        self.state().clear();
    }

    /// Takes the line away for as long as something else is printed.
    pub(super) fn hold(&self) {
        let mut state = self.state();
        state.clear();
        state.held = true;
    }

    /// Lets the line be drawn again.
    pub(super) fn release(&self) {
        self.state().held = false;
    }

    fn state(&self) -> MutexGuard<'_, ProgressState> {
        // A line half drawn is no harm.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ProgressState {
    fn clear(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }
}

impl Observer for Progress {
    fn recorded(&self, _: &Event, _: u32, view: RunView<'_>) {
        if view.snapshot.asks().next().is_some() || view.snapshot.done.is_some() {
            return self.clear();
        }
        let Some(root) = view.snapshot.root() else { return };
        let mut state = self.state();
        if !state.held {
            state.bar.get_or_insert_with(spinner).set_message(shown(&line(view.program, &root.frame)));
        }
    }
}

/// The words of tools while they are called: on the line that is drawn over itself, where there is one.
#[derive(Debug, Clone, Default)]
pub(in crate::cli) struct ToolWords(pub(in crate::cli) Option<Progress>);

impl ToolListener for ToolWords {
    fn progressed(&self, tool: &str, words: &str) {
        let Some(progress) = &self.0 else { return };
        let mut state = progress.state();
        if !state.held {
            state.bar.get_or_insert_with(spinner).set_message(shown(&format!("{tool}  {words}")));
        }
    }

    fn noted(&self, note: &str) {
        if let Some(progress) = &self.0 {
            progress.clear();
        }
        screen::say(&format!("note: {}\n", screen::line(note)));
    }
}

/// A person who is asked for a tool: the line is away for as long as they type.
pub(super) struct ToolConsole {
    pub(super) human: Arc<dyn Human>,
    pub(super) progress: Option<Progress>,
}

/// Lets the line be drawn again when this is dropped.
struct HeldLine(Option<Progress>);

impl Human for ToolConsole {
    fn ask(&self, ask: &Question, view: RunView<'_>) -> BoxFuture<'static, HumanReply> {
        self.human.ask(ask, view)
    }

    fn ask_for_tool(&self, ask: &Question) -> BoxFuture<'static, HumanReply> {
        let (reply, progress) = (self.human.ask_for_tool(ask), self.progress.clone());
        Box::pin(async move {
            if let Some(progress) = &progress {
                progress.hold();
            }
            let _held = HeldLine(progress);
            reply.await
        })
    }
}

impl Drop for HeldLine {
    fn drop(&mut self) {
        if let Some(progress) = &self.0 {
            progress.release();
        }
    }
}

/// The line as it may be drawn: it goes past everything else that is printed.
fn shown(line: &str) -> String {
    screen::line(&screen::hidden(line))
}

/// A line on standard error that is drawn over itself.
pub(in crate::cli) fn spinner() -> ProgressBar {
    let bar = ProgressBar::new_spinner();
    if let Ok(style) = ProgressStyle::with_template("{spinner} {msg}") {
        bar.set_style(style);
    }
    bar.enable_steady_tick(std::time::Duration::from_millis(120));
    bar
}

/// `think  step 4  rounds 2/4  tools 1/9`
fn line(
    program: &loopwright_core::program::Program,
    frame: &loopwright_core::program::frame::Frame,
) -> String {
    let graph = &program.graphs[frame.graph as usize];
    let mut text = format!("{}  step {}", graph.nodes[frame.node as usize].name, frame.steps);
    for (budget, counters) in graph.budgets.iter().zip(&frame.counters).filter(|(b, _)| b.family.is_none()) {
        let shown = |number| amount(budget.charge, number);
        let _ = write!(text, "  {} {}/{}", budget.name, shown(counters.used), shown(counters.limit));
    }
    text
}

/// Writes an amount for people. Times longer than a second are cut to tenths.
pub(super) fn amount(charge: Option<Charge>, number: i64) -> String {
    const SECOND_NS: i64 = 1_000_000_000;
    match charge {
        Some(Charge::ModelCost) => format!("${}", usd::text(number)),
        Some(Charge::Time) if number >= SECOND_NS => duration::text(number - number % (SECOND_NS / 10)),
        Some(Charge::Time) => duration::text(number - number % (SECOND_NS / 1000)),
        _ => number.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_and_times_are_written_as_such() {
        assert_eq!(amount(Some(Charge::ModelCost), 500_000_000), "$0.5");
        assert_eq!(amount(Some(Charge::ModelCost), 0), "$0");
        assert_eq!(amount(Some(Charge::Time), 90_000_000_000), "1m30s");
        assert_eq!(amount(Some(Charge::Time), 1_234_567_890), "1s200ms");
        assert_eq!(amount(Some(Charge::Time), 1_234_567), "1ms");
        assert_eq!(amount(Some(Charge::ToolCalls), 7), "7");
        assert_eq!(amount(None, 7), "7");
    }
}
