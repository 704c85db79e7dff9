//! An edited graph, run with what came in when a run was made.

use super::{LaneDivergence, Lanes};
use crate::machine::{
    CallId, Input, InputKind, Output, QuestionId, Snapshot, Time, roll_back, step, step_to,
};
use crate::port::{EntryCause, JournalEntry};
use crate::program::Program;
use crate::scenario::{PathMark, PathReader};
use crate::value::Str;

/// So often at most time passes by itself between two entries.
const MAX_TIMERS: usize = 100_000;

/// A stretch of the way: the state of the run, what came in, and the last step on the way that followed.
struct RecordedInput {
    before: Snapshot,
    input: Input,
    last: u64,
}

/// The edited graph as it runs.
pub(super) struct Edited<'p> {
    program: &'p Program,
    snapshot: Snapshot,
    path: PathReader<'p>,
    history: Vec<RecordedInput>,
    /// Answers that came before they were asked for, by the rest of the id of what asks.
    early: Vec<(Str, InputKind)>,
    steps: u64,
    calls: u64,
    divergence: Option<LaneDivergence>,
}

impl<'p> Edited<'p> {
    pub(super) fn new(program: &'p Program) -> Self {
        Self {
            program,
            snapshot: Snapshot::new(),
            path: PathReader::new(program),
            history: Vec::new(),
            early: Vec::new(),
            steps: 0,
            calls: 0,
            divergence: None,
        }
    }

    pub(super) const fn steps(&self) -> u64 {
        self.steps
    }

    pub(super) const fn calls(&self) -> u64 {
        self.calls
    }

    pub(super) const fn divergence(&self) -> Option<&LaneDivergence> {
        self.divergence.as_ref()
    }

    pub(super) fn into_snapshot(self) -> Snapshot {
        self.snapshot
    }

    /// Takes what an entry of the run's journal began with. `timer` is when the run itself wanted to be woken before it.
    pub(super) fn take(&mut self, entry: &JournalEntry, timer: Option<Time>, stored: &mut Lanes) {
        self.wake(entry.at, timer, stored);
        if self.divergence.is_some() {
            return;
        }
        match &entry.cause {
            EntryCause::Back { step, .. } => self.go_back(*step, entry.at),
            // What is undone happens outside. The edited graph goes by itself all the way.
            EntryCause::Undo { .. }
            | EntryCause::Undone { .. }
            | EntryCause::Moved { .. }
            | EntryCause::Interrupted { .. }
            | EntryCause::Resumed
            | EntryCause::Forked { .. } => {}
            EntryCause::Input(kind) => match self.own(kind) {
                Some(kind) => self.feed(entry.at, kind, stored),
                None => self.early.extend(rest_of(kind).map(|rest| (rest, kind.clone()))),
            },
        }
    }

    /// Lets time pass to what the edited graph waits for and the run did not.
    fn wake(&mut self, until: Time, timer: Option<Time>, stored: &mut Lanes) {
        for _ in 0..MAX_TIMERS {
            match self.snapshot.timer {
                Some(own) if own <= until && timer != Some(own) && self.divergence.is_none() => {
                    self.feed(own.max(self.snapshot.at), InputKind::Time, stored);
                }
                _ => return,
            }
        }
    }

    /// After the last entry: lets time pass as long as the run did more.
    pub(super) fn settle(&mut self, stored: &mut Lanes) {
        for _ in 0..MAX_TIMERS {
            match self.snapshot.timer {
                Some(own) if self.divergence.is_none() && stored.has_more() => {
                    self.feed(own.max(self.snapshot.at), InputKind::Time, stored);
                }
                _ => return,
            }
        }
    }

    /// An input with the id that its call or question has here. Nothing if nobody here asked for it.
    fn own(&self, kind: &InputKind) -> Option<InputKind> {
        let Some(rest) = rest_of(kind) else { return Some(kind.clone()) };
        match kind {
            InputKind::Resolved { outcome, .. } => {
                let open = self.snapshot.calls().map(|call| &call.id);
                let late = self.snapshot.abandoned.iter().map(|(id, _)| id);
                let call = open.chain(late).find(|id| rest_of_id(&id.0) == rest)?.clone();
                Some(InputKind::Resolved { call, outcome: outcome.clone() })
            }
            InputKind::Answered { answer, .. } => {
                let ask = self.snapshot.asks().map(|ask| &ask.id).find(|id| rest_of_id(&id.0) == rest)?;
                Some(InputKind::Answered { ask: ask.clone(), answer: answer.clone() })
            }
            _ => Some(kind.clone()),
        }
    }

    /// Takes an input, then what came too early and is asked for now.
    fn feed(&mut self, at: Time, kind: InputKind, stored: &mut Lanes) {
        self.step(Input { at, kind }, stored);
        while self.divergence.is_none() {
            let found = self.early.iter().position(|(_, kind)| self.own(kind).is_some());
            let Some(found) = found else { return };
            let (_, kind) = self.early.remove(found);
            let Some(kind) = self.own(&kind) else { return };
            self.step(Input { at: self.snapshot.at, kind }, stored);
        }
    }

    fn step(&mut self, input: Input, stored: &mut Lanes) {
        let before = self.snapshot.clone();
        let mut out = Vec::new();
        step(self.program, &mut self.snapshot, input.clone(), &mut out);
        self.history.push(RecordedInput { before, input, last: self.snapshot.step() });
        for output in out {
            let Output::Record(event) = output else { continue };
            let Some(sign) = self.path.next(&event) else { continue };
            if let Err(other) = stored.meet(&sign) {
                let node = other.as_ref().map_or(sign.node, |other| other.node.clone());
                let (stored, edited) = (other.map(|other| other.mark), Some(sign.mark));
                self.divergence =
                    Some(LaneDivergence { step: self.steps, lane: sign.lane, node, stored, edited });
                return;
            }
            match sign.mark {
                PathMark::Took { .. } if sign.lane.is_empty() => self.steps += 1,
                PathMark::Called(_) => self.calls += 1,
                _ => {}
            }
        }
    }

    /// Goes back to where the edited graph was at that step.
    fn go_back(&mut self, step: u64, at: Time) {
        let Some(found) = self.history.iter().position(|played| played.last >= step) else { return };
        self.history.truncate(found + 1);
        let Some(played) = self.history.last_mut() else { return };
        played.last = step;
        let mut then = played.before.clone();
        step_to(self.program, &mut then, played.input.clone(), &mut Vec::new(), None, step);
        self.snapshot = roll_back(self.program, then, &self.snapshot, at);
        self.path = PathReader::new(self.program);
        self.early.clear();
        self.steps = step;
    }
}

/// The id of a call or question without the run and its branch: lane, node, visit, attempt.
fn rest_of(kind: &InputKind) -> Option<Str> {
    match kind {
        InputKind::Resolved { call: CallId(id), .. } | InputKind::Answered { ask: QuestionId(id), .. } => {
            Some(rest_of_id(id))
        }
        _ => None,
    }
}

fn rest_of_id(id: &str) -> Str {
    id.split_once(':').map_or(id, |(_, rest)| rest).into()
}
