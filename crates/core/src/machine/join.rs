//! Called graphs: one (`call`), one per item (`each`), named ones (`parallel`). Each runs in a lane of its own with
//! its own state; the caller waits until all have ended.

use std::collections::VecDeque;

use super::cursor::lane_path;
use super::event::{Changes, EventKind};
use super::output::Output;
use super::plan::Plan;
use super::snapshot::{Join, LaneEnd, NodeExit, Phase};
use super::step::{MAX_RECORDED, Machine};
use crate::program::error::ErrorKind;
use crate::program::graph::{LinkedNodeKind, OnError};
use crate::value::{List, Map, Value};

/// The size of the events that tell of one lane and hold no value of it, in bytes.
const LANE_EVENTS_BYTES: usize = 320;

impl Machine<'_> {
    /// Starts the lanes, in order, as many as may run at a time.
    pub(super) fn open_lanes(&mut self, lane: u32, plan: Plan, deadline: Option<i64>) {
        let count = plan.lanes.len();
        let (choices, inputs): (Vec<u32>, Vec<_>) = plan.lanes.into_iter().unzip();
        let join = Join {
            choices: Join::sparse(choices),
            inputs,
            started: 0,
            at_once: plan.at_once,
            running: VecDeque::new(),
            ended: vec![None; count],
            deadline,
        };
        self.lane_mut(lane).phase = Phase::Joining(Box::new(join));
        self.start_lanes(lane);
    }

    /// Starts lanes until no more may run. One that ends at once is only marked: the next one is started here, not inside
    /// of it, so that the stack does not grow with the list.
    fn start_lanes(&mut self, lane: u32) {
        loop {
            if self.too_many_lanes() {
                return self.stop_lanes(lane);
            }
            let Phase::Joining(join) = &mut self.lane_mut(lane).phase else { return };
            let number = join.started;
            if number as usize >= join.inputs.len() {
                if join.running.is_empty() {
                    self.joined(lane);
                }
                return;
            }
            if join.running.len() >= join.at_once as usize {
                return;
            }
            join.started += 1;
            let inputs = std::mem::take(&mut join.inputs[number as usize]);
            let choice = join.choice(number);
            self.start_lane(lane, number, choice, inputs);
        }
    }

    fn start_lane(&mut self, lane: u32, number: u32, choice: u32, inputs: Vec<Option<Value>>) {
        let graph = self.graph(lane);
        let node = &graph.nodes[self.lane(lane).frame.node as usize];
        let Some(callable) = node.kind.source(number).and_then(|source| source.get(choice)) else { return };
        let child = callable.graph;
        let state = self.lane(lane);
        let visit = state.frame.visits[state.frame.node as usize];
        let path = lane_path(&state.path, node, visit, number);
        let place = self.open(child, Some((lane, number)), path);
        let Phase::Joining(join) = &mut self.lane_mut(lane).phase else { return };
        join.running.push_back((number, place));
        let shown = inputs.iter().map(|v| v.clone().unwrap_or_default()).collect::<List>();
        if self.program.semantics.bounds_starts() {
            self.undo.note(LANE_EVENTS_BYTES + Value::List(shown.clone()).size_estimate());
        }
        let kind = EventKind::Opened {
            parent: lane,
            graph: child,
            lane: number,
            input: Box::new(Value::List(shown)),
        };
        self.record(place, || kind);
        self.begin(place, inputs, None);
    }

    /// Returns true if the lanes that one step starts make more events than a step may record.
    fn too_many_lanes(&self) -> bool {
        self.program.semantics.bounds_starts() && self.undo.written() > MAX_RECORDED
    }

    /// There are more lanes to report than a step may record: the node fails.
    #[cold]
    fn stop_lanes(&mut self, lane: u32) {
        let Phase::Joining(join) = &self.lane(lane).phase else { return };
        let message = format!(
            "more than {} MiB were recorded of {} called graphs in a row that needed nothing from outside",
            MAX_RECORDED >> 20,
            join.started
        );
        self.abandon(lane);
        let exit = self.error(lane, ErrorKind::TooLarge, message, Value::Null);
        self.fail(lane, exit, Changes::default());
    }

    /// A lane ended: its place is free, its caller learns of it and starts the next ones.
    pub(super) fn lane_ended(&mut self, lane: u32, end: LaneEnd) {
        if let Some(caller) = self.mark_ended(lane, end) {
            self.start_lanes(caller);
        }
    }

    /// A lane ended: its place is free. Gives its caller, if that is to start the next ones.
    pub(super) fn mark_ended(&mut self, lane: u32, end: LaneEnd) -> Option<u32> {
        let (parent, number) = self.lane(lane).parent?;
        // A budget of the child means nothing to the caller: there it is an error of its kind.
        let end = match end {
            LaneEnd::Error(exit @ NodeExit::Exhausted { lane: owner, .. }) if owner == lane => {
                LaneEnd::Error(NodeExit::Error(self.shown(lane, &exit)))
            }
            other => other,
        };
        self.judge_end(lane);
        self.free(lane);
        let graph = self.graph(parent);
        let on_error = on_error(&graph.nodes[self.lane(parent).frame.node as usize].kind);
        let Phase::Joining(join) = &mut self.lane_mut(parent).phase else { return None };
        // Lanes are started in the order of their numbers.
        if let Ok(place) = join.running.binary_search_by_key(&number, |(number, _)| *number) {
            join.running.remove(place);
        }
        match (end, on_error) {
            (LaneEnd::Error(exit), OnError::Stop) => {
                self.abandon(parent);
                self.fail(parent, exit, Changes::default());
                None
            }
            (end, _) => {
                join.ended[number as usize] = Some(Box::new(end));
                Some(parent)
            }
        }
    }

    /// All lanes ended.
    fn joined(&mut self, lane: u32) {
        let Phase::Joining(join) = &mut self.lane_mut(lane).phase else { return };
        let ended = std::mem::take(&mut join.ended);
        let graph = self.graph(lane);
        let kind = &graph.nodes[self.lane(lane).frame.node as usize].kind;
        let collect = on_error(kind) == OnError::Collect;
        let single = matches!(kind, LinkedNodeKind::Call(_));
        let mut results = List::new();
        for end in ended.into_iter().flatten() {
            results.push(match (*end, collect) {
                (LaneEnd::Ok(value), false) => value,
                (LaneEnd::Ok(value), true) => collected(value, Value::Null),
                (LaneEnd::Error(exit), _) => collected(Value::Null, self.shown(lane, &exit)),
            });
        }
        let result = if single { results.get(0).cloned().unwrap_or_default() } else { Value::List(results) };
        self.finish(lane, &result);
    }

    /// The called graphs took too long.
    pub(super) fn join_timed_out(&mut self, lane: u32) {
        self.abandon(lane);
        let exit = self.error(lane, ErrorKind::Timeout, "the called graph took too long", Value::Null);
        self.fail(lane, exit, Changes::default());
    }

    /// Gives up everything a lane waits for: calls, questions, called graphs. Graphs call each other 64 deep at most.
    pub(super) fn abandon(&mut self, lane: u32) {
        let running = match &mut self.lane_mut(lane).phase {
            Phase::Calling(call) => {
                let id = call.id.clone();
                return self.give_up(lane, id);
            }
            Phase::Joining(join) => std::mem::take(&mut join.running),
            phase => {
                let withdrawn = phase.ask().map(|ask| Output::Withdraw(ask.id.clone()));
                return self.out.extend(withdrawn);
            }
        };
        for (_, child) in running {
            self.abandon(child);
            let kind =
                EventKind::Closed { outcome: "cancelled".into(), ok: false, output: Box::new(Value::Null) };
            self.record(child, || kind);
            self.free(child);
        }
    }

    fn free(&mut self, lane: u32) {
        if let Some(judge) = &mut self.judge {
            judge.forget(lane);
        }
        let size: usize = self.lane(lane).frame.slots.iter().map(Value::size_estimate).sum();
        self.snap.size = (self.snap.size - i64::try_from(size).unwrap_or(i64::MAX / 4)).max(0);
        // What the lane gave up may still come back: its caller pays then, never the next lane that takes this place.
        let heir = self.lane(lane).parent.map_or(0, |(parent, _)| parent);
        for (_, from) in self.snap.abandoned.iter_mut().filter(|(_, from)| *from == lane) {
            *from = heir;
        }
        self.snap.lanes[lane as usize] = None;
        self.first_free = self.first_free.min(lane as usize);
        while self.snap.lanes.last().is_some_and(Option::is_none) {
            self.snap.lanes.pop();
        }
    }
}

fn on_error(kind: &LinkedNodeKind) -> OnError {
    match kind {
        LinkedNodeKind::Each(each) => each.on_error,
        LinkedNodeKind::Parallel(parallel) => parallel.on_error,
        _ => OnError::Stop,
    }
}

fn collected(ok: Value, error: Value) -> Value {
    let mut map = Map::with_room(2);
    map.set("ok", ok);
    map.set("error", error);
    Value::Map(map)
}
