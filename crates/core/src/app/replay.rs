//! A stored run made once more from its journal, or compared with an edited graph.

use super::graph::Graph;
use super::read_error::ReadError;
use super::stored::OpenRun;
use crate::drive::{AgainstError, RebuildError, ReplayError, Replayed, Verdict, against, replay};
use crate::machine::{Event, Snapshot};
use crate::port::{JournalEntry, StoredRun};

/// The end of a replay.
#[derive(Debug)]
pub enum Replay {
    /// All is as it was stored.
    Same(Box<Replayed>),
    /// The events are as they were stored, the state is another.
    OtherState {
        /// The state as it is built from the last snapshot.
        stored: Box<Snapshot>,
        /// The state that the journal leads to.
        now: Box<Snapshot>,
    },
    /// An event is another.
    Differs(Box<Difference>),
}

/// The first event that differs.
#[derive(Debug)]
pub struct Difference {
    /// The journal.
    pub entries: Vec<JournalEntry>,
    /// The entry, from 0.
    pub entry: u64,
    /// The event as it was stored; none if there is one more now.
    pub then: Option<Box<Event>>,
    /// The event as it is now; none if there is one less now.
    pub now: Option<Box<Event>>,
}

impl OpenRun {
    /// The whole journal with the state that it begins with.
    ///
    /// # Errors
    /// The store cannot read it.
    pub async fn journal(&self) -> Result<StoredRun, ReadError> {
        let first = self.store.load(&self.info.run, Some(0)).await?;
        Ok(StoredRun { entries: self.entries().await?, ..first })
    }

    /// Makes the run once more from its [journal](Self::journal), whole or as far as a step, and compares it with what
    /// was stored. Nothing outside is in reach. The run must be [found whole](super::Runs::find_whole).
    ///
    /// # Errors
    /// [`ReadError::Step`] if it has not come so far, [`ReadError::Replay`] if the journal leads nowhere.
    pub async fn replay(&self, journal: StoredRun, to: Option<u64>) -> Result<Replay, ReadError> {
        let run = || self.info.run.clone();
        match replay(self.programs(), &journal, to) {
            Ok(replayed) => {
                // It may be large, and the state of the run is built from the store again.
                drop(journal);
                self.compared(replayed, to).await
            }
            Err(ReplayError::Rebuild(RebuildError::Differs { entry, then, now })) => {
                let entries = journal.entries;
                Ok(Replay::Differs(Box::new(Difference { entries, entry, then, now })))
            }
            Err(ReplayError::Rebuild(error)) => Err(ReadError::Replay { run: run(), error }),
            Err(ReplayError::Step(step)) => {
                let last = journal.entries.last().map_or(0, |entry| entry.step);
                Err(ReadError::Step { run: run(), last, step })
            }
        }
    }

    /// The state that comes out, held against the one that is built from the last snapshot.
    async fn compared(&self, replayed: Replayed, to: Option<u64>) -> Result<Replay, ReadError> {
        if to.is_none() {
            let stored = self.state(None).await?;
            if stored != replayed.snapshot {
                let now = Box::new(replayed.snapshot);
                return Ok(Replay::OtherState { stored: Box::new(stored), now });
            }
        }
        Ok(Replay::Same(Box::new(replayed)))
    }

    /// Holds the run against an edited graph: whether it would have gone the same way with what came in.
    ///
    /// # Errors
    /// As [`drive::against`](fn@against).
    pub fn against(&self, journal: &StoredRun, edited: &Graph) -> Result<Verdict, AgainstError> {
        against(&self.program, journal, &edited.program)
    }
}
