//! The time in which a person is asked: it does not count as a server's.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::Instant;

/// The time that persons were asked for a server.
#[derive(Default)]
pub(super) struct PersonTime {
    asked: Mutex<AskedTime>,
    /// Tells that nobody is asked any more.
    answered: Notify,
}

#[derive(Default)]
struct AskedTime {
    /// The questions that are open.
    open: usize,
    since: Option<Instant>,
    /// The time of all that were answered.
    total: Duration,
}

/// A question that is open until this is dropped.
pub(super) struct OpenQuestion(Arc<PersonTime>);

impl PersonTime {
    pub(super) fn ask(self: &Arc<Self>) -> OpenQuestion {
        let mut asked = self.asked();
        asked.open += 1;
        asked.since.get_or_insert_with(Instant::now);
        OpenQuestion(Arc::clone(self))
    }

    /// Waits for the end of a time in which no person is asked.
    pub(super) async fn passed(&self, limit: Duration) {
        let (begun, before) = (Instant::now(), self.total());
        loop {
            let answered = self.answered.notified();
            let is_asked = self.asked().open > 0;
            if is_asked {
                answered.await;
                continue;
            }
            let end = begun + limit + self.total().saturating_sub(before);
            if end <= Instant::now() {
                return;
            }
            tokio::time::sleep_until(end).await;
        }
    }

    fn total(&self) -> Duration {
        let asked = self.asked();
        let open = asked.since.map(|since| since.elapsed());
        asked.total + open.unwrap_or_default()
    }

    fn asked(&self) -> MutexGuard<'_, AskedTime> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for OpenQuestion {
    fn drop(&mut self) {
        let mut asked = self.0.asked();
        asked.open -= 1;
        if asked.open == 0 {
            let since = asked.since.take();
            asked.total += since.map(|since| since.elapsed()).unwrap_or_default();
            drop(asked);
            self.0.answered.notify_waiters();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use tokio::time::{Instant, sleep};

    use super::PersonTime;

    #[tokio::test(start_paused = true)]
    async fn the_time_of_a_person_does_not_count() {
        let times = Arc::new(PersonTime::default());
        let asks = Arc::clone(&times);
        let asked = tokio::spawn(async move {
            sleep(Duration::from_secs(5)).await;
            let _open = asks.ask();
            sleep(Duration::from_secs(100)).await;
        });
        let begun = Instant::now();
        times.passed(Duration::from_secs(10)).await;
        assert_eq!(begun.elapsed().as_secs(), 110);
        asked.await.expect("it ended");
        let begun = Instant::now();
        times.passed(Duration::from_secs(10)).await;
        assert_eq!(begun.elapsed().as_secs(), 10);
    }
}
