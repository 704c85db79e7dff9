//! Random walks: runs through a space that is too large to be searched, led to what was not taken yet.

use rustc_hash::FxHashMap;

use super::search::{Observation, StateSearch, is_refused};
use super::space::{AnswerCache, State};
use super::trail::Trail;
use crate::machine::{Input, next_random};

/// The most inputs of one walk.
const MAX_INPUTS: usize = 2_000;

/// Inputs among which a walk takes the one that was taken least.
const CANDIDATES: u64 = 4;

/// Numbers of times that inputs were taken, by the place where the run waits and the number of the input.
pub type TakenCounts = FxHashMap<(u32, u32, u32), u32>;

/// The results of a walk.
#[derive(Debug)]
pub struct Walked {
    /// The numbers of its inputs.
    numbers: Vec<u32>,
    /// The observations after each of them.
    seen: Vec<Observation>,
    taken: Vec<(u32, u32, u32)>,
}

impl StateSearch<'_, '_> {
    /// Walks once. The seed decides all of it, together with what was found and counted before.
    #[must_use]
    pub fn walk(&self, seed: u64, counts: &TakenCounts) -> Walked {
        let mut random = seed;
        let mut walked = Walked { numbers: Vec::new(), seen: Vec::new(), taken: Vec::new() };
        let (mut state, mut cache) = (State::default(), AnswerCache::default());
        let mut inputs: Vec<Input> = Vec::new();
        while inputs.len() < MAX_INPUTS {
            let choices = self.space().choices(&state, &mut cache);
            if choices.is_empty() {
                break;
            }
            let chosen = choose(&mut random, &state, choices.len(), (counts, &walked.taken));
            let Some(input) = choices.into_iter().nth(chosen) else { break };
            let taken = self.space().take(&state, input.clone(), &|| inputs.clone());
            if is_refused(&taken) {
                break;
            }
            let number = u32::try_from(chosen).unwrap_or(u32::MAX);
            walked.taken.push(place(&state, number));
            walked.numbers.push(number);
            walked.seen.push(self.observe(&state, &taken));
            inputs.push(input);
            state = taken.state;
        }
        walked
    }

    /// Takes in what came of walks, in their order.
    pub fn merge_walks(&mut self, walks: Vec<Walked>, counts: &mut TakenCounts) {
        for walked in walks {
            self.walks += 1;
            for (at, seen) in walked.seen.into_iter().enumerate() {
                self.note(seen, 1, &Trail::Whole(walked.numbers[..=at].to_vec()));
            }
            for place in walked.taken {
                *counts.entry(place).or_default() += 1;
            }
        }
    }
}

/// The place of a choice: the graph and node in which the first lane waits, and the number of the input.
fn place(state: &State, number: u32) -> (u32, u32, u32) {
    let frame = state.snapshot.lanes.iter().flatten().last().map(|lane| &lane.frame);
    frame.map_or((0, 0, number), |frame| (frame.graph, frame.node, number))
}

/// One of the inputs, sooner one that was taken seldom.
fn choose(
    random: &mut u64,
    state: &State,
    count: usize,
    (counts, own): (&TakenCounts, &[(u32, u32, u32)]),
) -> usize {
    let count = u64::try_from(count).unwrap_or(u64::MAX);
    let drawn = (0..CANDIDATES).map(|_| usize::try_from(next_random(random) % count).unwrap_or(0));
    let times = |chosen: &usize| {
        let place = place(state, u32::try_from(*chosen).unwrap_or(u32::MAX));
        let before = counts.get(&place).copied().unwrap_or_default() as usize;
        before + own.iter().filter(|taken| **taken == place).count()
    };
    drawn.min_by_key(times).unwrap_or(0)
}
