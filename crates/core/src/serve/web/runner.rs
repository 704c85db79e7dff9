//! Runs that this process drives.
//!
//! A run is begun, answered or resumed in two parts. First what came in is stored, so that whoever asked for it can be told that it lasts; then
//! the run is driven, at once or when it has its turn. What is stored and not driven is what a crash leaves, too.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, Weak};
use std::time::Duration;

use axum::http::StatusCode;
use futures::future::BoxFuture;
use rustc_hash::FxHashMap;
use serde_json::json;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::time::timeout;

use super::problem::Problem;
use crate::app::{DriverOfRun, GraphHost, OpenQuestion, OpenRun, Runs, end_cancelled};
use crate::drive::{DriveError, Driver, Finished, Handle, RollbackPlan, Run, SystemClock};
use crate::machine::{EventKind, InputKind, QuestionId, Start, timestamp};
use crate::port::{EntryCause, Message, Observer, RunFilter, RunStatus, StatusKind, Store, StoreError};
use crate::value::{Str, Value};

/// The name under which the journal has that the server stopped.
const STOPPED: &str = "SIGTERM";

/// The time in which runs store what has come back when the server stops.
const GRACE: Duration = Duration::from_secs(5);

/// The time for which a run that is to end for good is waited for until it has let go.
const LET_GO: Duration = Duration::from_secs(10);

/// The time for which a run that may be about to be left is waited for.
const LEAVING: Duration = Duration::from_millis(500);

/// The time between two looks whether somebody else drives a run for which a message was left, and the most looks: for longer than the lease
/// of one that was killed.
const LOOK: Duration = Duration::from_secs(2);
const MAX_LOOKS: usize = 15;

/// The runs of a page when the server looks for those that are to go on.
const PAGE: usize = 500;

/// Hears what the operator should know of runs.
pub trait RunNotes: Send + Sync {
    /// Something happened to a run, in a line.
    fn noted(&self, run: &str, note: &str);
}

/// Drives the runs of a server.
pub(super) struct Runner {
    runs: Runs,
    /// The graphs whose runs are driven, by the digests of their programs.
    hosts: RwLock<FxHashMap<Str, Arc<dyn GraphHost>>>,
    observers: Vec<Arc<dyn Observer>>,
    notes: Arc<dyn RunNotes>,
    /// The places of runs that are driven at once. Others wait in order.
    places: Arc<Semaphore>,
    held: Mutex<FxHashMap<Str, HeldRun>>,
    /// One at a time takes a run up.
    locks: Mutex<FxHashMap<Str, Weak<tokio::sync::Mutex<()>>>>,
    stopping: watch::Sender<bool>,
    /// The number of runs in hand.
    driven: watch::Sender<usize>,
}

/// A run that is driven here, or waits for its turn.
enum HeldRun {
    Driven { handle: Handle, orders: UnboundedSender<EndOrder> },
    Queued,
}

/// A run is to end for good.
#[derive(Debug, Clone)]
struct EndOrder {
    reason: Str,
    by: Option<Str>,
}

/// Everything of a run that is about to be driven.
struct TakenRun {
    run: Run,
    /// Ends what was started for it.
    end: BoxFuture<'static, ()>,
}

impl TakenRun {
    /// Leaves it to whoever takes it up next.
    async fn leave(self) {
        // Where giving the lease back fails, it runs out by itself.
        let _unknown = self.run.leave().await;
        self.end.await;
    }
}

impl Runner {
    pub(super) fn new(runs: Runs, at_once: usize, notes: Arc<dyn RunNotes>) -> Self {
        Self {
            runs,
            hosts: RwLock::default(),
            observers: Vec::new(),
            notes,
            places: Arc::new(Semaphore::new(at_once.max(1))),
            held: Mutex::default(),
            locks: Mutex::default(),
            stopping: watch::channel(false).0,
            driven: watch::channel(0).0,
        }
    }

    /// Adds a graph whose runs are driven. Runs of the versions before it are driven on as they were.
    pub(super) fn host(&self, host: &Arc<dyn GraphHost>) {
        self.runs.know(&**host);
        let mut hosts = self.hosts.write().unwrap_or_else(PoisonError::into_inner);
        hosts.insert(host.graph().text.digest.clone(), Arc::clone(host));
    }

    /// The host of the graph whose program has that digest.
    pub(super) fn host_of(&self, digest: &str) -> Option<Arc<dyn GraphHost>> {
        self.hosts.read().unwrap_or_else(PoisonError::into_inner).get(digest).cloned()
    }

    /// Adds an onlooker of all runs.
    pub(super) fn observe(&mut self, observer: Arc<dyn Observer>) {
        self.observers.push(observer);
    }

    /// The runs of the store.
    pub(super) const fn runs(&self) -> &Runs {
        &self.runs
    }

    fn store(&self) -> &Arc<dyn Store> {
        self.runs.store()
    }

    fn held(&self) -> MutexGuard<'_, FxHashMap<Str, HeldRun>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn handle(&self, run: &str) -> Option<Handle> {
        match self.held().get(run)? {
            HeldRun::Driven { handle, .. } => Some(handle.clone()),
            HeldRun::Queued => None,
        }
    }

    /// The numbers of runs that are driven, and that wait for their turn.
    pub(super) fn counts(&self) -> (usize, usize) {
        let held = self.held();
        let queued = held.values().filter(|run| matches!(run, HeldRun::Queued)).count();
        (held.len() - queued, queued)
    }

    /// True if a run waits for its turn here.
    pub(super) fn is_queued(&self, run: &str) -> bool {
        matches!(self.held().get(run), Some(HeldRun::Queued))
    }

    /// True once the server stops.
    pub(super) fn is_stopping(&self) -> bool {
        *self.stopping.borrow()
    }

    /// Ends when the server stops.
    pub(super) fn stopped(&self) -> impl Future<Output = ()> + Send + 'static {
        let mut stopping = self.stopping.subscribe();
        async move {
            // Where nobody can say so any more, it stops as well.
            let _stopped = stopping.wait_for(|stops| *stops).await;
        }
    }

    /// Lets nothing more begin, interrupts what is driven, and waits until it is stored.
    pub(super) async fn stop(&self) {
        self.stopping.send_replace(true);
        let mut driven = self.driven.subscribe();
        let _late = timeout(GRACE, driven.wait_for(|many| *many == 0)).await;
    }

    /// The lock of a run.
    fn lock(&self, run: &str) -> Arc<tokio::sync::Mutex<()>> {
        let mut locks = self.locks.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(lock) = locks.get(run).and_then(Weak::upgrade) {
            return lock;
        }
        locks.retain(|_, lock| lock.strong_count() > 0);
        let lock = Arc::default();
        locks.insert(run.into(), Arc::downgrade(&lock));
        lock
    }

    /// A driver with the onlookers of the server, in the name of a person.
    fn watched(&self, driver: Driver, by: Option<&Str>) -> Driver {
        let observed = self.observers.iter().fold(driver, |driver, own| driver.observer(Arc::clone(own)));
        observed.by(by.cloned())
    }

    /// Waits until a run is not driven any more: one that has begun to wait for a person is about to be left.
    async fn left(&self, run: &str) {
        let mut driven = self.driven.subscribe();
        let left = async { while self.handle(run).is_some() && driven.changed().await.is_ok() {} };
        let _driven = timeout(LEAVING, left).await;
    }

    fn refuse_if_stopping(&self) -> Result<(), Problem> {
        if self.is_stopping() {
            Err(Problem::busy("the server stops; try again in a moment"))
        } else {
            Ok(())
        }
    }

    /// Begins a run. When it ends the beginning is stored.
    pub(super) async fn begin(
        self: &Arc<Self>,
        host: &Arc<dyn GraphHost>,
        start: Start,
        by: &Str,
    ) -> Result<Str, Problem> {
        self.refuse_if_stopping()?;
        let DriverOfRun { driver, end } = host.driver().await.map_err(Problem::failed)?;
        let driver = self.watched(driver, Some(by));
        let begun = self.runs.begin(&driver, &host.graph().text, start).await;
        drop(driver);
        let begun = match begun {
            Ok(mut run) => run.keep().await.map(|()| run),
            Err(error) => Err(error),
        };
        match begun {
            Ok(run) => {
                let id = run.id().clone();
                self.go_on(TakenRun { run, end }).await?;
                Ok(id)
            }
            Err(error) => {
                end.await;
                Err(error.into())
            }
        }
    }

    /// Takes a stored run up. Its lease is this process's from then on.
    async fn take(&self, run: &str, by: Option<&Str>) -> Result<TakenRun, Problem> {
        let (found, DriverOfRun { driver, end }) = self.driver_of(run).await?;
        match found.resume(&self.watched(driver, by), None).await {
            Ok(run) => Ok(TakenRun { run, end }),
            Err(error) => {
                end.await;
                Err(error.into())
            }
        }
    }

    /// A stored run with its driver.
    async fn driver_of(&self, run: &str) -> Result<(OpenRun, DriverOfRun), Problem> {
        self.refuse_if_stopping()?;
        let found = self.runs.find(run).await?;
        if let RunStatus::Done { outcome, .. } = &found.info.status {
            let detail = format!("the run `{run}` has ended: {outcome}");
            return Err(Problem::conflict("ended", detail).with("outcome", outcome.as_str()));
        }
        let Some(host) = self.host_of(&found.program.digest) else {
            let detail = format!(
                "no graph of this server is in the version that the run `{run}` goes by, so it is not driven here; resume it where that \
                 is, or with `loopwright resume`"
            );
            return Err(Problem::conflict("elsewhere", detail));
        };
        let driver = host.driver_of(&found).await.map_err(Problem::failed)?;
        Ok((found, driver))
    }

    /// Drives a run that was taken up, or leaves it for its turn.
    async fn go_on(self: &Arc<Self>, taken: TakenRun) -> Result<(), Problem> {
        if let Ok(place) = Arc::clone(&self.places).try_acquire_owned() {
            self.spawn(taken, place);
            return Ok(());
        }
        let TakenRun { run, end } = taken;
        let id = run.id().clone();
        let left = run.leave().await;
        end.await;
        left?;
        self.queue(id);
        Ok(())
    }

    /// Drives a run when it has its turn.
    fn queue(self: &Arc<Self>, id: Str) {
        if self.held().contains_key(&id) {
            return;
        }
        self.held().insert(id.clone(), HeldRun::Queued);
        let own = Arc::clone(self);
        tokio::spawn(async move {
            let place = tokio::select! {
                biased;
                () = own.stopped() => None,
                place = Arc::clone(&own.places).acquire_owned() => place.ok(),
            };
            let lock = own.lock(&id);
            let _alone = lock.lock().await;
            own.held().retain(|run, held| *run != id || !matches!(held, HeldRun::Queued));
            let Some(place) = place.filter(|_| own.handle(&id).is_none()) else { return };
            match own.take(&id, None).await {
                Ok(taken) => own.spawn(taken, place),
                // It has ended meanwhile, or somebody else has it.
                Err(problem) if matches!(problem.kind(), "ended" | "driven") => {}
                Err(problem) => own.notes.noted(&id, problem.detail()),
            }
        });
    }

    /// Drives a run in a task of its own.
    fn spawn(self: &Arc<Self>, taken: TakenRun, place: OwnedSemaphorePermit) {
        let (orders, received) = unbounded_channel();
        let id = taken.run.id().clone();
        let handle = taken.run.handle();
        self.held().insert(id.clone(), HeldRun::Driven { handle, orders });
        self.driven.send_modify(|many| *many += 1);
        let own = Arc::clone(self);
        tokio::spawn(async move {
            let order = own.drive(taken, received).await;
            drop(place);
            if let Some(order) = order
                && let Err(problem) = own.end(&id, order).await
                && problem.kind() != "ended"
            {
                own.notes.noted(&id, problem.detail());
            }
            own.driven.send_modify(|many| *many -= 1);
        });
    }

    /// Drives a run until it ends, waits, or the server stops. Gives the order to end it for good, if one came.
    async fn drive(&self, taken: TakenRun, mut orders: UnboundedReceiver<EndOrder>) -> Option<EndOrder> {
        let TakenRun { mut run, end } = taken;
        let (id, handle, hearing) = (run.id().clone(), run.handle(), run.hear());
        let mut order = None;
        let mut is_stopping = false;
        let finished = {
            let driving = run.drive();
            tokio::pin!(driving, hearing);
            loop {
                tokio::select! {
                    biased;
                    finished = &mut driving => break finished,
                    never = &mut hearing => match never {},
                    Some(given) = orders.recv(), if order.is_none() => {
                        order = Some(given);
                        handle.stop();
                    }
                    () = self.stopped(), if !is_stopping => {
                        is_stopping = true;
                        handle.interrupt(STOPPED);
                    }
                }
            }
        };
        // From here on whoever has something for the run takes it up anew.
        self.held().remove(&id);
        order = order.or_else(|| orders.try_recv().ok());
        drop(run);
        end.await;
        match finished {
            Ok(Finished::Done(_)) => return None,
            Ok(_) => {}
            Err(error) => self.notes.noted(&id, &error.to_string()),
        }
        order
    }

    /// Answers a question in the name of a person. When it ends the answer is stored. `tag` is that of the question that the person saw.
    pub(super) async fn answer(
        self: &Arc<Self>,
        run: &str,
        ask: &str,
        answer: &Value,
        (tag, by): (&str, &Str),
    ) -> Result<(), Problem> {
        self.refuse_if_stopping()?;
        let id = QuestionId(ask.into());
        let lock = self.lock(run);
        let _alone = lock.lock().await;
        self.check_question(run, ask, tag).await?;
        if let Some(handle) = self.handle(run) {
            match handle.answer_by(id.clone(), answer.clone(), Some(by.clone())).await {
                Some(Ok(())) => return Ok(()),
                Some(Err(why)) => return Err(self.not_taken(run, ask, tag, why).await),
                // It is not driven any more.
                None => {}
            }
        }
        let mut taken = match self.take(run, None).await {
            Ok(taken) => taken,
            Err(problem) => {
                return self
                    .post(
                        run,
                        problem,
                        Message::Answer { ask: id, answer: answer.clone(), by: Some(by.clone()) },
                    )
                    .await;
            }
        };
        match taken.run.answer_by(&id, answer.clone(), Some(by.clone())) {
            Ok(()) => self.keep(taken).await,
            Err(why) => {
                let problem = self.not_taken(run, ask, tag, why).await;
                taken.leave().await;
                Err(problem)
            }
        }
    }

    /// Stores what came in for a run that was taken up, and drives it.
    async fn keep(self: &Arc<Self>, mut taken: TakenRun) -> Result<(), Problem> {
        match taken.run.keep().await {
            Ok(()) => self.go_on(taken).await,
            Err(error) => {
                taken.leave().await;
                Err(error.into())
            }
        }
    }

    /// Leaves a message for whoever drives a run elsewhere, if it is driven there or its graph is not here, and the store has messages.
    async fn post(self: &Arc<Self>, run: &str, problem: Problem, message: Message) -> Result<(), Problem> {
        let queue = Arc::clone(self.store()).as_queue();
        let Some(queue) = queue.filter(|_| matches!(problem.kind(), "driven" | "elsewhere")) else {
            return Err(problem);
        };
        queue.post(run, &message).await?;
        if problem.kind() == "driven" {
            tokio::spawn(Arc::clone(self).take_over(run.into()));
        }
        Ok(())
    }

    /// Takes a run up if whoever drives it is gone: it may have been killed before it heard the message.
    async fn take_over(self: Arc<Self>, run: Str) {
        for _ in 0..MAX_LOOKS {
            tokio::time::sleep(LOOK).await;
            match self.store().driver(&run).await {
                Ok(Some(_)) => {}
                Ok(None) => break,
                Err(_) => return,
            }
        }
        let found = self.runs.find(&run).await;
        let is_ours = found.is_ok_and(|found| {
            !matches!(found.info.status, RunStatus::Done { .. })
                && self.host_of(&found.program.digest).is_some()
        });
        let is_driven = !matches!(self.store().driver(&run).await, Ok(None));
        if is_ours && !is_driven {
            self.queue(run);
        }
    }

    /// Looks whether a question is open, and is the one that a person saw.
    async fn check_question(&self, run: &str, ask: &str, tag: &str) -> Result<(), Problem> {
        let found = self.runs.find(run).await?;
        let state = found.state(None).await?;
        let question = OpenQuestion::of(&state).find(|own| own.ask.id.0 == ask);
        match question {
            Some(question) if tag == "*" || question.tag() == tag => Ok(()),
            Some(question) => {
                let detail = "the question is another one than the one that was answered; look at it again";
                let problem = Problem::new(StatusCode::PRECONDITION_FAILED, "stale", detail);
                Err(problem.with("etag", format!("\"{}\"", question.tag())))
            }
            None => Err(self.not_open(run, ask).await),
        }
    }

    /// The problem of an answer that the run does not take.
    async fn not_taken(&self, run: &str, ask: &str, tag: &str, why: String) -> Problem {
        match self.check_question(run, ask, tag).await {
            Err(problem) => problem,
            Ok(()) => Problem::unfit(format!("the answer does not fit: {why}")),
        }
    }

    /// The problem of a question that is not open: somebody answered it, or the run never asked it.
    async fn not_open(&self, run: &str, ask: &str) -> Problem {
        let entries = match self.store().entries(run).await {
            Ok(entries) => entries,
            Err(error) => return error.into(),
        };
        let answered = entries.iter().rev().find_map(|entry| match &entry.cause {
            EntryCause::Input(InputKind::Answered { ask: own, answer }) if own.0 == ask => {
                Some((entry, answer))
            }
            _ => None,
        });
        let Some((entry, answer)) = answered else {
            let asked = entries
                .iter()
                .flat_map(|entry| &entry.events)
                .any(|event| matches!(&event.kind, EventKind::Asked(own) if own.id.0 == ask));
            return if asked {
                Problem::conflict("not-open", format!("the run `{run}` does not ask that any more"))
            } else {
                Problem::not_found(format!("the run `{run}` has no question `{ask}`"))
            };
        };
        let who = entry.by.as_deref().unwrap_or("somebody");
        let detail = format!("{who} answered this question at {}", timestamp(entry.at));
        Problem::conflict("answered", detail).with(
            "answered",
            json!({"by": entry.by.as_deref(), "at": timestamp(entry.at), "answer": answer.to_json()}),
        )
    }

    /// Tells a run that it is cancelled, which its graph may answer. When it ends that is stored, or on its way to whoever drives the run.
    pub(super) async fn abort(self: &Arc<Self>, run: &str, reason: Str, by: &Str) -> Result<(), Problem> {
        let lock = self.lock(run);
        let _alone = lock.lock().await;
        if let Some(handle) = self.handle(run)
            && handle.cancelled_by(reason.clone(), Some(by.clone())).await
        {
            return Ok(());
        }
        let mut taken = self.take(run, None).await?;
        taken.run.cancel_by(reason, Some(by.clone()));
        self.keep(taken).await
    }

    /// Ends a run for good. Its graph may answer for a while, as long as that needs no person.
    pub(super) async fn cancel(self: &Arc<Self>, run: &str, reason: Str, by: &Str) -> Result<(), Problem> {
        let order = EndOrder { reason: reason.clone(), by: Some(by.clone()) };
        let lock = self.lock(run);
        let _alone = lock.lock().await;
        if let Some(HeldRun::Driven { orders, .. }) = self.held().get(run)
            && orders.send(order.clone()).is_ok()
        {
            return Ok(());
        }
        match self.end(run, order).await {
            Err(problem) => self.post(run, problem, Message::Cancel { reason, by: Some(by.clone()) }).await,
            ended => ended,
        }
    }

    /// Ends a run that nobody drives here. When it ends the end is stored, or the graph's answer goes on for a while.
    async fn end(self: &Arc<Self>, run: &str, EndOrder { reason, by }: EndOrder) -> Result<(), Problem> {
        let (found, DriverOfRun { driver, end }) = self.driver_of(run).await?;
        let driver = self.watched(driver, by.as_ref());
        let cancelled = driver.cancel(&found.info.run, reason.clone()).await;
        drop(driver);
        let mut cancelled = match cancelled {
            Ok(cancelled) => cancelled,
            Err(error) => {
                end.await;
                return Err(error.into());
            }
        };
        let (notes, id) = (Arc::clone(&self.notes), found.info.run);
        let ending = tokio::spawn(async move {
            let ended = end_cancelled(&mut cancelled, &reason, &SystemClock::new()).await;
            drop(cancelled);
            end.await;
            if let Err(error) = ended {
                notes.noted(&id, &error.to_string());
            }
        });
        // A graph that answers at length is not waited for.
        let _late = timeout(LET_GO, ending).await;
        Ok(())
    }

    /// Lets a run go on that is not driven.
    pub(super) async fn resume(self: &Arc<Self>, run: &str, by: &Str) -> Result<(), Problem> {
        let lock = self.lock(run);
        let _alone = lock.lock().await;
        self.left(run).await;
        if self.held().contains_key(run) {
            return Ok(());
        }
        match self.take(run, Some(by)).await {
            Ok(taken) => self.keep(taken).await,
            Err(problem) => self.post(run, problem, Message::Resume { by: Some(by.clone()) }).await,
        }
    }

    /// The way back of a run to a step, for a look.
    pub(super) async fn rollback_plan(&self, run: &str, step: u64) -> Result<RollbackPlan, Problem> {
        let found = self.runs.find_whole(run).await?;
        let Some(host) = self.host_of(&found.program.digest) else {
            return Ok(found.rollback_plan(&found.driver(), step).await?);
        };
        let DriverOfRun { driver, end } = host.driver_of(&found).await.map_err(Problem::failed)?;
        let plan = found.rollback_plan(&driver, step).await;
        drop(driver);
        end.await;
        Ok(plan?)
    }

    /// Sends a run back to a step, and leaves it there. `head` is the number of events that whoever wants it has seen.
    pub(super) async fn roll_back(
        self: &Arc<Self>,
        run: &str,
        request: &RollbackRequest,
        by: &Str,
    ) -> Result<RollbackPlan, Problem> {
        self.refuse_if_stopping()?;
        let lock = self.lock(run);
        let _alone = lock.lock().await;
        self.left(run).await;
        if self.held().contains_key(run) {
            return Err(Problem::conflict(
                "driven",
                format!("the run `{run}` is being driven; cancel it, or wait"),
            ));
        }
        let found = self.runs.find_whole(run).await?;
        request.check_head(&found).await?;
        let Some(host) = self.host_of(&found.program.digest) else {
            let detail =
                "no graph of this server is in the version that the run goes by; use `loopwright rollback`";
            return Err(Problem::conflict("elsewhere", detail));
        };
        let DriverOfRun { driver, end } = host.driver_of(&found).await.map_err(Problem::failed)?;
        let driver = driver.by(Some(by.clone()));
        let done = roll_back(&found, &driver, request).await;
        drop(driver);
        end.await;
        done
    }

    /// Begins another run where a run was at a step, and leaves it there.
    pub(super) async fn fork(&self, run: &str, step: u64, id: &str, by: &Str) -> Result<Str, Problem> {
        self.refuse_if_stopping()?;
        let found = self.runs.find_whole(run).await?;
        Ok(found.fork_by(step, id, Some(by.clone())).await?)
    }

    /// Lets every run go on that was left in the middle and whose graph is here, the oldest first. Gives how many these are.
    ///
    /// # Errors
    /// The store cannot be read.
    pub(super) async fn resume_all(self: &Arc<Self>) -> Result<usize, StoreError> {
        let mut filter = RunFilter { kind: Some(StatusKind::Running), ..RunFilter::all(PAGE) };
        let mut left = Vec::new();
        loop {
            let page = self.store().page(&filter).await?;
            left.extend(page.runs.into_iter().map(|run| run.info.run));
            let Some(next) = page.next else { break };
            filter.after = Some(next);
        }
        let mut many = 0;
        for run in left.into_iter().rev() {
            let Ok(found) = self.runs.find(&run).await else { continue };
            let is_driven = self.store().driver(&run).await.is_ok_and(|driver| driver.is_some());
            // Of one that was cut off before it began there is no input.
            if self.host_of(&found.program.digest).is_some()
                && !is_driven
                && found.has_begun().await.unwrap_or_default()
            {
                self.queue(run);
                many += 1;
            }
        }
        Ok(many)
    }
}

/// The way back that is wanted.
#[derive(Debug)]
pub(super) struct RollbackRequest {
    pub(super) step: u64,
    /// True if calls made since then are undone.
    pub(super) undo: bool,
    /// Calls whose undoing was cut off, and that were undone, as a person says.
    pub(super) undone: Vec<String>,
    /// Those that were not.
    pub(super) not_undone: Vec<String>,
    /// The head of the run that the person saw.
    pub(super) head: String,
}

impl RollbackRequest {
    /// Refuses a run that went on since it was looked at.
    async fn check_head(&self, run: &OpenRun) -> Result<(), Problem> {
        let head = head(run.state(None).await?.seq);
        if self.head == "*" || self.head == head {
            return Ok(());
        }
        let detail = "the run went on since it was looked at; look at it again";
        let problem = Problem::new(StatusCode::PRECONDITION_FAILED, "stale", detail);
        Err(problem.with("etag", format!("\"{head}\"")))
    }
}

/// The tag of the head of a run with so many events.
pub(super) fn head(events: u64) -> String {
    format!("head-{events}")
}

async fn roll_back(
    found: &OpenRun,
    driver: &Driver,
    request: &RollbackRequest,
) -> Result<RollbackPlan, Problem> {
    let mut plan = found.rollback_plan(driver, request.step).await?;
    for (calls, undone) in [(&request.undone, true), (&request.not_undone, false)] {
        for call in calls {
            plan.tell(call, undone).map_err(|_| {
                Problem::unfit(format!("`{call}` is not a call whose undoing was interrupted"))
            })?;
        }
    }
    if request.undo {
        let wanted =
            plan.left.iter().filter(|left| left.is_to_be_undone()).filter_map(|left| left.by.as_ref());
        let wanted: Vec<&Str> = wanted.collect();
        let mut missing = driver.ungranted();
        missing.retain(|name| wanted.contains(&name));
        if !missing.is_empty() {
            return Err(DriveError::Grants(missing).into());
        }
    }
    driver.go_back(&found.info.run, plan.clone(), request.undo).await?;
    Ok(plan)
}
