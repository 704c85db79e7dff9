//! The machine with the store: what it has written is safe once it is synced, and it may crash at any time.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use loopwright::machine::{Event, EventKind, InputKind, Question, Time};
use loopwright::port::{EntryCause, StoreError};
use loopwright::value::Str;
use tokio::sync::mpsc::UnboundedSender;
use tokio::sync::{Notify, oneshot};

use crate::fault::Fault;
use crate::simulation::Simulation;
use crate::stored::{Reply, Request, Stored, Times};

/// The time between two syncs where answers do not wait for them.
const LATE_SYNC: Duration = Duration::from_millis(700);

/// The machine with the store.
///
/// What is asked to be written waits, and one sync makes all of that durable; then it is seen and answered. At a crash as
/// much of it as the dice say was written in order, the next one perhaps by half, and nobody gets an answer.
pub(crate) struct Server {
    sim: Arc<Simulation>,
    fault: Option<Fault>,
    state: Mutex<ServerState>,
    /// Wakes whoever waits for runs to become due.
    pub(crate) changes: Arc<Notify>,
    /// Where questions go that were stored.
    asked: UnboundedSender<(Str, Question)>,
}

#[derive(Default)]
struct ServerState {
    stored: Stored,
    /// What waits for a sync.
    tail: Vec<Waiting>,
    is_down: bool,
    /// The number of crashes.
    crashes: u64,
    /// Only where answers do not wait for syncs: what is safe.
    synced: Option<Stored>,
}

struct Waiting {
    request: Request,
    client: Time,
    answer: oneshot::Sender<Result<Reply, StoreError>>,
}

impl Server {
    pub(crate) fn new(
        sim: &Arc<Simulation>,
        fault: Option<Fault>,
        asked: UnboundedSender<(Str, Question)>,
    ) -> Arc<Self> {
        let (state, changes) = (Mutex::default(), Arc::new(Notify::new()));
        Arc::new(Self { sim: Arc::clone(sim), fault, state, changes, asked })
    }

    fn lock(&self) -> MutexGuard<'_, ServerState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What is stored, for whoever judges.
    pub(crate) fn look<T>(&self, see: impl FnOnce(&Stored) -> T) -> T {
        see(&self.lock().stored)
    }

    /// Takes a request that came over the network. `client` is the time by the clock of who asks.
    pub(crate) async fn handle(
        self: &Arc<Self>,
        request: Request,
        client: Time,
    ) -> Result<Reply, StoreError> {
        let answer = {
            let state = &mut *self.lock();
            if state.is_down {
                return Err(StoreError::Failed("the connection was refused".to_owned()));
            }
            if request.reads(self.fault) || self.fault == Some(Fault::MissingSync) {
                if state.synced.is_none() && self.fault == Some(Fault::MissingSync) {
                    self.sync_later(state);
                }
                return self.take(state, request, client);
            }
            let (answer, answered) = oneshot::channel();
            state.tail.push(Waiting { request, client, answer });
            if state.tail.len() == 1 {
                tokio::spawn(Arc::clone(self).flush(state.crashes));
            }
            answered
        };
        answer.await.unwrap_or_else(|_| Err(StoreError::Failed("the connection was closed".to_owned())))
    }

    /// Writes and syncs what waits, unless the machine crashes before.
    async fn flush(self: Arc<Self>, crashes: u64) {
        self.sim.wait(1, 4).await;
        if self.sim.strikes(|weather| weather.crash / 8) {
            return self.crash(crashes).await;
        }
        let answers: Vec<_> = {
            let state = &mut *self.lock();
            if state.crashes != crashes {
                return;
            }
            let tail = std::mem::take(&mut state.tail);
            tail.into_iter()
                .map(|waiting| (waiting.answer, self.take(state, waiting.request, waiting.client)))
                .collect()
        };
        for (answer, reply) in answers {
            // Who asked may be gone.
            let _gone = answer.send(reply);
        }
    }

    fn take(&self, state: &mut ServerState, request: Request, client: Time) -> Result<Reply, StoreError> {
        let writes = !request.reads(self.fault);
        if writes && self.sim.strikes(|weather| weather.disk) {
            let full = self.sim.roll(|dice| dice.chance(5_000));
            self.sim.note(format_args!("the disk refuses to write"));
            let why = "the simulated disk".to_owned();
            return Err(if full { StoreError::Full(why) } else { StoreError::Failed(why) });
        }
        let times = Times { server: self.sim.now(), client };
        let told = match &request {
            Request::Commit(run, commit) => Some((run.clone(), commit.entries.clone())),
            _ => None,
        };
        let wakes = matches!(
            request,
            Request::Commit(..) | Request::Post(..) | Request::Leave(..) | Request::Release(..)
        );
        let reply = state.stored.take(request, times, self.fault)?;
        if let (Some((run, entries)), Reply::Committed(from)) = (told, &reply) {
            let events: Vec<&Event> = entries.iter().flat_map(|entry| &entry.events).collect();
            let causes: Vec<_> = entries.iter().map(|entry| name(&entry.cause)).collect();
            self.sim.note(format_args!(
                "stored {run} {from}: {} ({} events)",
                causes.join(" "),
                events.len()
            ));
            for event in events {
                if let EventKind::Asked(question) = &event.kind {
                    // In the end nobody is there to answer.
                    let _over = self.asked.send((run.clone(), (**question).clone()));
                }
            }
        }
        if wakes {
            self.changes.notify_waiters();
        }
        Ok(reply)
    }

    /// Only where answers do not wait for syncs: what is there now is safe in a while.
    fn sync_later(self: &Arc<Self>, state: &mut ServerState) {
        state.synced = Some(state.stored.clone());
        let server = Arc::clone(self);
        tokio::spawn(async move {
            loop {
                tokio::time::sleep(LATE_SYNC).await;
                let state = &mut *server.lock();
                state.synced = Some(state.stored.clone());
            }
        });
    }

    /// Crashes now and then.
    pub(crate) async fn crash_now_and_then(&self) {
        while !self.sim.is_calm() {
            tokio::time::sleep(Duration::from_millis(500)).await;
            if self.sim.strikes(|weather| weather.crash) {
                let crashes = self.lock().crashes;
                self.crash(crashes).await;
            }
        }
    }

    /// Crashes, unless it has since so many crashes, and comes back after a while.
    async fn crash(&self, crashes: u64) {
        {
            let state = &mut *self.lock();
            if state.crashes != crashes || state.is_down {
                return;
            }
            state.crashes += 1;
            state.is_down = true;
            self.recover(state);
        }
        self.sim.wait(50, 1_500).await;
        self.lock().is_down = false;
        self.sim.note(format_args!("the store is back"));
        self.changes.notify_waiters();
    }

    fn recover(&self, state: &mut ServerState) {
        if let Some(synced) = &state.synced {
            state.stored = synced.clone();
        }
        let tail = std::mem::take(&mut state.tail);
        let whole = self.sim.roll(|dice| dice.below(tail.len() as u64 + 1));
        self.sim.note(format_args!("the store crashes, {whole} of {} unsynced are whole", tail.len()));
        for (place, waiting) in (0..).zip(tail) {
            if place < whole {
                let _refused = self.take(state, waiting.request, waiting.client);
            } else if place == whole
                && self.fault == Some(Fault::TornCommit)
                && let Request::Commit(run, commit) = waiting.request
            {
                state.stored.take_torn(&run, *commit);
            }
        }
        if self.fault == Some(Fault::ForgottenLease) {
            state.stored.forget_leases();
        }
    }
}

/// What came in, in a word.
fn name(cause: &EntryCause) -> &'static str {
    match cause {
        EntryCause::Input(InputKind::Started(_)) => "start",
        EntryCause::Input(InputKind::Resolved { .. }) => "outcome",
        EntryCause::Input(InputKind::Answered { .. }) => "answer",
        EntryCause::Input(InputKind::Time) => "time",
        EntryCause::Input(InputKind::Cancel { .. }) => "cancel",
        EntryCause::Input(InputKind::End { .. }) => "end",
        EntryCause::Back { .. } => "back",
        EntryCause::Undo { .. } => "undo",
        EntryCause::Undone { .. } => "undone",
        EntryCause::Moved { .. } => "moved",
        EntryCause::Interrupted { .. } => "interrupted",
        EntryCause::Resumed => "resumed",
        EntryCause::Forked { .. } => "forked",
    }
}
