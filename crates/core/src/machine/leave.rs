//! Leaving: which edge is taken, and where an error goes that nobody handles.

use super::event::{Changes, EventKind};
use super::fault;
use super::output::Output;
use super::snapshot::{LaneEnd, NodeExit, Phase};
use super::step::{MAX_DRAIN, MAX_RECORDED, Machine};
use crate::program::Stop;
use crate::program::error::ErrorKind;
use crate::program::eval::{Eval, Trouble};
use crate::program::graph::{Charge, GraphCode, TextCode};
use crate::program::op::OpId;
use crate::value::{Map, Str, Value};

/// The result of the search for an edge.
enum EdgeChoice {
    Edge(u32),
    None,
    Failed(NodeExit),
}

/// The same for a node whose work ended well.
enum QuickEdgeChoice {
    Edge(u32),
    None,
    /// A guard has no value.
    Failed(Box<Trouble>),
}

impl Machine<'_> {
    /// Leaves `at`, whose work ended well: nearly every node is left so, along an edge that does nothing on its way.
    ///
    /// Without this path and [`Machine::pick_well`] a step of the bench `machine` takes 12.6 % more instructions.
    pub(super) fn leave_well(&mut self, lane: u32, at: u32) {
        let state = self.lane(lane);
        let graph = &self.program.graphs[state.frame.graph as usize];
        if !state.frame.error.is_null() || graph.pauses {
            return self.leave(lane, at, NodeExit::Done);
        }
        if !self.goes_on(lane) {
            return;
        }
        match self.pick_well(lane, at, None) {
            QuickEdgeChoice::Edge(edge)
                if graph.edges[edge as usize].action.is_empty() && self.unmetered(lane) =>
            {
                self.go(lane, graph, at, edge, Changes::default());
            }
            choice => {
                let pick = self.picked(lane, choice);
                self.leave_by(lane, at, NodeExit::Done, pick);
            }
        }
    }

    /// Leaves `at`: the first edge whose trigger and guard fit; errors go outward, composite by composite.
    pub(super) fn leave(&mut self, lane: u32, at: u32, exit: NodeExit) {
        if !self.goes_on(lane) {
            return;
        }
        let mut exit = exit;
        if self.graph(lane).pauses {
            match self.paused(lane, at, &exit) {
                Ok(true) => return,
                Ok(false) => {}
                Err(error) => exit = error,
            }
        }
        self.show(lane, &exit);
        let pick = self.pick(lane, at, &exit, None);
        self.leave_by(lane, at, exit, pick);
    }

    /// Counts a transition. False, and the lane is at its end, if the step has gone on and on without anything from outside.
    #[inline]
    fn goes_on(&mut self, lane: u32) -> bool {
        self.drained += 1;
        let goes_on = self.drained <= MAX_DRAIN && self.undo.written() <= MAX_RECORDED;
        if !goes_on {
            self.endless(lane);
        }
        goes_on
    }

    /// Takes what was picked, and looks further wherever it fails.
    fn leave_by(&mut self, lane: u32, at: u32, exit: NodeExit, first: EdgeChoice) {
        let graph = self.graph(lane);
        let (mut at, mut exit) = (at, exit);
        let mut first = Some(first);
        // A node whose guard or edge failed tries its error edges once; a second failure goes outward.
        let mut failed_here = false;
        let mut barred = None;
        loop {
            let pick = first.take().unwrap_or_else(|| {
                self.show(lane, &exit);
                self.pick(lane, at, &exit, barred)
            });
            let failure = match pick {
                EdgeChoice::Edge(edge) => match self.take(lane, at, edge, &exit) {
                    Ok(()) => return,
                    Err(failure) => {
                        barred = Some(edge);
                        Some(failure)
                    }
                },
                EdgeChoice::Failed(failure) => Some(failure),
                EdgeChoice::None => None,
            };
            match failure {
                Some(failure) => {
                    exit = failure;
                    self.failed_again(lane, at, &exit);
                    if !failed_here {
                        failed_here = true;
                        continue;
                    }
                }
                None if matches!(exit, NodeExit::Done) => {
                    let name = &graph.nodes[at as usize].name;
                    exit = self.error(lane, ErrorKind::Stuck, format!("no edge of {name} fits"), Value::Null);
                    self.failed_again(lane, at, &exit);
                    if !failed_here {
                        failed_here = true;
                        continue;
                    }
                }
                None => {
                    if let NodeExit::Unknown(call, error) = exit {
                        return self.lost(lane, call, &error);
                    }
                }
            }
            match graph.nodes[at as usize].parent {
                Some(parent) => at = parent,
                None => return self.unhandled(lane, exit),
            }
            failed_here = false;
            barred = None;
        }
    }

    /// Ends a loop that repeats for ever without anything from outside.
    #[cold]
    fn endless(&mut self, lane: u32) {
        let message = if self.drained > MAX_DRAIN {
            format!("{MAX_DRAIN} transitions in a row needed nothing from outside: a run may make no more")
        } else {
            format!(
                "more than {} MiB were written in {} transitions in a row that needed nothing from outside",
                MAX_RECORDED >> 20,
                self.drained
            )
        };
        let error = self.error(lane, ErrorKind::TooLarge, message, Value::Null);
        self.unhandled(lane, error);
    }

    /// The edge of a node whose work ended well.
    fn pick_well(&mut self, lane: u32, at: u32, barred: Option<u32>) -> QuickEdgeChoice {
        self.scratch.reset();
        let frame = &self.snap.lanes[lane as usize].as_deref().expect("the lane is there").frame;
        let program = self.program;
        let graph = &program.graphs[frame.graph as usize];
        let mut eval = Eval { program, graph, frame, world: &self.world, scratch: &mut self.scratch };
        for index in &graph.nodes[at as usize].edges {
            let edge = &graph.edges[*index as usize];
            if !edge.on_done || barred == Some(*index) {
                continue;
            }
            let Some(guard) = edge.when else { return QuickEdgeChoice::Edge(*index) };
            eval.scratch.refill();
            match eval.test(guard) {
                Ok(true) => return QuickEdgeChoice::Edge(*index),
                Ok(false) => {}
                Err(trouble) => return QuickEdgeChoice::Failed(trouble),
            }
        }
        QuickEdgeChoice::None
    }

    /// The choice of [`Machine::pick_well`], with the exit of a guard that it could not evaluate.
    fn picked(&mut self, lane: u32, choice: QuickEdgeChoice) -> EdgeChoice {
        match choice {
            QuickEdgeChoice::Edge(edge) => EdgeChoice::Edge(edge),
            QuickEdgeChoice::None => EdgeChoice::None,
            QuickEdgeChoice::Failed(trouble) => {
                let stop = self.no_guard(lane, trouble);
                EdgeChoice::Failed(fault::exit(self.graph(lane), lane, stop))
            }
        }
    }

    /// Goes along an edge whose `do` changed this.
    fn go(&mut self, lane: u32, graph: &GraphCode, at: u32, edge: u32, changes: Changes) {
        self.record(lane, || EventKind::Took { edge, changes });
        let target = graph.edges[edge as usize].to;
        let state = self.lane_mut(lane);
        state.frame.steps += 1;
        state.phase = Phase::Enter { target, inside: graph.nodes[at as usize].parent };
    }

    /// Lets guards see how the node's work ended.
    fn show(&mut self, lane: u32, exit: &NodeExit) {
        if matches!(exit, NodeExit::Done) && self.lane(lane).frame.error.is_null() {
            return;
        }
        let error = self.shown(lane, exit);
        self.lane_mut(lane).frame.error = error;
    }

    pub(super) fn failed_again(&mut self, lane: u32, node: u32, exit: &NodeExit) {
        let error = self.shown(lane, exit);
        self.record(lane, || EventKind::Failed { node, error: Box::new(error), changes: Changes::default() });
    }

    fn pick(&mut self, lane: u32, at: u32, exit: &NodeExit, barred: Option<u32>) -> EdgeChoice {
        if matches!(exit, NodeExit::Done) {
            let choice = self.pick_well(lane, at, barred);
            return self.picked(lane, choice);
        }
        let graph = self.graph(lane);
        self.scratch.reset();
        for index in &graph.nodes[at as usize].edges {
            let edge = &graph.edges[*index as usize];
            let fits = if Some(*index) == barred { Ok(false) } else { self.fits(lane, &edge.on, exit) };
            let taken = match (fits, edge.when) {
                (Ok(true), Some(guard)) => self.guard(lane, guard),
                (fits, _) => fits,
            };
            match taken {
                Ok(true) => return EdgeChoice::Edge(*index),
                Ok(false) => {}
                Err(stop) => return EdgeChoice::Failed(fault::exit(graph, lane, stop)),
            }
        }
        EdgeChoice::None
    }

    /// The truth of a guard. It writes nothing, so that the values of lets stay valid from one guard to the next.
    fn guard(&mut self, lane: u32, guard: OpId) -> Result<bool, Stop> {
        self.scratch.refill();
        let frame = &self.snap.lanes[lane as usize].as_deref().expect("the lane is there").frame;
        let graph = &self.program.graphs[frame.graph as usize];
        let mut eval =
            Eval { program: self.program, graph, frame, world: &self.world, scratch: &mut self.scratch };
        eval.test(guard).map_err(|trouble| self.no_guard(lane, trouble))
    }

    #[cold]
    fn no_guard(&mut self, lane: u32, trouble: Box<Trouble>) -> Stop {
        let stop = self.program.stopped(trouble);
        self.origins.failed(lane, &stop);
        stop
    }

    /// Runs the edge's `do` and sets the way to its target.
    fn take(&mut self, lane: u32, at: u32, index: u32, exit: &NodeExit) -> Result<(), NodeExit> {
        let graph = self.graph(lane);
        let edge = &graph.edges[index as usize];
        let exempt = matches!(exit, NodeExit::Exhausted { .. });
        if !exempt {
            self.may_charge(lane, Charge::Transitions)?;
        }
        if let Err(stop) = self.block(lane, edge.action) {
            let failure = fault::exit(graph, lane, stop);
            if !self.changes.is_empty() {
                let error = self.shown(lane, &failure);
                let changes = self.changes();
                self.record(lane, || EventKind::Failed { node: at, error: Box::new(error), changes });
            }
            return Err(failure);
        }
        let changes = self.changes();
        self.go(lane, graph, at, index, changes);
        if !exempt {
            self.charge(lane, Charge::Transitions, 1);
        }
        if matches!(exit, NodeExit::Done) {
            self.lane_mut(lane).frame.error = Value::Null;
        }
        Ok(())
    }

    /// Nobody in the graph handles the exit: the root ends the run, a child hands it to its caller.
    fn unhandled(&mut self, lane: u32, exit: NodeExit) {
        let error = self.shown(lane, &exit);
        let kind = Str::from(fault::text(&error, "kind"));
        if self.lane(lane).parent.is_none() {
            return self.close(lane, kind, false, Value::Null, error);
        }
        self.record(lane, || EventKind::Closed { outcome: kind, ok: false, output: Box::new(error) });
        self.lane_ended(lane, LaneEnd::Error(exit));
    }

    /// A lane came to its end.
    pub(super) fn close(&mut self, lane: u32, outcome: Str, ok: bool, output: Value, error: Value) {
        if self.lane(lane).parent.is_some() {
            self.record(lane, || EventKind::Closed {
                outcome: outcome.clone(),
                ok,
                output: Box::new(output.clone()),
            });
            let fields = output.as_map().map_or(0, Map::len);
            let mut result = Map::with_room(fields + 1);
            result.set("outcome", outcome);
            if let Value::Map(fields) = &output {
                for (name, value) in fields {
                    result.insert(name.clone(), value.clone());
                }
            }
            return self.lane_ended(lane, LaneEnd::Ok(Value::Map(result)));
        }
        self.abandon(lane);
        self.judge_end(lane);
        let done = Box::new(super::event::Done { outcome, ok, output, error });
        self.record(lane, || EventKind::Done(done.clone()));
        self.snap.done = Some(done.clone());
        self.out.push(Output::Done(done));
    }
}

/// A text or expression as the words for a person or model; empty when there is none.
pub(super) fn text(exec: &mut crate::program::exec::Exec<'_>, source: Option<TextCode>) -> Result<Str, Stop> {
    let program = exec.program;
    match source {
        None => Ok(Str::new()),
        Some(TextCode::Text(index)) => {
            exec.evaluation().render_text(index).map_err(|trouble| program.stopped(trouble))
        }
        Some(TextCode::Expr(op)) => Ok(match exec.eval(op)? {
            Value::Str(text) => text,
            other => other.to_json().to_string().into(),
        }),
    }
}
