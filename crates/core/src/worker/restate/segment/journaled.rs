//! The results that Restate journals for a segment.

use serde::{Deserialize, Serialize};

use crate::machine::{CallId, Outcome, Output, QuestionId, Time};
use crate::port::JournalEntry;
use crate::value::Value;

/// The part of the operator's configuration that a segment goes by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Settings {
    /// The number of steps of the journal after which it ends.
    pub(super) effects: u32,
    /// The time that a run may take, in nanoseconds.
    #[serde(default)]
    pub(super) timeout: Option<Time>,
    /// True if the next segment is told what was counted of the run.
    #[serde(default)]
    pub(super) remembers: bool,
    /// True if the events of earlier segments are shown to those who look back.
    #[serde(default)]
    pub(super) looks_back: bool,
}

/// An answer of a person, as a worker takes it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct TakenAnswer {
    /// The answer without keys.
    pub(super) answer: Value,
    /// The reason for which it is not taken, if it is not.
    #[serde(default)]
    pub(super) misfit: Option<String>,
}

/// The end of a step in which something was in progress.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Journaled {
    /// The time.
    pub(super) at: Time,
    /// Where the run stood before.
    pub(super) after: Stand,
    /// The first thing that happened.
    pub(super) what: Happened,
}

/// The first thing that happened while something was in progress.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Happened {
    /// A call came back.
    Outcome {
        /// The call.
        call: CallId,
        /// With what.
        outcome: Outcome,
    },
    /// Whoever is here answered a question.
    Answer {
        /// The question.
        ask: QuestionId,
        /// With what.
        answer: Value,
    },
    /// Nobody is here to answer a question.
    Unattended {
        /// The question.
        ask: QuestionId,
    },
    /// A call may not have begun, and is made again.
    Again {
        /// The call.
        call: CallId,
    },
    /// The timer ran out.
    Time,
    /// It is time to look for words.
    Look,
}

/// Where a run stands: what the machine made of everything that came in. A replay must lead to the same.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Stand {
    /// The number of the next event.
    pub(super) seq: u64,
    /// What the last step wanted done, in words.
    pub(super) wants: String,
    /// The digest of all events of the segment.
    pub(super) digest: String,
}

impl Stand {
    /// Holds the stand of a journal against that of its replay.
    ///
    /// # Errors
    /// They differ; the message names both.
    pub(super) fn check(&self, now: &Self) -> Result<(), String> {
        if self == now {
            return Ok(());
        }
        Err(format!(
            "the journal does not lead to what it led to before: then event {} came next, and the run wanted {}; now event {} comes \
             next, and it wants {} (the digests of the events are {} and {}); this worker has another meaning of the graph than \
             the one that began the segment: let that one finish it",
            self.seq, self.wants, now.seq, now.wants, self.digest, now.digest
        ))
    }
}

/// The digest of the events of a segment as it grows.
#[derive(Debug, Default)]
pub(super) struct Trail {
    hasher: blake3::Hasher,
    bytes: usize,
    wants: Vec<String>,
}

impl Trail {
    /// Adds an entry of the journal.
    pub(super) fn add(&mut self, entry: &JournalEntry) {
        self.wants.clear();
        // An event that is no JSON cannot be stored either, and is said then.
        let text = serde_json::to_vec(&entry.events).unwrap_or_default();
        self.hasher.update(&text);
        self.bytes += text.len();
    }

    /// The size of all events, in bytes.
    pub(super) const fn bytes(&self) -> usize {
        self.bytes
    }

    /// Notes what a step wants done.
    pub(super) fn want(&mut self, output: &Output) {
        self.wants.push(match output {
            Output::Call(call) => format!("the call {}", call.id.0),
            Output::Cancel(call) => format!("no call {}", call.0),
            Output::Ask(ask) => format!("the answer to {}", ask.id.0),
            Output::Withdraw(ask) => format!("no answer to {}", ask.0),
            Output::Wait(until) => format!("to wait until {until}"),
            Output::Rollback { step } => format!("to go back to step {step}"),
            Output::Done(_) => "to end".to_owned(),
            Output::Record(_) => return,
        });
    }

    /// Where the run stands.
    pub(super) fn stand(&self, seq: u64) -> Stand {
        let wants = if self.wants.is_empty() { "nothing more".to_owned() } else { self.wants.join(", ") };
        let digest = self.hasher.finalize().to_hex();
        Stand { seq, wants, digest: digest[..16].to_owned() }
    }
}

#[cfg(test)]
mod tests {
    use super::Stand;

    #[test]
    fn a_journal_that_leads_elsewhere_is_told_with_both_ways() {
        let stand = |wants: &str| Stand { seq: 7, wants: wants.to_owned(), digest: "00ff".to_owned() };
        assert_eq!(stand("the call a:x#1.1").check(&stand("the call a:x#1.1")), Ok(()));
        let why = stand("the call a:x#1.1").check(&stand("to end")).expect_err("they differ");
        assert!(why.contains("wanted the call a:x#1.1; now") && why.contains("it wants to end"), "{why}");
    }
}
