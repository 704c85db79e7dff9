//! The figures of a server, for who watches over it.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use rustc_hash::FxHashMap;

use crate::machine::{CallId, Event, EventKind, Outcome, Time};
use crate::port::{Observer, RunView, StatusKind};
use crate::telemetry::{Durations, Figure, FigureValues, HearDuration, Labelled};

/// The upper bounds of the histogram of durations.
const BOUNDS_SECONDS: [f64; 9] = [0.01, 0.05, 0.1, 0.5, 1.0, 5.0, 15.0, 60.0, 300.0];

/// The name of that histogram.
const DURATION: &str = "loopwright.effect.duration";

/// The most calls in progress that are remembered. Of one that began before the server did the latency is not known.
const MAX_OPEN_CALLS: usize = 100_000;

/// Counts what happens in runs that are driven here, and what is asked of the server.
#[derive(Default)]
pub(super) struct Figures {
    steps: AtomicU64,
    calls: Mutex<CallFigures>,
    responses: Mutex<BTreeMap<u16, u64>>,
    hear: OnceLock<HearDuration>,
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
    buckets: [u64; BOUNDS_SECONDS.len()],
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

    /// All figures, with the numbers of stored runs by status and of those that are driven here or wait for their turn, and of open
    /// streams, connections of strangers and connections of people.
    pub(super) fn all(
        &self,
        runs: &[(StatusKind, u64)],
        (driven, queued): (usize, usize),
        [streams, strangers, people]: [usize; 3],
    ) -> Vec<Figure> {
        let by_status = runs.iter().map(|(kind, count)| (vec![("status", kind.name().to_owned())], *count));
        let waiting =
            runs.iter().find(|(kind, _)| *kind == StatusKind::Waiting).map_or(0, |(_, count)| *count);
        let gauge = |name, about, value: usize| Figure {
            name,
            about,
            values: FigureValues::Gauge(vec![(Vec::new(), value as u64)]),
        };
        let counter = |name, about, values| Figure { name, about, values: FigureValues::Counter(values) };
        let (calls, durations) = self.call_figures();
        let responses = self.responses.lock().unwrap_or_else(PoisonError::into_inner);
        let responses =
            responses.iter().map(|(status, count)| (vec![("status", status.to_string())], *count));
        vec![
            Figure {
                name: "loopwright.runs",
                about: "Stored runs by status.",
                values: FigureValues::Gauge(by_status.collect()),
            },
            gauge("loopwright.runs.driven", "Runs that this server drives.", driven),
            gauge("loopwright.runs.queued", "Runs that wait for their turn.", queued),
            Figure {
                name: "loopwright.runs.waiting_for_people",
                about: "Runs that wait for nothing but people.",
                values: FigureValues::Gauge(vec![(Vec::new(), waiting)]),
            },
            gauge("loopwright.event_streams", "Open streams of events.", streams),
            Figure {
                name: "loopwright.connections",
                about: "Open connections of people, and of whoever has not shown a token.",
                values: FigureValues::Gauge(vec![
                    (vec![("of", "strangers".to_owned())], strangers as u64),
                    (vec![("of", "people".to_owned())], people as u64),
                ]),
            },
            counter(
                "loopwright.steps",
                "Transitions of runs driven here.",
                vec![(Vec::new(), self.steps.load(Ordering::Relaxed))],
            ),
            counter("loopwright.effects", "Calls of models and tools that came back.", calls),
            Figure {
                name: DURATION,
                about: "Time from a call to its outcome.",
                values: FigureValues::Durations { bounds: BOUNDS_SECONDS.to_vec(), values: durations },
            },
            counter("loopwright.http.responses", "Responses by status.", responses.collect()),
        ]
    }

    fn call_figures(&self) -> (Vec<Labelled<u64>>, Vec<Labelled<Durations>>) {
        let calls = self.calls();
        let ended = calls.ended.iter().map(|((kind, end), count)| {
            (vec![("kind", (*kind).to_owned()), ("outcome", (*end).to_owned())], *count)
        });
        let durations = calls.latencies.iter().map(|(kind, Latencies { buckets, count, sum })| {
            let durations = Durations { buckets: buckets.to_vec(), count: *count, sum: seconds(*sum) };
            (vec![("kind", (*kind).to_owned())], durations)
        });
        (ended.collect(), durations.collect())
    }

    /// Tells somebody of the duration of each call as it comes back. One hears of it, the first who asks.
    pub(super) fn tell(&self, hear: HearDuration) {
        let _first = self.hear.set(hear);
    }
}

/// Nanoseconds as seconds, without rounding.
fn seconds(ns: Time) -> String {
    let text = format!("{}.{:09}", ns / 1_000_000_000, ns % 1_000_000_000);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

impl CallFigures {
    /// A call came back. Gives its kind and how long it took, in seconds.
    fn ended(&mut self, call: &CallId, outcome: &Outcome, at: Time) -> Option<(&'static str, f64)> {
        // Nobody counts what began before the server did.
        let (kind, begun) = self.open.remove(call)?;
        let end = match outcome {
            Outcome::Answer { .. } => "answered",
            Outcome::Failed { .. } => "failed",
            Outcome::Unknown { .. } => "unknown",
        };
        *self.ended.entry((kind, end)).or_default() += 1;
        let ns = at.saturating_sub(begun).max(0);
        let took = Duration::from_nanos(ns.unsigned_abs()).as_secs_f64();
        let latencies = self.latencies.entry(kind).or_default();
        if let Some(bucket) = BOUNDS_SECONDS.iter().position(|bound| took <= *bound) {
            latencies.buckets[bucket] += 1;
        }
        latencies.count += 1;
        latencies.sum = latencies.sum.saturating_add(ns);
        Some((kind, took))
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
                let ended = self.calls().ended(call, outcome, event.at);
                if let (Some((kind, took)), Some(hear)) = (ended, self.hear.get()) {
                    hear(DURATION, &[("kind", kind)], took);
                }
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
