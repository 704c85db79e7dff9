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
use crate::flows::checked;

/// Random runs of each graph, and the most inputs of one.
const RUNS: u64 = 60;
const MAX_INPUTS: usize = 60;

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

/// Plays random runs of a space by its program and by another one. `compare` gets both after each input, and what a message is to say;
/// a run goes on while it says true.
pub(super) fn play(
    space: &StateSpace<'_>,
    other: &Program,
    name: &str,
    compare: &mut dyn FnMut(&mut Played, &mut Played, &str) -> bool,
) {
    let mut cache = AnswerCache::default();
    for seed in 0..RUNS {
        let (mut random, mut own, mut beside) = (seed, Played::default(), Played::default());
        for _ in 0..MAX_INPUTS {
            let choices = space.choices(&own.state, &mut cache);
            if choices.is_empty() {
                break;
            }
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let chosen = (random >> 33) % choices.len() as u64;
            let input = &choices[usize::try_from(chosen).expect("few choices")];
            own.step(space.program, input.clone());
            beside.step(other, input.clone());
            if !compare(&mut own, &mut beside, &format!("{name}: seed {seed}")) {
                break;
            }
        }
    }
}

/// Calls `visit` with the name of each tiny graph and of each shipped one, its model, its program, its world, and true for a tiny one.
pub(super) fn each_graph(visit: &mut dyn FnMut(&str, &Model, &StateSpace<'_>, bool)) {
    let model_of = |path: &PathBuf| checked(path, &mut Sources::new()).model.expect("a model");
    for path in fixtures() {
        let model = model_of(&path);
        let program = compile(&model).expect("a program");
        let space = StateSpace::new(&model, &program, &WorldSettings::default());
        visit(&path.display().to_string(), &model, &space, true);
    }
    for case in cases() {
        let model = model_of(&root().join(&case.graph));
        let program = compile(&model).expect("a program");
        let space = StateSpace::new(&model, &program, &settings(&case, &program));
        visit(&case.graph, &model, &space, false);
    }
}
