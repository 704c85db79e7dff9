//! A run that goes on with an edited graph: what of it has its place there, and what has not.

mod chosen;
mod edits;
mod lanes;
mod shipped;

use std::sync::Arc;

use loopwright::machine::{
    Input, InputKind, Outcome, Output, Phase, Snapshot, Start, Transfer, TransferError, step, transfer,
};
use loopwright::program::Program;
use loopwright::value::{List, Map, Str, Value};

use crate::played::compiled;

/// A run that stands somewhere.
struct Stood {
    program: Arc<Program>,
    snapshot: Snapshot,
}

impl Stood {
    /// A run of the first of these files, up to where it waits.
    fn start(files: &[(&str, &str)], input: &[(&str, Value)]) -> Self {
        let mut stood = Self { program: compiled(files), snapshot: Snapshot::new() };
        let input: Map = input.iter().map(|(name, value)| (Str::from(*name), value.clone())).collect();
        let tool = |name: &str| {
            Value::Map([("name", Value::from(name)), ("delivery", Value::from("pure"))].into_iter().collect())
        };
        let tools: List = ["look", "mend"].into_iter().map(tool).collect();
        stood.take(InputKind::Started(Box::new(Start {
            run: "run".into(),
            input,
            tools,
            ..Start::default()
        })));
        stood
    }

    fn take(&mut self, kind: InputKind) -> Vec<Output> {
        let mut out = Vec::new();
        let at = self.snapshot.at + 1_000_000_000;
        step(&self.program, &mut self.snapshot, Input { at, kind }, &mut out);
        out
    }

    /// Answers what is asked first: a call, or a person's question.
    fn answer(&mut self, answer: impl Into<Value>) -> Vec<Output> {
        let answer = answer.into();
        let call = self.snapshot.calls().next().map(|call| call.id.clone());
        self.take(if let Some(call) = call {
            InputKind::Resolved { call, outcome: Outcome::answer(answer) }
        } else {
            let ask = self.snapshot.asks().next().expect("something is asked").id.clone();
            InputKind::Answered { ask, answer }
        })
    }

    /// What the run is in these files.
    fn carried(&self, files: &[(&str, &str)]) -> (Arc<Program>, Result<Transfer, Vec<TransferError>>) {
        let program = compiled(files);
        let moved = transfer(&self.program, &program, &self.snapshot, self.snapshot.at, &self.snapshot.tools);
        (program, moved)
    }

    /// The run in these files, where all of it has its place.
    fn moved(&self, files: &[(&str, &str)]) -> Self {
        let (program, moved) = self.carried(files);
        let moved = moved.unwrap_or_else(|unfit| panic!("{}", lines(&unfit)));
        Self { program, snapshot: moved.snapshot }
    }

    /// Everything that has no place in these files.
    fn refused(&self, files: &[(&str, &str)]) -> String {
        match self.carried(files).1 {
            Ok(_) => "all of it fits".to_owned(),
            Err(unfit) => lines(&unfit),
        }
    }

    /// The variable of that name in a lane, as JSON.
    fn field(&self, lane: u32, name: &str) -> serde_json::Value {
        let frame = &self.snapshot.lane(lane).expect("the lane is there").frame;
        let slots = &self.program.graphs[frame.graph as usize].slots;
        let place = slots.iter().position(|slot| slot.name == name).expect("the variable is there");
        frame.slots[place].to_json()
    }

    /// What was spent of a budget of the root graph, and its limit.
    fn budget(&self, name: &str) -> (i64, i64) {
        let place = self.program.graphs[0].budgets.iter().position(|budget| budget.name == name);
        let frame = &self.snapshot.root().expect("it has begun").frame;
        let counters = frame.counters[place.expect("the budget is there")];
        (counters.used, counters.limit)
    }

    /// How the run ended: its outcome and output.
    fn done(&self) -> (String, serde_json::Value) {
        let done = self.snapshot.done.as_ref().expect("the run has ended");
        (done.outcome.to_string(), done.output.to_json())
    }
}

fn lines(unfit: &[TransferError]) -> String {
    unfit.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

/// A text with a piece replaced that is there.
fn edited(text: &str, edits: &[(&str, &str)]) -> String {
    edits.iter().fold(text.to_owned(), |text, (was, is)| {
        assert!(text.contains(was), "there is no {was:?} in it");
        text.replace(was, is)
    })
}

/// Whether a lane waits for a call.
fn calls(snapshot: &Snapshot) -> usize {
    snapshot.lanes.iter().flatten().filter(|lane| matches!(lane.phase, Phase::Calling(_))).count()
}
