//! A store that lasts as long as the process.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use futures::FutureExt;
use futures::future::ready;
use rustc_hash::FxHashMap;
use tokio::sync::Notify;

use crate::machine::{Snapshot, Start, Time};
use crate::port::{
    AnswerCache, BoxFuture, Commit, JournalEntry, Lease, LeaseState, Message, PostedMessage, PostedMessages,
    ProgramText, Queue, RunInfo, RunStatus, Store, StoreError, StoreFuture, StoredRun, TakenRun, TakenRuns,
    WorkRequest,
};
use crate::value::{Str, Value};

/// A snapshot is stored every so many entries.
const PACE: u64 = 64;

/// Keeps runs in memory.
#[derive(Debug, Default)]
pub struct Memory {
    runs: Mutex<RunList>,
    /// Wakes whoever waits for runs to become due.
    changes: Notify,
}

/// Runs in the order they were created, and the place of each.
#[derive(Debug, Default)]
struct RunList {
    journal: Vec<Journal>,
    places: FxHashMap<Str, usize>,
    programs: FxHashMap<Str, ProgramText>,
    answers: AnswerCache,
    /// The number of the last message.
    messages: u64,
}

#[derive(Debug)]
struct Journal {
    info: RunInfo,
    /// The number of the next event.
    seq: u64,
    entries: Vec<JournalEntry>,
    /// By the number of entries the state after them.
    snapshots: BTreeMap<u64, Snapshot>,
    /// The last lease and when it ends; [`None`] for the end once it was given back.
    lease: Option<(Lease, Option<Instant>)>,
    /// The digest of the program that it goes by now.
    program: Str,
    /// See [`Commit::due`].
    due: Option<Time>,
    /// The messages that no commit has taken.
    messages: Vec<PostedMessage>,
    /// The time at which the first of them came.
    posted: Time,
}

impl Memory {
    /// A store without runs.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    fn lock(&self) -> MutexGuard<'_, RunList> {
        // Each change is checked before it is begun, so a panic elsewhere leaves nothing half done.
        self.runs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl RunList {
    fn find(&mut self, run: &str) -> Result<&mut Journal, StoreError> {
        let place = self.places.get(run).ok_or_else(|| StoreError::Unknown(run.into()))?;
        Ok(&mut self.journal[*place])
    }

    fn create(&mut self, info: &RunInfo) -> Result<(), StoreError> {
        if let Some(place) = self.places.get(&info.run) {
            let journal = &self.journal[*place];
            let begun =
                journal.seq > 0 || !journal.entries.is_empty() || journal.info.program != info.program;
            return if begun { Err(StoreError::Exists(info.run.clone())) } else { Ok(()) };
        }
        self.places.insert(info.run.clone(), self.journal.len());
        self.journal.push(Journal {
            info: info.clone(),
            seq: 0,
            entries: Vec::new(),
            snapshots: BTreeMap::new(),
            lease: None,
            program: info.program.clone(),
            due: None,
            messages: Vec::new(),
            posted: 0,
        });
        Ok(())
    }

    fn take_due(&mut self, request: &WorkRequest<'_>) -> Result<TakenRuns, StoreError> {
        let mut taken = TakenRuns::default();
        let wanted =
            |journal: &&mut Journal| request.programs.contains(&journal.program) && !journal.is_ended();
        let mut due: Vec<(Time, &mut Journal)> = Vec::new();
        for journal in self.journal.iter_mut().filter(wanted) {
            if let Some(timer) = journal.due.filter(|timer| *timer > request.now) {
                taken.next = Some(taken.next.map_or(timer, |next| next.min(timer)));
            }
            let free = journal.lease_state().and_then(|last| last.left).is_none_or(|left| left.is_zero());
            if free && let Some(since) = journal.due_since(request.now) {
                due.push((since, journal));
            }
        }
        due.sort_by_key(|(at, _)| *at);
        for (_, journal) in due.into_iter().take(request.limit) {
            let lease = journal.acquire(request.owner, request.ttl)?;
            taken.runs.push(TakenRun {
                run: journal.info.run.clone(),
                program: journal.program.clone(),
                lease,
            });
        }
        Ok(taken)
    }

    fn post(&mut self, run: &str, message: &Message) -> Result<u64, StoreError> {
        // In the shape in which others store it, it is as long.
        message.to_json(run)?;
        let number = self.messages + 1;
        let journal = self.find(run)?;
        Message::refuse_too_many(run, journal.messages.len())?;
        if !journal.is_ended() {
            if journal.messages.is_empty() {
                journal.posted = now();
            }
            journal.messages.push(PostedMessage { number, run: run.into(), message: message.clone() });
        }
        self.messages = number;
        Ok(number)
    }

    fn leave(&mut self, run: &RunInfo, program: &ProgramText, start: &Start) -> Result<(), StoreError> {
        if self.find(&run.run).is_ok_and(|journal| journal.is_to_begin() || journal.is_driven()) {
            return Err(StoreError::Exists(run.run.clone()));
        }
        let message = Message::Start(Box::new(start.clone()));
        // Nothing is changed before it is known that all of it can be.
        message.to_json(&run.run)?;
        let waiting = self.find(&run.run).map_or(0, |journal| journal.messages.len());
        Message::refuse_too_many(&run.run, waiting)?;
        self.create(run)?;
        self.keep_program(program);
        self.post(&run.run, &message).map(drop)
    }

    fn keep_program(&mut self, program: &ProgramText) {
        self.programs.entry(program.digest.clone()).or_insert_with(|| program.clone());
    }

    fn messages(&self, owner: &str) -> Vec<PostedMessage> {
        let held = |journal: &&Journal| {
            let last = journal.lease_state();
            last.is_some_and(|last| {
                last.lease.owner == owner && last.left.is_some_and(|left| !left.is_zero())
            })
        };
        self.journal.iter().filter(held).flat_map(|journal| journal.messages.iter().cloned()).collect()
    }
}

impl Journal {
    fn commit(&mut self, commit: &Commit<'_>) -> Result<(), StoreError> {
        LeaseState::check(self.lease_state().as_ref(), &self.info.run, commit.lease)?;
        let begins = if self.entries.is_empty() && commit.entries.is_empty() && commit.whole {
            commit.snapshot.seq
        } else {
            self.seq
        };
        let events = commit.entries.iter().flat_map(|entry| &entry.events);
        for (wanted, event) in (begins..).zip(events) {
            if event.seq != wanted {
                return Err(StoreError::Gap { wanted, found: event.seq });
            }
        }
        let many: usize = commit.entries.iter().map(|entry| entry.events.len()).sum();
        let before = self.count();
        self.seq = begins + u64::try_from(many).unwrap_or(u64::MAX);
        self.entries.extend_from_slice(commit.entries);
        self.info.status = commit.status.clone();
        self.due = commit.due();
        if !commit.snapshot.program.is_empty() {
            self.program = commit.snapshot.program.clone();
        }
        self.messages.retain(|message| !commit.messages.contains(&message.number));
        if self.is_ended() {
            self.messages.clear();
        }
        let now = self.count();
        if commit.whole || before / PACE != now / PACE {
            self.snapshots.insert(now, commit.snapshot.clone());
        }
        Ok(())
    }

    fn count(&self) -> u64 {
        u64::try_from(self.entries.len()).unwrap_or(u64::MAX)
    }

    const fn is_ended(&self) -> bool {
        matches!(self.info.status, RunStatus::Done { .. })
    }

    /// The time since when something is to be done, if anything is by `now`.
    fn due_since(&self, now: Time) -> Option<Time> {
        let posted = (!self.messages.is_empty()).then_some(self.posted);
        posted.into_iter().chain(self.due.filter(|due| *due <= now)).min()
    }

    /// The driver of the run, or the last one.
    fn lease_state(&self) -> Option<LeaseState> {
        let (lease, ends) = self.lease.as_ref()?;
        let left = ends.map(|ends| ends.saturating_duration_since(Instant::now()));
        Some(LeaseState { lease: lease.clone(), left })
    }

    /// Returns true if somebody left its beginning.
    fn is_to_begin(&self) -> bool {
        self.messages.iter().any(|posted| posted.message.is_start())
    }

    /// Returns true while somebody has a lease that has not run out.
    fn is_driven(&self) -> bool {
        self.lease_state().and_then(|last| last.left).is_some_and(|left| !left.is_zero())
    }

    fn acquire(&mut self, owner: &str, ttl: Duration) -> Result<Lease, StoreError> {
        let lease = LeaseState::next(self.lease_state().as_ref(), &self.info.run, owner)?;
        self.lease = Some((lease.clone(), Some(Instant::now() + ttl.min(Lease::MAX_DURATION))));
        Ok(lease)
    }

    fn release(&mut self, own: &Lease) {
        if let Some((lease, ends)) = &mut self.lease
            && lease.fence == own.fence
        {
            *ends = None;
        }
    }

    fn load(&self, at: Option<u64>) -> StoredRun {
        let to = at.unwrap_or(u64::MAX).min(self.count());
        let last = self.snapshots.range(..=to).next_back();
        let (from, snapshot) =
            last.map_or_else(|| (0, Snapshot::new()), |(from, journal)| (*from, journal.clone()));
        let place = |n: u64| usize::try_from(n).unwrap_or(usize::MAX);
        let entries = self.entries[place(from)..place(to)].to_vec();
        StoredRun { info: self.info.clone(), from, snapshot, entries }
    }
}

/// The time by the wall.
fn now() -> Time {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    Time::try_from(since.as_nanos()).unwrap_or(Time::MAX)
}

impl Store for Memory {
    fn create<'a>(&'a self, run: &'a RunInfo) -> StoreFuture<'a, ()> {
        ready(self.lock().create(run)).boxed()
    }

    fn commit<'a>(&'a self, run: &'a str, commit: Commit<'a>) -> StoreFuture<'a, ()> {
        ready(self.lock().find(run).and_then(|journal| journal.commit(&commit))).boxed()
    }

    fn load<'a>(&'a self, run: &'a str, at: Option<u64>) -> StoreFuture<'a, StoredRun> {
        ready(self.lock().find(run).map(|journal| journal.load(at))).boxed()
    }

    fn entries<'a>(&'a self, run: &'a str) -> StoreFuture<'a, Vec<JournalEntry>> {
        ready(self.lock().find(run).map(|journal| journal.entries.clone())).boxed()
    }

    fn last_entries<'a>(&'a self, run: &'a str, many: u32) -> StoreFuture<'a, Vec<JournalEntry>> {
        let last = |journal: &mut Journal| {
            let many = usize::try_from(many).unwrap_or(usize::MAX);
            journal.entries[journal.entries.len().saturating_sub(many)..].to_vec()
        };
        ready(self.lock().find(run).map(last)).boxed()
    }

    fn entries_from<'a>(&'a self, run: &'a str, from: u64, many: u32) -> StoreFuture<'a, Vec<JournalEntry>> {
        let some = |journal: &mut Journal| {
            let place = |n: u64| usize::try_from(n).unwrap_or(usize::MAX).min(journal.entries.len());
            journal.entries[place(from)..place(from.saturating_add(many.into()))].to_vec()
        };
        ready(self.lock().find(run).map(some)).boxed()
    }

    fn runs(&self) -> StoreFuture<'_, Vec<RunInfo>> {
        ready(Ok(self.lock().journal.iter().map(|journal| journal.info.clone()).collect())).boxed()
    }

    fn acquire<'a>(&'a self, run: &'a str, owner: &'a str, ttl: Duration) -> StoreFuture<'a, Lease> {
        ready(self.lock().find(run).and_then(|journal| journal.acquire(owner, ttl))).boxed()
    }

    fn release<'a>(&'a self, run: &'a str, lease: &'a Lease) -> StoreFuture<'a, ()> {
        let released = self.lock().find(run).map(|journal| journal.release(lease));
        self.changes.notify_waiters();
        ready(released).boxed()
    }

    fn driver<'a>(&'a self, run: &'a str) -> StoreFuture<'a, Option<Str>> {
        ready(self.lock().find(run).map(|journal| journal.lease_state().and_then(LeaseState::driver))).boxed()
    }

    fn as_queue(self: Arc<Self>) -> Option<Arc<dyn Queue>> {
        Some(self)
    }

    fn keep_program<'a>(&'a self, program: &'a ProgramText) -> StoreFuture<'a, ()> {
        self.lock().keep_program(program);
        ready(Ok(())).boxed()
    }

    fn program<'a>(&'a self, digest: &'a str) -> StoreFuture<'a, Option<ProgramText>> {
        ready(Ok(self.lock().programs.get(digest).cloned())).boxed()
    }

    fn answer(&self, request: &str) -> Result<Option<Value>, StoreError> {
        Ok(self.lock().answers.get(request).cloned())
    }

    fn keep_answer<'a>(&'a self, request: &'a str, answer: &'a Value, _: Time) -> StoreFuture<'a, ()> {
        self.lock().answers.keep(request, answer.clone());
        ready(Ok(())).boxed()
    }
}

impl Queue for Memory {
    fn take_due<'a>(&'a self, request: WorkRequest<'a>) -> StoreFuture<'a, TakenRuns> {
        ready(self.lock().take_due(&request)).boxed()
    }

    fn post<'a>(&'a self, run: &'a str, message: &'a Message) -> StoreFuture<'a, u64> {
        let posted = self.lock().post(run, message);
        self.changes.notify_waiters();
        ready(posted).boxed()
    }

    fn leave<'a>(
        &'a self,
        run: &'a RunInfo,
        program: &'a ProgramText,
        start: &'a Start,
    ) -> StoreFuture<'a, ()> {
        let left = self.lock().leave(run, program, start);
        self.changes.notify_waiters();
        ready(left).boxed()
    }

    fn messages<'a>(&'a self, owner: &'a str) -> StoreFuture<'a, PostedMessages> {
        let messages = self.lock().messages(owner);
        ready(Ok(PostedMessages { messages, ..PostedMessages::default() })).boxed()
    }

    fn changed(&self) -> BoxFuture<'_, ()> {
        self.changes.notified().boxed()
    }
}
