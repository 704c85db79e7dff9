//! Playing a scenario: the machine driven by a script, on a clock that jumps.

use std::sync::Arc;

use super::bind::BoundExpressions;
use super::file::{Scenario, ScriptedAnswer};
use super::script::{MissingAnswer, Script, UnfitAnswer};
use crate::machine::in_catalogue;
use crate::machine::{
    Divergence, Done, Event, FaultOrigin, Input, InputKind, Output, PropertyMonitor, Question, QuestionId,
    ReplayCheck, Snapshot, Start, Time, Violation, roll_back, step_judged, step_to,
};
use crate::program::Program;
use crate::program::graph::{LinkedNodeKind, NameCode};
use crate::value::{List, Str};

/// Inputs a scenario may take; one that wants more will never end.
const MAX_INPUTS: usize = 100_000;
/// Events a scenario may record.
const MAX_EVENTS: usize = 1_000_000;

/// The end of a played scenario.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PlayEnd {
    /// The run ended.
    Done(Box<Done>),
    /// It waits for a person, and the script has no answer.
    Waiting(Vec<Question>),
    /// The script has no answer for a call.
    Lacking(MissingAnswer),
    /// It took too many inputs or recorded too many events; the number that is allowed.
    TooLong(usize),
    /// The state that was built again is another than the one of the run; only looked for by [`play_rebuilding`].
    Drifted(Box<Divergence>),
}

/// A played scenario.
#[derive(Debug, Clone)]
pub struct PlayedRun {
    /// The events, in order.
    pub events: Vec<Event>,
    /// The places in the graph's text of the faults in events.
    pub origins: Vec<FaultOrigin>,
    /// The state of the run at its end.
    pub snapshot: Snapshot,
    /// The end of it.
    pub ended: PlayEnd,
    /// Properties of the graphs that did not hold, each once for every frame.
    pub violations: Vec<Violation>,
    /// Answers of the scenario's own that nobody asked for.
    pub unused: Vec<ScriptedAnswer>,
    /// Answers that were refused where they were to go.
    pub unfit: Vec<UnfitAnswer>,
}

/// Plays a scenario to its end. The run's id is `test`, its clock starts at 0 and jumps to whatever comes next.
#[must_use]
pub fn play(program: &Program, bound: &Arc<BoundExpressions>, scenario: &Scenario) -> PlayedRun {
    play_with(program, bound, scenario, &mut |_| {})
}

/// [`play`] with the state built again from the inputs after every input; where that gives something else, the run
/// ends. It takes tens of times as long.
#[must_use]
pub fn play_rebuilding(program: &Program, bound: &Arc<BoundExpressions>, scenario: &Scenario) -> PlayedRun {
    play_as(program, bound, scenario, &mut |_| {}, Some(ReplayCheck::new()))
}

/// [`play`] with a hook that may replace the snapshot before each input, say by one that was stored and read again.
#[must_use]
pub fn play_with(
    program: &Program,
    bound: &Arc<BoundExpressions>,
    scenario: &Scenario,
    between: &mut dyn FnMut(&mut Snapshot),
) -> PlayedRun {
    play_as(program, bound, scenario, between, None)
}

fn play_as(
    program: &Program,
    bound: &Arc<BoundExpressions>,
    scenario: &Scenario,
    between: &mut dyn FnMut(&mut Snapshot),
    replay_check: Option<ReplayCheck>,
) -> PlayedRun {
    let script = Script::new(scenario.answers.clone(), Arc::clone(bound));
    let start = Start {
        run: "test".into(),
        input: scenario.input.values.clone(),
        seed: scenario.seed,
        tools: scenario.catalogue.clone().unwrap_or_else(|| with_named_tools(script.catalogue(), program)),
        given: scenario.given.as_ref().map(super::file::ScenarioStart::given),
        interrupt: None,
    };
    let mut player = Player {
        program,
        script,
        snapshot: Snapshot::new(),
        pending: Vec::new(),
        order: 0,
        timer: None,
        events: Vec::new(),
        origins: Vec::new(),
        judge: PropertyMonitor::default(),
        violations: Vec::new(),
        history: Vec::new(),
        replay_check,
        ended: None,
    };
    player.push(0, InputKind::Started(Box::new(start)));
    let ended = player.play(between);
    let unused = player.script.unused().cloned().collect();
    let unfit = player.script.unfit().to_vec();
    let Player { events, origins, snapshot, violations, .. } = player;
    PlayedRun { events, origins, snapshot, ended, violations, unused, unfit }
}

/// A catalogue with the tools that graphs call or offer by name after those that are in it: what a scenario offers that says nothing
/// of tools, after those its script answers for.
#[must_use]
pub fn with_named_tools(list: List, program: &Program) -> List {
    let named = program.graphs.iter().flat_map(|graph| &graph.nodes).flat_map(|node| match &node.kind {
        LinkedNodeKind::Tool(tool) => match &tool.tool {
            NameCode::Fixed(name) => std::slice::from_ref(name),
            NameCode::Computed(_) => &[],
        },
        LinkedNodeKind::Model(model) => model.offer.names(),
        _ => &[],
    });
    with_tools(list, named)
}

/// A catalogue with plain tools of these names after those that are in it.
pub(crate) fn with_tools<'n>(mut list: List, names: impl IntoIterator<Item = &'n Str>) -> List {
    for name in names {
        if in_catalogue(&list, name).is_none() {
            list.push(super::read::plain_tool(name.clone()));
        }
    }
    list
}

/// An input that will come.
#[derive(Debug)]
struct PendingInput {
    at: Time,
    /// Inputs of one time come in the order they were asked for.
    order: u64,
    kind: InputKind,
}

/// A stretch of the way: the state of the run, what came in, and the last step on the way that followed.
#[derive(Debug, Clone)]
struct PlayedInput {
    before: Snapshot,
    judge: PropertyMonitor,
    input: Input,
    last: u64,
}

struct Player<'a> {
    program: &'a Program,
    script: Script,
    snapshot: Snapshot,
    pending: Vec<PendingInput>,
    order: u64,
    timer: Option<Time>,
    events: Vec<Event>,
    origins: Vec<FaultOrigin>,
    judge: PropertyMonitor,
    violations: Vec<Violation>,
    /// The way the run has come, for going back.
    history: Vec<PlayedInput>,
    /// The run built again, if it is to be.
    replay_check: Option<ReplayCheck>,
    ended: Option<PlayEnd>,
}

impl Player<'_> {
    fn play(&mut self, between: &mut dyn FnMut(&mut Snapshot)) -> PlayEnd {
        let goes_back = self.can_go_back();
        for _ in 0..MAX_INPUTS {
            let Some(input) = self.next() else {
                return PlayEnd::Waiting(self.snapshot.asks().cloned().collect());
            };
            between(&mut self.snapshot);
            if goes_back {
                let (before, judge) = (self.snapshot.clone(), self.judge.clone());
                self.history.push(PlayedInput { before, judge, input: input.clone(), last: 0 });
            }
            let out = self.take(input);
            if let Some(ended) = self.ended.take() {
                return ended;
            }
            if let Some(played) = self.history.last_mut() {
                played.last = self.snapshot.step();
            }
            for output in out {
                self.act(output);
                if let Some(ended) = self.ended.take() {
                    return ended;
                }
            }
            if self.events.len() > MAX_EVENTS {
                return PlayEnd::TooLong(MAX_EVENTS);
            }
        }
        PlayEnd::TooLong(MAX_INPUTS)
    }

    /// Lets the machine take an input.
    fn take(&mut self, input: Input) -> Vec<Output> {
        let mut out = Vec::new();
        let (snapshot, origins) = (&mut self.snapshot, &mut self.origins);
        let taken = self.replay_check.as_ref().map(|_| input.clone());
        step_judged(self.program, snapshot, input, &mut out, origins, &mut self.judge);
        self.violations.extend(self.judge.take_violations());
        if let (Some(replay_check), Some(input)) = (&mut self.replay_check, taken)
            && let Err(difference) = replay_check.took(self.program, input, &out, &self.snapshot)
        {
            self.ended = Some(PlayEnd::Drifted(difference));
        }
        out
    }

    /// The next input: what comes first in time; a timer before what comes at the same time.
    fn next(&mut self) -> Option<Input> {
        let first = (0..self.pending.len()).min_by_key(|i| (self.pending[*i].at, self.pending[*i].order));
        let at = first.map(|i| self.pending[i].at);
        match (self.timer, at) {
            (Some(timer), at) if at.is_none_or(|at| timer <= at) => {
                self.timer = None;
                Some(Input { at: timer, kind: InputKind::Time })
            }
            _ => {
                let queued = self.pending.swap_remove(first?);
                Some(Input { at: queued.at, kind: queued.kind })
            }
        }
    }

    fn push(&mut self, at: Time, kind: InputKind) {
        self.order += 1;
        self.pending.push(PendingInput { at, order: self.order, kind });
    }

    fn act(&mut self, output: Output) {
        match output {
            Output::Record(event) => {
                self.script.observe(&event);
                self.events.push(event);
            }
            Output::Call(call) => self.call(&call),
            Output::Ask(ask) => self.ask(&ask),
            Output::Withdraw(id) => self.withdraw(&id),
            // What was given up may still come back; the machine records it as late.
            Output::Cancel(_) => {}
            Output::Wait(until) => self.timer = Some(until),
            Output::Rollback { step } => self.go_back(step),
            Output::Done(done) => self.ended = Some(PlayEnd::Done(done)),
        }
    }

    fn call(&mut self, call: &crate::machine::Call) {
        if !self.snapshot.calls().any(|open| open.id == call.id) {
            return;
        }
        match self.script.call(&self.snapshot, call) {
            Ok(scripted) => {
                let at = self.snapshot.at.saturating_add(scripted.after);
                self.push(at, InputKind::Resolved { call: call.id.clone(), outcome: scripted.answer });
            }
            Err(missing_answer) => self.ended = Some(PlayEnd::Lacking(missing_answer)),
        }
    }

    fn ask(&mut self, ask: &Question) {
        if !self.snapshot.asks().any(|open| open.id == ask.id) {
            return;
        }
        match self.script.ask(&self.snapshot, ask) {
            Ok(Some(scripted)) => {
                let at = self.snapshot.at.saturating_add(scripted.after);
                self.push(at, InputKind::Answered { ask: ask.id.clone(), answer: scripted.answer });
            }
            Ok(None) => {}
            Err(missing_answer) => self.ended = Some(PlayEnd::Lacking(missing_answer)),
        }
    }

    fn withdraw(&mut self, id: &QuestionId) {
        self.pending.retain(|queued| !matches!(&queued.kind, InputKind::Answered { ask, .. } if ask == id));
    }

    /// Only a graph with a pause can be sent back.
    fn can_go_back(&self) -> bool {
        self.program.graphs.iter().any(|graph| {
            let inner = |node: &crate::program::graph::NodeCode| match &node.kind {
                LinkedNodeKind::Composite(code) => code.pause.is_some(),
                _ => false,
            };
            graph.pause.is_some() || graph.nodes.iter().any(inner)
        })
    }

    /// Restores the run as it was at that step.
    fn go_back(&mut self, step: u64) {
        let Some(found) = self.history.iter().position(|played| played.last >= step) else { return };
        self.history.truncate(found + 1);
        let Some(played) = self.history.last_mut() else { return };
        played.last = step;
        let PlayedInput { before: mut then, mut judge, input, .. } = played.clone();
        step_to(self.program, &mut then, input, &mut Vec::new(), Some(&mut judge), step);
        self.judge = judge;
        // It was reported already.
        self.judge.take_violations();
        let at = self.snapshot.at;
        self.snapshot = roll_back(self.program, then.clone(), &self.snapshot, at);
        if let Some(replay_check) = &mut self.replay_check
            && let Err(difference) = replay_check.back(self.program, &then, &self.snapshot)
        {
            self.ended = Some(PlayEnd::Drifted(difference));
        }
        self.pending.clear();
        self.timer = None;
        self.push(at, InputKind::Time);
    }
}
