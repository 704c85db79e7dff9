//! Execution semantics: random graphs, driven by a random adversary, against a slow reference.
//!
//! [`graph`] makes graphs and writes them as YAML, so that the whole way from text to machine is taken. [`reference`]
//! runs the same graphs by what the language's description says, with none of the machine's code or data. Both keep a
//! log of what they did; the logs must be equal.

mod graph;
mod machine;
mod reference;

use graph::Graph;
use loopwright::program::Semantics;
use rand::SeedableRng;
use rand::rngs::SmallRng;

/// How many graphs are tried.
const GRAPHS: u64 = 2_000;

/// A random graph as a file.
pub(crate) fn random_graph(random: &mut SmallRng) -> String {
    Graph::random(random).to_yaml()
}

/// Something that was done, as both interpreters write it down.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Deed {
    /// A composite or a leaf was entered and its statements ran.
    Entered(String),
    /// A budget was debited.
    Spent(String, i64),
    /// A tool was called with this argument.
    Called(String, i64),
    /// A person was asked what became of a call.
    Asked(String),
    /// The edge of that number of a node was taken.
    Took(String, usize),
    /// The run ended: outcome, success, state, what was used of the graph's budgets.
    Ended(String, bool, Vec<i64>, Vec<i64>),
}

/// What a tool does when it is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reply {
    Value(i64),
    Error(&'static str),
    /// An error of a call that surely never began.
    NeverBegan(&'static str),
    Unknown,
}

/// What a person says became of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Told {
    Retry,
    Fail,
    Result(i64),
}

/// The adversary: what tools and people will say, in order.
#[derive(Debug, Clone, Default)]
struct World {
    replies: Vec<Reply>,
    told: Vec<Told>,
}

impl World {
    /// The next reply of a tool; when there is none left, all go well.
    fn reply(&mut self) -> Reply {
        if self.replies.is_empty() { Reply::Value(1) } else { self.replies.remove(0) }
    }

    /// The next word of a person; when there is none left, the call failed.
    fn tell(&mut self) -> Told {
        if self.told.is_empty() { Told::Fail } else { self.told.remove(0) }
    }
}

#[test]
fn random_graphs_run_as_the_description_says() {
    let mut seen = Seen::default();
    std::thread::scope(|scope| {
        let halves = [0, 1].map(|half| scope.spawn(move || try_every_second(half)));
        for half in halves {
            match half.join() {
                Ok(found) => seen.add(&found),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
    });
    seen.judge();
}

fn try_every_second(first: u64) -> Seen {
    let mut seen = Seen::default();
    for seed in (first..GRAPHS).step_by(2) {
        let mut random = SmallRng::seed_from_u64(seed);
        let graph = Graph::random(&mut random);
        let world = graph::world(&mut random);
        // Runs that began before deliveries were held go on as they began.
        let semantics = if seed % 4 < 2 { Semantics::NEWEST } else { Semantics::FIRST };
        let expected = reference::run(&graph, world.clone(), semantics);
        let text = graph.to_yaml();
        let found = machine::run(&text, world.clone(), graph.budgets.len(), semantics);
        if let Some(at) = first_difference(&expected, &found) {
            panic!(
                "seed {seed}: the logs differ at {at}\nreference: {:#?}\nmachine: {:#?}\nbefore: {:?}\n{world:?}\n{text}",
                expected.get(at),
                found.get(at),
                &expected[at.saturating_sub(12)..at],
            );
        }
        seen.count(&expected);
    }
    seen
}

fn first_difference(left: &[Deed], right: &[Deed]) -> Option<usize> {
    let shared = left.iter().zip(right).take_while(|(a, b)| a == b).count();
    (shared < left.len().max(right.len())).then_some(shared)
}

/// What the random graphs came to: a test that never meets a case says nothing about it.
#[derive(Debug, Default)]
struct Seen {
    outcomes: std::collections::BTreeMap<String, usize>,
    taken: usize,
    spent: usize,
    asked: usize,
}

impl Seen {
    fn count(&mut self, log: &[Deed]) {
        for deed in log {
            match deed {
                Deed::Took(..) => self.taken += 1,
                Deed::Spent(..) => self.spent += 1,
                Deed::Asked(_) => self.asked += 1,
                Deed::Ended(outcome, ..) => *self.outcomes.entry(outcome.clone()).or_default() += 1,
                Deed::Entered(_) | Deed::Called(..) => {}
            }
        }
    }

    fn add(&mut self, other: &Self) {
        for (outcome, times) in &other.outcomes {
            *self.outcomes.entry(outcome.clone()).or_default() += times;
        }
        self.taken += other.taken;
        self.spent += other.spent;
        self.asked += other.asked;
    }

    fn judge(&self) {
        for outcome in ["end", "stuck", "evaluation", "budget_exhausted", "oops", "halt", "tool_failed"] {
            let times = self.outcomes.get(outcome).copied().unwrap_or_default();
            assert!(times >= 10, "only {times} runs ended with {outcome}: {self:?}");
        }
        assert!(self.taken > 5_000 && self.spent > 5_000 && self.asked > 20, "{self:?}");
    }
}
