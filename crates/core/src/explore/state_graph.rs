//! The states that were found, and how they lead to each other.

use std::collections::VecDeque;
use std::collections::hash_map::Entry;

use rustc_hash::FxHashMap;

use super::byte_hasher::StateDigest;
use super::run_work::RunWork;

/// The number of the state before a run begins.
pub(super) const ROOT: u32 = 0;

/// A step from one state to another.
#[derive(Debug, Clone, Copy)]
struct StateEdge {
    from: u32,
    to: u32,
    /// The most work of an input that leads there, amount by amount.
    work: RunWork,
}

/// The states that were found, by number.
#[derive(Debug, Default)]
pub(super) struct StateGraph {
    numbers: FxHashMap<StateDigest, u32>,
    /// The state from which each was found first, and the number of the input there.
    parents: Vec<(u32, u32)>,
    edges: Vec<StateEdge>,
    /// The states in which runs are at their end, and if it is a success.
    ends: Vec<(u32, bool)>,
}

/// The longest run, or a way round.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum LongestRun {
    /// The states of the run that does most of one amount, and how much.
    Ends(Vec<u32>, u64),
    /// States that lead from one to the next, and from the last to the first.
    Repeats(Vec<u32>),
}

impl StateGraph {
    pub(super) fn len(&self) -> usize {
        self.parents.len()
    }

    pub(super) fn number(&self, digest: StateDigest) -> Option<u32> {
        self.numbers.get(&digest).copied()
    }

    /// All digests, in order of value.
    pub(super) fn digests(&self) -> Vec<StateDigest> {
        let mut all: Vec<StateDigest> = self.numbers.keys().copied().collect();
        all.sort_unstable();
        all
    }

    /// Adds a state that was not found before.
    pub(super) fn add(&mut self, digest: StateDigest, parent: (u32, u32)) -> u32 {
        let number = u32::try_from(self.parents.len()).expect("states are counted in u32");
        self.parents.push(parent);
        self.numbers.insert(digest, number);
        number
    }

    /// Adds the steps out of one state.
    pub(super) fn connect(&mut self, from: u32, mut to: Vec<(u32, RunWork)>) {
        to.sort_unstable_by_key(|edge| edge.0);
        to.dedup_by(|edge, before| {
            let is_same = edge.0 == before.0;
            if is_same {
                before.1 = before.1.max(edge.1);
            }
            is_same
        });
        self.edges.extend(to.into_iter().map(|(to, work)| StateEdge { from, to, work }));
    }

    /// Notes that runs are at their end in a state.
    pub(super) fn end(&mut self, state: u32, is_success: bool) {
        self.ends.push((state, is_success));
    }

    /// The least inputs from each state to the end of a run, or to one with success; none where no such end is known.
    pub(super) fn inputs_to_ends(&self, with_success: bool) -> Vec<Option<u32>> {
        let count = self.len();
        let mut first = vec![0_usize; count + 1];
        self.edges.iter().for_each(|edge| first[edge.to as usize + 1] += 1);
        for at in 0..count {
            first[at + 1] += first[at];
        }
        let (mut next, mut before) = (first.clone(), vec![ROOT; self.edges.len()]);
        for edge in &self.edges {
            let place = &mut next[edge.to as usize];
            before[*place] = edge.from;
            *place += 1;
        }
        let mut least = vec![None; count];
        let mut open: VecDeque<u32> =
            self.ends.iter().filter(|(_, ok)| *ok || !with_success).map(|(end, _)| *end).collect();
        for end in &open {
            least[*end as usize] = Some(0);
        }
        while let Some(state) = open.pop_front() {
            let further = least[state as usize].map(|own: u32| own + 1);
            for from in &before[first[state as usize]..first[state as usize + 1]] {
                if least[*from as usize].is_none() {
                    least[*from as usize] = further;
                    open.push_back(*from);
                }
            }
        }
        least
    }

    /// The state from which a state was found first, and the number of the input there.
    pub(super) fn parent(&self, state: u32) -> (u32, u32) {
        self.parents[state as usize]
    }

    /// The numbers of the inputs that lead to a state.
    pub(super) fn trail(&self, mut state: u32) -> Vec<u32> {
        let mut trail = Vec::new();
        while state != ROOT {
            let (parent, choice) = self.parents[state as usize];
            trail.push(choice);
            state = parent;
        }
        trail.reverse();
        trail
    }

    /// The bytes that the graph takes, without the states themselves.
    pub(super) fn bytes(&self) -> usize {
        // A place of the table has the digest, the number and a byte of its own, and one in eight is free.
        let entry = size_of::<StateDigest>() + size_of::<u64>() + 1;
        self.numbers.capacity() * entry * 8 / 7
            + self.parents.capacity() * size_of::<(u32, u32)>()
            + self.edges.capacity() * size_of::<StateEdge>()
    }

    /// The run that does most of one amount, or a way round if there is one.
    pub(super) fn longest(&self, amount: impl Fn(RunWork) -> u64) -> LongestRun {
        let count = self.len();
        let mut first = vec![0_u32; count + 1];
        for edge in &self.edges {
            first[edge.from as usize + 1] += 1;
        }
        for at in 0..count {
            first[at + 1] += first[at];
        }
        let mut order: Vec<u32> = (0..u32::try_from(self.edges.len()).unwrap_or(u32::MAX)).collect();
        order.sort_by_key(|edge| self.edges[*edge as usize].from);
        let out = |state: u32| {
            let (from, to) = (first[state as usize] as usize, first[state as usize + 1] as usize);
            order[from..to].iter().map(|edge| self.edges[*edge as usize])
        };
        let mut before = vec![0_u32; count];
        self.edges.iter().for_each(|edge| before[edge.to as usize] += 1);
        let mut most = vec![(0_u64, ROOT); count];
        let mut open: Vec<u32> =
            (0..).zip(&before).filter(|(_, n)| **n == 0).map(|(state, _)| state).collect();
        let mut done = 0;
        while let Some(state) = open.pop() {
            done += 1;
            for edge in out(state) {
                let length = most[state as usize].0 + amount(edge.work);
                let to = edge.to as usize;
                if length >= most[to].0 {
                    most[to] = (length, state);
                }
                before[to] -= 1;
                if before[to] == 0 {
                    open.push(edge.to);
                }
            }
        }
        if done < count {
            return LongestRun::Repeats(shortest_cycle(&before, |state| {
                out(state).map(|edge| edge.to).collect()
            }));
        }
        let last = (0..).zip(&most).max_by_key(|(state, (length, _))| (*length, std::cmp::Reverse(*state)));
        let Some((mut at, (length, _))) = last else { return LongestRun::Ends(Vec::new(), 0) };
        let mut states = vec![at];
        while at != ROOT {
            at = most[at as usize].1;
            states.push(at);
        }
        states.reverse();
        LongestRun::Ends(states, *length)
    }
}

/// The shortest way round through the first state that lies on one. `before` counts, for each state, the steps to it that are left.
fn shortest_cycle(before: &[u32], next: impl Fn(u32) -> Vec<u32>) -> Vec<u32> {
    let left = |state: u32| before[state as usize] > 0;
    for start in (0..).take(before.len()).filter(|state| left(*state)) {
        let mut parents: FxHashMap<u32, u32> = FxHashMap::default();
        let mut open = VecDeque::from([start]);
        while let Some(state) = open.pop_front() {
            for to in next(state).into_iter().filter(|to| left(*to)) {
                if to == start {
                    let mut round = vec![state];
                    let mut at = state;
                    while at != start {
                        at = parents[&at];
                        round.push(at);
                    }
                    round.reverse();
                    return round;
                }
                if let Entry::Vacant(place) = parents.entry(to) {
                    place.insert(state);
                    open.push_back(to);
                }
            }
        }
    }
    Vec::new()
}

#[cfg(test)]
mod tests {
    use super::{LongestRun, ROOT, StateGraph};
    use crate::explore::byte_hasher::StateDigest;
    use crate::explore::run_work::RunWork;

    fn transitions(work: RunWork) -> u64 {
        work.transitions.into()
    }

    fn graph(count: u128, edges: &[(u32, u32, u32)]) -> StateGraph {
        let mut graph = StateGraph::default();
        for digest in 0..count {
            graph.add(StateDigest::of(digest), (ROOT, 0));
        }
        for from in 0..u32::try_from(count).unwrap_or_default() {
            let work = |transitions| RunWork { transitions, ..RunWork::default() };
            let own = edges.iter().filter(|edge| edge.0 == from).map(|edge| (edge.1, work(edge.2)));
            graph.connect(from, own.collect());
        }
        graph
    }

    #[test]
    fn the_longest_run_is_that_of_most_transitions() {
        let graph = graph(5, &[(0, 1, 1), (0, 2, 5), (1, 3, 1), (2, 3, 1), (1, 2, 1), (3, 4, 2), (3, 4, 7)]);
        assert_eq!(graph.longest(transitions), LongestRun::Ends(vec![0, 2, 3, 4], 13));
    }

    #[test]
    fn ends_are_as_far_as_the_shortest_way_to_one() {
        let mut graph =
            graph(6, &[(0, 1, 1), (0, 2, 1), (1, 3, 1), (2, 1, 1), (2, 0, 1), (4, 5, 1), (5, 4, 1)]);
        graph.end(3, true);
        graph.end(1, false);
        assert_eq!(graph.inputs_to_ends(true), [Some(2), Some(1), Some(2), Some(0), None, None]);
        assert_eq!(graph.inputs_to_ends(false), [Some(1), Some(0), Some(1), Some(0), None, None]);
    }

    #[test]
    fn a_way_round_is_found() {
        let graph = graph(5, &[(0, 1, 1), (1, 2, 1), (2, 3, 1), (3, 1, 1), (3, 4, 1)]);
        assert_eq!(graph.longest(transitions), LongestRun::Repeats(vec![1, 2, 3]));
    }
}
