//! Pauses: a person is asked before a node is left.

use super::call::{Question, QuestionId, QuestionReason};
use super::event::EventKind;
use super::fault;
use super::input::Interrupt;
use super::leave::text;
use super::origin::Origins;
use super::output::Output;
use super::snapshot::{NodeExit, Phase, Snapshot};
use super::step::Machine;
use crate::program::Program;
use crate::program::graph::{LinkedNodeKind, PauseCode};
use crate::value::Str;

impl Machine<'_> {
    /// Tests the pauses that are active, once per step. True when a person is asked.
    pub(super) fn paused(&mut self, lane: u32, at: u32, exit: &NodeExit) -> Result<bool, NodeExit> {
        let graph = self.graph(lane);
        let state = self.lane(lane);
        if state.pause_tested == Some(state.frame.steps) {
            return Ok(false);
        }
        let here = &graph.nodes[at as usize];
        let own = match &here.kind {
            LinkedNodeKind::Composite(code) => code.pause,
            _ => None,
        };
        let around = here.chain.iter().filter_map(|c| match &graph.nodes[*c as usize].kind {
            LinkedNodeKind::Composite(code) => code.pause,
            _ => None,
        });
        let pauses: smallvec::SmallVec<[PauseCode; 2]> =
            graph.pause.into_iter().chain(around).chain(own).collect();
        let operator = lane == 0 && self.program.operator.is_some();
        if pauses.is_empty() && !operator {
            return Ok(false);
        }
        let state = self.lane_mut(lane);
        state.pause_tested = Some(state.frame.steps);
        for pause in pauses {
            let (result, _) = self.unit(lane, |exec| {
                if !exec.test(pause.when)? {
                    return Ok(None);
                }
                text(exec, pause.ask).map(Some)
            });
            match result {
                Ok(None) => {}
                Ok(Some(question)) => {
                    self.ask_pause(lane, at, exit.clone(), question);
                    return Ok(true);
                }
                Err(stop) => {
                    let exit = fault::exit(graph, lane, stop);
                    self.failed_again(lane, at, &exit);
                    return Err(exit);
                }
            }
        }
        // The graph's own pauses go first: where one of them asks, a person looks at this step anyway.
        let question = if operator { self.interrupted() } else { None };
        let asks = question.is_some();
        if let Some(question) = question {
            self.ask_pause(lane, at, exit.clone(), question);
        }
        Ok(asks)
    }

    /// The question of the operator's pause at this step of the root graph. A condition that cannot be decided stops
    /// the run too: it does not change the way the run goes.
    fn interrupted(&mut self) -> Option<Str> {
        let program = self.program;
        let pause = program.operator.as_ref()?;
        let steps = self.lane(0).frame.steps;
        if pause.every.is_some_and(|every| steps > 0 && steps.is_multiple_of(every)) {
            return Some(every_so_many(steps));
        }
        let (text, when) = pause.when.as_ref()?;
        let (result, _) = self.unit(0, |exec| exec.test(*when));
        match result {
            Ok(false) => None,
            Ok(true) => Some(holds(text)),
            Err(stop) => {
                let NodeExit::Error(error) = fault::exit(self.graph(0), 0, stop) else { return None };
                let why = fault::text(&error, "message");
                Some(ecow::eco_format!("{}{why}). Go on?", unknown(text)))
            }
        }
    }

    fn ask_pause(&mut self, lane: u32, at: u32, exit: NodeExit, question: Str) {
        let steps = self.lane(lane).frame.steps;
        let id = QuestionId(self.name_call(lane, &format!("pause@{steps}")));
        let ask = self.question(lane, at, id, QuestionReason::Pause, question, None);
        self.lane_mut(lane).phase = Phase::Paused { ask: Box::new(ask.clone()), at, exit };
        self.put_question(lane, ask);
    }

    pub(super) fn put_question(&mut self, lane: u32, ask: Question) {
        self.record(lane, || EventKind::Asked(Box::new(ask.clone())));
        self.out.push(Output::Ask(Box::new(ask)));
    }
}

/// True if the operator's condition of a program holds in a state; false, too, where it cannot be decided.
#[must_use]
pub fn condition_holds(program: &Program, mut snapshot: Snapshot) -> bool {
    let Some((_, when)) = program.operator.as_ref().and_then(|pause| pause.when.as_ref()) else {
        return false;
    };
    if snapshot.root().is_none() {
        return false;
    }
    let (mut out, mut origins) = (Vec::new(), Vec::new());
    let world = snapshot.world();
    let mut machine = Machine::new(program, &mut snapshot, &mut out, world, Origins::new(&mut origins));
    let (result, _) = machine.unit(0, |exec| exec.test(*when));
    result.unwrap_or(false)
}

fn every_so_many(steps: u64) -> Str {
    ecow::eco_format!("The run stands at step {steps}. Go on?")
}

fn holds(when: &str) -> Str {
    ecow::eco_format!("`{when}` holds. Go on?")
}

fn unknown(when: &str) -> Str {
    ecow::eco_format!("Nobody knows whether `{when}` holds (")
}

impl Interrupt {
    /// Returns true if a question is one that the operator wanted to be asked, and not the graph.
    #[must_use]
    pub fn asks(&self, ask: &Question) -> bool {
        let steps = || ask.id.0.rsplit_once('@').and_then(|(_, steps)| steps.parse().ok());
        let due = self.every.is_some() && steps().is_some_and(|steps| ask.text == every_so_many(steps));
        let met = |when: &Str| ask.text == holds(when) || ask.text.starts_with(unknown(when).as_str());
        ask.reason == QuestionReason::Pause
            && ask.lane.is_empty()
            && (due || self.when.as_ref().is_some_and(met))
    }
}
