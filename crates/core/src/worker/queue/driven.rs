//! A run that a worker drives.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc::UnboundedReceiver;

use super::report::WorkNote;
use crate::app::{DriverOfRun, GraphHost, Runs, end_cancelled};
use crate::drive::{DriveError, Driver, Finished, Run};
use crate::machine::Start;
use crate::port::{Clock, Message, PostedMessage};
use crate::value::Str;

/// The longest time a worker waits for a timer with a run in its hands.
const PATIENCE: Duration = Duration::from_secs(1);

/// The name under which the journal has that a worker stopped.
const STOPPED: &str = "SIGTERM";

/// Something that a driven run is told.
#[derive(Debug)]
pub(super) enum RunOrder {
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
    /// The fencing number of the lease with which it was taken.
    pub(super) fence: u64,
    pub(super) clock: Arc<dyn Clock>,
    /// The messages that were there when it was taken.
    pub(super) first: Vec<PostedMessage>,
    /// Why one of them cannot be read, if one cannot.
    pub(super) unreadable: Option<String>,
    /// What it is told from then on.
    pub(super) words: UnboundedReceiver<RunOrder>,
}

impl DrivenRun {
    /// Drives it until it ends or waits, or the worker stops.
    pub(super) async fn drive(mut self) -> WorkNote {
        match self.prepared().await {
            Err(why) => WorkNote::Failed(why),
            Ok((DriverOfRun { driver, end }, begun)) => {
                let (owner, ttl) = self.owner.clone();
                // The clock that says what is due says what has run out.
                let driver = driver.clock(Arc::clone(&self.clock)).owner(owner, ttl).keeping_leases();
                let note = self.with(&driver, begun).await;
                drop(driver);
                end.await;
                note.unwrap_or_else(|error| WorkNote::Failed(error.to_string()))
            }
        }
    }

    /// The driver of the run, and true if it has begun.
    async fn prepared(&self) -> Result<(DriverOfRun, bool), String> {
        if let Some(why) = &self.unreadable {
            // Nobody knows what it says: the run waits for whoever repairs it.
            return Err(why.clone());
        }
        let mut found = self.runs.find(&self.id).await.map_err(|error| error.to_string())?;
        // What is granted here is granted to this graph, whatever the store says that the run goes by.
        let (own, theirs) = (&self.host.graph().program.digest, &found.program.digest);
        if own != theirs {
            return Err(format!("the store has it as a run of the graph {own}, but it goes by {theirs}"));
        }
        let begun = found.has_begun().await.map_err(|error| error.to_string())?;
        if let Some(interrupt) = self.start().and_then(|start| start.interrupt.clone()).filter(|_| !begun) {
            found =
                found.pausing(interrupt).map_err(|_| "its condition for a pause does not fit its graph")?;
        }
        Ok((self.host.driver_of(&found).await?, begun))
    }

    /// The message that lets it begin.
    fn start(&self) -> Option<&Start> {
        self.first.iter().find_map(|posted| match &posted.message {
            Message::Start(start) => Some(&**start),
            _ => None,
        })
    }

    async fn with(&mut self, driver: &Driver, begun: bool) -> Result<WorkNote, DriveError> {
        // Its messages are of the time when it was taken.
        let taken = driver.clone().fenced(self.fence);
        if let Some(why) = self.first.iter().find_map(Cancelled::of) {
            return self.cancel(&taken, &why).await;
        }
        let leaving = taken.clone().leaving_timers(PATIENCE);
        let mut run = match self.start() {
            Some(start) if !begun => leaving.start(Start { run: self.id.clone(), ..start.clone() }).await?,
            _ => leaving.reopen(&self.id).await?,
        };
        self.first.drain(..).for_each(|message| run.take_posted(message));
        let (finished, stopped) = self.listening(&mut run).await;
        match (finished?, stopped) {
            (Finished::Stopped, Some(why)) => self.cancel(&taken, &why).await,
            (finished, _) => Ok(note(finished)),
        }
    }

    /// Drives the run and tells it what comes. Also gives the reason for which it is to be cancelled, if it is.
    async fn listening(&mut self, run: &mut Run) -> (Result<Finished, DriveError>, Option<Cancelled>) {
        let handle = run.handle();
        let driving = run.drive();
        tokio::pin!(driving);
        let (mut reason, mut stops) = (None, false);
        loop {
            tokio::select! {
                biased;
                finished = &mut driving => return (finished, reason),
                word = self.words.recv(), if !stops => match word {
                    Some(RunOrder::Message(message)) => match Cancelled::of(&message) {
                        None => handle.post(message),
                        Some(why) => {
                            (reason, stops) = (Some(why), true);
                            handle.stop();
                        }
                    },
                    Some(RunOrder::Stop) | None => {
                        stops = true;
                        handle.interrupt(STOPPED);
                    }
                },
            }
        }
    }

    /// Ends the run for good. The graph's own answer to that may wait for timers.
    async fn cancel(&self, driver: &Driver, why: &Cancelled) -> Result<WorkNote, DriveError> {
        let Cancelled { reason, by } = why;
        let mut run = driver.clone().by(by.clone()).cancel(&self.id, reason.clone()).await?;
        let (finished, _) = end_cancelled(&mut run, reason, &*self.clock).await?;
        Ok(note(finished))
    }
}

/// The reason for which a run is to end, and who wants it.
struct Cancelled {
    reason: Str,
    by: Option<Str>,
}

impl Cancelled {
    /// That of a message.
    fn of(posted: &PostedMessage) -> Option<Self> {
        match &posted.message {
            Message::Cancel { reason, by } => Some(Self { reason: reason.clone(), by: by.clone() }),
            _ => None,
        }
    }
}

fn note(finished: Finished) -> WorkNote {
    match finished {
        Finished::Done(done) => WorkNote::Ended(done),
        Finished::Waiting { asks, until } => WorkNote::Waiting { asks, until },
        Finished::Interrupted { .. } | Finished::Stopped => WorkNote::Left,
    }
}
