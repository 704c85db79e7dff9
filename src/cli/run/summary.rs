//! The costs of a run, printed at its end.

use std::fmt::Write as _;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::entries::EntryCounts;
use super::progress::amount;
use loopwright_core::drive::DrivenTime;
use loopwright_core::machine::{Event, EventKind, Usage};
use loopwright_core::port::{Observer, RunView};
use loopwright_core::program::graph::Charge;
use loopwright_core::value::usd;

/// Counts calls and what they cost, as long as this process drives the run.
#[derive(Debug, Clone, Default)]
pub(super) struct Summary(Arc<Mutex<Counts>>);

#[derive(Debug, Default)]
struct Counts {
    models: u32,
    tools: u32,
    usage: Usage,
    entries: EntryCounts,
}

impl Summary {
    /// The summary for people, on several lines.
    pub(super) fn text(&self, view: RunView<'_>, spent: DrivenTime) -> String {
        let counts = self.counts();
        let Counts { models, tools, usage, entries } = &*counts;
        let mut text = format!(
            "took {}: {}, {}; {} tokens in, {} out; ${}\n",
            time(spent.whole),
            count(*models, "call of a model", "calls of models"),
            count(*tools, "call of a tool", "calls of tools"),
            usage.input_tokens,
            usage.output_tokens,
            usd::text(i64::try_from(usage.cost).unwrap_or(i64::MAX)),
        );
        text.push_str(&entries.line().unwrap_or_default());
        let budgets = budgets(view);
        if !budgets.is_empty() {
            let _ = writeln!(text, "budgets: {budgets}");
        }
        let _ = write!(text, "outside of models and tools: {}", time(spent.outside));
        if *models > 0 {
            let _ = write!(text, ", {} for each call of a model", time(spent.outside / i64::from(*models)));
        }
        text + " (measured, including writes and syncs)\n"
    }

    fn counts(&self) -> MutexGuard<'_, Counts> {
        // A number more or less is no harm.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Observer for Summary {
    fn recorded(&self, event: &Event, _: u32, _: RunView<'_>) {
        match &event.kind {
            EventKind::Called(call) if call.request.args().is_none() => self.counts().models += 1,
            EventKind::Called(_) => self.counts().tools += 1,
            EventKind::Resolved { outcome, .. } | EventKind::Late { outcome, .. } => {
                let usage = outcome.usage();
                let mut counts = self.counts();
                outcome.attempts().iter().for_each(|attempt| counts.entries.add(attempt));
                let sum = &mut counts.usage;
                sum.input_tokens = sum.input_tokens.saturating_add(usage.input_tokens);
                sum.output_tokens = sum.output_tokens.saturating_add(usage.output_tokens);
                sum.cost = sum.cost.saturating_add(usage.cost);
            }
            _ => {}
        }
    }
}

/// `rounds 3/8, tools 1/9`, of the graph itself and over all of its run.
fn budgets(view: RunView<'_>) -> String {
    let Some(root) = view.snapshot.root() else { return String::new() };
    let graph = &view.program.graphs[root.frame.graph as usize];
    let all = graph.budgets.iter().zip(&root.frame.counters).filter(|(budget, _)| budget.family.is_none());
    let shown = all.map(|(budget, counters)| {
        let shown = |number| amount(budget.charge, number);
        format!("{} {}/{}", budget.name, shown(counters.used), shown(counters.limit))
    });
    shown.collect::<Vec<_>>().join(", ")
}

fn count(number: u32, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

/// A time as people read it; of a short one hundredths of a millisecond.
fn time(nanos: i64) -> String {
    const HUNDREDTH_OF_MS_NS: i64 = 10_000;
    if nanos >= 1_000_000_000 {
        return amount(Some(Charge::Time), nanos);
    }
    let hundredths = (nanos + HUNDREDTH_OF_MS_NS / 2) / HUNDREDTH_OF_MS_NS;
    format!("{}.{:02}ms", hundredths / 100, hundredths % 100)
}

#[cfg(test)]
mod tests {
    use super::time;

    #[test]
    fn short_times_are_told_closely() {
        assert_eq!(time(0), "0.00ms");
        assert_eq!(time(1_234_567), "1.23ms");
        assert_eq!(time(999_994_999), "999.99ms");
        assert_eq!(time(61_234_567_890), "1m1s200ms");
    }
}
