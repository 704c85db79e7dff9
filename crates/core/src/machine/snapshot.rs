//! Everything a run is: search, rollback and resume rely on it.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use super::call::{Call, CallId, Question, QuestionId, Request};
use super::event::Done;
use super::input::Time;
use crate::program::eval::World;
use crate::program::frame::Frame;
use crate::value::{List, Map, Str, Value};

/// A run between two steps. Cloning it is cheap: values are shared until one of the owners writes.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, Default)]
pub struct Snapshot {
    /// Digest of the program it belongs to; empty before the start.
    pub program: Str,
    /// The run's id.
    pub run: Str,
    /// Time of the last input.
    pub at: Time,
    /// Number of the next event.
    pub seq: u64,
    /// State of the random number generator.
    pub random: u64,
    /// The catalogue of tools.
    pub tools: List,
    /// Approximate bytes the state takes.
    pub size: i64,
    /// Running graphs; 0 is the root. A free place is [`None`].
    pub lanes: Vec<Option<Box<Lane>>>,
    /// Calls that nobody waits for any more, with the lane that made them.
    pub abandoned: Vec<(CallId, u32)>,
    /// The timer last asked for.
    pub timer: Option<Time>,
    /// The last time the run was sent back.
    #[serde(default)]
    pub back: Option<SentBack>,
    /// The end of the run.
    pub done: Option<Box<Done>>,
}

/// A run was sent back: by a person at a pause, or by hand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct SentBack {
    /// The step it was at: transitions of the root graph.
    pub from: u64,
    /// The step it went back to.
    pub to: u64,
}

/// One running graph: the root, a called graph, a lane of `each` or `parallel`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Lane {
    /// Its extended state.
    pub frame: Frame,
    /// The lane that waits for it and the number it has there.
    pub parent: Option<(u32, u32)>,
    /// Node and visit of every call on the way to it; empty for the root. Part of every call's id.
    pub path: Str,
    /// Its current work.
    pub phase: Phase,
    /// The step whose pause was already tested.
    pub pause_tested: Option<u64>,
    /// The last question whether a call may be made to which a person said yes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approved: Option<QuestionId>,
}

/// The current work of a lane.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Phase {
    /// About to enter a node from inside a composite.
    Enter {
        /// The node.
        target: u32,
        /// The innermost composite that stays active.
        inside: Option<u32>,
    },
    /// About to leave a node.
    Leave {
        /// The node or composite whose edges are tried.
        at: u32,
        /// The exit of its work.
        exit: NodeExit,
    },
    /// Waits for a call.
    Calling(Box<Call>),
    /// Waits to try a call again.
    Backoff {
        /// The call as it will be made.
        call: Box<Call>,
        /// The time.
        until: Time,
    },
    /// Waits for a person at a `human` node.
    Asking(Box<Question>),
    /// Waits for a person at a `pause`.
    Paused {
        /// The question.
        ask: Box<Question>,
        /// The node where it continues.
        at: u32,
        /// The exit.
        exit: NodeExit,
    },
    /// Waits for a person to say what became of a call.
    Lost {
        /// The question.
        ask: Box<Question>,
        /// The call.
        call: Box<Call>,
    },
    /// Waits for a person to approve a call.
    Approving {
        /// The question.
        ask: Box<Question>,
        /// The call as it will be made.
        call: Box<Call>,
    },
    /// Sleeps.
    Sleeping {
        /// Until when.
        until: Time,
    },
    /// Waits for called graphs.
    Joining(Box<Join>),
}

impl Phase {
    /// The limits of the answer, where a model is waited for whose answer has some.
    #[must_use]
    pub fn limits(&self) -> Option<&Map> {
        match self {
            Self::Calling(call) => match &call.request {
                Request::Model { limits, .. } => limits.as_ref(),
                Request::Tool { .. } => None,
            },
            _ => None,
        }
    }

    /// The time at which it ends whatever comes from outside; none where it has no such time.
    #[must_use]
    pub fn timer(&self) -> Option<Time> {
        match self {
            Self::Calling(call) => call.deadline,
            Self::Asking(ask) | Self::Approving { ask, .. } => ask.deadline,
            Self::Joining(join) => join.deadline,
            Self::Sleeping { until } | Self::Backoff { until, .. } => Some(*until),
            _ => None,
        }
    }

    /// The question, where a person is waited for.
    #[must_use]
    pub fn ask(&self) -> Option<&Question> {
        match self {
            Self::Asking(ask)
            | Self::Paused { ask, .. }
            | Self::Lost { ask, .. }
            | Self::Approving { ask, .. } => Some(ask),
            _ => None,
        }
    }
}

/// The exit of a node's work.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum NodeExit {
    /// Well.
    Done,
    /// With an error; `{kind, class, message, details, attempt}`.
    Error(Value),
    /// A hard budget refused a spend.
    Exhausted {
        /// The lane whose graph declares it.
        lane: u32,
        /// Its index there.
        budget: u32,
        /// The key of its family.
        key: Option<Str>,
    },
    /// Nobody knows whether the call took place; the call, and what is known as an error.
    Unknown(Box<Call>, Value),
}

/// Called graphs that a node waits for.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Join {
    /// The number of the graph that each lane runs, among those its node chooses from; empty where it is 0 for all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<u32>,
    /// The inputs of all lanes, in order.
    pub inputs: Vec<Vec<Option<Value>>>,
    /// The number of lanes started.
    pub started: u32,
    /// The number of lanes that may run at a time.
    pub at_once: u32,
    /// The lanes that run, in order: number and place in [`Snapshot::lanes`].
    pub running: VecDeque<(u32, u32)>,
    /// The end of each lane, once it has ended.
    pub ended: Vec<Option<Box<LaneEnd>>>,
    /// The deadline of the wait, in nanoseconds since 1970.
    pub deadline: Option<Time>,
}

/// The end of a lane.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum LaneEnd {
    /// With `{outcome, …output}`.
    Ok(Value),
    /// With an error nobody in it handled.
    Error(NodeExit),
}

impl Join {
    /// The choices as they are stored: most nodes choose nothing, and say nothing of it.
    pub(super) fn sparse(choices: Vec<u32>) -> Vec<u32> {
        if choices.iter().all(|choice| *choice == 0) { Vec::new() } else { choices }
    }

    /// The number of the graph that a lane runs, among those its node chooses from.
    #[must_use]
    pub fn choice(&self, lane: u32) -> u32 {
        self.choices.get(lane as usize).copied().unwrap_or_default()
    }
}

impl Snapshot {
    /// A run before its first input.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The root graph's lane, once the run has begun.
    #[must_use]
    pub fn root(&self) -> Option<&Lane> {
        self.lanes.first()?.as_deref()
    }

    /// The lane at that place.
    #[must_use]
    pub fn lane(&self, index: u32) -> Option<&Lane> {
        self.lanes.get(index as usize)?.as_deref()
    }

    /// The view that expressions have of the run besides a lane's own state.
    #[must_use]
    pub fn world(&self) -> World {
        let rolled_back = self.back.map_or(Value::Null, |back| {
            let step = |step: u64| Value::Int(i64::try_from(step).unwrap_or(i64::MAX));
            Value::Map([("from", step(back.from)), ("to", step(back.to))].into_iter().collect())
        });
        World { now: self.at, tools: self.tools.clone(), rolled_back }
    }

    /// Transitions the root graph has made.
    #[must_use]
    pub fn step(&self) -> u64 {
        self.root().map_or(0, |root| root.frame.steps)
    }

    /// Calls that are in progress, in order of their lanes.
    pub fn calls(&self) -> impl Iterator<Item = &Call> {
        self.lanes.iter().flatten().filter_map(|lane| match &lane.phase {
            Phase::Calling(call) => Some(&**call),
            _ => None,
        })
    }

    /// Questions that wait for a person, in order of their lanes.
    pub fn asks(&self) -> impl Iterator<Item = &Question> {
        self.lanes.iter().flatten().filter_map(|lane| lane.phase.ask())
    }
}
