//! The search: breadth first over the digests of states, then random walks.
//!
//! The states of one depth are expanded in batches, each of which may be cut over threads by whoever runs the search: what comes
//! of a batch depends on what was found before it, and on nothing else. So any number of threads finds the same.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::alike::ReadTree;
use super::byte_hasher::{DigestRoom, StateDigest};
use super::choice::{AnswerGroup, ChoiceGroup};
use super::covered::CoveredParts;
use super::finding::{EventFaults, FindingKey, FindingKind, declared_kinds, judge};
use super::run_work::RunWork;
use super::space::{AnswerCache, State, StateSpace, TakenInput};
use super::state_graph::{LongestRun, ROOT, StateGraph};
use super::trail::Trail;
use crate::machine::{EventCursor, Input, InputKind, QuestionReason};
use crate::scenario::ProgramPart;
use crate::value::Str;

/// States that are expanded at once.
const BATCH: usize = 512;

/// States that are held in memory until they are expanded. One takes thousands of bytes, and its number four.
const MAX_HELD: usize = 20_000;

/// The limits of a search.
#[derive(Debug, Clone, Copy)]
pub struct SearchLimits {
    /// The most inputs of a run after its start.
    pub depth: Option<u32>,
    /// The most states.
    pub max_states: usize,
}

impl Default for SearchLimits {
    fn default() -> Self {
        Self { depth: None, max_states: 200_000 }
    }
}

/// A state that is not expanded yet. Beyond so many it is built again from its inputs when its turn comes.
#[derive(Debug, Clone)]
pub struct OpenState {
    number: u32,
    state: Option<Box<State>>,
}

/// The end of a run.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct RunEnd {
    /// The outcome.
    pub outcome: Str,
    /// True if it is a success.
    pub ok: bool,
}

/// The state that an input leads to, and all on the way there.
#[derive(Debug)]
struct Successor {
    choice: u32,
    /// The inputs that lead there the same way, this one and those that cannot be told from it.
    inputs: u32,
    digest: StateDigest,
    /// The state, if it was not known.
    state: Option<Box<State>>,
    /// True for an order of a person that is no part of the bound: to make a call again, to go back.
    is_ordered: bool,
    seen: Observation,
}

/// All that is new or wrong in what an input led to.
#[derive(Debug)]
pub(super) struct Observation {
    work: RunWork,
    parts: Vec<ProgramPart>,
    findings: Vec<FindingKey>,
    pub(super) end: Option<RunEnd>,
}

/// The run that does most of an amount of work.
#[derive(Debug)]
pub(super) struct LongestPath {
    /// Its states.
    pub(super) states: Vec<u32>,
    /// The amount.
    pub(super) amount: u64,
}

/// The successors of a state.
#[derive(Debug)]
pub struct ExpandedState {
    from: u32,
    successors: Vec<Successor>,
}

/// What was worked out so far, to be used for the next states.
#[derive(Debug, Default)]
struct SearchCache {
    answers: AnswerCache,
    digests: DigestRoom,
}

/// A search in progress.
#[derive(Debug)]
pub struct StateSearch<'s, 'm> {
    space: &'s StateSpace<'m>,
    limits: SearchLimits,
    declared: Vec<Str>,
    pub(super) states: StateGraph,
    /// The states of the depth that is searched, and of the next one.
    open: VecDeque<OpenState>,
    next: VecDeque<OpenState>,
    /// The states that are held until they are expanded.
    max_held: usize,
    /// True if answers are taken that cannot be told from another one.
    takes_each: bool,
    /// What was worked out so far, by whichever thread did. A thread takes one out while it expands states.
    caches: Mutex<Vec<SearchCache>>,
    pub(super) depth: u32,
    pub(super) covered: CoveredParts,
    pub(super) findings: BTreeMap<FindingKey, Trail>,
    pub(super) ends: BTreeMap<RunEnd, Trail>,
    pub(super) transitions: u64,
    pub(super) inputs: u64,
    pub(super) walks: u64,
    /// True if a state was left out for the limits.
    pub(super) is_cut: bool,
}

impl<'s, 'm> StateSearch<'s, 'm> {
    /// A search from the beginning of runs.
    #[must_use]
    pub fn new(space: &'s StateSpace<'m>, limits: SearchLimits) -> Self {
        let mut states = StateGraph::default();
        let state = State::default();
        states.add(space.digest(&state, &mut DigestRoom::default()), (ROOT, 0));
        Self {
            space,
            limits,
            declared: declared_kinds(space.model.root()),
            states,
            open: VecDeque::from([OpenState { number: ROOT, state: Some(Box::new(state)) }]),
            next: VecDeque::new(),
            max_held: MAX_HELD,
            takes_each: false,
            caches: Mutex::default(),
            depth: 0,
            covered: CoveredParts::default(),
            findings: BTreeMap::new(),
            ends: BTreeMap::new(),
            transitions: 0,
            inputs: 0,
            walks: 0,
            is_cut: false,
        }
    }

    /// Holds no more than so many states until they are expanded; the others are built again from their inputs.
    #[must_use]
    pub fn holding(mut self, states: usize) -> Self {
        self.max_held = states;
        self
    }

    /// Takes each answer, also one that cannot be told from another. The same is found, and it takes longer.
    #[must_use]
    pub const fn taking_each(mut self) -> Self {
        self.takes_each = true;
        self
    }

    /// The space that is searched.
    #[must_use]
    pub fn space(&self) -> &'s StateSpace<'m> {
        self.space
    }

    /// The number of states that were found.
    #[must_use]
    pub fn states(&self) -> usize {
        self.states.len()
    }

    /// True if something was left out for the limits.
    #[must_use]
    pub const fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// The random walks that were made.
    #[must_use]
    pub const fn walks(&self) -> u64 {
        self.walks
    }

    /// The number of states that wait to be expanded.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.open.len() + self.next.len()
    }

    /// The transitions that were made.
    #[must_use]
    pub const fn transitions(&self) -> u64 {
        self.transitions
    }

    /// The most inputs of a run that was looked at, its start not counted.
    #[must_use]
    pub const fn depth(&self) -> u32 {
        self.depth
    }

    /// The bytes that the states take which were found, without those that wait to be expanded.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.states.bytes()
    }

    /// The digests of all states that were found.
    #[must_use]
    pub fn digests(&self) -> Vec<StateDigest> {
        self.states.digests()
    }

    /// The next states to expand; none when the search is at its end.
    pub fn batch(&mut self) -> Vec<OpenState> {
        if self.open.is_empty() && !self.next.is_empty() {
            if self.limits.depth.is_some_and(|most| self.depth >= most) {
                self.is_cut = true;
                self.next.clear();
                return Vec::new();
            }
            self.depth += 1;
            std::mem::swap(&mut self.open, &mut self.next);
        }
        let count = self.open.len().min(BATCH);
        self.open.drain(..count).collect()
    }

    /// Expands states. It changes nothing, and may be done with parts of a batch side by side.
    #[must_use]
    pub fn expand(&self, open: &[OpenState]) -> Vec<ExpandedState> {
        let mut cache = self.caches().pop().unwrap_or_default();
        let mut parent = None;
        let expand = |open: &OpenState| {
            let built;
            let state = if let Some(state) = &open.state {
                state
            } else {
                built = self.built(open.number, &mut parent, &mut cache.answers);
                &built
            };
            self.expand_one(open.number, state, &mut cache)
        };
        let expanded = open.iter().map(expand).collect();
        self.caches().push(cache);
        expanded
    }

    fn caches(&self) -> MutexGuard<'_, Vec<SearchCache>> {
        self.caches.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A state that is not held. `parent` is that of the one before, which states that follow each other mostly share.
    fn built(&self, number: u32, parent: &mut Option<(u32, State)>, cache: &mut AnswerCache) -> State {
        let (before, choice) = self.states.parent(number);
        let trail = self.states.trail(before);
        let (_, state) = match parent {
            Some(known) if known.0 == before => known,
            other => other.insert((before, self.follow(&trail).1)),
        };
        let input = self.space.choice(state, choice, cache).expect("a state has the choices that it had");
        self.space.take(state, input, &|| self.inputs_of(&trail)).state
    }

    fn expand_one(&self, number: u32, state: &State, cache: &mut SearchCache) -> ExpandedState {
        let mut successors = Vec::new();
        let mut first = 0;
        for group in self.space.choice_groups(state, &mut cache.answers) {
            match &group {
                ChoiceGroup::Answers(answers) => {
                    self.expand_answers(number, state, (first, answers), cache, &mut successors);
                }
                ChoiceGroup::Inputs(inputs) => {
                    let inputs = (first..).zip(inputs.iter().cloned());
                    self.expand_inputs(number, state, inputs, &mut cache.digests, &mut successors);
                }
            }
            first += u32::try_from(group.len()).unwrap_or(u32::MAX);
        }
        ExpandedState { from: number, successors }
    }

    fn expand_inputs(
        &self,
        number: u32,
        state: &State,
        inputs: impl Iterator<Item = (u32, Input)>,
        room: &mut DigestRoom,
        successors: &mut Vec<Successor>,
    ) {
        let path = || self.inputs_of(&self.states.trail(number));
        for (choice, input) in inputs {
            let is_ordered = is_order(state, &input);
            let taken = self.space.take(state, input, &path);
            if !is_refused(&taken) {
                successors.push(self.successor(state, choice, is_ordered, taken, room));
            }
        }
    }

    /// Takes the answers of a group, but those that lead where another one has led.
    fn expand_answers(
        &self,
        number: u32,
        state: &State,
        (first, group): (u32, &AnswerGroup),
        cache: &mut SearchCache,
        successors: &mut Vec<Successor>,
    ) {
        let inputs = (first..).zip(group.values.iter());
        let is_read = group.values.len() > 1 && !self.takes_each;
        let Some(watch) = self.space.watch_of(state, group).filter(|_| is_read) else {
            let inputs = inputs.map(|(choice, value)| (choice, group.input(value)));
            return self.expand_inputs(number, state, inputs, &mut cache.digests, successors);
        };
        let program = self.space.quick();
        let classes = cache.answers.read.of(program, &state.snapshot, group.lane, group.sent());
        let mut tree = ReadTree::default();
        for (at, (choice, value)) in inputs.enumerate() {
            if let Some(same) = tree.find(at) {
                successors[same].inputs += 1;
                continue;
            }
            let (taken, reads) = self.space.take_watched(state, group.input(value), &watch);
            tree.add(program, classes, at, &reads, successors.len());
            successors.push(self.successor(state, choice, false, taken, &mut cache.digests));
        }
    }

    fn successor(
        &self,
        before: &State,
        choice: u32,
        is_ordered: bool,
        taken: TakenInput,
        room: &mut DigestRoom,
    ) -> Successor {
        let seen = self.observe(before, &taken);
        let digest = self.space.digest(&taken.state, room);
        let is_new = self.states.number(digest).is_none();
        Successor {
            choice,
            inputs: 1,
            digest,
            state: is_new.then(|| Box::new(taken.state)),
            is_ordered,
            seen,
        }
    }

    /// Looks at what an input led to.
    pub(super) fn observe(&self, before: &State, taken: &TakenInput) -> Observation {
        let mut cursor = EventCursor::at(&before.snapshot);
        let mut parts = Vec::new();
        let mut faults = EventFaults::new(&self.declared);
        for event in &taken.events {
            let place = cursor.next(self.space.program, event);
            self.covered.add_new(event, &place, &mut parts);
            faults.take(event, &place, &taken.state);
        }
        let done = taken.state.snapshot.done.as_deref();
        Observation {
            work: RunWork::of(&taken.events),
            parts,
            findings: judge(self.space, before, taken, faults),
            end: done.map(|done| RunEnd { outcome: done.outcome.clone(), ok: done.ok }),
        }
    }

    /// Takes in an observation of what a trail leads to, and so many inputs that cannot be told from its last one.
    pub(super) fn note(&mut self, seen: Observation, inputs: u64, trail: &Trail) {
        self.transitions += u64::from(seen.work.transitions) * inputs;
        self.inputs += inputs;
        seen.parts.iter().for_each(|part| self.covered.take(*part, trail));
        for finding in seen.findings {
            self.findings.entry(finding).or_insert_with(|| trail.clone());
        }
        if let Some(end) = seen.end {
            self.ends.entry(end).or_insert_with(|| trail.clone());
        }
    }

    /// Takes in what came of a batch, in its order.
    pub fn merge(&mut self, expanded: Vec<ExpandedState>) {
        for ExpandedState { from, successors } in expanded {
            let mut edges = Vec::with_capacity(successors.len());
            for successor in successors {
                self.take(from, successor, &mut edges);
            }
            self.states.connect(from, edges);
        }
    }

    fn take(&mut self, from: u32, successor: Successor, edges: &mut Vec<(u32, RunWork)>) {
        let trail = Trail::From { state: from, choice: successor.choice };
        let work = successor.seen.work;
        let end = successor.seen.end.as_ref().map(|end| end.ok);
        self.note(successor.seen, u64::from(successor.inputs), &trail);
        let number = match self.states.number(successor.digest) {
            Some(number) => number,
            None if self.states.len() >= self.limits.max_states => {
                self.is_cut = true;
                return;
            }
            None => {
                let number = self.states.add(successor.digest, (from, successor.choice));
                if let Some(is_success) = end {
                    self.states.end(number, is_success);
                }
                if end.is_none() {
                    let state = successor.state.filter(|_| self.next.len() < self.max_held);
                    self.next.push_back(OpenState { number, state });
                }
                number
            }
        };
        if !successor.is_ordered {
            edges.push((number, work));
        }
    }

    /// Runs the search to its end on one thread.
    pub fn run(&mut self) {
        loop {
            let batch = self.batch();
            if batch.is_empty() {
                return;
            }
            let expanded = self.expand(&batch);
            self.merge(expanded);
        }
    }

    /// The inputs of a trail.
    #[must_use]
    pub fn inputs(&self, trail: &Trail) -> Vec<Input> {
        self.inputs_of(&self.numbers(trail))
    }

    /// The numbers of the inputs of a trail.
    pub(super) fn numbers(&self, trail: &Trail) -> Vec<u32> {
        match trail {
            Trail::From { state, choice } => {
                let mut numbers = self.states.trail(*state);
                numbers.push(*choice);
                numbers
            }
            Trail::Whole(numbers) => numbers.clone(),
        }
    }

    fn inputs_of(&self, numbers: &[u32]) -> Vec<Input> {
        self.follow(numbers).0
    }

    /// The inputs of those numbers, and the state that they lead to.
    fn follow(&self, numbers: &[u32]) -> (Vec<Input>, State) {
        let (mut cache, mut state) = (AnswerCache::default(), State::default());
        let mut inputs: Vec<Input> = Vec::with_capacity(numbers.len());
        for number in numbers {
            let Some(input) = self.space.choice(&state, *number, &mut cache) else { break };
            state = self.space.take(&state, input.clone(), &|| inputs.clone()).state;
            inputs.push(input);
        }
        (inputs, state)
    }

    /// The most of each amount of work that a run does, if the whole space was searched and nothing in it comes back to where it
    /// was. A way round becomes a finding.
    pub(super) fn longest(&mut self) -> Option<[LongestPath; 3]> {
        let mut all = Vec::with_capacity(3);
        for at in 0..3 {
            match self.states.longest(|work| work.amounts()[at]) {
                LongestRun::Ends(states, amount) => all.push(LongestPath { states, amount }),
                LongestRun::Repeats(round) => {
                    self.add_endless(round.first().copied()?);
                    return None;
                }
            }
        }
        all.try_into().ok().filter(|_| !self.is_cut)
    }

    fn add_endless(&mut self, state: u32) {
        let numbers = self.states.trail(state);
        let (_, state) = self.follow(&numbers);
        let node = state.snapshot.root().map_or(0, |root| root.frame.node);
        let key = FindingKey { kind: FindingKind::Endless, graph: 0, node };
        self.findings.entry(key).or_insert(Trail::Whole(numbers));
    }

    /// The numbers of the inputs that lead through states from the first one, each doing the most of an amount.
    pub(super) fn numbers_through(&self, states: &[u32], amount: usize) -> Vec<u32> {
        let (mut cache, mut room, mut state) =
            (AnswerCache::default(), DigestRoom::default(), State::default());
        let (mut numbers, mut inputs): (Vec<u32>, Vec<Input>) = (Vec::new(), Vec::new());
        for next in states.iter().skip(1) {
            let mut best: Option<(u64, u32, Input, State)> = None;
            for (number, input) in (0..).zip(self.space.choices(&state, &mut cache)) {
                let taken = self.space.take(&state, input.clone(), &|| inputs.clone());
                let work = RunWork::of(&taken.events).amounts()[amount];
                let leads = self.states.number(self.space.digest(&taken.state, &mut room)) == Some(*next);
                if leads && best.as_ref().is_none_or(|best| best.0 < work) {
                    best = Some((work, number, input, taken.state));
                }
            }
            let Some((_, number, input, after)) = best else { break };
            numbers.push(number);
            inputs.push(input);
            state = after;
        }
        numbers
    }
}

/// True for a start that the graph refuses: its inputs do not fit.
pub(super) fn is_refused(taken: &TakenInput) -> bool {
    let done = taken.state.snapshot.done.as_ref();
    let starts = taken.events.iter().any(|event| event.seq == 0);
    starts && done.is_some_and(|done| crate::program::error::ErrorKind::InvalidArgs.is(&done.outcome))
}

/// True for what a person orders beyond the bound: to make a call again, or to go back.
fn is_order(state: &State, input: &Input) -> bool {
    let InputKind::Answered { ask, answer } = &input.kind else { return false };
    let question = state.snapshot.asks().find(|own| own.id == *ask);
    match question.map(|own| own.reason) {
        Some(QuestionReason::Unknown) => answer.is_str("retry"),
        Some(QuestionReason::Pause) => answer.as_map().is_some(),
        _ => false,
    }
}
