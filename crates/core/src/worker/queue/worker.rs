//! The worker.

use std::collections::hash_map::Entry;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use rustc_hash::{FxHashMap, FxHashSet};
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio::task::{Id, JoinError, JoinSet};

use super::driven::{DrivenRun, RunOrder};
use super::report::{WorkListener, WorkNote};
use crate::app::{GraphHost, Runs};
use crate::machine::Time;
use crate::port::{Clock, PostedMessage, Queue, StoreError, TakenRun, WorkRequest};
use crate::value::Str;

/// The longest time between two looks at the queue, in nanoseconds: leases that were lost and wake-ups that were missed are
/// noticed then.
const MAX_PAUSE_NS: Time = 1_000_000_000;

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
    task: Id,
}

/// The runs in the hands of a worker.
#[derive(Default)]
struct HeldRuns {
    runs: FxHashMap<Str, HeldRun>,
    tasks: JoinSet<(Str, WorkNote)>,
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
    pub async fn work(&self, stop: impl Future<Output = ()>) {
        let mut held = HeldRuns::default();
        let programs: Vec<Str> = self.programs();
        tokio::pin!(stop);
        loop {
            // What changes from here on is noticed.
            let changed = self.queue.changed();
            let look = match self.look(&mut held, &programs).await {
                Ok(next) => {
                    if self.until_idle && held.runs.is_empty() {
                        return;
                    }
                    next
                }
                Err(error) => {
                    self.listener.failed(&error);
                    None
                }
            };
            let now = self.clock.now();
            let pause = now.saturating_add(MAX_PAUSE_NS);
            let look = self.clock.sleep_until(look.map_or(pause, |next| next.clamp(now, pause)));
            tokio::select! {
                biased;
                () = &mut stop => break,
                Some(ended) = held.tasks.join_next_with_id() => self.take_back(&mut held, ended),
                () = changed => {}
                () = look => {}
            }
        }
        for run in held.runs.values() {
            let _gone = run.words.send(RunOrder::Stop);
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
        let (owner, ttl) = &self.owner;
        let limit = self.at_once.saturating_sub(held.runs.len());
        let mut next = None;
        let mut taken = Vec::new();
        if limit > 0 {
            let request = WorkRequest { owner, ttl: *ttl, programs, now: self.clock.now(), limit };
            let found = self.queue.take_due(request).await?;
            next = found.next;
            taken = found.runs;
        }
        let messages = if taken.is_empty() && held.runs.is_empty() {
            Vec::new()
        } else {
            self.queue.messages(owner).await?
        };
        for run in taken {
            self.begin(held, run, &messages);
        }
        for message in messages {
            held.tell(message);
        }
        Ok(next)
    }

    /// Begins to drive a run. The messages that are there for it are told before anything is done.
    fn begin(&self, held: &mut HeldRuns, taken: TakenRun, messages: &[PostedMessage]) {
        let Some(host) = self.hosts.get(&taken.program) else { return };
        let id = taken.run;
        let (words, receiver) = unbounded_channel();
        let run = DrivenRun {
            id: id.clone(),
            host: Arc::clone(host),
            runs: self.runs.clone(),
            owner: self.owner.clone(),
            fence: taken.lease.fence,
            clock: Arc::clone(&self.clock),
            first: messages.iter().filter(|message| message.run == id).cloned().collect(),
            words: receiver,
        };
        let known = run.first.iter().map(|message| message.number).collect();
        let Entry::Vacant(place) = held.runs.entry(id.clone()) else {
            // A lease of its own that had run out: the task that still has the run finds that out.
            return;
        };
        self.listener.noted(&id, &WorkNote::Taken);
        let own = id.clone();
        let task = held.tasks.spawn(async move { (own, run.drive().await) }).id();
        place.insert(HeldRun { words, delivered: known, task });
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
