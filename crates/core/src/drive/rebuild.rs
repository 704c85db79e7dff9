//! The state of a run, built again from what was stored of it.

use std::collections::{BTreeMap, BTreeSet};

use super::programs::Programs;
use crate::machine::{
    Event, Input, InputKind, Output, Snapshot, Time, TransferError, roll_back, step, step_to, transfer,
};
use crate::port::{EntryCause, JournalEntry, RunInfo, StoredRun};
use crate::program::Program;
use crate::value::{List, Str};

/// An error that keeps the state of a stored run from being rebuilt.
#[derive(Debug, Clone, thiserror::Error)]
pub enum RebuildError {
    /// The machine does something else than it did then.
    #[error(
        "entry {entry} of the journal took another path: {}; if another version of loopwright stored it, continue with that version",
        event_difference(.then.as_deref(), .now.as_deref())
    )]
    Differs {
        /// The entry, from 0.
        entry: u64,
        /// The first event that differs, as it was stored; [`None`] if there is one more now.
        then: Option<Box<Event>>,
        /// The first event that differs, as it is now; [`None`] if there is one less now.
        now: Option<Box<Event>>,
    },
    /// The run was sent back to a step that is not there.
    #[error("entry {entry} of the journal goes back to a step in entry {to}, which cannot be read")]
    Back {
        /// The entry, from 0.
        entry: u64,
        /// The entry with the step, from 0.
        to: u64,
    },
    /// A program that the run went by is not there.
    #[error("the run used the program {0}, which is not there")]
    Program(Str),
    /// The run does not fit the program that it continued by.
    #[error("entry {entry} of the journal continues with another program, which the run does not fit: {}", reasons(.unfit))]
    Unfit {
        /// The entry, from 0.
        entry: u64,
        /// Everything that does not fit.
        unfit: Vec<TransferError>,
    },
}

/// Everything that does not fit, in one line.
pub(super) fn reasons(unfit: &[TransferError]) -> String {
    unfit.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}

fn event_difference(then: Option<&Event>, now: Option<&Event>) -> String {
    let place = then.or(now).map_or(0, |event| event.seq);
    match (then, now) {
        (Some(_), Some(_)) => format!("event {place} is another"),
        (Some(_), None) => format!("event {place} does not happen"),
        _ => format!("event {place} is one too many"),
    }
}

/// Builds the state after the last entry that was stored, and compares on the way what happens with what happened.
///
/// Nothing outside is touched: calls, questions and waits that come up are those whose ends are in the journal, or
/// are still in progress in the state that comes out. A run that continued with an edited graph needs all the programs
/// it went by.
///
/// # Errors
/// [`RebuildError`] at the first difference.
pub fn rebuild<'p>(programs: impl Into<Programs<'p>>, stored: &StoredRun) -> Result<Snapshot, RebuildError> {
    follow(&programs.into(), stored, &mut |_, _| {})
}

/// [`rebuild`], which shows every entry with the state before it.
pub(super) fn follow(
    programs: &Programs<'_>,
    stored: &StoredRun,
    see: &mut dyn FnMut(&Snapshot, &JournalEntry),
) -> Result<Snapshot, RebuildError> {
    let wanted: BTreeSet<u64> = stored
        .entries
        .iter()
        .filter_map(|entry| if let EntryCause::Back { to, .. } = entry.cause { Some(to) } else { None })
        .collect();
    let mut places = BTreeMap::new();
    let mut state = stored.snapshot.clone();
    let mut program = in_force(programs, &stored.info, &state)?;
    for (number, entry) in (stored.from..).zip(&stored.entries) {
        if wanted.contains(&number) {
            places.insert(number, (state.clone(), program, entry));
        }
        see(&state, entry);
        match &entry.cause {
            EntryCause::Back { to, step } => {
                let back = RebuildError::Back { entry: number, to: *to };
                let Some((before, by, taken)) = places.get(to) else { return Err(back) };
                let then = stand(by, before.clone(), taken, *step).ok_or(back)?;
                let then = carried((by, program), then, entry.at, &state.tools)
                    .map_err(|unfit| RebuildError::Unfit { entry: number, unfit })?;
                state = roll_back(program, then, &state, entry.at);
            }
            EntryCause::Moved { program: digest, tools } => {
                let next = programs.get(digest).ok_or_else(|| RebuildError::Program(digest.clone()))?;
                let moved = transfer(program, next, &state, entry.at, tools)
                    .map_err(|unfit| RebuildError::Unfit { entry: number, unfit })?;
                compare(number, entry, moved.events.iter())?;
                (state, program) = (moved.snapshot, next);
            }
            // What is undone happens outside.
            EntryCause::Undo { .. }
            | EntryCause::Undone { .. }
            | EntryCause::Interrupted { .. }
            | EntryCause::Resumed
            | EntryCause::Forked { .. } => {}
            EntryCause::Input(kind) => take(program, &mut state, number, entry, kind)?,
        }
    }
    Ok(state)
}

fn take(
    program: &Program,
    state: &mut Snapshot,
    number: u64,
    entry: &JournalEntry,
    kind: &InputKind,
) -> Result<(), RebuildError> {
    let mut outputs = Vec::new();
    step(program, state, Input { at: entry.at, kind: kind.clone() }, &mut outputs);
    let events = outputs.iter().filter_map(|output| match output {
        Output::Record(event) => Some(event),
        _ => None,
    });
    compare(number, entry, events)
}

/// The program a run goes by in a state; before its first input that which it is to begin with.
pub(super) fn in_force<'p>(
    programs: &Programs<'p>,
    info: &RunInfo,
    state: &Snapshot,
) -> Result<&'p Program, RebuildError> {
    let digest = if state.program.is_empty() { &info.program } else { &state.program };
    programs.get(digest).ok_or_else(|| RebuildError::Program(digest.clone()))
}

/// The digest of the program a run goes by after everything that was stored.
pub(super) fn latest(stored: &StoredRun) -> &Str {
    let moved = stored.entries.iter().rev().find_map(|entry| match &entry.cause {
        EntryCause::Moved { program, .. } => Some(program),
        _ => None,
    });
    let first =
        if stored.snapshot.program.is_empty() { &stored.info.program } else { &stored.snapshot.program };
    moved.unwrap_or(first)
}

/// An earlier state as it is in the program that the run goes by now.
pub(super) fn carried(
    (was, is): (&Program, &Program),
    then: Snapshot,
    at: Time,
    tools: &List,
) -> Result<Snapshot, Vec<TransferError>> {
    if was.digest == is.digest {
        return Ok(then);
    }
    transfer(was, is, &then, at, tools).map(|moved| moved.snapshot)
}

/// The state at a step that was made in an entry, from the state before that entry.
pub(super) fn stand(
    program: &Program,
    mut before: Snapshot,
    taken: &JournalEntry,
    step: u64,
) -> Option<Snapshot> {
    let EntryCause::Input(kind) = &taken.cause else { return None };
    let input = Input { at: taken.at, kind: kind.clone() };
    step_to(program, &mut before, input, &mut Vec::new(), None, step).then_some(before)
}

/// Holds what an entry leads to now against what it led to then.
fn compare<'e>(
    number: u64,
    entry: &JournalEntry,
    mut now: impl Iterator<Item = &'e Event>,
) -> Result<(), RebuildError> {
    let mut then = entry.events.iter();
    loop {
        let (then, now) = (then.next(), now.next());
        if then == now {
            if then.is_none() {
                return Ok(());
            }
            continue;
        }
        let own = |event: Option<&Event>| event.cloned().map(Box::new);
        return Err(RebuildError::Differs { entry: number, then: own(then), now: own(now) });
    }
}

/// A stretch of the way a run has come: an entry, and the last step on the way that was made in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RebuiltEntry {
    pub(super) entry: u64,
    pub(super) last: u64,
    /// True if the events of the entry after that step were undone.
    pub(super) cut: bool,
}

/// The way a run has come, without what was left.
pub(super) fn path_entries(entries: &[JournalEntry]) -> Vec<RebuiltEntry> {
    let mut path_entries: Vec<RebuiltEntry> = Vec::new();
    for (number, entry) in (0..).zip(entries) {
        match entry.cause {
            EntryCause::Back { to, step } => {
                path_entries.retain(|entry_on_path| entry_on_path.entry <= to);
                if let Some(entry_on_path) = path_entries.last_mut() {
                    entry_on_path.last = entry_on_path.last.min(step);
                    entry_on_path.cut = true;
                }
            }
            EntryCause::Input(_) => {
                path_entries.push(RebuiltEntry { entry: number, last: entry.step, cut: false });
            }
            EntryCause::Moved { .. }
            | EntryCause::Undo { .. }
            | EntryCause::Undone { .. }
            | EntryCause::Interrupted { .. }
            | EntryCause::Resumed
            | EntryCause::Forked { .. } => {}
        }
    }
    path_entries
}

/// The entry in which the root graph made a step, on the way the run has come; the first one for step 0. Nothing if the
/// run has not come so far.
pub(super) fn entry_of(entries: &[JournalEntry], step: u64) -> Option<u64> {
    path_entries(entries)
        .iter()
        .find(|entry_on_path| entry_on_path.last >= step)
        .map(|entry_on_path| entry_on_path.entry)
}
