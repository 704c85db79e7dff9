//! The events of a run on the way it has come, without those that a rollback left.

use super::super::rebuild::path_entries;
use crate::machine::{Event, EventKind};
use crate::port::JournalEntry;

/// The part of an entry that lies on the way.
pub(super) struct PathEvents<'e> {
    pub(super) entry: u64,
    /// The transitions of the root graph before it.
    pub(super) before: u64,
    pub(super) events: &'e [Event],
}

/// The parts of the entries that lie on the way, in order.
pub(super) fn path_events(entries: &[JournalEntry]) -> impl Iterator<Item = PathEvents<'_>> {
    let mut before = 0;
    path_entries(entries).into_iter().map_while(move |on_path| {
        let events = &entries.get(usize::try_from(on_path.entry).ok()?)?.events;
        let end = events_after(events, on_path.last - before, on_path.cut);
        let part = PathEvents { entry: on_path.entry, before, events: &events[..end] };
        before = on_path.last;
        Some(part)
    })
}

/// The events that count, in order.
#[must_use]
pub fn events_on_path(entries: &[JournalEntry]) -> Vec<&Event> {
    path_events(entries).flat_map(|part| part.events).collect()
}

/// The number of an entry's events that lie before the place after so many transitions of the root graph.
pub(super) fn events_after(events: &[Event], transitions: u64, cut: bool) -> usize {
    if !cut {
        return events.len();
    }
    let took = |event: &&Event| event.frame == 0 && matches!(event.kind, EventKind::Took { .. });
    let Some(last) = usize::try_from(transitions).ok().and_then(|n| n.checked_sub(1)) else {
        // After no transition: what began the entry lies before.
        return usize::from(matches!(events.first().map(|e| &e.kind), Some(EventKind::Started { .. })));
    };
    let seq = events.iter().filter(took).nth(last).map(|event| event.seq);
    seq.map_or(events.len(), |seq| events.iter().take_while(|event| event.seq <= seq).count())
}
