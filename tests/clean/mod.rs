//! The promise of a clean graph, against runs: random graphs that `check` finds nothing in, under an adversary.
//!
//! A graph without errors and warnings ends within its bound, no expression of it fails, no node is stuck, and every field
//! holds a value of its type, whatever models, tools and people answer; [`excused`] has the faults that no check can rule
//! out. A graph that breaks this is printed as small as it can be made.
//!
//! The other way round, [`plant`] puts one fault into clean graphs, which `check` must name.

mod adversary;
mod awaited;
mod coverage;
mod excused;
mod expression;
mod files;
mod graph;
mod holes;
mod nodes;
mod paste;
mod plant;
mod shrink;
mod statement;
mod tagged;
mod values;
mod wanted;
mod writer;

use std::collections::BTreeMap;

use adversary::RunTally;
use coverage::Coverage;
use graph::{CleanCase, random_case};
use holes::is_closed;
use plant::{FaultPlan, PLANS};
use rand::SeedableRng;
use rand::rngs::SmallRng;

use crate::dice::rounds;

/// The number of clean graphs that are run by default.
const GRAPHS: u32 = 100;
/// The number of runs of each.
const RUNS: u64 = 20;
/// The most graphs that break a promise which are made small and printed.
const MAX_SHOWN: usize = 4;

/// The results of the campaign.
#[derive(Debug, Default)]
struct Campaign {
    graphs: usize,
    /// Clean as they were made, and once what was found fault with was taken out.
    clean: usize,
    mended: usize,
    /// The others, by what was found at last.
    refused: BTreeMap<String, usize>,
    tally: RunTally,
    broken: Vec<String>,
}

/// The graph of a seed, as it was made, and mended where that helps.
fn made(seed: u64) -> (CleanCase, bool) {
    let mut random = SmallRng::seed_from_u64(seed);
    let mut case = random_case(&mut random, &is_closed);
    let clean = case.check().is_clean();
    if !clean {
        case.mend();
    }
    (case, clean)
}

impl Campaign {
    fn try_seed(&mut self, seed: u64) -> Option<CleanCase> {
        let (case, clean) = made(seed);
        self.graphs += 1;
        let Some(graph) = case.clean() else {
            let checked = case.check();
            let slug = checked.serious().first().map_or_else(String::new, |f| f.rule.slug().to_owned());
            *self.refused.entry(slug).or_default() += 1;
            return None;
        };
        *(if clean { &mut self.clean } else { &mut self.mended }) += 1;
        if let Some(breach) = shrink::breach(&case, &graph, RUNS, &mut self.tally) {
            let small = shrink::smallest(&case, &breach);
            let again = small.clean().and_then(|graph| shrink::first_breach(&small, &graph));
            let again = again.map_or_else(String::new, |breach| breach.to_string());
            self.broken.push(format!("seed {seed}: {breach}\nsmaller: {again}\n{}", small.shown()));
        }
        Some(case)
    }

    fn add(&mut self, other: Self) {
        self.graphs += other.graphs;
        self.clean += other.clean;
        self.mended += other.mended;
        for (slug, times) in other.refused {
            *self.refused.entry(slug).or_default() += times;
        }
        self.tally.add(&other.tally);
        self.broken.extend(other.broken);
    }
}

fn every_second(first: u64, wanted: usize) -> (Campaign, Coverage) {
    let (mut campaign, mut coverage) = (Campaign::default(), Coverage::new());
    let mut seed = first;
    while campaign.clean + campaign.mended < wanted && campaign.broken.len() < MAX_SHOWN {
        if let Some(case) = campaign.try_seed(seed) {
            coverage.add(&case);
        }
        seed += 2;
    }
    (campaign, coverage)
}

#[test]
fn clean_graphs_break_no_promise() {
    let wanted = rounds(GRAPHS) as usize;
    let (mut campaign, mut coverage) = (Campaign::default(), Coverage::new());
    std::thread::scope(|scope| {
        let halves = [0, 1].map(|half| scope.spawn(move || every_second(half, wanted.div_ceil(2))));
        for half in halves {
            match half.join() {
                Ok((half, seen)) => {
                    campaign.add(half);
                    coverage.join(seen);
                }
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
    });
    let Campaign { graphs, clean, mended, refused, tally, broken } = &campaign;
    let share = (clean + mended) * 100 / graphs.max(&1);
    println!("{graphs} graphs: {clean} clean, {mended} mended ({share} %), refused: {refused:?}");
    println!("{tally:?}\n{}", coverage.report());
    assert!(broken.is_empty(), "{}", broken.join("\n\n"));
    assert!(share >= 30, "only {share} % of the graphs are clean");
    assert!(coverage.share() >= 80, "{}", coverage.report());
}

/// The number of faults that are planted by default, and of graphs that are tried.
const PLANTED: u32 = 60;
const POOL: usize = 30;

#[test]
fn planted_faults_are_found() {
    let each = (rounds(PLANTED) as usize).div_ceil(PLANS.len());
    let sound = (1_000_000..).map(|seed| made(seed).0).filter(|case| case.check().is_clean());
    let pool: Vec<CleanCase> = sound.take(POOL.max(each * 2)).collect();
    let mut wrong = Vec::new();
    for plan in PLANS {
        let (mut planted, mut found) = (0, 0);
        for (case, seed) in pool.iter().cycle().zip(0..).take(pool.len().max(each * 20)) {
            if planted == each {
                break;
            }
            let Some((case, is_found)) = planted_case(plan, case, seed) else { continue };
            planted += 1;
            found += usize::from(is_found);
            if !is_found && !plan.later {
                wrong.push(format!("{}: `{}` is not found in\n{}", plan.name, plan.slug, case.shown()));
            }
        }
        println!("{}. {}: {found} of {planted} found as {}", plan.section, plan.name, plan.slug);
        if planted == 0 {
            wrong.push(format!("{}: no graph has a place for it", plan.name));
        } else if plan.later && found == planted {
            wrong.push(format!("{}: it is found now, take out `later`", plan.name));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

/// A clean graph with the fault, and whether it is found. Nothing where another error stands before it (a node between two
/// others may take a fact away from what follows, and a graph with errors is not judged further), and nothing where the node
/// that has the fault stands after a list that always fails.
fn planted_case(plan: &FaultPlan, case: &CleanCase, seed: u64) -> Option<(CleanCase, bool)> {
    let mut case = case.clone();
    if !(plan.plant)(&mut case, &mut SmallRng::seed_from_u64(seed)) {
        return None;
    }
    let checked = case.check();
    let found = checked.found(plan.slug);
    if !found && checked.is_unreached("planted") {
        return None;
    }
    (found || plan.later || checked.checked.is_sound()).then_some((case, found))
}

#[test]
fn known_holes_are_there_still() {
    for known in holes::KNOWN_HOLES {
        let case = known.case();
        let breach = case.clean().and_then(|graph| shrink::first_breach(&case, &graph));
        let hole = known.hole;
        let findings = case.check().rendered();
        assert!(
            breach.is_some(),
            "{hole:?} is closed: take its row out, and graphs are made with it\n{findings}"
        );
        println!(
            "{hole:?}, section {}: {}",
            known.section,
            breach.map_or_else(String::new, |breach| breach.to_string())
        );
    }
}
