//! The proof that runs end, against runs: random graphs under an adversary.
//!
//! No run of a graph that `check` accepts does more than its bound says. For a graph it refuses a run is looked for that
//! comes to where it had been, from where it can go round for ever; graphs without one are counted.

mod adversary;
mod given;
mod graph;
mod loops;
mod natural;
mod search;

use std::collections::BTreeMap;

use adversary::{Adversary, Deeds, Went};
use loopwright::check::{Bound, Checked, check_file};
use loopwright::compile::compile;
use loopwright::diag::Severity;
use loopwright::model::Files;
use loopwright::program::Program;
use loopwright::source::Sources;
use rand::SeedableRng;
use rand::rngs::SmallRng;
use search::{Search, from_start, search};

use crate::rebuilt::fewer;

/// How many graphs are judged, accepted or refused for a loop alone.
const GRAPHS: u64 = 2_000;
/// The same where loops go down a measure.
const MEASURED_GRAPHS: u64 = 600;
/// The number of runs of each.
const RUNS: u64 = 8;
/// Inputs after which a run is stopped.
const MOST_INPUTS: usize = 400;

fn checked(text: &str) -> Checked {
    let mut files = Files::new().with("random.yaml", text).with("child.yaml", graph::CHILD);
    check_file(&mut Sources::new(), &mut files, "random.yaml")
}

fn program(checked: &Checked, text: &str) -> Program {
    let model = checked.model.as_ref().unwrap_or_else(|| panic!("no model of\n{text}"));
    compile(model).unwrap_or_else(|faults| panic!("{}\n{text}", faults[0]))
}

/// The same graph, which asks before every transition whether to go on: a loop that needs nothing from outside can be
/// watched so.
fn stepwise(text: &str) -> Program {
    let without = text.replace(graph::PAUSE, "");
    let text = without.replacen("texts:", "pause: {when: 'true', ask: t}\ntexts:", 1);
    program(&checked(&text), &text)
}

/// What the graphs came to.
#[derive(Debug, Default)]
struct Found {
    accepted: usize,
    /// Runs of accepted graphs, and those that did as much as the bound allows, by what is bounded.
    runs: usize,
    exact: BTreeMap<&'static str, usize>,
    refused: usize,
    /// Refused graphs, by what the search for an endless run came to.
    searched: BTreeMap<Search, usize>,
}

impl Found {
    fn add(&mut self, other: Self) {
        self.accepted += other.accepted;
        self.runs += other.runs;
        for (what, times) in other.exact {
            *self.exact.entry(what).or_default() += times;
        }
        self.refused += other.refused;
        for (came, times) in other.searched {
            *self.searched.entry(came).or_default() += times;
        }
    }
}

#[test]
fn no_run_does_more_than_its_bound_and_refused_loops_go_on() {
    let mut found = Found::default();
    std::thread::scope(|scope| {
        let halves = [0, 1].map(|half| scope.spawn(move || every_second(half)));
        for half in halves {
            match half.join() {
                Ok(half) => found.add(half),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
    });
    println!("{found:?}");
    assert!(found.accepted >= 100 && found.refused >= 100, "{found:?}");
    let times = |came| found.searched.get(&came).copied().unwrap_or_default();
    let shown = times(Search::Endless) + times(Search::EndlessFromThere);
    // The others: guards or limits never let a run go that way, or the failure on it is one that these adversaries cannot
    // bring about, as an assignment that finds the state full.
    assert!(shown * 2 >= found.refused, "{found:?}");
    assert!(found.exact.values().all(|times| *times > 10), "{found:?}");
}

/// The same for graphs whose loops go down a measure, or ask for the number of steps and visits.
#[test]
fn no_run_does_more_than_its_bound_where_measures_go_down() {
    let mut found = Found::default();
    let graphs = usize::try_from(fewer(MEASURED_GRAPHS * RUNS) / RUNS).expect("a count");
    let mut seed = 0;
    while found.accepted + found.refused < graphs {
        let mut random = SmallRng::seed_from_u64(seed);
        let text = graph::random(&mut random, true);
        let checked = checked(&text);
        if let Some(bound) = &checked.bound {
            found.accepted += 1;
            held(seed, &text, &program(&checked, &text), bound, &mut random, &mut found);
            // Steps and visits are no part of what the search takes for the same place.
            if !text.contains("step()") && !text.contains("visits(") {
                let came = from_start(&stepwise(&text), &mut random);
                assert!(came != Search::Endless, "seed {seed}: a run of this goes round\n{text}");
            }
        } else if checked.findings.iter().any(|f| f.rule.slug() == "endless-loop") {
            found.refused += 1;
        }
        seed += 1;
    }
    println!("{found:?}");
    assert!(found.accepted >= graphs / 10, "{found:?}");
}

fn every_second(half: u64) -> Found {
    let mut found = Found::default();
    let graphs = usize::try_from(fewer(GRAPHS) / 2).expect("a count");
    let mut seed = half;
    while found.accepted + found.refused < graphs {
        judge(seed, &mut found);
        seed += 2;
    }
    found
}

fn judge(seed: u64, found: &mut Found) {
    let mut random = SmallRng::seed_from_u64(seed);
    let text = graph::random(&mut random, false);
    let checked = checked(&text);
    let errors: Vec<_> = checked.findings.iter().filter(|f| f.severity == Severity::Error).collect();
    if errors.iter().any(|f| f.rule.slug() != "endless-loop") {
        let rules: Vec<_> = errors.iter().map(|f| f.rule.slug()).collect();
        let usual = ["dead-end", "stuck-node", "endless-loop"];
        assert!(rules.iter().all(|rule| usual.contains(rule)), "seed {seed}: {errors:?}\n{text}");
        return;
    }
    if let Some(bound) = &checked.bound {
        found.accepted += 1;
        held(seed, &text, &program(&checked, &text), bound, &mut random, found);
        let came = from_start(&stepwise(&text), &mut random);
        assert!(came != Search::Endless, "seed {seed}: a run of this goes round\n{text}");
    } else {
        assert!(!errors.is_empty(), "seed {seed}: no bound and no reason\n{text}");
        found.refused += 1;
        // the loop `n3 -(on error)-> n3` …
        let node = errors[0].message.split(['`', ' ']).nth(3).unwrap_or_default();
        let came = search(&stepwise(&text), &mut random, node);
        *found.searched.entry(came).or_default() += 1;
    }
}

fn held(seed: u64, text: &str, program: &Program, bound: &Bound, random: &mut SmallRng, found: &mut Found) {
    let number = |i: usize| bound.amounts()[i].1.number.expect("all limits are constants");
    let most = [number(0), number(1), number(2)];
    let mut best = Deeds::default();
    for _ in 0..RUNS {
        let went = Adversary::new(random, true).run(program, MOST_INPUTS);
        let (Went::Ended(deeds) | Went::Stopped(deeds)) = went;
        found.runs += 1;
        let done = [deeds.transitions, deeds.model_calls, deeds.tool_calls];
        let within = done.iter().zip(&most).all(|(done, most)| done <= most);
        assert!(within, "seed {seed}: {done:?} is more than {most:?}\n{text}");
        best.transitions = best.transitions.max(deeds.transitions);
        best.model_calls = best.model_calls.max(deeds.model_calls);
        best.tool_calls = best.tool_calls.max(deeds.tool_calls);
    }
    for (what, done, most) in [
        ("transitions", best.transitions, most[0]),
        ("model calls", best.model_calls, most[1]),
        ("tool calls", best.tool_calls, most[2]),
    ] {
        *found.exact.entry(what).or_default() += usize::from(done == most);
    }
}
