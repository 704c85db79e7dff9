//! The figures of a server, for who watches over it.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustc_hash::FxHashMap;

use crate::machine::{CallId, Event, EventKind, Outcome, Time};
use crate::port::{Observer, RunView, StatusKind};

/// The upper bounds of the histogram of latencies, in nanoseconds.
const BOUNDS_NS: [Time; 9] = [
    10_000_000,
    50_000_000,
    100_000_000,
    500_000_000,
    1_000_000_000,
    5_000_000_000,
    15_000_000_000,
    60_000_000_000,
    300_000_000_000,
];

/// The most calls in progress that are remembered. Of one that began before the server did the latency is not known.
const MAX_OPEN_CALLS: usize = 100_000;

/// Counts what happens in runs that are driven here, and what is asked of the server.
#[derive(Debug, Default)]
pub(super) struct Figures {
    steps: AtomicU64,
    calls: Mutex<CallFigures>,
    responses: Mutex<BTreeMap<u16, u64>>,
}

#[derive(Debug, Default)]
struct CallFigures {
    open: FxHashMap<CallId, (&'static str, Time)>,
    /// By kind of what is called and how it ended.
    ended: BTreeMap<(&'static str, &'static str), u64>,
    latencies: BTreeMap<&'static str, Latencies>,
}

#[derive(Debug, Default)]
struct Latencies {
    buckets: [u64; BOUNDS_NS.len()],
    count: u64,
    sum: Time,
}

impl Figures {
    fn calls(&self) -> MutexGuard<'_, CallFigures> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts a response.
    pub(super) fn responded(&self, status: u16) {
        *self.responses.lock().unwrap_or_else(PoisonError::into_inner).entry(status).or_default() += 1;
    }

    /// All figures as `OpenMetrics` text, with the numbers of stored runs by status, of those that are driven here and that wait for their
    /// turn, and of open streams, connections of strangers and connections of people.
    pub(super) fn text(
        &self,
        runs: &[(StatusKind, usize)],
        (driven, queued): (usize, usize),
        open: [usize; 3],
    ) -> String {
        let mut text = String::new();
        let mut gauge = |name: &str, help: &str, rows: &[(String, usize)]| {
            let _ = writeln!(text, "# TYPE loopwright_{name} gauge\n# HELP loopwright_{name} {help}");
            for (labels, value) in rows {
                let _ = writeln!(text, "loopwright_{name}{labels} {value}");
            }
        };
        let by_status: Vec<_> =
            runs.iter().map(|(kind, count)| (format!("{{status=\"{}\"}}", kind.name()), *count)).collect();
        let waiting =
            runs.iter().find(|(kind, _)| *kind == StatusKind::Waiting).map_or(0, |(_, count)| *count);
        gauge("runs", "Stored runs by status.", &by_status);
        gauge("runs_driven", "Runs that this server drives.", &[(String::new(), driven)]);
        gauge("runs_queued", "Runs that wait for their turn.", &[(String::new(), queued)]);
        gauge(
            "runs_waiting_for_people",
            "Runs that wait for nothing but people.",
            &[(String::new(), waiting)],
        );
        let [streams, strangers, people] = open;
        gauge("event_streams", "Open streams of events.", &[(String::new(), streams)]);
        let connections = [("strangers", strangers), ("people", people)]
            .map(|(of, count)| (format!("{{of=\"{of}\"}}"), count));
        gauge(
            "connections",
            "Open connections of people, and of whoever has not shown a token.",
            &connections,
        );
        let steps = self.steps.load(Ordering::Relaxed);
        let _ = writeln!(
            text,
            "# TYPE loopwright_steps counter\n# HELP loopwright_steps Transitions of runs driven here.\nloopwright_steps_total {steps}"
        );
        self.write_calls(&mut text);
        text += "# TYPE loopwright_http_responses counter\n# HELP loopwright_http_responses Responses by status.\n";
        for (status, count) in &*self.responses.lock().unwrap_or_else(PoisonError::into_inner) {
            let _ = writeln!(text, "loopwright_http_responses_total{{status=\"{status}\"}} {count}");
        }
        text + "# EOF\n"
    }

    fn write_calls(&self, text: &mut String) {
        let calls = self.calls();
        *text += "# TYPE loopwright_effects counter\n# HELP loopwright_effects Calls of models and tools that came back.\n";
        for ((kind, end), count) in &calls.ended {
            let _ = writeln!(text, "loopwright_effects_total{{kind=\"{kind}\",outcome=\"{end}\"}} {count}");
        }
        *text += "# TYPE loopwright_effect_seconds histogram\n# UNIT loopwright_effect_seconds seconds\n\
                  # HELP loopwright_effect_seconds Time from a call to its outcome.\n";
        for (kind, Latencies { buckets, count, sum }) in &calls.latencies {
            let mut below = 0;
            for (bound, bucket) in BOUNDS_NS.iter().zip(buckets) {
                below += bucket;
                let bound = seconds(*bound);
                let _ = writeln!(
                    text,
                    "loopwright_effect_seconds_bucket{{kind=\"{kind}\",le=\"{bound}\"}} {below}"
                );
            }
            let sum = seconds(*sum);
            let _ = writeln!(
                text,
                "loopwright_effect_seconds_bucket{{kind=\"{kind}\",le=\"+Inf\"}} {count}\n\
                 loopwright_effect_seconds_sum{{kind=\"{kind}\"}} {sum}\n\
                 loopwright_effect_seconds_count{{kind=\"{kind}\"}} {count}"
            );
        }
    }
}

/// Nanoseconds as seconds, without rounding.
fn seconds(ns: Time) -> String {
    let text = format!("{}.{:09}", ns / 1_000_000_000, ns % 1_000_000_000);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

impl CallFigures {
    fn ended(&mut self, call: &CallId, outcome: &Outcome, at: Time) {
        // Nobody counts what began before the server did.
        let Some((kind, begun)) = self.open.remove(call) else { return };
        let end = match outcome {
            Outcome::Answer { .. } => "answered",
            Outcome::Failed { .. } => "failed",
            Outcome::Unknown { .. } => "unknown",
        };
        *self.ended.entry((kind, end)).or_default() += 1;
        let took = at.saturating_sub(begun).max(0);
        let latencies = self.latencies.entry(kind).or_default();
        if let Some(bucket) = BOUNDS_NS.iter().position(|bound| took <= *bound) {
            latencies.buckets[bucket] += 1;
        }
        latencies.count += 1;
        latencies.sum = latencies.sum.saturating_add(took);
    }
}

impl Observer for Figures {
    fn recorded(&self, event: &Event, _: u32, _: RunView<'_>) {
        match &event.kind {
            EventKind::Took { .. } => {
                self.steps.fetch_add(1, Ordering::Relaxed);
            }
            EventKind::Called(call) => {
                let mut calls = self.calls();
                if calls.open.len() < MAX_OPEN_CALLS {
                    calls.open.insert(call.id.clone(), (call.request.called().0, event.at));
                }
            }
            EventKind::Resolved { call, outcome } => {
                self.calls().ended(call, outcome, event.at);
            }
            EventKind::Abandoned { call } => {
                self.calls().open.remove(call);
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::seconds;

    #[test]
    fn times_are_written_exactly() {
        for (ns, text) in [(0, "0"), (10_000_000, "0.01"), (1_500_000_000, "1.5"), (300_000_000_000, "300")] {
            assert_eq!(seconds(ns), text);
        }
    }
}
