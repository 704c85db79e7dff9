//! Entries as rows: what changed, as JSON.

use serde::{Deserialize, Serialize};

use super::json::json;
use super::row::EntryRow;
use crate::machine::{Event, EventKind, InputKind, JOURNAL_VERSION};
use crate::port::{EntryCause, JournalEntry, StoreError};
use crate::value::Str;

/// The body of a row: an input, unless an event tells it, or another cause. Numbers and times of events follow from the
/// row's own.
#[derive(Serialize)]
struct EncodedBody<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    input: Option<&'a InputKind>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cause: Option<&'a EntryCause>,
    events: Vec<(u32, &'a EventKind)>,
    #[serde(skip_serializing_if = "Option::is_none")]
    by: Option<&'a Str>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct DecodedBody {
    input: Option<InputKind>,
    cause: Option<EntryCause>,
    events: Vec<RawEvent>,
    by: Option<Str>,
}

/// An event whose number and time are not known yet. It is read where it stays: an entry may have many.
#[derive(Deserialize)]
#[serde(from = "(u32, EventKind)")]
struct RawEvent(Event);

impl From<(u32, EventKind)> for RawEvent {
    fn from((frame, kind): (u32, EventKind)) -> Self {
        Self(Event { seq: 0, at: 0, frame, kind })
    }
}

/// The name of a row's cause.
fn name(cause: &EntryCause) -> &'static str {
    match cause {
        EntryCause::Back { .. } => "back",
        EntryCause::Moved { .. } => "moved",
        EntryCause::Undo { .. } => "undo",
        EntryCause::Undone { .. } => "undone",
        EntryCause::Interrupted { .. } => "interrupted",
        EntryCause::Resumed => "resumed",
        EntryCause::Forked { .. } => "forked",
        EntryCause::Input(InputKind::Started(_)) => "started",
        EntryCause::Input(InputKind::Resolved { .. }) => "resolved",
        EntryCause::Input(InputKind::Answered { .. }) => "answered",
        EntryCause::Input(InputKind::Time) => "time",
        EntryCause::Input(InputKind::Cancel { .. }) => "cancel",
        EntryCause::Input(InputKind::End { .. }) => "end",
    }
}

/// Returns true if an event tells what the input was.
fn tells(event: &EventKind, input: &InputKind) -> bool {
    match (event, input) {
        (EventKind::Started { start, .. }, InputKind::Started(own)) => start == own,
        (
            EventKind::Resolved { call, outcome } | EventKind::Late { call, outcome },
            InputKind::Resolved { call: own, outcome: given_outcome },
        ) => call == own && **outcome == *given_outcome,
        (EventKind::Answered { ask, answer }, InputKind::Answered { ask: own, answer: given }) => {
            ask == own && **answer == *given
        }
        _ => false,
    }
}

/// Returns true if an event tells an input, whichever that is.
fn tells_one(event: &EventKind) -> bool {
    matches!(
        event,
        EventKind::Started { .. }
            | EventKind::Resolved { .. }
            | EventKind::Late { .. }
            | EventKind::Answered { .. }
    )
}

/// The input that an event tells.
fn reported_input(event: &EventKind) -> Option<InputKind> {
    match event {
        EventKind::Started { start, .. } => Some(InputKind::Started(start.clone())),
        EventKind::Resolved { call, outcome } | EventKind::Late { call, outcome } => {
            Some(InputKind::Resolved { call: call.clone(), outcome: (**outcome).clone() })
        }
        EventKind::Answered { ask, answer } => {
            Some(InputKind::Answered { ask: ask.clone(), answer: (**answer).clone() })
        }
        _ => None,
    }
}

/// An entry as a row; `seq` is the number of the event that comes next.
pub(super) fn pack(entry: &JournalEntry, seq: u64) -> Result<EntryRow<'static>, StoreError> {
    for (wanted, event) in (seq..).zip(&entry.events) {
        if event.seq != wanted {
            return Err(StoreError::Gap { wanted, found: event.seq });
        }
        if event.at != entry.at {
            let why = format!("event {} has another time than the entry it is part of", event.seq);
            return Err(StoreError::Failed(why));
        }
    }
    let (input, cause) = match &entry.cause {
        EntryCause::Input(InputKind::Time) => (None, None),
        EntryCause::Input(input) => {
            let first = entry.events.iter().map(|event| &event.kind).find(|kind| tells_one(kind));
            let known = first.is_some_and(|event| tells(event, input));
            ((!known).then_some(input), None)
        }
        other => (None, Some(other)),
    };
    let events = entry.events.iter().map(|event| (event.frame, &event.kind)).collect::<Vec<_>>();
    let many = u32::try_from(events.len()).map_err(|_| failed("an entry has too many events"))?;
    let body = json(&EncodedBody { input, cause, events, by: entry.by.as_ref() })
        .map_err(|error| failed(&error.to_string()))?;
    Ok(EntryRow {
        version: JOURNAL_VERSION,
        cause: name(&entry.cause).to_owned(),
        at: entry.at,
        step: entry.step,
        seq,
        events: many,
        body: body.into(),
    })
}

fn failed(why: &str) -> StoreError {
    StoreError::Failed(format!("an entry cannot be written: {why}"))
}

/// The entry of a row whose sums are right.
pub(super) fn unpack(row: &EntryRow<'_>) -> Result<JournalEntry, String> {
    if row.version != JOURNAL_VERSION {
        let known = format!("this version reads {JOURNAL_VERSION}");
        return Err(format!("it is written in version {} of the journal; {known}", row.version));
    }
    let DecodedBody { input, cause, mut events, by } =
        serde_json::from_slice(&row.body).map_err(|error| format!("it cannot be read: {error}"))?;
    if events.len() != row.events as usize {
        return Err(format!("it has {} events where {} were written", events.len(), row.events));
    }
    let cause = match (row.cause.as_str(), cause, input) {
        (_, Some(cause), None) if !matches!(cause, EntryCause::Input(_)) => cause,
        ("time", None, None) => EntryCause::Input(InputKind::Time),
        (_, None, Some(input)) => EntryCause::Input(input),
        (_, None, None) => {
            let input = events.iter().find_map(|RawEvent(event)| reported_input(&event.kind));
            EntryCause::Input(input.ok_or("no event tells what came in")?)
        }
        _ => return Err("what came in cannot be told".to_owned()),
    };
    if name(&cause) != row.cause {
        return Err(format!("it says `{}` and holds `{}`", row.cause, name(&cause)));
    }
    for (seq, RawEvent(event)) in (row.seq..).zip(&mut events) {
        (event.seq, event.at) = (seq, row.at);
    }
    let events = events.into_iter().map(|RawEvent(event)| event).collect();
    Ok(JournalEntry { at: row.at, cause, step: row.step, events, by })
}

/// The program that the body of a `moved` row names, if it can be read.
pub(super) fn program(body: &[u8]) -> Option<String> {
    match serde_json::from_slice::<DecodedBody>(body).ok()?.cause? {
        EntryCause::Moved { program, .. } => Some(program.to_string()),
        _ => None,
    }
}
