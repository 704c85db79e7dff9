//! Writing the canonical form of a state.

use std::hash::Hash;

use super::byte_hasher::ByteHasher;
use super::canonical::CanonicalForm;
use super::live::SeenParts;
use crate::machine::{
    Call, Join, Lane, LaneEnd, NodeExit, Phase, PropertyMonitor, Question, Request, Snapshot, Time,
};
use crate::program::Program;
use crate::program::frame::Frame;
use crate::value::{Exact, List, Value};

impl CanonicalForm {
    /// Writes the canonical form of a state.
    pub(super) fn write(
        &self,
        program: &Program,
        snapshot: &Snapshot,
        judge: &PropertyMonitor,
        to: &mut ByteHasher<'_>,
    ) {
        if let Some(done) = &snapshot.done {
            (1_u8, &done.outcome, done.ok).hash(to);
            let kind = done.error.as_map().and_then(|error| error.get("kind"));
            kind.hash(to);
            return;
        }
        2_u8.hash(to);
        if self.reads_clock {
            snapshot.at.hash(to);
        }
        snapshot.back.hash(to);
        judge.is_midway().hash(to);
        let run = WrittenRun { form: self, program, snapshot, judge };
        for (index, lane) in (0_u32..).zip(&snapshot.lanes) {
            let Some(lane) = lane.as_deref().filter(|lane| !run.is_within_a_set(lane)) else { continue };
            (index, lane.parent).hash(to);
            run.lane(index, lane, false, to);
        }
    }
}

/// A run whose form is written.
struct WrittenRun<'a> {
    form: &'a CanonicalForm,
    program: &'a Program,
    snapshot: &'a Snapshot,
    judge: &'a PropertyMonitor,
}

impl WrittenRun<'_> {
    /// True if the lanes of a node make a set: which of them is the first makes no difference.
    fn is_set(&self, lane: &Lane) -> bool {
        self.form.graphs[lane.frame.graph as usize].sets[lane.frame.node as usize]
    }

    /// True for a lane of such a node, and for those that it calls: they are written with the node.
    fn is_within_a_set(&self, lane: &Lane) -> bool {
        let parent = |lane: &Lane| self.snapshot.lanes[lane.parent?.0 as usize].as_deref();
        self.form.has_sets
            && std::iter::successors(parent(lane), |lane| parent(lane)).any(|lane| self.is_set(lane))
    }

    /// Lanes that `is_within` a set are written with those that they call.
    fn lane(&self, place: u32, lane: &Lane, is_within: bool, to: &mut ByteHasher<'_>) {
        let now = self.snapshot.at;
        lane.approved.is_some().hash(to);
        (lane.pause_tested == Some(lane.frame.steps)).hash(to);
        self.frame(lane, to);
        self.judge.hash_progress(place, to);
        let relative = |time: Time| time.saturating_sub(now).max(0);
        match &lane.phase {
            Phase::Calling(call) => {
                3_u8.hash(to);
                request(call, to);
                call.deadline.map(relative).hash(to);
            }
            Phase::Backoff { call, until } => {
                4_u8.hash(to);
                request(call, to);
                relative(*until).hash(to);
            }
            Phase::Asking(ask) => {
                5_u8.hash(to);
                question(ask, now, to);
            }
            Phase::Paused { ask, at, exit } => {
                6_u8.hash(to);
                question(ask, now, to);
                at.hash(to);
                leaving(exit, to);
                specials(&lane.frame, to);
            }
            Phase::Lost { ask, call } => {
                7_u8.hash(to);
                question(ask, now, to);
                request(call, to);
            }
            Phase::Approving { ask, call } => {
                8_u8.hash(to);
                question(ask, now, to);
                request(call, to);
            }
            Phase::Sleeping { until } => {
                9_u8.hash(to);
                relative(*until).hash(to);
            }
            Phase::Joining(join) => {
                10_u8.hash(to);
                (join.started, join.at_once, join.deadline.map(relative)).hash(to);
                not_started(join, to);
                self.lanes(lane, join, is_within, to);
            }
            Phase::Enter { target, inside } => (11_u8, target, inside).hash(to),
            Phase::Leave { at, exit } => {
                (12_u8, at).hash(to);
                leaving(exit, to);
                specials(&lane.frame, to);
            }
        }
    }

    fn frame(&self, lane: &Lane, to: &mut ByteHasher<'_>) {
        let frame = &lane.frame;
        (frame.graph, frame.node).hash(to);
        let (code, form) =
            (&self.program.graphs[frame.graph as usize], &self.form.graphs[frame.graph as usize]);
        for (slot, parts) in self.form.live(lane).iter() {
            match parts.of(&frame.slots[slot.0 as usize]) {
                SeenParts::Whole(Value::List(list)) if form.unordered[slot.0 as usize] => unordered(list, to),
                seen => parts_seen(&seen, to),
            }
        }
        let here = &code.nodes[frame.node as usize];
        let is_inside = |scope: Option<u32>| scope.is_none_or(|c| c == frame.node || here.chain.contains(&c));
        for (at, counters) in frame.counters.iter().enumerate() {
            let budget = &code.budgets[at];
            if form.budgets[at] && budget.family.is_none() && is_inside(budget.scope) {
                counters.hash(to);
            }
        }
        for (family, counters) in code.families.iter().zip(&frame.families) {
            if is_inside(family.scope) {
                counters.hash(to);
            }
        }
        for node in &form.visits {
            frame.visits[*node as usize].hash(to);
        }
        if form.steps {
            frame.steps.hash(to);
        }
        if self.form.reads_specials {
            specials(frame, to);
        }
    }

    /// The lanes of a node that have started.
    fn lanes(&self, lane: &Lane, join: &Join, is_within: bool, to: &mut ByteHasher<'_>) {
        let started = join.started as usize;
        if self.is_set(lane) && !self.have_one_time(join) {
            let mut parts: Vec<Vec<u8>> = vec![Vec::new(); started];
            for (part, end) in parts.iter_mut().zip(&join.ended) {
                if let Some(end) = end {
                    lane_end(end, &mut to.apart(part));
                }
            }
            for (number, place) in &join.running {
                self.running(*place, true, &mut to.apart(&mut parts[*number as usize]));
            }
            return sorted(parts, to);
        }
        join.choices.get(..started).hash(to);
        for end in &join.ended {
            end.is_some().hash(to);
            if let Some(end) = end {
                lane_end(end, to);
            }
        }
        for (number, place) in &join.running {
            (number, place).hash(to);
            if is_within || self.is_set(lane) {
                self.running(*place, true, to);
            }
        }
    }

    fn running(&self, place: u32, is_within: bool, to: &mut ByteHasher<'_>) {
        if let Some(lane) = self.snapshot.lanes[place as usize].as_deref() {
            self.lane(place, lane, is_within, to);
        }
    }

    /// True if two lanes of a node wait for one time: the machine lets the first of them go on first.
    fn have_one_time(&self, join: &Join) -> bool {
        let mut times = Vec::new();
        for (_, place) in &join.running {
            let mut own = Vec::new();
            self.times(*place, &mut own);
            if own.iter().any(|time| times.contains(time)) {
                return true;
            }
            times.append(&mut own);
        }
        false
    }

    /// The times that a lane and those that it calls wait for.
    fn times(&self, place: u32, found: &mut Vec<Time>) {
        let Some(lane) = self.snapshot.lanes[place as usize].as_deref() else { return };
        found.extend(lane.phase.timer());
        if let Phase::Joining(join) = &lane.phase {
            join.running.iter().for_each(|(_, place)| self.times(*place, found));
        }
    }
}

fn specials(frame: &Frame, to: &mut ByteHasher<'_>) {
    [&frame.result, &frame.error, &frame.outcome].map(Exact).hash(to);
}

fn request(call: &Call, to: &mut ByteHasher<'_>) {
    call.attempt.hash(to);
    match &call.request {
        Request::Model { role, limits, .. } => {
            (role, limits.is_some()).hash(to);
            if let Some(limits) = limits {
                to.map(limits);
            }
        }
        Request::Tool { tool, delivery, .. } => (tool, delivery).hash(to),
    }
}

fn question(ask: &Question, now: Time, to: &mut ByteHasher<'_>) {
    ask.reason.hash(to);
    ask.deadline.map(|deadline| deadline.saturating_sub(now).max(0)).hash(to);
}

fn leaving(exit: &NodeExit, to: &mut ByteHasher<'_>) {
    match exit {
        NodeExit::Unknown(call, error) => {
            13_u8.hash(to);
            request(call, to);
            Exact(error).hash(to);
        }
        NodeExit::Error(error) => {
            14_u8.hash(to);
            Exact(error).hash(to);
        }
        other => other.hash(to),
    }
}

fn lane_end(end: &LaneEnd, to: &mut ByteHasher<'_>) {
    match end {
        LaneEnd::Ok(value) => {
            15_u8.hash(to);
            Exact(value).hash(to);
        }
        LaneEnd::Error(exit) => leaving(exit, to),
    }
}

/// The inputs of lanes that are still to start.
fn not_started(join: &Join, to: &mut ByteHasher<'_>) {
    join.choices.get(join.started as usize..).hash(to);
    for input in join.inputs.iter().skip(join.started as usize) {
        input.len().hash(to);
        for value in input {
            value.as_ref().map(Exact).hash(to);
        }
    }
    join.inputs.len().hash(to);
}

/// Writes parts of which none is the first.
fn sorted(mut parts: Vec<Vec<u8>>, to: &mut ByteHasher<'_>) {
    parts.sort_unstable();
    parts.hash(to);
}

/// A list of which only the items are asked for.
fn unordered(list: &List, to: &mut ByteHasher<'_>) {
    let items = list.iter().map(|item| {
        let mut bytes = Vec::new();
        to.apart(&mut bytes).value(item);
        bytes
    });
    let items = items.collect();
    sorted(items, to);
}

/// The parts of a variable that are in the form.
fn parts_seen(seen: &SeenParts<'_>, to: &mut ByteHasher<'_>) {
    match seen {
        SeenParts::Whole(value) => {
            0_u8.hash(to);
            to.value(value);
        }
        SeenParts::Fields(fields) => {
            1_u8.hash(to);
            for (_, value) in fields {
                value.is_some().hash(to);
                if let Some(value) = value {
                    to.value(value);
                }
            }
        }
        SeenParts::Size(size) => (2_u8, size).hash(to),
    }
}
