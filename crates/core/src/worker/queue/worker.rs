//! The worker.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use rustc_hash::{FxHashMap, FxHashSet};
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio::task::{Id, JoinError, JoinSet};

use super::driven::{DrivenRun, RunOrder};
use super::report::{WorkListener, WorkNote};
use crate::app::{GraphHost, Runs};
use crate::machine::Time;
use crate::port::{Clock, PostedMessage, PostedMessages, Queue, StoreError, TakenRun, WorkRequest};
use crate::value::Str;

/// The longest time between two looks at the queue, in nanoseconds: leases that were lost and wake-ups that were missed are
/// noticed then.
const MAX_PAUSE_NS: Time = 1_000_000_000;

/// The time for which a look in progress is waited for when the worker stops, in nanoseconds: what it takes is given back then.
const LAST_LOOK_NS: Time = 1_000_000_000;

/// A worker that ends when no run is due ends after so many looks in a row that failed.
const MAX_FAILED_LOOKS: u32 = 3;

/// Takes runs from a queue, drives them and gives them back.
pub struct QueueWorker {
    queue: Arc<dyn Queue>,
    /// The graphs whose runs it drives, by the digests of their programs.
    hosts: FxHashMap<Str, Arc<dyn GraphHost>>,
    runs: Runs,
    owner: (Str, Duration),
    clock: Arc<dyn Clock>,
    at_once: usize,
    until_idle: bool,
    listener: Arc<dyn WorkListener>,
}

/// A run in the hands of a worker.
struct HeldRun {
    words: UnboundedSender<RunOrder>,
    /// The messages that it was handed.
    delivered: FxHashSet<u64>,
    /// The fencing number of the lease with which it was taken.
    fence: u64,
    task: Id,
}

/// A run that was taken and is not driven yet.
struct RunToBegin {
    taken: TakenRun,
    /// The end of its lease.
    until: Time,
}

/// The runs in the hands of a worker.
#[derive(Default)]
struct HeldRuns {
    runs: FxHashMap<Str, HeldRun>,
    tasks: JoinSet<(Str, WorkNote)>,
    /// Those that wait for their messages, or for the end of a task that drove them before.
    to_begin: Vec<RunToBegin>,
}

impl QueueWorker {
    /// A worker that drives nothing yet. The owner's name must be this worker's alone; its leases last for `ttl`.
    #[must_use]
    pub fn new(
        queue: Arc<dyn Queue>,
        owner: (Str, Duration),
        clock: Arc<dyn Clock>,
        listener: Arc<dyn WorkListener>,
    ) -> Self {
        let runs = Runs::of(Arc::clone(&queue) as _);
        let hosts = FxHashMap::default();
        Self { queue, hosts, runs, owner, clock, at_once: 16, until_idle: false, listener }
    }

    /// Adds a graph whose runs it drives.
    #[must_use]
    pub fn host(mut self, host: Arc<dyn GraphHost>) -> Self {
        self.runs = self.runs.knowing(&*host);
        self.hosts.insert(host.graph().text.digest.clone(), host);
        self
    }

    /// Sets the greatest number of runs at once, 16 unless said.
    #[must_use]
    pub const fn at_once(mut self, runs: usize) -> Self {
        self.at_once = if runs == 0 { 1 } else { runs };
        self
    }

    /// Lets it end as soon as no run is due. Timers that are set are not waited for.
    #[must_use]
    pub const fn until_idle(mut self) -> Self {
        self.until_idle = true;
        self
    }

    /// Works until `stop` ends; then what it drives is interrupted and given back.
    ///
    /// # Errors
    /// The queue failed again and again, and the worker was to end as soon as no run is due.
    pub async fn work(&self, stop: impl Future<Output = ()>) -> Result<(), StoreError> {
        let mut held = HeldRuns::default();
        let mut failed = 0;
        tokio::pin!(stop);
        loop {
            // What changes from here on is noticed.
            let changed = self.queue.changed();
            let Some(looked) = self.look_until(&mut held, stop.as_mut()).await else { break };
            failed = if looked.is_ok() { 0 } else { failed + 1 };
            let next = match looked {
                Ok(_) if self.until_idle && held.is_empty() => return Ok(()),
                Ok(next) => next,
                Err(error) => {
                    self.listener.failed(&error);
                    if self.until_idle && held.is_empty() && failed >= MAX_FAILED_LOOKS {
                        return Err(error);
                    }
                    None
                }
            };
            let now = self.clock.now();
            let pause = now.saturating_add(MAX_PAUSE_NS);
            let look = self.clock.sleep_until(next.map_or(pause, |next| next.clamp(now, pause)));
            tokio::select! {
                biased;
                () = &mut stop => break,
                Some(ended) = held.tasks.join_next_with_id() => self.take_back(&mut held, ended),
                () = changed => {}
                () = look => {}
            }
        }
        self.give_back(held).await;
        Ok(())
    }

    /// Looks at the queue; gives nothing if the worker is to stop meanwhile. A queue may take long to answer.
    async fn look_until(
        &self,
        held: &mut HeldRuns,
        stop: Pin<&mut impl Future<Output = ()>>,
    ) -> Option<Result<Option<Time>, StoreError>> {
        let programs = self.programs();
        let look = self.look(held, &programs);
        tokio::pin!(look);
        tokio::select! {
            biased;
            () = stop => {}
            looked = &mut look => return Some(looked),
        }
        let end = self.clock.sleep_until(self.clock.now().saturating_add(LAST_LOOK_NS));
        tokio::select! {
            biased;
            _ = &mut look => {}
            () = end => {}
        }
        None
    }

    /// Interrupts what is driven, and gives all runs back.
    async fn give_back(&self, mut held: HeldRuns) {
        for run in held.runs.values() {
            let _gone = run.words.send(RunOrder::Stop);
        }
        for RunToBegin { taken, .. } in std::mem::take(&mut held.to_begin) {
            // Where that fails, the lease runs out by itself.
            let _unknown = self.queue.release(&taken.run, &taken.lease).await;
        }
        while let Some(ended) = held.tasks.join_next_with_id().await {
            self.take_back(&mut held, ended);
        }
    }

    /// The digests of its programs, in an order that is always the same.
    fn programs(&self) -> Vec<Str> {
        let mut programs: Vec<Str> = self.hosts.keys().cloned().collect();
        programs.sort_unstable();
        programs
    }

    /// Takes what is due, and hands out messages. Gives the time of the next timer.
    async fn look(&self, held: &mut HeldRuns, programs: &[Str]) -> Result<Option<Time>, StoreError> {
        let next = self.take(held, programs).await?;
        if held.is_empty() {
            return Ok(next);
        }
        let posted = self.queue.messages(&self.owner.0).await?;
        let now = self.clock.now();
        for run in std::mem::take(&mut held.to_begin) {
            if held.runs.contains_key(&run.taken.run) {
                held.to_begin.push(run);
            } else if now < run.until {
                self.begin(held, run.taken, &posted);
            }
        }
        for message in posted.messages {
            held.tell(message);
        }
        Ok(next)
    }

    /// Takes what is due, as far as there is room. Gives the time of the next timer.
    async fn take(&self, held: &mut HeldRuns, programs: &[Str]) -> Result<Option<Time>, StoreError> {
        let limit = self.at_once.saturating_sub(held.count());
        if limit == 0 {
            return Ok(None);
        }
        let (owner, ttl) = &self.owner;
        let now = self.clock.now();
        let found = self.queue.take_due(WorkRequest { owner, ttl: *ttl, programs, now, limit }).await?;
        let until = now.saturating_add(Time::try_from(ttl.as_nanos()).unwrap_or(Time::MAX));
        for taken in found.runs {
            // A lease that had run out is this worker's again, and its task still has the run.
            if held.runs.get(&taken.run).is_none_or(|held| held.fence != taken.lease.fence) {
                held.to_begin.retain(|earlier| earlier.taken.run != taken.run);
                held.to_begin.push(RunToBegin { taken, until });
            }
        }
        Ok(found.next)
    }

    /// Begins to drive a run. The messages that are there for it are told before anything is done.
    fn begin(&self, held: &mut HeldRuns, taken: TakenRun, posted: &PostedMessages) {
        let Some(host) = self.hosts.get(&taken.program) else { return };
        let id = taken.run;
        self.listener.noted(&id, &WorkNote::Taken);
        let (words, receiver) = unbounded_channel();
        let fence = taken.lease.fence;
        let run = DrivenRun {
            id: id.clone(),
            host: Arc::clone(host),
            runs: self.runs.clone(),
            owner: self.owner.clone(),
            fence,
            clock: Arc::clone(&self.clock),
            first: posted.messages.iter().filter(|message| message.run == id).cloned().collect(),
            unreadable: posted.unreadable.iter().find(|(run, _)| *run == id).map(|(_, why)| why.clone()),
            words: receiver,
        };
        let delivered = run.first.iter().map(|message| message.number).collect();
        let own = id.clone();
        let task = held.tasks.spawn(async move { (own, run.drive().await) }).id();
        held.runs.insert(id, HeldRun { words, delivered, fence, task });
    }

    fn take_back(&self, held: &mut HeldRuns, ended: Result<(Id, (Str, WorkNote)), JoinError>) {
        let (run, note) = match ended {
            Ok((_, ended)) => ended,
            Err(error) => {
                let of_task = |(_, run): &(&Str, &HeldRun)| run.task == error.id();
                let Some((run, _)) = held.runs.iter().find(of_task) else { return };
                (run.clone(), WorkNote::Failed("driving it panicked; this is a bug of loopwright".into()))
            }
        };
        held.runs.remove(&run);
        self.listener.noted(&run, &note);
    }
}

impl HeldRuns {
    fn is_empty(&self) -> bool {
        self.count() == 0
    }

    fn count(&self) -> usize {
        self.runs.len() + self.to_begin.len()
    }

    /// Tells a run of a message, once.
    fn tell(&mut self, message: PostedMessage) {
        if let Some(run) = self.runs.get_mut(&message.run)
            && run.delivered.insert(message.number)
        {
            // A run that has just ended leaves its messages in the queue.
            let _gone = run.words.send(RunOrder::Message(message));
        }
    }
}
