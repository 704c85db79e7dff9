//! Runs that are brought to an end, and on the way there through what is still wanted.

use std::collections::{BTreeSet, VecDeque};

use rustc_hash::FxHashSet;

use crate::explore::DigestRoom;
use crate::explore::search::{StateSearch, is_refused};
use crate::explore::space::{AnswerCache, State};
use crate::explore::trail::Trail;
use crate::machine::{EventCursor, Input, InputKind, Phase};
use crate::scenario::{ProgramPart, each_taken};

/// The most inputs by which a run is lengthened to take one more part.
const MAX_DETOUR: usize = 2;
/// A run of more inputs is not lengthened: people are to read it.
const MAX_INPUTS: usize = 10;
/// The inputs that are tried at most to find a continuation.
const MAX_TRIED: usize = 2_000;
/// The most inputs of a continuation to an end that the search does not know.
const MAX_MORE: usize = 200;

/// A run up to an input.
#[derive(Debug, Clone, Default)]
pub(super) struct PartialRun {
    pub(super) inputs: Vec<Input>,
    pub(super) state: State,
    pub(super) parts: BTreeSet<ProgramPart>,
    /// True if a property does not hold in it.
    pub(super) is_faulty: bool,
}

impl PartialRun {
    pub(super) fn is_done(&self) -> bool {
        self.state.snapshot.done.is_some()
    }

    /// True for a run with the same inputs, in which an integer is no float.
    pub(super) fn has_inputs_of(&self, other: &Self) -> bool {
        self.inputs == other.inputs && format!("{:?}", self.inputs) == format!("{:?}", other.inputs)
    }

    /// True for a run that goes on only when a person answers.
    pub(super) fn waits(&self) -> bool {
        let snapshot = &self.state.snapshot;
        let is_calling = snapshot.lanes.iter().flatten().any(|lane| matches!(lane.phase, Phase::Calling(_)));
        !self.is_done() && snapshot.timer.is_none() && !is_calling && snapshot.asks().next().is_some()
    }
}

/// Continues runs of a search.
pub(super) struct RunBuilder<'r, 's, 'm> {
    search: &'r StateSearch<'s, 'm>,
    /// The inputs from each state to an end with success, and to any end.
    to_success: Vec<Option<u32>>,
    to_end: Vec<Option<u32>>,
    cache: AnswerCache,
}

impl<'r, 's, 'm> RunBuilder<'r, 's, 'm> {
    pub(super) fn new(search: &'r StateSearch<'s, 'm>) -> Self {
        let to_success = search.states.inputs_to_ends(true);
        let to_end = search.states.inputs_to_ends(false);
        Self { search, to_success, to_end, cache: AnswerCache::default() }
    }

    /// The run of a trail that takes a part. What a random walk did before it came to a state that the search knows is left out.
    pub(super) fn begin(&mut self, trail: &Trail, part: ProgramPart) -> PartialRun {
        let numbers = self.search.numbers(trail);
        if let Trail::Whole(_) = trail {
            let direct = self.direct(&numbers);
            let direct = self.follow(&direct);
            if direct.parts.contains(&part) {
                return direct;
            }
        }
        self.follow(&numbers)
    }

    /// The numbers of a walk with the shortest trail to the last of its states that the search knows.
    fn direct(&mut self, numbers: &[u32]) -> Vec<u32> {
        let (mut best, mut run, mut room) = (numbers.to_vec(), PartialRun::default(), DigestRoom::default());
        // The last input is that which takes the part.
        for at in 1..numbers.len() {
            let Some(next) = self.nth(&run, numbers[at - 1]) else { break };
            run = next;
            let digest = self.search.space().digest(&run.state, &mut room);
            if let Some(number) = self.search.states.number(digest) {
                best = self.search.states.trail(number);
                best.extend(&numbers[at..]);
            }
        }
        best
    }

    fn follow(&mut self, numbers: &[u32]) -> PartialRun {
        let mut run = PartialRun::default();
        for number in numbers {
            let Some(next) = self.nth(&run, *number) else { break };
            run = next;
        }
        run
    }

    /// The run with the input of that number.
    fn nth(&mut self, run: &PartialRun, number: u32) -> Option<PartialRun> {
        let input = self.choices(&run.state).into_iter().nth(number as usize)?;
        self.next(run, input)
    }

    fn choices(&mut self, state: &State) -> Vec<Input> {
        self.search.space().choices(state, &mut self.cache)
    }

    /// The inputs that a scenario can say.
    fn sayable(&mut self, state: &State) -> Vec<Input> {
        let mut all = self.choices(state);
        all.retain(|input| !matches!(input.kind, InputKind::Cancel { .. }));
        all
    }

    /// The run with one more input; none where the graph refuses the start.
    fn next(&self, run: &PartialRun, input: Input) -> Option<PartialRun> {
        let taken = self.search.space().take(&run.state, input.clone(), &|| run.inputs.clone());
        if is_refused(&taken) {
            return None;
        }
        let mut next = PartialRun {
            inputs: run.inputs.clone(),
            state: taken.state,
            parts: run.parts.clone(),
            is_faulty: run.is_faulty || !taken.violations.is_empty(),
        };
        next.inputs.push(input);
        let cursor = EventCursor::at(&run.state.snapshot);
        each_taken(self.search.space().program, cursor, &taken.events, &mut |part| {
            next.parts.insert(part);
        });
        Some(next)
    }

    /// The shortest continuation that is accepted, of at most so many inputs.
    fn nearest(
        &mut self,
        from: &PartialRun,
        most: usize,
        accepts: &dyn Fn(&PartialRun) -> bool,
    ) -> Option<PartialRun> {
        let (mut seen, mut room, mut tried) = (FxHashSet::default(), DigestRoom::default(), 0);
        let mut open = VecDeque::from([from.clone()]);
        while let Some(run) = open.pop_front() {
            for input in self.sayable(&run.state) {
                tried += 1;
                if tried > MAX_TRIED {
                    return None;
                }
                let Some(next) = self.next(&run, input) else { continue };
                if accepts(&next) {
                    return Some(next);
                }
                let is_open = !next.is_done() && next.inputs.len() < from.inputs.len() + most;
                if is_open && seen.insert(self.search.space().digest(&next.state, &mut room)) {
                    open.push_back(next);
                }
            }
        }
        None
    }

    /// The run lengthened, as long as few more inputs take something that is wanted.
    pub(super) fn lengthen(&mut self, run: &PartialRun, wanted: &BTreeSet<ProgramPart>) -> PartialRun {
        let mut run = run.clone();
        while !run.is_done() && run.inputs.len() < MAX_INPUTS {
            let takes_more = |next: &PartialRun| !next.is_done() && takes_more(&run, next, wanted);
            let Some(next) = self.nearest(&run, MAX_DETOUR, &takes_more) else { break };
            run = next;
        }
        run
    }

    /// The run brought to an end, to one that takes something that is wanted where there is one, otherwise to a success; or to a place
    /// where it waits for a person. None where none of these is found.
    pub(super) fn finish(&mut self, run: &PartialRun, wanted: &BTreeSet<ProgramPart>) -> Option<PartialRun> {
        if run.is_done() {
            return Some(run.clone());
        }
        let ends = |next: &PartialRun| next.is_done() && takes_more(run, next, wanted);
        self.nearest(run, MAX_DETOUR, &ends)
            .or_else(|| self.follow_to_end(run, true))
            .or_else(|| self.follow_to_end(run, false))
            .or_else(|| run.waits().then(|| run.clone()))
            .or_else(|| self.nearest(run, MAX_MORE, &PartialRun::is_done))
            .or_else(|| self.nearest(run, MAX_MORE, &PartialRun::waits))
    }

    /// The run brought to an end that the search knows.
    fn follow_to_end(&mut self, run: &PartialRun, success: bool) -> Option<PartialRun> {
        let mut run = run.clone();
        let mut left = self.distance(&run, success)?;
        while !run.is_done() {
            let inputs = self.sayable(&run.state);
            let nexts = inputs.into_iter().filter_map(|input| self.next(&run, input));
            let measured = nexts.filter_map(|next| Some((self.distance(&next, success)?, next)));
            let (distance, next) = measured.min_by_key(|(distance, _)| *distance)?;
            if distance >= left {
                return None;
            }
            (run, left) = (next, distance);
        }
        Some(run)
    }

    fn distance(&self, run: &PartialRun, success: bool) -> Option<u32> {
        let number =
            self.search.states.number(self.search.space().digest(&run.state, &mut DigestRoom::default()))?;
        let all = if success { &self.to_success } else { &self.to_end };
        all[number as usize]
    }
}

/// True if a run takes something that is wanted and that a shorter one does not take.
fn takes_more(run: &PartialRun, next: &PartialRun, wanted: &BTreeSet<ProgramPart>) -> bool {
    next.parts.iter().any(|part| wanted.contains(part) && !run.parts.contains(part))
}
