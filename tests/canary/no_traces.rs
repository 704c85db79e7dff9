//! Without the feature `otel` no collector gets anything.

/// No collector.
pub(super) struct Traces;

impl Traces {
    pub(super) const fn start() -> Self {
        Self
    }

    #[expect(clippy::unused_self, reason = "with the feature `otel` there is one")]
    pub(super) const fn variables(&self) -> Vec<(&'static str, String)> {
        Vec::new()
    }

    #[expect(clippy::unused_self, reason = "with the feature `otel` there is one")]
    pub(super) const fn check(&self, _runs: usize) {}
}
