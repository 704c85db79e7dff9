//! Properties judged only where something they read may have been written: the verdicts are those of judging all of them everywhere.

use loopwright::compile::compile;
use loopwright::explore::{AnswerCache, State, StateSpace, WorldSettings};
use loopwright::machine::{Input, step_judged};
use loopwright::program::Program;
use loopwright::source::Sources;

use super::shipped::{cases, root, settings};
use super::tiny::fixtures;
use crate::flows::checked;

/// Random runs of each graph, and the most inputs of one.
const RUNS: u64 = 60;
const MAX_INPUTS: usize = 60;

/// The program in which every property is judged at every entry.
fn judging_all(mut program: Program) -> Program {
    for graph in &mut program.graphs {
        let all = 0..u32::try_from(graph.properties.len()).expect("few properties");
        for leaf in &mut graph.judged {
            leaf.properties = all.clone().collect();
            leaf.at_first = all.clone().collect();
            leaf.remembers = true;
        }
    }
    program
}

/// Plays random runs by both programs, whose verdicts must be the same, and counts the properties that they break.
fn violations(space: &StateSpace<'_>, all: &Program, name: &str) -> usize {
    let (mut cache, mut count) = (AnswerCache::default(), 0);
    for seed in 0..RUNS {
        let (mut random, mut state) = (seed, State::default());
        let mut judge = state.judge.clone();
        for _ in 0..MAX_INPUTS {
            let choices = space.choices(&state, &mut cache);
            if choices.is_empty() {
                break;
            }
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let chosen = (random >> 33) % choices.len() as u64;
            let input: Input = choices[usize::try_from(chosen).expect("few choices")].clone();
            let mut snapshot = state.snapshot.clone();
            step_judged(all, &mut snapshot, input.clone(), &mut Vec::new(), &mut Vec::new(), &mut judge);
            let State { snapshot, judge: own } = &mut state;
            step_judged(space.program, snapshot, input, &mut Vec::new(), &mut Vec::new(), own);
            assert_eq!(state.judge, judge, "{name}: seed {seed}");
            count += judge.take_violations().len();
            state.judge.take_violations();
        }
    }
    count
}

#[test]
fn verdicts_are_those_of_judging_everywhere() {
    let mut broken = 0;
    for path in fixtures() {
        let model = checked(&path, &mut Sources::new()).model.expect("a model");
        let (program, all) = (compile(&model).expect("a program"), compile(&model).expect("a program"));
        let space = StateSpace::new(&model, &program, &WorldSettings::default());
        broken += violations(&space, &judging_all(all), &path.display().to_string());
    }
    for case in cases() {
        let model = checked(&root().join(&case.graph), &mut Sources::new()).model.expect("a model");
        let (program, all) = (compile(&model).expect("a program"), compile(&model).expect("a program"));
        let space = StateSpace::new(&model, &program, &settings(&case, &program));
        violations(&space, &judging_all(all), &case.graph);
    }
    assert!(broken > 100, "{broken} verdicts: the runs break too few properties to tell");
}
