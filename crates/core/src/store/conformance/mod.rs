//! The promises of a [`Store`], as tests that any store can be put to.
//!
//! A store of one's own is right if [`check`] finds no broken promise. Time-outs are the caller's: a store that never
//! answers makes [`check`] wait.
//!
//! # Why
//! - The promises live beside the stores and not among the tests, so that a store outside of this crate is held to the same.
//! - The factory opens one place again and again. A store in memory hands out the same object; one on a disk opens its file
//!   anew, so that what it only remembers is found out.
//! - Damage is not part of it: only the store itself can spoil what it has written. Its own tests must show that it reports
//!   [`StoreError::Damaged`].
//! - Neither is a file that ends in the middle of a write: nobody can cut the power through the trait. A commit is given up at
//!   each of its pauses instead, which shows a store that writes a commit in parts. `tests/sweep` kills the process at each call
//!   that our own store makes.

mod given_up;
mod journal;
mod lease;
mod messages;
mod queue;
mod run_list;
mod script;
mod text;

use std::fmt::{self, Debug};
use std::sync::Arc;

use crate::port::{Store, StoreError};

/// Opens the place of a store, again at each call.
type OpenStore<'a> = &'a dyn Fn() -> Arc<dyn Store>;

/// The outcome of one test: what was found in place of what was promised.
type Held = Result<(), String>;

/// One promise of every [`Store`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Promise {
    /// `create` refuses the id of a run that has begun, or that belongs to another program.
    OneRunForAnId,
    /// `runs` lists every run with its status, the oldest first.
    RunsInOrder,
    /// `page` gives the runs that are wanted, the newest first, each once.
    PagesHoldEachRunOnce,
    /// Methods refuse the id of a run that is not there.
    UnknownRunIsRefused,
    /// `entries`, `last_entries`, `entries_from` and `events` return what was committed, in order.
    JournalIsReadBack,
    /// `entries` returns causes of every kind, long texts and values as they were committed.
    ValuesAreReadBack,
    /// `load` returns the snapshot and the entries for any number of entries.
    EveryEntryIsAPlaceToLoad,
    /// `commit` stores the snapshot that it must.
    WholeSnapshotIsStored,
    /// `commit` refuses events that do not follow the last one, and stores nothing of them.
    EventsFollowEachOther,
    /// Of a commit whose future is dropped before it ends, all is stored or nothing; of one that was acknowledged, all.
    UnfinishedCommitIsWholeOrAbsent,
    /// Of two commits at one place at most one is stored.
    OneOfTwoCommits,
    /// The journals of two runs do not touch each other.
    RunsAreApart,
    /// `acquire` gives a lease to one owner at a time, and each owner a higher fencing number.
    OneOwnerAtATime,
    /// Of owners that acquire at once one is given the lease.
    OneOfManyOwners,
    /// `commit` refuses whoever has lost the lease, and stores nothing of theirs.
    LostLeaseStoresNothing,
    /// `program` returns the texts that were stored first for a digest.
    FirstProgramStays,
    /// A store of answers returns the latest answer, and drops the oldest of too many.
    LatestAnswerIsGiven,
    /// Of a queue: `take_due` gives the runs that nobody drives and that are to go on, each to one worker.
    DueRunsAreTaken,
    /// Of a queue: `take_due` gives a run when its timer has run out, the longest due first, and says when the next is due.
    TimersMakeRunsDue,
    /// Of a queue: of workers that take runs at once each is given others.
    OneOfManyWorkers,
    /// Of a queue: a message makes its run due, and is there until a commit takes it.
    MessagesAreTakenByACommit,
    /// Of a queue: a run with a message is due since that came, so that neither runs with messages nor others starve.
    MessagesHaveTheirTurn,
    /// Of a queue: the commit that ends a run closes its messages, and later ones are dropped.
    EndedRunsHaveNoMessages,
    /// Of a queue: `post` refuses messages that are too long, and too many of one run.
    MessagesAreBounded,
    /// Of a queue: `changed` ends when a message comes.
    AChangeIsNoticed,
    /// Of a queue: `leave` notes a new run with its program and its beginning, once.
    NewRunsAreLeftOnce,
}

impl Promise {
    /// The promises of every store.
    pub const ALL: [Self; 17] = [
        Self::OneRunForAnId,
        Self::RunsInOrder,
        Self::PagesHoldEachRunOnce,
        Self::UnknownRunIsRefused,
        Self::JournalIsReadBack,
        Self::ValuesAreReadBack,
        Self::EveryEntryIsAPlaceToLoad,
        Self::WholeSnapshotIsStored,
        Self::EventsFollowEachOther,
        Self::UnfinishedCommitIsWholeOrAbsent,
        Self::OneOfTwoCommits,
        Self::RunsAreApart,
        Self::OneOwnerAtATime,
        Self::OneOfManyOwners,
        Self::LostLeaseStoresNothing,
        Self::FirstProgramStays,
        Self::LatestAnswerIsGiven,
    ];

    /// The promises of stores that are [queues](crate::port::Queue), besides.
    pub const OF_QUEUES: [Self; 9] = [
        Self::DueRunsAreTaken,
        Self::TimersMakeRunsDue,
        Self::OneOfManyWorkers,
        Self::MessagesAreTakenByACommit,
        Self::MessagesHaveTheirTurn,
        Self::EndedRunsHaveNoMessages,
        Self::MessagesAreBounded,
        Self::AChangeIsNoticed,
        Self::NewRunsAreLeftOnce,
    ];

    async fn hold(self, open: OpenStore<'_>) -> Held {
        match self {
            Self::OneRunForAnId => run_list::one_run_for_an_id(open).await,
            Self::RunsInOrder => run_list::runs_in_order(open).await,
            Self::PagesHoldEachRunOnce => run_list::pages_hold_each_run_once(open).await,
            Self::UnknownRunIsRefused => run_list::unknown_run_is_refused(open).await,
            Self::JournalIsReadBack => journal::is_read_back(open).await,
            Self::ValuesAreReadBack => journal::values_are_read_back(open).await,
            Self::EveryEntryIsAPlaceToLoad => journal::every_entry_is_a_place_to_load(open).await,
            Self::WholeSnapshotIsStored => journal::whole_snapshot_is_stored(open).await,
            Self::EventsFollowEachOther => journal::events_follow_each_other(open).await,
            Self::UnfinishedCommitIsWholeOrAbsent => given_up::is_whole_or_absent(open).await,
            Self::OneOfTwoCommits => journal::one_of_two_commits(open).await,
            Self::RunsAreApart => journal::runs_are_apart(open).await,
            Self::OneOwnerAtATime => lease::one_owner_at_a_time(open).await,
            Self::OneOfManyOwners => lease::one_of_many_owners(open).await,
            Self::LostLeaseStoresNothing => lease::lost_lease_stores_nothing(open).await,
            Self::FirstProgramStays => text::first_program_stays(open).await,
            Self::LatestAnswerIsGiven => text::latest_answer_is_given(open).await,
            Self::DueRunsAreTaken => queue::due_runs_are_taken(open).await,
            Self::TimersMakeRunsDue => queue::timers_make_runs_due(open).await,
            Self::OneOfManyWorkers => queue::one_of_many_workers(open).await,
            Self::MessagesAreTakenByACommit => queue::messages_are_taken_by_a_commit(open).await,
            Self::MessagesHaveTheirTurn => messages::have_their_turn(open).await,
            Self::EndedRunsHaveNoMessages => messages::of_ended_runs_are_closed(open).await,
            Self::MessagesAreBounded => messages::are_bounded(open).await,
            Self::AChangeIsNoticed => queue::a_change_is_noticed(open).await,
            Self::NewRunsAreLeftOnce => queue::new_runs_are_left_once(open).await,
        }
    }
}

impl fmt::Display for Promise {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::OneRunForAnId => "an id belongs to one run",
            Self::RunsInOrder => "runs are listed with their status, the oldest first",
            Self::PagesHoldEachRunOnce => "pages of the list hold each run once, the newest first",
            Self::UnknownRunIsRefused => "the id of a run that is not there is refused",
            Self::JournalIsReadBack => "a journal is read back as it was committed",
            Self::ValuesAreReadBack => "causes and values are read back as they were committed",
            Self::EveryEntryIsAPlaceToLoad => "a run can be loaded at every entry",
            Self::WholeSnapshotIsStored => "a snapshot that must be stored is stored",
            Self::EventsFollowEachOther => "events follow each other without a gap",
            Self::UnfinishedCommitIsWholeOrAbsent => {
                "a commit that is given up is stored whole or not at all"
            }
            Self::OneOfTwoCommits => "of two commits at one place one is stored",
            Self::RunsAreApart => "the journals of two runs do not touch each other",
            Self::OneOwnerAtATime => "a run has one owner at a time",
            Self::OneOfManyOwners => "of owners that acquire at once one is given the lease",
            Self::LostLeaseStoresNothing => "whoever lost the lease stores nothing",
            Self::FirstProgramStays => "of two programs with one digest the first stays",
            Self::LatestAnswerIsGiven => "the latest answer to a request is given",
            Self::DueRunsAreTaken => "a run that is due is taken by one worker",
            Self::TimersMakeRunsDue => "a run is due when its timer has run out",
            Self::OneOfManyWorkers => "workers that take runs at once take others",
            Self::MessagesAreTakenByACommit => "a message is there until a commit takes it",
            Self::MessagesHaveTheirTurn => "a run with a message is due since that came",
            Self::EndedRunsHaveNoMessages => "a run that has ended has no messages",
            Self::MessagesAreBounded => "messages are neither too long nor too many",
            Self::AChangeIsNoticed => "a change is noticed",
            Self::NewRunsAreLeftOnce => "a new run is left to workers with all it needs, once",
        })
    }
}

/// A promise that a store breaks.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the store breaks the promise \"{promise}\": {found}")]
pub struct BrokenPromise {
    /// The promise.
    pub promise: Promise,
    /// The store's behaviour that broke it.
    pub found: String,
}

/// Puts stores to all promises, a [queue](crate::port::Queue) to those of queues as well. `fresh` makes an empty place for a store, and what it returns opens that place: each call
/// returns a store with everything that an earlier one of the same place has stored.
///
/// # Errors
/// The broken promises, in the order of [`Promise::ALL`] and [`Promise::OF_QUEUES`].
///
/// # Panics
/// The store panics.
pub async fn check<P: Fn() -> Arc<dyn Store>>(fresh: impl Fn() -> P) -> Result<(), Vec<BrokenPromise>> {
    let mut broken = Vec::new();
    let of_queues = if fresh()().as_queue().is_some() { &Promise::OF_QUEUES[..] } else { &[] };
    for promise in Promise::ALL.iter().chain(of_queues).copied() {
        let place = fresh();
        if let Err(found) = promise.hold(&place).await {
            broken.push(BrokenPromise { promise, found });
        }
    }
    if broken.is_empty() { Ok(()) } else { Err(broken) }
}

/// The result of a method that must not fail.
fn done<T>(result: Result<T, StoreError>, method: &str) -> Result<T, String> {
    result.map_err(|error| format!("`{method}` fails: {error}"))
}

/// Holds what was found against what is wanted.
fn same<T: PartialEq + Debug>(subject: &str, found: &T, wanted: &T) -> Held {
    if found == wanted {
        return Ok(());
    }
    Err(format!("{subject} is {}, not {}", short(found), short(wanted)))
}

/// Holds a method to an error of one kind.
fn refused<T>(
    subject: &str,
    result: Result<T, StoreError>,
    kind: &str,
    wanted: impl Fn(&StoreError) -> bool,
) -> Held {
    match result {
        Err(error) if wanted(&error) => Ok(()),
        Err(error) => Err(format!("{subject} is refused with \"{error}\", not with `{kind}`")),
        Ok(_) => Err(format!("{subject} succeeds, but must be refused with `{kind}`")),
    }
}

/// The beginning of a value that may be long.
fn short(value: &impl Debug) -> String {
    const MAX_CHARS: usize = 200;
    let text = format!("{value:?}");
    match text.char_indices().nth(MAX_CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}
