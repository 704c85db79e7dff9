//! What a simulated store has on its disk, and what a request makes of it.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use loopwright::machine::{CallId, Event, Snapshot, Start, Time};
use loopwright::port::{
    Commit, EntryCause, JournalEntry, Lease, LeaseState, Message, PostedMessage, PostedMessages, ProgramText,
    RunInfo, RunStatus, StoreError, StoredRun, TakenRun, TakenRuns,
};
use loopwright::value::Str;

use crate::fault::Fault;

/// A snapshot is stored every so many entries.
const PACE: usize = 8;

/// A request to the store.
#[derive(Debug, Clone)]
pub(crate) enum Request {
    Create(RunInfo),
    Commit(Str, Box<OwnedCommit>),
    Load(Str, Option<u64>),
    Entries(Str),
    Runs,
    Acquire(Str, Str, Duration),
    Release(Str, Lease),
    Driver(Str),
    Keep(ProgramText),
    Program(Str),
    TakeDue(OwnedWork),
    Post(Str, Message),
    Leave(RunInfo, ProgramText, Box<Start>),
    Messages(Str),
}

impl Request {
    /// True if it writes nothing.
    pub(crate) const fn reads(&self, fault: Option<Fault>) -> bool {
        match self {
            Self::Load(..) | Self::Entries(_) | Self::Runs | Self::Driver(_) | Self::Program(_) => true,
            Self::Messages(_) => !matches!(fault, Some(Fault::MessageTakenOnRead)),
            _ => false,
        }
    }
}

/// A commit as it travels.
#[derive(Debug, Clone)]
pub(crate) struct OwnedCommit {
    pub(crate) entries: Vec<JournalEntry>,
    pub(crate) status: RunStatus,
    pub(crate) snapshot: Snapshot,
    pub(crate) whole: bool,
    pub(crate) lease: Option<Lease>,
    pub(crate) messages: Vec<u64>,
    pub(crate) due: Option<Time>,
}

impl From<Commit<'_>> for OwnedCommit {
    fn from(commit: Commit<'_>) -> Self {
        Self {
            due: commit.due(),
            entries: commit.entries.to_vec(),
            status: commit.status,
            snapshot: commit.snapshot.clone(),
            whole: commit.whole,
            lease: commit.lease.cloned(),
            messages: commit.messages.to_vec(),
        }
    }
}

/// The wants of a worker as they travel.
#[derive(Debug, Clone)]
pub(crate) struct OwnedWork {
    pub(crate) owner: Str,
    pub(crate) ttl: Duration,
    pub(crate) programs: Vec<Str>,
    pub(crate) now: Time,
    pub(crate) limit: usize,
}

/// The answer to a request.
#[derive(Debug)]
pub(crate) enum Reply {
    Done,
    /// A commit was stored behind so many entries.
    Committed(usize),
    Loaded(Box<StoredRun>),
    Entries(Vec<JournalEntry>),
    Runs(Vec<RunInfo>),
    Leased(Lease),
    Driver(Option<Str>),
    Program(Option<ProgramText>),
    Taken(TakenRuns),
    Posted(u64),
    Messages(PostedMessages),
}

/// The times that a request is judged by.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Times {
    /// By the store's clock.
    pub(crate) server: Time,
    /// By the clock of who asks.
    pub(crate) client: Time,
}

/// Everything that is stored.
#[derive(Debug, Clone, Default)]
pub(crate) struct Stored {
    pub(crate) journals: BTreeMap<Str, Journal>,
    /// The runs in the order they were created.
    order: Vec<Str>,
    programs: BTreeMap<Str, ProgramText>,
    /// The number of the last message.
    message: u64,
}

/// What is stored of a run.
#[derive(Debug, Clone)]
pub(crate) struct Journal {
    pub(crate) info: RunInfo,
    /// The number of the next event.
    seq: u64,
    pub(crate) entries: Vec<JournalEntry>,
    /// By the number of entries the state after them.
    snapshots: BTreeMap<usize, Snapshot>,
    /// The last lease and when it ends; [`None`] for the end once it was given back.
    lease: Option<(Lease, Option<Time>)>,
    program: Str,
    due: Option<Time>,
    pub(crate) messages: Vec<PostedMessage>,
    /// The time at which the first of them came.
    posted: Time,
    /// For the judge: the messages that the end of the run closed, or that came after it.
    pub(crate) closed: BTreeSet<u64>,
    /// For the judge: the state after the last commit.
    pub(crate) last: Snapshot,
    /// For the judge: what was committed, in order.
    pub(crate) commits: Vec<Accepted>,
    /// Only where a wake-up is lost for ever: the run was not offered since it became due.
    is_fresh: bool,
}

/// A commit that was stored.
#[derive(Debug, Clone)]
pub(crate) struct Accepted {
    pub(crate) lease: Option<Lease>,
    /// The place of its first entry.
    pub(crate) from: usize,
    pub(crate) messages: Vec<u64>,
}

impl Stored {
    /// Takes a request, with a planted fault.
    pub(crate) fn take(
        &mut self,
        request: Request,
        times: Times,
        fault: Option<Fault>,
    ) -> Result<Reply, StoreError> {
        match request {
            Request::Create(info) => self.create(info),
            Request::Commit(run, commit) => self.find(&run)?.commit(&commit, times, fault),
            Request::Load(run, at) => Ok(Reply::Loaded(Box::new(self.find(&run)?.load(at)))),
            Request::Entries(run) => Ok(Reply::Entries(self.find(&run)?.entries.clone())),
            Request::Runs => {
                Ok(Reply::Runs(self.order.iter().map(|run| self.journals[run].info.clone()).collect()))
            }
            Request::Acquire(run, owner, ttl) => {
                self.find(&run)?.acquire(&owner, ttl, times, fault).map(Reply::Leased)
            }
            Request::Release(run, lease) => {
                self.find(&run)?.release(&lease);
                Ok(Reply::Done)
            }
            Request::Driver(run) => {
                let state = self.find(&run)?.lease_state(times, fault);
                Ok(Reply::Driver(state.and_then(LeaseState::driver)))
            }
            Request::Keep(text) => {
                self.keep(text);
                Ok(Reply::Done)
            }
            Request::Leave(info, text, start) => self.leave(info, text, start, (times, fault)),
            Request::Program(digest) => Ok(Reply::Program(self.programs.get(&digest).cloned())),
            Request::TakeDue(work) => self.take_due(&work, times, fault).map(Reply::Taken),
            Request::Post(run, message) => self.post(&run, message, times).map(Reply::Posted),
            Request::Messages(owner) => Ok(Reply::Messages(self.messages(&owner, times, fault))),
        }
    }

    fn find(&mut self, run: &Str) -> Result<&mut Journal, StoreError> {
        self.journals.get_mut(run).ok_or_else(|| StoreError::Unknown(run.clone()))
    }

    fn create(&mut self, info: RunInfo) -> Result<Reply, StoreError> {
        if let Some(journal) = self.journals.get(&info.run) {
            let begun =
                journal.seq > 0 || !journal.entries.is_empty() || journal.info.program != info.program;
            return if begun { Err(StoreError::Exists(info.run)) } else { Ok(Reply::Done) };
        }
        self.order.push(info.run.clone());
        let journal = Journal {
            program: info.program.clone(),
            seq: 0,
            entries: Vec::new(),
            snapshots: BTreeMap::new(),
            lease: None,
            due: None,
            messages: Vec::new(),
            posted: 0,
            closed: BTreeSet::new(),
            last: Snapshot::new(),
            commits: Vec::new(),
            is_fresh: true,
            info,
        };
        self.journals.insert(journal.info.run.clone(), journal);
        Ok(Reply::Done)
    }

    fn take_due(
        &mut self,
        work: &OwnedWork,
        times: Times,
        fault: Option<Fault>,
    ) -> Result<TakenRuns, StoreError> {
        let mut taken = TakenRuns::default();
        let mut due = Vec::new();
        for run in &self.order {
            let journal = &self.journals[run];
            if journal.is_ended() || !work.programs.contains(&journal.program) {
                continue;
            }
            if let Some(timer) = journal.due.filter(|timer| *timer > work.now) {
                taken.next = Some(taken.next.map_or(timer, |next| next.min(timer)));
            }
            let left = journal.lease_state(times, fault).and_then(|state| state.left);
            let posted = (!journal.messages.is_empty()).then_some(journal.posted);
            let since = posted.into_iter().chain(journal.due.filter(|due| *due <= work.now)).min();
            if left.is_none_or(|left| left.is_zero())
                && let Some(since) = since
            {
                due.push((since, run.clone()));
            }
        }
        due.sort_by_key(|(at, _)| *at);
        for (_, run) in due.into_iter().take(work.limit) {
            let journal = self.find(&run)?;
            if fault == Some(Fault::LostWakeUp) && !std::mem::take(&mut journal.is_fresh) {
                continue;
            }
            let lease = journal.acquire(&work.owner, work.ttl, times, fault)?;
            taken.runs.push(TakenRun { run, program: journal.program.clone(), lease });
        }
        Ok(taken)
    }

    fn post(&mut self, run: &Str, message: Message, times: Times) -> Result<u64, StoreError> {
        message.to_json(run)?;
        let number = self.message + 1;
        let journal = self.find(run)?;
        Message::refuse_too_many(run, journal.messages.len())?;
        if journal.is_ended() {
            journal.closed.insert(number);
        } else {
            if journal.messages.is_empty() {
                journal.posted = times.server;
            }
            journal.messages.push(PostedMessage { number, run: run.clone(), message });
        }
        journal.is_fresh = true;
        self.message = number;
        Ok(number)
    }

    fn keep(&mut self, text: ProgramText) {
        self.programs.entry(text.digest.clone()).or_insert(text);
    }

    fn leave(
        &mut self,
        info: RunInfo,
        text: ProgramText,
        start: Box<Start>,
        (times, fault): (Times, Option<Fault>),
    ) -> Result<Reply, StoreError> {
        let run = info.run.clone();
        if let Some(journal) = self.journals.get(&run) {
            let left = journal.lease_state(times, fault).and_then(|state| state.left);
            if journal.is_to_begin() || left.is_some_and(|left| !left.is_zero()) {
                return Err(StoreError::Exists(run));
            }
        }
        self.create(info)?;
        self.keep(text);
        self.post(&run, Message::Start(start), times).map(|_| Reply::Done)
    }

    fn messages(&mut self, owner: &Str, times: Times, fault: Option<Fault>) -> PostedMessages {
        let held = |journal: &&mut Journal| journal.is_held(owner, times, fault);
        let mut found = PostedMessages::default();
        for journal in self.journals.values_mut().filter(held) {
            found.messages.extend(journal.messages.iter().cloned());
            if fault == Some(Fault::MessageTakenOnRead) {
                journal.messages.clear();
            }
        }
        found
    }

    /// What a careless recovery makes of a commit of which the half was written.
    pub(crate) fn take_torn(&mut self, run: &Str, mut commit: OwnedCommit) {
        let Ok(journal) = self.find(run) else { return };
        if commit
            .entries
            .first()
            .and_then(|entry| entry.events.first())
            .is_some_and(|event| event.seq != journal.seq)
        {
            return;
        }
        let half = commit.entries.len() / 2;
        commit.entries.truncate(half + 1);
        if let Some(last) = commit.entries.last_mut() {
            last.events.truncate(last.events.len() / 2);
        }
        journal.append(&commit, None);
    }

    /// Forgets who drove the runs.
    pub(crate) fn forget_leases(&mut self) {
        self.journals.values_mut().for_each(|journal| journal.lease = None);
    }
}

impl Journal {
    fn commit(
        &mut self,
        commit: &OwnedCommit,
        times: Times,
        fault: Option<Fault>,
    ) -> Result<Reply, StoreError> {
        if fault != Some(Fault::MissingFence) {
            let state = self.lease_state(times, fault);
            LeaseState::check(state.as_ref(), &self.info.run, commit.lease.as_ref())?;
        }
        let begins = self.entries.is_empty() && commit.entries.is_empty() && commit.whole;
        let begin = if begins { commit.snapshot.seq } else { self.seq };
        let events = commit.entries.iter().flat_map(|entry| &entry.events);
        for (wanted, event) in (begin..).zip(events) {
            if event.seq != wanted && fault != Some(Fault::RepeatedCommit) {
                return Err(StoreError::Gap { wanted, found: event.seq });
            }
        }
        self.seq = begin;
        let from = self.entries.len();
        self.append(commit, fault);
        Ok(Reply::Committed(from))
    }

    fn append(&mut self, commit: &OwnedCommit, fault: Option<Fault>) {
        let from = self.entries.len();
        let events: usize = commit.entries.iter().map(|entry| entry.events.len()).sum();
        self.seq += events as u64;
        self.entries.extend_from_slice(&commit.entries);
        self.info.status = commit.status.clone();
        self.due = commit.due;
        self.is_fresh = true;
        if !commit.snapshot.program.is_empty() {
            self.program = commit.snapshot.program.clone();
        }
        self.messages.retain(|message| !commit.messages.contains(&message.number));
        if self.is_ended() {
            self.closed.extend(self.messages.drain(..).map(|message| message.number));
        }
        let now = self.entries.len();
        if commit.whole || from / PACE != now / PACE {
            let other = fault == Some(Fault::OtherSnapshot) && !self.last.program.is_empty();
            self.snapshots.insert(now, if other { self.last.clone() } else { commit.snapshot.clone() });
        }
        self.last = commit.snapshot.clone();
        let (lease, messages) = (commit.lease.clone(), commit.messages.clone());
        self.commits.push(Accepted { lease, from, messages });
    }

    const fn is_ended(&self) -> bool {
        matches!(self.info.status, RunStatus::Done { .. })
    }

    /// The last lease, and the time that is left of it.
    fn lease_state(&self, times: Times, fault: Option<Fault>) -> Option<LeaseState> {
        let (lease, ends) = self.lease.as_ref()?;
        let now = if fault == Some(Fault::LeaseByClientClock) { times.client } else { times.server };
        let left = |ends: Time| Duration::from_nanos(u64::try_from(ends - now).unwrap_or_default());
        Some(LeaseState { lease: lease.clone(), left: ends.map(left) })
    }

    /// True if somebody left its beginning.
    pub(crate) fn is_to_begin(&self) -> bool {
        self.messages.iter().any(|posted| posted.message.is_start())
    }

    fn is_held(&self, owner: &Str, times: Times, fault: Option<Fault>) -> bool {
        let state = self.lease_state(times, fault);
        state.is_some_and(|last| last.lease.owner == *owner && last.left.is_some_and(|left| !left.is_zero()))
    }

    /// True if the owner has the run now, by the true time.
    pub(crate) fn is_driven_by(&self, owner: &Str, now: Time) -> bool {
        self.is_held(owner, Times { server: now, client: now }, None)
    }

    fn acquire(
        &mut self,
        owner: &Str,
        ttl: Duration,
        times: Times,
        fault: Option<Fault>,
    ) -> Result<Lease, StoreError> {
        let lease = LeaseState::next(self.lease_state(times, fault).as_ref(), &self.info.run, owner)?;
        let now = if fault == Some(Fault::LeaseByClientClock) { times.client } else { times.server };
        let lasts = Time::try_from(ttl.min(Lease::MAX_DURATION).as_nanos()).expect("a lease is short");
        self.lease = Some((lease.clone(), Some(now + lasts)));
        Ok(lease)
    }

    fn release(&mut self, own: &Lease) {
        if let Some((lease, ends)) = &mut self.lease
            && lease.fence == own.fence
        {
            *ends = None;
        }
    }

    pub(crate) fn load(&self, at: Option<u64>) -> StoredRun {
        let to =
            at.map_or(usize::MAX, |at| usize::try_from(at).unwrap_or(usize::MAX)).min(self.entries.len());
        let last = self.snapshots.range(..=to).next_back();
        let (from, snapshot) =
            last.map_or_else(|| (0, Snapshot::new()), |(from, snapshot)| (*from, snapshot.clone()));
        let entries = self.entries[from..to].to_vec();
        StoredRun { info: self.info.clone(), from: from as u64, snapshot, entries }
    }

    /// The stored event of that number.
    pub(crate) fn event(&self, seq: u64) -> Option<&Event> {
        let after = |entry: &JournalEntry| entry.events.first().is_some_and(|event| event.seq > seq);
        // Entries without events lie between others: the last entry that begins before has it, or none.
        let entries = self.entries.iter().rev().skip_while(|entry| entry.events.is_empty() || after(entry));
        entries.take(1).flat_map(|entry| &entry.events).find(|event| event.seq == seq)
    }

    /// True if the journal says that the call is about to be made, and not how it ended.
    pub(crate) fn intends(&self, call: &CallId) -> bool {
        self.last.calls().any(|open| open.id == *call)
    }

    /// True if the journal says that the call is about to be undone, and not that it was.
    pub(crate) fn intends_to_undo(&self, call: &CallId) -> bool {
        let mut open = BTreeSet::new();
        for entry in &self.entries {
            match &entry.cause {
                EntryCause::Undo { call } => drop(open.insert(call)),
                EntryCause::Undone { call, .. } => drop(open.remove(call)),
                _ => {}
            }
        }
        open.contains(call)
    }
}
