//! What goes between client, object and segments, as JSON. Fields are only ever added, with a default: a run that was begun by an
//! earlier worker is continued by a later one.

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use crate::machine::{QuestionId, Snapshot, Start, Time};
use crate::port::{JournalEntry, ProgramText, RunInfo, RunStatus};
use crate::value::{Map, Str, Value};

/// A wish of a person for a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Word {
    /// An answer to a question. One to a question that is no longer open, or that does not fit, is dropped.
    Answer {
        /// The question.
        ask: QuestionId,
        /// The answer.
        value: Value,
    },
    /// The run is to leave its node by `error(cancelled)`; its graph may answer to that.
    Abort {
        /// The reason, as the journal has it.
        reason: Str,
    },
    /// The run is to end for good. Its graph has a minute to answer, as long as that needs no person.
    Cancel {
        /// The reason, as the journal has it.
        reason: Str,
    },
}

/// A word that has arrived at a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PostedWord {
    /// Its number; later words of a run have higher ones.
    pub number: u64,
    /// The time of its arrival.
    pub at: Time,
    /// The word.
    pub word: Word,
}

/// The refusal of an answer that sends a run back.
pub const NO_ROLLBACK: &str = "a run that Restate drives cannot be sent back to an earlier step";

/// A word that a run did not take.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DroppedWord {
    /// Its number.
    pub number: u64,
    /// The reason.
    pub why: String,
}

/// The wish that a run begins, as a client has it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Beginning {
    /// The input fields.
    #[serde(default)]
    pub(super) input: Map,
    /// Seed of the run's random numbers.
    #[serde(default)]
    pub(super) seed: u64,
}

/// The input of a segment.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum SegmentInput {
    /// The first one.
    Begin(Box<FirstInput>),
    /// A further one.
    Continue(Box<Continuation>),
}

/// The input of a run's first segment: everything that it follows from, so that it does not depend on what is changed later.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct FirstInput {
    /// The run.
    pub(super) info: RunInfo,
    /// Its start.
    pub(super) start: Start,
}

/// The state in which a segment leaves its run to the next.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Continuation {
    /// The run.
    pub(super) info: RunInfo,
    /// Its state. No call is in progress: those that it waits for were not begun.
    pub(super) snapshot: Snapshot,
    /// The number of the next entry of its journal.
    pub(super) entries: u64,
    /// The number of the next word that it takes.
    pub(super) word: u64,
    /// The words from that one on that have arrived.
    #[serde(default)]
    pub(super) words: Vec<PostedWord>,
    /// The end of a run that is being cancelled.
    #[serde(default)]
    pub(super) ending: Option<Ending>,
    /// The time from which `[run] timeout` counts; none once it was reached.
    #[serde(default)]
    pub(super) limited_since: Option<Time>,
    /// The counts of the run, and the knowledge of those who look back.
    #[serde(default)]
    pub(super) memory: Option<Json>,
}

/// A run that is to end for good.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Ending {
    /// The reason.
    pub(super) reason: Str,
    /// The time until which its graph may answer.
    pub(super) until: Time,
}

/// A new run, as the object is told of it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Creation {
    /// The run.
    pub(super) info: RunInfo,
    /// The texts of its program.
    pub(super) text: ProgramText,
    /// The name of the workflow of its segments.
    pub(super) segments: String,
    /// A number that nobody else who wants a run has: the same one may ask twice.
    #[serde(default)]
    pub(super) token: u64,
}

/// The reply to a creation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum CreationReply {
    /// The run is there, and begins with the segment of this number.
    Created(u64),
    /// There is another run of that id.
    Exists,
}

/// A piece of a run's journal.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Record {
    /// The number of the segment that sends it.
    pub(super) segment: u64,
    /// The number of its first entry.
    pub(super) from: u64,
    /// The entries.
    pub(super) entries: Vec<JournalEntry>,
    /// The status of the run after them.
    pub(super) status: RunStatus,
    /// The number of the next word that the run takes.
    #[serde(default)]
    pub(super) word: u64,
    /// The words that it did not take.
    #[serde(default)]
    pub(super) dropped: Vec<DroppedWord>,
}

/// The end of a segment that leaves its run to the next.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct HandOver {
    /// The rest of its journal.
    pub(super) record: Record,
    /// The state of the run, without the words that have arrived.
    pub(super) state: Continuation,
}

/// The answer to `answer`.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct AnswerArguments {
    /// The question.
    pub(super) ask: QuestionId,
    /// The answer.
    pub(super) value: Value,
}

/// The arguments of `abort` and `cancel`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct EndArguments {
    /// The reason.
    #[serde(default)]
    pub(super) reason: Str,
}

/// The arguments of `entries`.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub(super) struct AfterArguments {
    /// The number of the first that is wanted.
    #[serde(default)]
    pub(super) after: u64,
}

/// A run at a glance, and a piece of its journal.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct RunReply {
    /// The run.
    pub info: RunInfo,
    /// The number of transitions that its graph has made.
    pub steps: u64,
    /// The number of the segment that drives it.
    pub segment: u64,
    /// The number of entries of its journal.
    pub total: u64,
    /// The entries that were asked for, or as many as fit.
    #[serde(default)]
    pub entries: Vec<JournalEntry>,
    /// The number to ask for next.
    pub next: u64,
    /// The number of the next word that it takes.
    #[serde(default)]
    pub word: u64,
    /// The latest words that it did not take.
    #[serde(default)]
    pub dropped: Vec<DroppedWord>,
    /// The reason for which it cannot be driven any more.
    #[serde(default)]
    pub fault: Option<String>,
}

/// A run in the list of runs.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct ListedInfo {
    pub(super) info: RunInfo,
    pub(super) steps: u64,
    /// The number of the segment that drives it.
    #[serde(default)]
    pub(super) segment: u64,
}

/// The arguments of `list`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct ListArguments {
    /// The id after which the page begins; none for the first page.
    #[serde(default)]
    pub(super) after: Option<String>,
}

/// A page of the list of runs, by their ids.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct ListReply {
    pub(super) runs: Vec<ListedInfo>,
    /// The id to ask for next; none at the end.
    #[serde(default)]
    pub(super) next: Option<String>,
}
