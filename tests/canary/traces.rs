//! What a collector gets of the runs.

use super::search;
use crate::otel::collector::{Collector, Takes};

/// A collector for all runs.
pub(super) struct Traces(Collector);

impl Traces {
    pub(super) fn start() -> Self {
        Self(Collector::start(Takes::All))
    }

    /// What sends traces to it.
    pub(super) fn variables(&self) -> Vec<(&'static str, String)> {
        vec![
            ("OTEL_EXPORTER_OTLP_ENDPOINT", self.0.url.clone()),
            ("OTEL_EXPORTER_OTLP_PROTOCOL", "http/json".to_owned()),
        ]
    }

    /// It got all of them, and nothing of the key.
    pub(super) fn check(&self, runs: usize) {
        let roots = self.0.spans().into_iter().filter(|span| span["name"] == "invoke_agent leaks").count();
        assert!(roots >= runs, "{roots} traces of {runs} runs");
        for posted in self.0.got() {
            assert_eq!(
                search::find(&posted.body),
                [] as [&str; 0],
                "{}",
                String::from_utf8_lossy(&posted.body)
            );
        }
    }
}
