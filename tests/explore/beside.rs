//! Random runs of a graph by two of its programs, side by side.

use std::path::PathBuf;

use loopwright::compile::compile;
use loopwright::explore::{AnswerCache, State, StateSpace, WorldSettings};
use loopwright::machine::{Input, Output, step_judged};
use loopwright::model::Model;
use loopwright::program::Program;
use loopwright::source::Sources;

use super::shipped::{cases, root, settings};
use super::tiny::fixtures;
use crate::dice::Dice;
use crate::flows::checked;

/// Random runs of each graph of a file, and the most inputs of one.
const RUNS: u64 = 60;
const MAX_INPUTS: usize = 60;

/// A graph whose runs are compared.
pub(super) struct PlayedGraph<'a> {
    /// What messages call it.
    pub(super) name: &'a str,
    pub(super) model: &'a Model,
    pub(super) space: &'a StateSpace<'a>,
    /// The number of random runs.
    pub(super) runs: u64,
}

/// A run by one program.
#[derive(Default)]
pub(super) struct Played {
    pub(super) state: State,
    /// What came of its last input.
    pub(super) outputs: Vec<Output>,
}

impl Played {
    fn step(&mut self, program: &Program, input: Input) {
        self.outputs.clear();
        let State { snapshot, judge } = &mut self.state;
        step_judged(program, snapshot, input, &mut self.outputs, &mut Vec::new(), judge);
    }
}

impl PlayedGraph<'_> {
    /// Plays random runs by the program of the space and by another one. `compare` gets both after each input, and what a message is to
    /// say; a run goes on while it says true.
    pub(super) fn play(
        &self,
        other: &Program,
        compare: &mut dyn FnMut(&mut Played, &mut Played, &str) -> bool,
    ) {
        let mut cache = AnswerCache::default();
        for seed in 0..self.runs {
            let place = format!("{}: seed {seed}", self.name);
            let (mut dice, mut own, mut beside) = (Dice::new(seed), Played::default(), Played::default());
            for _ in 0..MAX_INPUTS {
                let choices = self.space.choices(&own.state, &mut cache);
                if choices.is_empty() {
                    break;
                }
                let input = &choices[dice.below(choices.len())];
                own.step(self.space.program, input.clone());
                beside.step(other, input.clone());
                if !compare(&mut own, &mut beside, &place) {
                    break;
                }
            }
        }
    }
}

/// Calls `visit` with each tiny graph and each shipped one, and true for a tiny one.
pub(super) fn each_graph(visit: &mut dyn FnMut(&PlayedGraph<'_>, bool)) {
    let model_of = |path: &PathBuf| checked(path, &mut Sources::new()).model.expect("a model");
    for path in fixtures() {
        let model = model_of(&path);
        let program = compile(&model).expect("a program");
        let space = StateSpace::new(&model, &program, &WorldSettings::default());
        let name = path.display().to_string();
        visit(&PlayedGraph { name: &name, model: &model, space: &space, runs: RUNS }, true);
    }
    for case in cases() {
        let model = model_of(&root().join(&case.graph));
        let program = compile(&model).expect("a program");
        let space = StateSpace::new(&model, &program, &settings(&case, &program));
        visit(&PlayedGraph { name: &case.graph, model: &model, space: &space, runs: RUNS }, false);
    }
}
