//! The smallest graph that still breaks its promise.

use rand::SeedableRng;
use rand::rngs::SmallRng;
use serde_json::Value as Json;

use super::adversary::{Breach, HostileRun, RunTally};
use super::files::{CleanGraph, FileStep, found, part, paths, remove};
use super::graph::CleanCase;

/// Runs made of a smaller graph, so that what happens seldom is met again.
const RUNS: u64 = 100;
/// The largest number of smaller graphs that are tried.
const MAX_TRIALS: usize = 2_000;

/// The first promise that runs of a clean graph break.
pub(super) fn breach(
    case: &CleanCase,
    graph: &CleanGraph,
    runs: u64,
    tally: &mut RunTally,
) -> Option<Breach> {
    let doings = case.doings();
    (0..runs)
        .find_map(|seed| HostileRun::new(graph, doings, SmallRng::seed_from_u64(seed), tally).run().err())
}

/// Takes parts out for as long as the graph is clean and breaks the same promise.
pub(super) fn smallest(case: &CleanCase, first: &Breach) -> CleanCase {
    let mut best = case.clone();
    let mut trials = 0;
    loop {
        let before = best.size();
        let mut try_one = |best: &mut CleanCase, mut trial: CleanCase| {
            trials += 1;
            // What a part was needed for goes with it.
            let smaller = |trial: &CleanCase| trial.size() < best.size();
            if trials <= MAX_TRIALS
                && (breaks(&trial, first) || trial.mend() && smaller(&trial) && breaks(&trial, first))
            {
                *best = trial;
            }
        };
        for file in (1..best.files.len()).rev() {
            let mut trial = best.clone();
            trial.files.remove(file);
            try_one(&mut best, trial);
        }
        for file in (0..best.files.len()).rev() {
            for path in paths(&best.files[file].1) {
                if found(&best.files[file].1, &path).is_none() {
                    continue;
                }
                if let Some(doc) = bypassed(&best.files[file].1, &path) {
                    let mut trial = best.clone();
                    trial.files[file].1 = doc;
                    try_one(&mut best, trial);
                }
                if found(&best.files[file].1, &path).is_some() {
                    let mut trial = best.clone();
                    remove(&mut trial.files[file].1, &path);
                    try_one(&mut best, trial);
                }
            }
        }
        if best.size() == before || trials > MAX_TRIALS {
            return best;
        }
    }
}

/// The file without a node: what led to it leads to where its first edge does.
fn bypassed(doc: &Json, path: &[FileStep]) -> Option<Json> {
    let [.., FileStep::Key(nodes), FileStep::Key(name)] = path else { return None };
    if nodes != "nodes" {
        return None;
    }
    let next = found(doc, path)?["next"][0]["to"].as_str()?.to_owned();
    let mut doc = doc.clone();
    remove(&mut doc, path);
    for own in paths(&doc) {
        let Some(FileStep::Key(key)) = own.last() else { continue };
        if (key == "to" || key == "start")
            && let Some(target) = part(&mut doc, &own)
            && target == name.as_str()
        {
            *target = Json::from(next.as_str());
        }
    }
    Some(doc)
}

fn breaks(case: &CleanCase, first: &Breach) -> bool {
    let Some(graph) = case.clean() else { return false };
    first_breach(case, &graph).is_some_and(|breach| breach.is_like(first))
}

/// The same of as many runs as it takes to meet what happens seldom.
pub(super) fn first_breach(case: &CleanCase, graph: &CleanGraph) -> Option<Breach> {
    breach(case, graph, RUNS, &mut RunTally::default())
}

impl CleanCase {
    fn size(&self) -> usize {
        self.files.iter().map(|(_, doc)| doc.to_string().len()).sum()
    }
}
