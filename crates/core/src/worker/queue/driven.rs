//! A run that a worker drives.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc::UnboundedReceiver;

use super::report::WorkNote;
use crate::app::{DriverOfRun, GraphHost, OpenRun, Runs, end_cancelled};
use crate::drive::{DriveError, Driver, Finished, Run};
use crate::port::{Clock, Message, PostedMessage};
use crate::value::Str;

/// The longest time a worker waits for a timer with a run in its hands.
const PATIENCE: Duration = Duration::from_secs(1);

/// The name under which the journal has that a worker stopped.
const STOPPED: &str = "SIGTERM";

/// Something that a driven run is told.
#[derive(Debug)]
pub(super) enum Word {
    /// A message came for it.
    Message(PostedMessage),
    /// The worker stops.
    Stop,
}

/// A run on its way through a worker.
pub(super) struct DrivenRun {
    pub(super) id: Str,
    pub(super) host: Arc<dyn GraphHost>,
    pub(super) runs: Runs,
    pub(super) owner: (Str, Duration),
    pub(super) clock: Arc<dyn Clock>,
    /// What it is told. Messages that were there when it was taken come first.
    pub(super) words: UnboundedReceiver<Word>,
}

/// Why driving stopped before the run did.
enum Stopped {
    Cancel(Str),
    Worker,
}

impl DrivenRun {
    /// Drives it until it ends or waits, or the worker stops.
    pub(super) async fn drive(mut self) -> WorkNote {
        let found = match self.runs.find(&self.id).await {
            Ok(found) => found,
            Err(error) => return WorkNote::Failed(error.to_string()),
        };
        let DriverOfRun { driver, end } = match self.host.driver_of(&found).await {
            Ok(driver) => driver,
            Err(why) => return WorkNote::Failed(why),
        };
        let (owner, ttl) = self.owner.clone();
        let driver = driver.owner(owner, ttl).leaving_timers(PATIENCE);
        let note = self.with(&driver, &found).await;
        drop(driver);
        end.await;
        note.unwrap_or_else(|error| WorkNote::Failed(error.to_string()))
    }

    async fn with(&mut self, driver: &Driver, found: &OpenRun) -> Result<WorkNote, DriveError> {
        let mut first = VecDeque::new();
        while let Ok(word) = self.words.try_recv() {
            match word {
                Word::Stop => return Ok(WorkNote::Left),
                Word::Message(PostedMessage { message: Message::Cancel { reason }, .. }) => {
                    return self.cancel(driver, &reason).await;
                }
                Word::Message(message) => first.push_back(message),
            }
        }
        let mut run = found.resume(driver, None).await?;
        first.into_iter().for_each(|message| run.take_posted(message));
        let (finished, stopped) = self.listening(&mut run).await;
        match (finished?, stopped) {
            (Finished::Stopped, Some(Stopped::Cancel(reason))) => self.cancel(driver, &reason).await,
            (finished, _) => Ok(note(finished)),
        }
    }

    /// Drives the run and tells it what comes.
    async fn listening(&mut self, run: &mut Run) -> (Result<Finished, DriveError>, Option<Stopped>) {
        let handle = run.handle();
        let driving = run.drive();
        tokio::pin!(driving);
        let mut stopped = None;
        loop {
            tokio::select! {
                biased;
                finished = &mut driving => return (finished, stopped),
                word = self.words.recv(), if stopped.is_none() => match word {
                    Some(Word::Message(PostedMessage { message: Message::Cancel { reason }, .. })) => {
                        stopped = Some(Stopped::Cancel(reason));
                        handle.stop();
                    }
                    Some(Word::Message(message)) => handle.post(message),
                    Some(Word::Stop) | None => {
                        stopped = Some(Stopped::Worker);
                        handle.interrupt(STOPPED);
                    }
                },
            }
        }
    }

    /// Ends the run for good.
    async fn cancel(&self, driver: &Driver, reason: &str) -> Result<WorkNote, DriveError> {
        let mut run = driver.cancel(&self.id, reason).await?;
        let (finished, _) = end_cancelled(&mut run, reason, &*self.clock).await?;
        Ok(note(finished))
    }
}

fn note(finished: Finished) -> WorkNote {
    match finished {
        Finished::Done(done) => WorkNote::Ended(done),
        Finished::Waiting { asks, until } => WorkNote::Waiting { asks, until },
        Finished::Interrupted { .. } | Finished::Stopped => WorkNote::Left,
    }
}
