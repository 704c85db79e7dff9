//! The state of a run, built again from what was kept of it.

use std::collections::{BTreeMap, BTreeSet};

use crate::machine::{Event, Input, Output, Snapshot, roll_back, step, step_to};
use crate::port::{Cause, Entry, Kept};
use crate::program::Program;

/// Why what was kept of a run cannot be built again.
#[derive(Debug, Clone, thiserror::Error)]
pub enum RebuildError {
    /// The machine does something else than it did then.
    #[error("entry {entry} of the journal went another way: {}", told(.then.as_deref(), .now.as_deref()))]
    Differs {
        /// The entry, from 0.
        entry: u64,
        /// The first event that differs, as it was kept; [`None`] if there is one more now.
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
}

fn told(then: Option<&Event>, now: Option<&Event>) -> String {
    let place = then.or(now).map_or(0, |event| event.seq);
    match (then, now) {
        (Some(_), Some(_)) => format!("event {place} is another"),
        (Some(_), None) => format!("event {place} does not happen"),
        _ => format!("event {place} is one too many"),
    }
}

/// Builds the state behind the last entry that was kept, and compares on the way what happens with what happened.
///
/// Nothing outside is touched: calls, questions and waits that come up are those whose ends are in the journal, or
/// are still under way in the state that comes out.
///
/// # Errors
/// [`RebuildError`] at the first difference.
pub fn rebuild(program: &Program, kept: &Kept) -> Result<Snapshot, RebuildError> {
    follow(program, kept, &mut |_, _| {})
}

/// [`rebuild`], which shows every entry with the state before it.
pub(super) fn follow(
    program: &Program,
    kept: &Kept,
    see: &mut dyn FnMut(&Snapshot, &Entry),
) -> Result<Snapshot, RebuildError> {
    let wanted: BTreeSet<u64> = kept
        .entries
        .iter()
        .filter_map(|entry| if let Cause::Back { to, .. } = entry.cause { Some(to) } else { None })
        .collect();
    let mut places = BTreeMap::new();
    let mut state = kept.snapshot.clone();
    let mut outputs = Vec::new();
    for (number, entry) in (kept.from..).zip(&kept.entries) {
        if wanted.contains(&number) {
            places.insert(number, (state.clone(), entry));
        }
        see(&state, entry);
        match &entry.cause {
            Cause::Back { to, step } => {
                let back = RebuildError::Back { entry: number, to: *to };
                let Some((before, taken)) = places.get(to) else { return Err(back) };
                let then = stand(program, before.clone(), taken, *step).ok_or(back)?;
                state = roll_back(program, then, &state, entry.at);
            }
            Cause::Input(kind) => {
                outputs.clear();
                step(program, &mut state, Input { at: entry.at, kind: kind.clone() }, &mut outputs);
                compare(number, entry, &outputs)?;
            }
            // What is undone happens outside.
            Cause::Undo { .. } | Cause::Undone { .. } => {}
        }
    }
    Ok(state)
}

/// The state at a step that was made in an entry, from the state before that entry.
pub(super) fn stand(program: &Program, mut before: Snapshot, taken: &Entry, step: u64) -> Option<Snapshot> {
    let Cause::Input(kind) = &taken.cause else { return None };
    let input = Input { at: taken.at, kind: kind.clone() };
    step_to(program, &mut before, input, &mut Vec::new(), None, step).then_some(before)
}

/// Holds what an entry leads to now against what it led to then.
fn compare(number: u64, entry: &Entry, outputs: &[Output]) -> Result<(), RebuildError> {
    let mut now = outputs.iter().filter_map(|output| match output {
        Output::Record(event) => Some(event),
        _ => None,
    });
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
pub(super) struct Stretch {
    pub(super) entry: u64,
    pub(super) last: u64,
    /// What the entry led to behind that step was left.
    pub(super) cut: bool,
}

/// The way a run has come, without what was left.
pub(super) fn way(entries: &[Entry]) -> Vec<Stretch> {
    let mut way: Vec<Stretch> = Vec::new();
    for (number, entry) in (0..).zip(entries) {
        match entry.cause {
            Cause::Back { to, step } => {
                way.retain(|stretch| stretch.entry <= to);
                if let Some(stretch) = way.last_mut() {
                    stretch.last = stretch.last.min(step);
                    stretch.cut = true;
                }
            }
            Cause::Input(_) => way.push(Stretch { entry: number, last: entry.step, cut: false }),
            Cause::Undo { .. } | Cause::Undone { .. } => {}
        }
    }
    way
}

/// The entry in which the root graph made a step, on the way the run has come; the first one for step 0. Nothing if the
/// run has not come so far.
pub(super) fn entry_of(entries: &[Entry], step: u64) -> Option<u64> {
    way(entries).iter().find(|stretch| stretch.last >= step).map(|stretch| stretch.entry)
}
