//! Random walks: runs through a space that is too large to be searched, led to what was not taken yet.

use rustc_hash::FxHashMap;

use super::covered::ProgramPart;
use super::finding::{FindingKey, is_transition, judge};
use super::search::{RunEnd, StateSearch, is_refused};
use super::space::{AnswerCache, State};
use super::trail::Trail;
use crate::machine::{EventCursor, Input, next_random};

/// The most inputs of one walk.
const MAX_INPUTS: usize = 2_000;

/// Inputs among which a walk takes the one that was taken least.
const CANDIDATES: u64 = 4;

/// Numbers of times that inputs were taken, by the place where the run waits and the number of the input.
pub type TakenCounts = FxHashMap<(u32, u32, u32), u32>;

/// The results of a walk.
#[derive(Debug)]
pub struct Walked {
    transitions: u64,
    inputs: u64,
    parts: Vec<(ProgramPart, Trail)>,
    findings: Vec<(FindingKey, Trail)>,
    end: Option<(RunEnd, Trail)>,
    taken: Vec<(u32, u32, u32)>,
}

impl StateSearch<'_, '_> {
    /// Walks once. The seed decides all of it, together with what was found and counted before.
    #[must_use]
    pub fn walk(&self, seed: u64, counts: &TakenCounts) -> Walked {
        let mut random = seed;
        let mut walked = Walked {
            transitions: 0,
            inputs: 0,
            parts: Vec::new(),
            findings: Vec::new(),
            end: None,
            taken: Vec::new(),
        };
        let (mut state, mut cache) = (State::default(), AnswerCache::default());
        let (mut numbers, mut inputs): (Vec<u32>, Vec<Input>) = (Vec::new(), Vec::new());
        while numbers.len() < MAX_INPUTS {
            let choices = self.space().choices(&state, &mut cache);
            if choices.is_empty() {
                break;
            }
            let chosen = choose(&mut random, &state, choices.len(), (counts, &walked.taken));
            let Some(input) = choices.into_iter().nth(chosen) else { break };
            let number = u32::try_from(chosen).unwrap_or(u32::MAX);
            let cursor = EventCursor::at(&state.snapshot);
            let taken = self.space().take(&state, input.clone(), &|| inputs.clone());
            if is_refused(&taken) {
                break;
            }
            walked.taken.push(place(&state, number));
            numbers.push(number);
            inputs.push(input);
            let trail = || Trail::Whole(numbers.clone());
            let parts = self.covered.new_parts(self.space().program, cursor.clone(), &taken.events);
            walked.parts.extend(parts.into_iter().map(|part| (part, trail())));
            let findings = judge(self.space(), self.declared(), &taken, cursor);
            walked.findings.extend(findings.into_iter().map(|finding| (finding, trail())));
            let transitions = taken.events.iter().filter(|event| is_transition(event)).count();
            walked.transitions += transitions as u64;
            walked.inputs += 1;
            if let Some(done) = &taken.state.snapshot.done {
                walked.end = Some((RunEnd { outcome: done.outcome.clone(), ok: done.ok }, trail()));
                break;
            }
            state = taken.state;
        }
        walked
    }

    /// Takes in what came of walks, in their order.
    pub fn merge_walks(&mut self, walks: Vec<Walked>, counts: &mut TakenCounts) {
        for walked in walks {
            self.transitions += walked.transitions;
            self.inputs += walked.inputs;
            self.walks += 1;
            walked.parts.iter().for_each(|(part, trail)| self.covered.take(*part, trail));
            for (finding, trail) in walked.findings {
                self.findings.entry(finding).or_insert(trail);
            }
            if let Some((end, trail)) = walked.end {
                self.ends.entry(end).or_insert(trail);
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
