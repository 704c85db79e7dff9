//! The state of a run, built again from what was kept of it.

use std::collections::{BTreeMap, BTreeSet};

use crate::machine::{Event, Input, Output, Snapshot, roll_back, step};
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
    /// The run was sent back to a place before what was kept.
    #[error("entry {entry} of the journal goes back to entry {to}, which lies before what was read")]
    Back {
        /// The entry, from 0.
        entry: u64,
        /// How many entries it goes back to.
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
    let wanted: BTreeSet<u64> = kept
        .entries
        .iter()
        .filter_map(|entry| if let Cause::Back { to } = entry.cause { Some(to) } else { None })
        .collect();
    let mut places = BTreeMap::new();
    let mut state = kept.snapshot.clone();
    let mut outputs = Vec::new();
    for (number, entry) in (kept.from..).zip(&kept.entries) {
        if wanted.contains(&number) {
            places.insert(number, state.clone());
        }
        match &entry.cause {
            Cause::Back { to } => {
                let then = places.get(to).ok_or(RebuildError::Back { entry: number, to: *to })?;
                state = roll_back(program, then.clone(), &state);
            }
            Cause::Input(kind) => {
                outputs.clear();
                step(program, &mut state, Input { at: entry.at, kind: kind.clone() }, &mut outputs);
                compare(number, entry, &outputs)?;
            }
        }
    }
    Ok(state)
}

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

/// How many entries stand before the place a run goes back to: the first at which the root graph had made `step`
/// transitions, or the last number before that, on the way the run has come.
pub(super) fn place_of(entries: &[Entry], step: u64) -> Option<u64> {
    let mut way: Vec<(u64, u64)> = Vec::new();
    for (number, entry) in (1..).zip(entries) {
        if let Cause::Back { to } = entry.cause {
            way.retain(|(place, _)| *place <= to);
        }
        way.push((number, entry.step));
    }
    let best = way.iter().map(|(_, own)| *own).filter(|own| *own <= step).max()?;
    way.iter().find(|(_, own)| *own == best).map(|(place, _)| *place)
}
