//! The step: takes one input and drains all pure work after it.

use std::cell::Cell;

use super::call::{CallId, Outcome};
use super::event::{Event, EventKind};
use super::input::{Input, InputKind, Time};
use super::monitor::PropertyMonitor;
use super::origin::{FaultOrigin, Origins};
use super::output::Output;
use super::snapshot::{Lane, NodeExit, Phase, Snapshot};
use crate::program::Program;
use crate::program::change::{ChangeLog, Changes};
use crate::program::code::Block;
use crate::program::error::ErrorKind;
use crate::program::eval::{ReadLog, Scratch, World};
use crate::program::exec::{Exec, Undo};
use crate::program::graph::GraphCode;
use crate::program::{MAX_STATE_MIB, Stop};
use crate::value::{Str, Value};

/// Transitions one step makes without anything from outside. A loop that wants more hardly ever ends, and no step shall
/// take long.
pub const MAX_DRAIN: u64 = 120_000;

/// The most that one step records of what statements changed, in bytes.
pub const MAX_RECORDED: usize = 40 << 20;

/// A number of transitions no run comes to.
const NEVER: u64 = u64::MAX;

/// Takes one input: changes the snapshot and appends what is to be done, in order.
///
/// An input that nobody waits for (a question answered twice, a call resolved twice) changes nothing. After the end
/// of a run only late outcomes are recorded.
pub fn step(program: &Program, snapshot: &mut Snapshot, input: Input, out: &mut Vec<Output>) {
    step_located(program, snapshot, input, out, &mut Vec::new());
}

/// [`step`], which also tells where in the graph's text the faults are that its events tell of.
///
/// The places are no outputs: they move when a comment is added to the file, and nothing else does.
pub fn step_located(
    program: &Program,
    snapshot: &mut Snapshot,
    input: Input,
    out: &mut Vec<Output>,
    origins: &mut Vec<FaultOrigin>,
) {
    take(program, snapshot, input, out, Origins::new(origins), StepWatchers::default(), NEVER);
}

/// [`step`] up to a place: it halts where the root graph has made `to` transitions and is about to enter what the last of
/// them leads to. False if it does not come there; then it has gone as far as [`step`].
///
/// The same input taken whole goes through the same place, so a run has been at each of its transitions. What `out`
/// holds after it has happened before.
pub fn step_to(
    program: &Program,
    snapshot: &mut Snapshot,
    input: Input,
    out: &mut Vec<Output>,
    judge: Option<&mut PropertyMonitor>,
    to: u64,
) -> bool {
    let watchers = StepWatchers { judge, reads: None };
    take(program, snapshot, input, out, Origins::new(&mut Vec::new()), watchers, to)
}

/// [`step_located`], which also judges the properties of the graphs along the way. Judging changes nothing.
pub fn step_judged(
    program: &Program,
    snapshot: &mut Snapshot,
    input: Input,
    out: &mut Vec<Output>,
    origins: &mut Vec<FaultOrigin>,
    judge: &mut PropertyMonitor,
) {
    let watchers = StepWatchers { judge: Some(judge), reads: None };
    take(program, snapshot, input, out, Origins::new(origins), watchers, NEVER);
}

/// [`step_judged`], which also takes down what it reads of an answer. Taking it down changes nothing.
pub fn step_watched(
    program: &Program,
    snapshot: &mut Snapshot,
    input: Input,
    out: &mut Vec<Output>,
    judge: &mut PropertyMonitor,
    reads: &mut ReadLog,
) {
    let mut origins = Vec::new();
    let watchers = StepWatchers { judge: Some(judge), reads: Some(reads) };
    take(program, snapshot, input, out, Origins::new(&mut origins), watchers, NEVER);
}

/// Those that look on while a step is made, and change nothing.
#[derive(Default)]
struct StepWatchers<'a> {
    judge: Option<&'a mut PropertyMonitor>,
    reads: Option<&'a mut ReadLog>,
}

thread_local! {
    /// The room of the step before, empty: to make room anew takes a good part of a short step.
    static ROOM: Cell<[Scratch; 2]> = Cell::default();
}

fn take<'a>(
    program: &'a Program,
    snapshot: &'a mut Snapshot,
    input: Input,
    out: &'a mut Vec<Output>,
    origins: Origins<'a>,
    watchers: StepWatchers<'a>,
    halt: u64,
) -> bool {
    let StepWatchers { judge, mut reads } = watchers;
    let at = input.at.max(snapshot.at);
    let world = World { now: at, ..snapshot.world() };
    let mut machine = Machine { judge, halt, ..Machine::new(program, snapshot, out, world, origins) };
    [machine.scratch, machine.judging] = ROOM.take();
    machine.scratch.reads = reads.as_deref_mut().map(|reads| Box::new(std::mem::take(reads)));
    machine.advance(at);
    match input.kind {
        InputKind::Started(start) => machine.start(*start),
        InputKind::Resolved { call, outcome } => machine.resolved(&call, outcome),
        InputKind::Answered { ask, answer } => machine.answered(&ask, &answer),
        InputKind::Time => {}
        InputKind::Cancel { reason } => machine.cancel(reason),
        InputKind::End { reason } => machine.end_for_good(reason),
    }
    machine.due();
    machine.drain();
    machine.set_timer();
    if let (Some(reads), Some(log)) = (reads, machine.scratch.reads.take()) {
        *reads = *log;
    }
    let Machine { mut scratch, mut judging, halted, .. } = machine;
    scratch.begin();
    judging.begin();
    ROOM.set([scratch, judging]);
    halted
}

/// One step in progress.
pub(super) struct Machine<'a> {
    pub(super) program: &'a Program,
    pub(super) snap: &'a mut Snapshot,
    pub(super) out: &'a mut Vec<Output>,
    pub(super) world: World,
    pub(super) scratch: Scratch,
    pub(super) undo: Undo,
    /// The changes of the unit in progress; a unit ends with [`Machine::changes`].
    pub(super) changes: ChangeLog,
    pub(super) drained: u64,
    /// No place of [`Snapshot::lanes`] before this one is free.
    pub(super) first_free: usize,
    pub(super) origins: Origins<'a>,
    pub(super) judge: Option<&'a mut PropertyMonitor>,
    /// Room to judge in: what is judged shall not count as work of the step.
    pub(super) judging: Scratch,
    /// See [`step_to`].
    halt: u64,
    halted: bool,
}

impl<'a> Machine<'a> {
    /// A machine that has taken no input.
    pub(super) fn new(
        program: &'a Program,
        snapshot: &'a mut Snapshot,
        out: &'a mut Vec<Output>,
        world: World,
        origins: Origins<'a>,
    ) -> Self {
        Self {
            program,
            snap: snapshot,
            out,
            world,
            scratch: Scratch::default(),
            undo: Undo::default(),
            changes: ChangeLog::default(),
            drained: 0,
            first_free: 0,
            origins,
            judge: None,
            judging: Scratch::default(),
            halt: NEVER,
            halted: false,
        }
    }

    /// Lets time pass for budgets of time.
    fn advance(&mut self, at: Time) {
        let passed = at - self.snap.at;
        self.snap.at = at;
        let running = self.snap.done.is_none() && !self.snap.lanes.is_empty();
        if running && passed > 0 && !self.only_people() {
            self.pass_time(passed);
        }
    }

    /// Returns true if everything that is waited for is a person.
    fn only_people(&self) -> bool {
        self.snap.asks().next().is_some()
            && self
                .snap
                .lanes
                .iter()
                .flatten()
                .all(|l| l.phase.ask().is_some() || matches!(l.phase, Phase::Joining(_)))
    }

    /// Runs lanes, lowest first, until every one waits for something outside.
    fn drain(&mut self) {
        let mut first = 0;
        while self.snap.done.is_none() && !self.halted {
            let runnable = |lane: &Option<Box<Lane>>| {
                lane.as_ref().is_some_and(|l| matches!(l.phase, Phase::Enter { .. } | Phase::Leave { .. }))
            };
            let Some(index) = self.snap.lanes.iter().skip(first).position(runnable).map(|i| i + first) else {
                if first == 0 {
                    return;
                }
                first = 0;
                continue;
            };
            first = index;
            self.run(u32::try_from(index).expect("lanes are counted in u32"));
        }
    }

    /// Runs one lane until it waits or is gone.
    fn run(&mut self, lane: u32) {
        loop {
            // The table of lanes shrinks when the last of them ends.
            let Some(Some(state)) = self.snap.lanes.get_mut(lane as usize) else { return };
            match &mut state.phase {
                Phase::Enter { .. } if state.frame.steps == self.halt && lane == 0 => {
                    self.halted = true;
                    return;
                }
                Phase::Enter { target, inside } => {
                    let (target, inside) = (*target, *inside);
                    self.enter(lane, target, inside);
                }
                Phase::Leave { at, exit: NodeExit::Done } => {
                    let at = *at;
                    self.leave_well(lane, at);
                }
                Phase::Leave { at, exit } => {
                    let at = *at;
                    let exit = std::mem::replace(exit, NodeExit::Done);
                    self.leave(lane, at, exit);
                }
                _ => return,
            }
            if self.snap.done.is_some() {
                return;
            }
        }
    }

    /// Makes time-outs, waits and retries happen that are due.
    fn due(&mut self) {
        for index in 0..self.snap.lanes.len() {
            let now = self.snap.at;
            let lane = u32::try_from(index).expect("lanes are counted in u32");
            let Some(Some(state)) = self.snap.lanes.get(index) else { continue };
            match &state.phase {
                Phase::Calling(call) if call.deadline.is_some_and(|d| d <= now) => self.timed_out(lane),
                Phase::Asking(ask) if ask.deadline.is_some_and(|d| d <= now) => self.not_answered(lane),
                Phase::Approving { ask, .. } if ask.deadline.is_some_and(|d| d <= now) => {
                    self.not_approved(lane);
                }
                Phase::Joining(join) if join.deadline.is_some_and(|d| d <= now) => self.join_timed_out(lane),
                Phase::Sleeping { until } if *until <= now => self.finish(lane, &Value::Null),
                Phase::Backoff { until, .. } if *until <= now => self.again(lane),
                _ => {}
            }
        }
    }

    /// Asks for the earliest timer, if it is another than before.
    fn set_timer(&mut self) {
        let times = self.snap.lanes.iter().flatten().filter_map(|lane| lane.phase.timer());
        let next = if self.snap.done.is_some() { None } else { times.min() };
        if next != self.snap.timer {
            self.snap.timer = next;
            if let Some(until) = next {
                self.out.push(Output::Wait(until));
            }
        }
    }

    /// The operator ends the run: everything in progress is given up, the current node leaves by `error(cancelled)`.
    fn cancel(&mut self, reason: Str) {
        if self.snap.done.is_some() || self.snap.root().is_none() {
            return;
        }
        self.abandon(0);
        let exit = self.error(0, ErrorKind::Cancelled, reason, Value::Null);
        self.fail(0, exit, Changes::default());
    }

    /// The operator ends the run for good: everything in progress is given up, and nothing of the graph answers.
    fn end_for_good(&mut self, reason: Str) {
        if self.snap.done.is_some() {
            return;
        }
        if self.snap.root().is_none() {
            // It ends before it began.
            self.snap.program = self.program.digest.clone();
            self.open(0, None, Str::new());
        }
        let exit = self.error(0, ErrorKind::Cancelled, reason, Value::Null);
        let error = self.shown(0, &exit);
        self.close(0, "cancelled".into(), false, Value::Null, error);
    }

    // ---- what all parts share -------------------------------------------------------------------------

    #[inline]
    pub(super) fn lane(&self, lane: u32) -> &Lane {
        self.snap.lanes[lane as usize].as_deref().expect("a lane that is worked on is there")
    }

    #[inline]
    pub(super) fn lane_mut(&mut self, lane: u32) -> &mut Lane {
        self.snap.lanes[lane as usize].as_deref_mut().expect("a lane that is worked on is there")
    }

    #[inline]
    pub(super) fn graph(&self, lane: u32) -> &'a GraphCode {
        &self.program.graphs[self.lane(lane).frame.graph as usize]
    }

    #[inline]
    pub(super) fn record(&mut self, lane: u32, kind: impl FnOnce() -> EventKind) {
        let (seq, at) = (self.snap.seq, self.snap.at);
        self.snap.seq = seq + 1;
        // An event is made where it stays: moving it there would take longer than making it.
        let make = || Output::Record(Event { seq, at, frame: lane, kind: kind() });
        self.out.extend(std::iter::once_with(make));
        if self.origins.follow() {
            self.trace();
        }
    }

    /// Follows a fault to the event recorded last.
    #[cold]
    fn trace(&mut self) {
        if let Some(Output::Record(event)) = self.out.last() {
            self.origins.recorded(event);
        }
    }

    /// The changes of the unit that ran last.
    #[inline]
    pub(super) fn changes(&mut self) -> Changes {
        self.undo.note(self.changes.room());
        self.changes.cut()
    }

    /// Runs `work` as one atomic unit over a lane's frame: if it fails, its writes are taken back.
    #[inline]
    pub(super) fn unit<T>(
        &mut self,
        lane: u32,
        work: impl FnOnce(&mut Exec<'_>) -> Result<T, Stop>,
    ) -> (Result<T, Stop>, Changes) {
        let result = self.open_unit(lane, work);
        self.commit();
        (result, self.changes())
    }

    /// Makes the writes of the unit that ran last final.
    #[inline]
    pub(super) fn commit(&mut self) {
        self.snap.size += self.undo.commit();
    }

    /// Takes the writes of an open unit back; its spends stay.
    pub(super) fn take_back(&mut self, lane: u32) {
        let frame = &mut self.snap.lanes[lane as usize].as_deref_mut().expect("the lane is there").frame;
        self.undo.revert(frame);
        self.changes.take_back();
    }

    /// A unit that can still be taken back: [`Machine::commit`] or [`Machine::take_back`] must follow, then
    /// [`Machine::changes`].
    #[inline]
    pub(super) fn open_unit<T>(
        &mut self,
        lane: u32,
        work: impl FnOnce(&mut Exec<'_>) -> Result<T, Stop>,
    ) -> Result<T, Stop> {
        let frame = &mut self.snap.lanes[lane as usize].as_deref_mut().expect("the lane is there").frame;
        let graph = &self.program.graphs[frame.graph as usize];
        self.scratch.reset();
        let room = MAX_STATE_MIB * 1024 * 1024 - self.snap.size;
        let mut exec = Exec {
            program: self.program,
            graph,
            frame,
            world: &self.world,
            scratch: &mut self.scratch,
            changes: &mut self.changes,
            undo: &mut self.undo,
            room,
            depth: 0,
        };
        let result = work(&mut exec);
        if let Err(stop) = &result {
            exec.revert();
            self.origins.failed(lane, stop);
        }
        result
    }

    /// Runs a statement list as a unit of its own; [`Machine::changes`] must follow.
    #[inline]
    pub(super) fn block(&mut self, lane: u32, block: Block) -> Result<(), Stop> {
        if block.is_empty() {
            return Ok(());
        }
        let result = self.open_unit(lane, |exec| exec.whole(block));
        self.commit();
        result
    }

    pub(super) fn error(
        &self,
        lane: u32,
        kind: impl Into<Str>,
        message: impl Into<Str>,
        details: Value,
    ) -> NodeExit {
        NodeExit::Error(super::fault::error(self.graph(lane), kind, message, details, 1))
    }

    /// The lane's node did not do its work: records why and prepares to leave.
    pub(super) fn fail(&mut self, lane: u32, exit: NodeExit, changes: Changes) {
        let node = self.lane(lane).frame.node;
        self.fail_at(lane, node, exit, changes);
    }

    pub(super) fn fail_at(&mut self, lane: u32, node: u32, exit: NodeExit, changes: Changes) {
        let error = self.shown(lane, &exit);
        self.record(lane, || EventKind::Failed { node, error: Box::new(error), changes });
        self.lane_mut(lane).phase = Phase::Leave { at: node, exit };
    }

    /// The value of `error` after an exit inside a lane.
    pub(super) fn shown(&self, lane: u32, exit: &NodeExit) -> Value {
        super::fault::shown(self.program, |l| self.lane(l).frame.graph, self.graph(lane), exit)
    }

    /// Gives up a call: whoever makes it may stop, and what comes back is recorded as late.
    pub(super) fn give_up(&mut self, lane: u32, call: CallId) {
        self.record(lane, || EventKind::Abandoned { call: call.clone() });
        self.out.push(Output::Cancel(call.clone()));
        self.snap.abandoned.push((call, lane));
    }

    /// Records an outcome that nobody waits for, and bills it.
    pub(super) fn late(&mut self, call: &CallId, outcome: Outcome) {
        let Some(place) = self.snap.abandoned.iter().position(|(id, _)| id == call) else { return };
        let (_, lane) = self.snap.abandoned.remove(place);
        self.bill(lane, outcome.usage());
        self.record(lane, || EventKind::Late { call: call.clone(), outcome: Box::new(outcome) });
    }
}
