//! Would an edited graph have gone the same way? It is run with what came in when the run was made: the same input, the
//! same answers at the same times. Nothing outside is in reach.
//!
//! A call or question of the edited graph is the one of the run that has its node, lane, visit and attempt. The way is
//! compared lane by lane: nodes entered, edges taken, calls with their requests, questions, errors, ends. What else
//! differs (fields, budgets that are not used up, texts of questions, times) is no other way.

mod edited;

use rustc_hash::FxHashMap;

use self::edited::Edited;
use super::rebuild::{RebuildError, follow};
use crate::machine::{InputKind, Request, Snapshot};
use crate::port::{EntryCause, JournalEntry, StoredRun};
use crate::program::Program;
use crate::scenario::{PathMark, PathReader, PathSign};
use crate::value::{Str, Value};

/// The result of a run's inputs given to an edited graph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// The first place where it goes another way.
    pub divergence: Option<LaneDivergence>,
    /// The number of transitions of the root graph were the same.
    pub steps: u64,
    /// The number of calls were the same.
    pub calls: u64,
    /// The state of the run.
    pub stored: Snapshot,
    /// The state of the edited graph: after the whole journal, or after the input that it goes another way with.
    pub edited: Snapshot,
}

/// The first place where an edited graph goes another way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LaneDivergence {
    /// The number of transitions the root graph has made.
    pub step: u64,
    /// The path of the lane; empty for the root graph.
    pub lane: Str,
    /// The node the run was at.
    pub node: Str,
    /// The run's step; nothing if it did no more in this lane.
    pub stored: Option<PathMark>,
    /// The edited graph's step; nothing if it does no more in this lane.
    pub edited: Option<PathMark>,
}

/// An error that keeps a run from being compared with a graph.
#[derive(Debug, Clone, thiserror::Error)]
pub enum AgainstError {
    /// The run itself cannot be made again.
    #[error(transparent)]
    Rebuild(#[from] RebuildError),
    /// The run did not begin at the start of a graph.
    #[error("the run did not begin at the start of its graph, so another graph cannot start there")]
    Beginning,
    /// The run continued with an edited graph.
    #[error("the run continued with an edited graph; only a run of one graph can be compared with another")]
    Moved,
}

/// Compares a run with an edited graph. `stored` must begin with the run's first entry.
///
/// # Errors
/// [`AgainstError`].
pub fn against(program: &Program, stored: &StoredRun, edited: &Program) -> Result<Verdict, AgainstError> {
    let first = stored.entries.first().map(|entry| &entry.cause);
    if !matches!(first, Some(EntryCause::Input(InputKind::Started(_)))) {
        return Err(AgainstError::Beginning);
    }
    if stored.entries.iter().any(|entry| matches!(entry.cause, EntryCause::Moved { .. })) {
        return Err(AgainstError::Moved);
    }
    let mut lanes = Lanes::of(program, &stored.entries);
    let mut run = Edited::new(edited);
    let snapshot = follow(&program.into(), stored, &mut |before, entry| {
        run.take(entry, before.timer, &mut lanes);
    })?;
    run.settle(&mut lanes);
    let left = |run: &Edited<'_>| lanes.left(run.steps());
    let divergence = run.divergence().cloned().or_else(|| left(&run));
    let (steps, calls) = (run.steps(), run.calls());
    Ok(Verdict { divergence, steps, calls, stored: snapshot, edited: run.into_snapshot() })
}

/// The path of a run, lane by lane, and how far it was gone again.
struct Lanes(FxHashMap<Str, LanePath>);

#[derive(Default)]
struct LanePath {
    /// Every sign with the number of its event.
    signs: Vec<(u64, PathSign)>,
    /// The number of were met.
    met: usize,
}

impl Lanes {
    fn of(program: &Program, entries: &[JournalEntry]) -> Self {
        let mut lanes: FxHashMap<Str, LanePath> = FxHashMap::default();
        let mut path = PathReader::new(program);
        for entry in entries {
            if matches!(entry.cause, EntryCause::Back { .. }) {
                path = PathReader::new(program);
            }
            for event in &entry.events {
                if let Some(sign) = path.next(event) {
                    lanes.entry(sign.lane.clone()).or_default().signs.push((event.seq, sign));
                }
            }
        }
        Self(lanes)
    }

    /// The edited graph did something: continues if the run did the same, or says what the run did.
    fn meet(&mut self, sign: &PathSign) -> Result<(), Option<PathSign>> {
        let lane = self.0.entry(sign.lane.clone()).or_default();
        match lane.signs.get(lane.met) {
            Some((_, own)) if is_same(own, sign) => {
                lane.met += 1;
                Ok(())
            }
            other => Err(other.map(|(_, own)| own.clone())),
        }
    }

    /// Returns true if the run did more than the edited graph so far.
    fn has_more(&self) -> bool {
        self.0.values().any(|lane| lane.met < lane.signs.len())
    }

    /// The first thing the run did and the edited graph did not.
    fn left(&self, step: u64) -> Option<LaneDivergence> {
        let next = self.0.values().filter_map(|lane| lane.signs.get(lane.met));
        let (_, sign) = next.min_by_key(|(seq, _)| *seq)?;
        let (lane, node) = (sign.lane.clone(), sign.node.clone());
        Some(LaneDivergence { step, lane, node, stored: Some(sign.mark.clone()), edited: None })
    }
}

/// Returns true if two things are the same on the way; calls also in what they ask for, questions in the form of the answer.
/// The graph itself may have another name, the graphs that it calls may not.
fn is_same(stored: &PathSign, edited: &PathSign) -> bool {
    if let (PathMark::Began { .. }, PathMark::Began { .. }) = (&stored.mark, &edited.mark)
        && stored.lane.is_empty()
    {
        return true;
    }
    stored.mark.is_alike(&edited.mark)
        && match (&stored.mark, &edited.mark) {
            (PathMark::Called(stored), PathMark::Called(edited)) => {
                differing(&stored.request, &edited.request).is_empty()
            }
            (PathMark::Asked(stored), PathMark::Asked(edited)) => stored.schema == edited.schema,
            _ => true,
        }
}

/// A part of a request that differs: its name, what it was and what it is.
pub type Differing = (&'static str, Value, Value);

/// In which of its parts a request differs from another: `role`, `system`, `prompt`, `messages`, `offer`, `schema`, or `tool`, `args`.
#[must_use]
pub fn differing(stored: &Request, edited: &Request) -> Vec<Differing> {
    let parts = |request: &Request| match request {
        Request::Model { role, system, prompt, messages, offer, schema, .. } => [
            ("role", Value::Str(role.clone())),
            ("system", system.clone().map_or(Value::Null, Value::Str)),
            ("prompt", Value::Str(prompt.clone())),
            ("messages", messages.clone().map_or(Value::Null, Value::List)),
            ("offer", offer.clone().map_or(Value::Null, Value::List)),
            ("schema", schema.clone()),
        ]
        .to_vec(),
        Request::Tool { tool, args, .. } => {
            [("tool", Value::Str(tool.clone())), ("args", Value::Map(args.clone()))].to_vec()
        }
    };
    let both = parts(stored).into_iter().zip(parts(edited));
    both.filter(|(stored, edited)| stored != edited)
        .map(|((name, stored), (_, edited))| (name, stored, edited))
        .collect()
}
