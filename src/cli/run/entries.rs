//! The entries of `[models]` that a run asked, for its summary.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use loopwright_core::machine::ModelAttempt;
use loopwright_core::value::{Str, duration, usd};

/// Attempts by entry, in the order in which the entries were asked first.
#[derive(Debug, Default)]
pub(super) struct EntryCounts(Vec<(Str, EntryCount)>);

#[derive(Debug, Default)]
struct EntryCount {
    answered: u32,
    /// Failed attempts by kind of error.
    failed: BTreeMap<Str, u32>,
    /// The cost, in billionths of a dollar.
    cost: u64,
    /// The wait for its turn, in nanoseconds.
    waited: i64,
}

impl EntryCounts {
    pub(super) fn add(&mut self, attempt: &ModelAttempt) {
        let at = self.0.iter().position(|(entry, _)| *entry == attempt.entry).unwrap_or_else(|| {
            self.0.push((attempt.entry.clone(), EntryCount::default()));
            self.0.len() - 1
        });
        let count = &mut self.0[at].1;
        match &attempt.error {
            None => count.answered += 1,
            Some(fault) => *count.failed.entry(fault.kind.clone()).or_default() += 1,
        }
        count.cost = count.cost.saturating_add(attempt.usage.cost);
        count.waited = count.waited.saturating_add(attempt.waited);
    }

    /// A line of them; nothing where one entry answered everything at once, which the counts of calls say already.
    pub(super) fn line(&self) -> Option<String> {
        let is_plain = |(_, count): &(Str, EntryCount)| count.failed.is_empty() && count.waited == 0;
        if self.0.len() < 2 && self.0.iter().all(is_plain) {
            return None;
        }
        let entries: Vec<String> = self.0.iter().map(|(entry, count)| count.text(entry)).collect();
        Some(format!("models: {}\n", entries.join("; ")))
    }
}

impl EntryCount {
    /// `fast answered 1, failed 3 (rate_limited 2, unavailable 1), $0.0012`
    fn text(&self, entry: &str) -> String {
        let mut text = format!("{entry} answered {}", self.answered);
        if !self.failed.is_empty() {
            let kinds: Vec<String> =
                self.failed.iter().map(|(kind, count)| format!("{kind} {count}")).collect();
            let _ = write!(text, ", failed {} ({})", self.failed.values().sum::<u32>(), kinds.join(", "));
        }
        if self.waited > 0 {
            let _ = write!(text, ", waited {}", duration::text(self.waited));
        }
        if self.cost > 0 {
            let _ = write!(text, ", ${}", usd::text(i64::try_from(self.cost).unwrap_or(i64::MAX)));
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::EntryCounts;
    use loopwright_core::machine::{AttemptFault, ModelAttempt, Usage};

    fn attempt(entry: &str, kind: Option<&str>, waited: i64, cost: u64) -> ModelAttempt {
        let error = kind.map(|kind| AttemptFault { kind: kind.into(), message: "no".into(), refused: false });
        let usage = Usage { cost, ..Usage::default() };
        ModelAttempt {
            entry: entry.into(),
            model: "m".into(),
            at: 0,
            waited,
            error,
            usage,
            files: Vec::new(),
        }
    }

    #[test]
    fn entries_are_told_where_there_is_more_than_one_answer_to_tell() {
        let mut counts = EntryCounts::default();
        assert_eq!(counts.line(), None);
        counts.add(&attempt("fast", None, 0, 1_200_000));
        assert_eq!(counts.line(), None);
        for kind in ["rate_limited", "unavailable", "rate_limited"] {
            counts.add(&attempt("fast", Some(kind), 0, 0));
        }
        counts.add(&attempt("strong", None, 2_000_000_000, 24_000_000));
        let line = "models: fast answered 1, failed 3 (rate_limited 2, unavailable 1), $0.0012; strong answered 1, waited 2s, \
                    $0.024\n";
        assert_eq!(counts.line().as_deref(), Some(line));
    }
}
