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
            "took {}: {}, {}; {}; ${}\n",
            time(spent.whole),
            count(*models, "call of a model", "calls of models"),
            count(*tools, "call of a tool", "calls of tools"),
            tokens(usage),
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
                counts.usage = counts.usage.plus(usage);
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

/// `1000 tokens in (900 cached), 20 out (5 reasoning)`
fn tokens(usage: &Usage) -> String {
    let input =
        of_kinds(&[(usage.cached_tokens, "cached"), (usage.cache_write_tokens, "put into the cache")]);
    let output = of_kinds(&[(usage.reasoning_tokens, "reasoning")]);
    format!("{} tokens in{input}, {} out{output}", usage.input_tokens, usage.output_tokens)
}

/// The kinds that occurred, in parentheses.
fn of_kinds(kinds: &[(u64, &str)]) -> String {
    let there: Vec<String> =
        kinds.iter().filter(|(count, _)| *count > 0).map(|(count, kind)| format!("{count} {kind}")).collect();
    if there.is_empty() { String::new() } else { format!(" ({})", there.join(", ")) }
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
    use loopwright_core::machine::Usage;

    use super::{time, tokens};

    #[test]
    fn kinds_of_tokens_are_told_where_they_occurred() {
        let plain = Usage { input_tokens: 12, output_tokens: 3, ..Usage::default() };
        assert_eq!(tokens(&plain), "12 tokens in, 3 out");
        let usage = Usage { cached_tokens: 8, cache_write_tokens: 2, reasoning_tokens: 1, ..plain };
        assert_eq!(tokens(&usage), "12 tokens in (8 cached, 2 put into the cache), 3 out (1 reasoning)");
        let usage = Usage { cached_tokens: 8, ..plain };
        assert_eq!(tokens(&usage), "12 tokens in (8 cached), 3 out");
    }

    #[test]
    fn short_times_are_told_closely() {
        assert_eq!(time(0), "0.00ms");
        assert_eq!(time(1_234_567), "1.23ms");
        assert_eq!(time(999_994_999), "999.99ms");
        assert_eq!(time(61_234_567_890), "1m1s200ms");
    }
}
