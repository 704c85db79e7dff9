//! Judging the properties of graphs along a run.

use std::hash::{Hash, Hasher};

use crate::program::Program;
use crate::program::eval::{Eval, Evaluated, Scratch, World};
use crate::program::frame::Frame;
use crate::program::graph::{GraphCode, PropertyCode};
use crate::program::op::OpId;
use crate::value::{Exact, Str, Value};

/// Judges properties at every entry of a leaf, after its `do`, and at the end of each graph.
///
/// It keeps what cannot be read off the state: what has happened in each frame, and what `previous(e)` gives. It
/// is as cheap to clone as a snapshot, and goes with one: whoever restores a snapshot restores its judge.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct PropertyMonitor {
    pub(super) lanes: Vec<Option<FrameProperties>>,
    /// The run was begun in the middle: what must come before may have come before that.
    midway: bool,
    pub(super) violations: Vec<Violation>,
}

/// A property that does not hold.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Violation {
    /// The graph.
    pub graph: u32,
    /// The property, by its place among those of the graph.
    pub property: u32,
    /// The frame.
    pub frame: u32,
    /// The leaf that was entered last.
    pub node: u32,
    /// The number of the event that follows.
    pub seq: u64,
    /// The error for which it could not be judged, if any.
    pub trouble: Option<Str>,
}

/// The history of one frame.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub(super) struct FrameProperties {
    /// The leaf that was entered last.
    pub(super) node: u32,
    /// The progress of each property.
    pub(super) properties: Vec<PropertyProgress>,
    /// The values that the properties remember of the entry before.
    pub(super) previous: Vec<Value>,
    /// True if there was one entry so far, and properties remember something: at the next one it is new to them.
    pub(super) is_second_next: bool,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub(super) enum PropertyProgress {
    /// It holds so far; what it waits for has not happened.
    #[default]
    Open,
    /// It holds so far, and what it waits for has happened.
    Seen,
    /// It was violated. That is reported once.
    Broken,
}

impl PropertyMonitor {
    /// The violations that were found since this was last asked.
    pub fn take_violations(&mut self) -> Vec<Violation> {
        std::mem::take(&mut self.violations)
    }

    /// Adds violations that were found before it was restored.
    pub(crate) fn add_violations(&mut self, found: Vec<Violation>) {
        self.violations.extend(found);
    }

    /// True if the run was begun in the middle.
    pub(crate) const fn is_midway(&self) -> bool {
        self.midway
    }

    /// Hashes all on which its further judgement of a lane depends.
    pub(crate) fn hash_progress(&self, lane: u32, to: &mut impl Hasher) {
        let frame = self.lanes.get(lane as usize).and_then(Option::as_ref);
        frame.map(|frame| (&frame.properties, frame.is_second_next)).hash(to);
        frame.into_iter().flat_map(|frame| &frame.previous).for_each(|value| Exact(value).hash(to));
    }

    /// A run begins, perhaps in the middle.
    pub(super) fn begin(&mut self, midway: bool) {
        self.midway = midway;
    }

    /// A frame is gone.
    pub(super) fn forget(&mut self, lane: u32) {
        if let Some(place) = self.lanes.get_mut(lane as usize) {
            *place = None;
        }
    }

    /// Takes out the history of a frame; true if it begins now.
    pub(super) fn properties_of(&mut self, lane: u32, graph: &GraphCode) -> (FrameProperties, bool) {
        let midway = self.midway && lane == 0;
        let first = |(_, code): &(Str, PropertyCode)| match code {
            PropertyCode::Precedes(..) if midway => PropertyProgress::Seen,
            _ => PropertyProgress::Open,
        };
        let lane = lane as usize;
        if self.lanes.len() <= lane {
            self.lanes.resize(lane + 1, None);
        }
        if let Some(known) = self.lanes[lane].take() {
            return (known, false);
        }
        let begun = FrameProperties {
            node: 0,
            properties: graph.properties.iter().map(first).collect(),
            previous: vec![Value::Null; graph.remembered.len()],
            is_second_next: !graph.remembered.is_empty(),
        };
        (begun, true)
    }
}

/// A frame as its properties see it.
pub(super) struct FrameView<'a> {
    pub(super) program: &'a Program,
    pub(super) graph: &'a GraphCode,
    pub(super) frame: &'a Frame,
    pub(super) world: &'a World,
    pub(super) scratch: &'a mut Scratch,
}

impl FrameView<'_> {
    /// The progress of a property after this entry.
    ///
    /// # Errors
    /// Why it cannot be judged.
    pub(super) fn judge(
        &mut self,
        code: PropertyCode,
        before: PropertyProgress,
    ) -> Result<PropertyProgress, Str> {
        let held = |holds: bool| if holds { before } else { PropertyProgress::Broken };
        Ok(match code {
            PropertyCode::Never(op) => held(!self.holds(op)?),
            PropertyCode::Always(op) => held(self.holds(op)?),
            PropertyCode::Eventually(op) => {
                if before == PropertyProgress::Open && self.holds(op)? {
                    PropertyProgress::Seen
                } else {
                    before
                }
            }
            PropertyCode::Precedes(first, then) => {
                let seen = before == PropertyProgress::Seen || self.holds(first)?;
                match (self.holds(then)?, seen) {
                    (true, false) => PropertyProgress::Broken,
                    // The next one needs another before it.
                    (true, true) | (false, false) => PropertyProgress::Open,
                    (false, true) => PropertyProgress::Seen,
                }
            }
        })
    }

    fn holds(&mut self, op: OpId) -> Result<bool, Str> {
        match self.with(|eval| eval.eval(op)) {
            Ok(value) => Ok(value == Value::Bool(true)),
            Err(trouble) => Err(trouble.fault.message.as_str().into()),
        }
    }

    /// The values of `previous(e)` at the next entry. What cannot be worked out is null.
    pub(super) fn remember(&mut self) -> Vec<Value> {
        let graph = self.graph;
        graph.remembered.iter().map(|op| self.with(|eval| eval.eval(*op)).unwrap_or_default()).collect()
    }

    fn with<T>(&mut self, work: impl FnOnce(&mut Eval<'_>) -> Evaluated<T>) -> Evaluated<T> {
        // The values of lets are the same for all properties of one entry.
        self.scratch.refill();
        let Self { program, graph, frame, world, scratch } = self;
        work(&mut Eval { program, graph, frame, world, scratch })
    }
}
