//! Counts of what was to be sent, and of what was.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// Counts what is to be sent, and keeps why the last was not.
#[derive(Debug)]
pub(super) struct Tally {
    /// The word for several of it.
    what: &'static str,
    ended: AtomicU64,
    sent: AtomicU64,
    why: Mutex<Option<String>>,
}

impl Tally {
    pub(super) fn of(what: &'static str) -> Self {
        Self { what, ended: AtomicU64::new(0), sent: AtomicU64::new(0), why: Mutex::default() }
    }

    /// There is one more.
    pub(super) fn end(&self) {
        self.ended.fetch_add(1, Ordering::Relaxed);
    }

    /// So many arrived.
    pub(super) fn send(&self, many: usize) {
        self.sent.fetch_add(many as u64, Ordering::Relaxed);
    }

    /// Something went wrong on the way.
    pub(super) fn note_error(&self, why: String) {
        *self.why.lock().unwrap_or_else(PoisonError::into_inner) = Some(why);
    }

    /// The same, reported from farther away: an earlier report is closer to the cause.
    pub(super) fn note_smaller_error(&self, why: String) {
        self.why.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(why);
    }

    /// The complaint where some did not arrive.
    pub(super) fn complaint(&self) -> Option<String> {
        let ended = self.ended.load(Ordering::Relaxed);
        let missing = ended.saturating_sub(self.sent.load(Ordering::Relaxed));
        let why = self.why.lock().unwrap_or_else(PoisonError::into_inner);
        let why = why.as_deref().unwrap_or("there was no room or no time for them");
        let what = self.what;
        (missing > 0).then(|| format!("{missing} of {ended} {what} did not arrive: {why}"))
    }
}

#[cfg(test)]
mod tests {
    use super::Tally;

    #[test]
    fn what_did_not_arrive_is_told() {
        let tally = Tally::of("spans");
        assert_eq!(tally.complaint(), None);
        (0..5).for_each(|_| tally.end());
        tally.send(3);
        assert_eq!(
            tally.complaint().as_deref(),
            Some("2 of 5 spans did not arrive: there was no room or no time for them")
        );
        tally.note_error("status 503".to_owned());
        assert_eq!(tally.complaint().as_deref(), Some("2 of 5 spans did not arrive: status 503"));
        tally.send(2);
        assert_eq!(tally.complaint(), None);
    }
}
