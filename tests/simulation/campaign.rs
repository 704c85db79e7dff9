//! Many seeds, one seed again, and planted faults.

use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::fault::Fault;
use crate::scene::{Report, simulate};

/// So many seeds are tried unless `LOOPWRIGHT_SEEDS` says another number.
const SEEDS: u64 = 2_000;
/// A planted fault is found within so many seeds.
const MAX_SEEDS_TO_FIND: u64 = 1_000;
/// So many seeds that break a promise are enough.
const MAX_FAILED: usize = 20;
/// So many lines of a trace are printed.
const LINES: usize = 100;

fn number(name: &str) -> Option<u64> {
    std::env::var(name)
        .ok()
        .map(|text| text.parse().unwrap_or_else(|_| panic!("{name} is no number: {text}")))
}

/// Prints the ending of a trace, and how to see it again.
fn show(seed: u64, report: &Report) {
    let first = report.lines.len().saturating_sub(LINES);
    report.lines[first..].iter().for_each(|line| println!("{line}"));
    println!(
        "seed {seed}: digest {:016x}, {} calls, {} commits",
        report.digest, report.calls, report.commits
    );
    report.broken.iter().for_each(|broken| println!("BROKEN: {broken}"));
    if !report.broken.is_empty() {
        println!(
            "to see it again, run:\n  LOOPWRIGHT_SEED={seed} cargo test --locked --all-features --test simulation -- seeds --nocapture"
        );
    }
}

/// Seeds that are tried, on all cores.
struct Campaign {
    next: AtomicU64,
    end: u64,
    /// No seed is begun after that.
    until: Option<Instant>,
    calls: AtomicU64,
    commits: AtomicU64,
    /// Seeds that broke a promise.
    failed: Mutex<Vec<u64>>,
}

impl Campaign {
    /// As the environment says it.
    fn new() -> Self {
        let minutes = number("LOOPWRIGHT_MINUTES");
        let seeds =
            number("LOOPWRIGHT_SEEDS").unwrap_or(if minutes.is_some() { u64::MAX / 2 } else { SEEDS });
        let first = number("LOOPWRIGHT_FIRST_SEED").unwrap_or_default();
        Self {
            next: AtomicU64::new(first),
            end: first + seeds,
            until: minutes.map(|minutes| Instant::now() + Duration::from_secs(minutes * 60)),
            calls: AtomicU64::new(0),
            commits: AtomicU64::new(0),
            failed: Mutex::default(),
        }
    }

    /// Gives the seeds that broke a promise, in order, and prints what was done.
    fn run(self) -> Vec<u64> {
        let (first, begun) = (self.next.load(Ordering::Relaxed), Instant::now());
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        std::thread::scope(|scope| (0..cores).for_each(|_| drop(scope.spawn(|| self.work()))));
        let seeds = self.next.into_inner().min(self.end) - first;
        let (calls, commits) = (self.calls.into_inner(), self.commits.into_inner());
        let seconds = begun.elapsed().as_secs().max(1);
        println!(
            "{seeds} seeds, {calls} calls, {commits} commits in {seconds} s: {} seeds a second",
            seeds / seconds
        );
        let mut failed = self.failed.into_inner().unwrap_or_else(PoisonError::into_inner);
        failed.sort_unstable();
        failed
    }

    fn work(&self) {
        loop {
            let seed = self.next.fetch_add(1, Ordering::Relaxed);
            let failed = || self.failed.lock().unwrap_or_else(PoisonError::into_inner);
            let over = self.until.is_some_and(|until| until <= Instant::now());
            if seed >= self.end || over || failed().len() >= MAX_FAILED {
                // It was not begun.
                self.next.fetch_min(seed, Ordering::Relaxed);
                break;
            }
            let report = simulate(seed, None, false);
            self.calls.fetch_add(report.calls as u64, Ordering::Relaxed);
            self.commits.fetch_add(report.commits as u64, Ordering::Relaxed);
            if !report.broken.is_empty() {
                failed().push(seed);
            }
        }
    }
}

#[test]
fn seeds_break_no_promise() {
    if let Some(seed) = number("LOOPWRIGHT_SEED") {
        let report = simulate(seed, None, true);
        show(seed, &report);
        assert!(report.broken.is_empty(), "seed {seed} breaks a promise");
        return;
    }
    let failed = Campaign::new().run();
    if let Some(seed) = failed.first() {
        show(*seed, &simulate(*seed, None, true));
        panic!("{} seeds break a promise: {failed:?}", failed.len());
    }
}

#[test]
fn a_seed_has_one_trace() {
    for seed in 0..20 {
        assert_eq!(simulate(seed, None, true), simulate(seed, None, true), "seed {seed}");
    }
}

/// Not within one process alone: nothing that differs from one process to the next decides anything.
#[test]
fn a_seed_has_the_same_trace_in_another_process() {
    let said = |seed: u64| {
        let program = std::env::current_exe().expect("this test is a program");
        let ran = Command::new(program)
            .args(["--exact", "campaign::seeds_break_no_promise", "--nocapture"])
            .env("LOOPWRIGHT_SEED", seed.to_string())
            .output()
            .expect("it can be run again");
        String::from_utf8(ran.stdout).expect("it prints text")
    };
    for seed in [1, 2, 3] {
        let digest = format!("seed {seed}: digest {:016x}", simulate(seed, None, false).digest);
        let said = said(seed);
        assert!(said.contains(&digest), "{digest} is not in:\n{said}");
    }
}

#[test]
fn every_planted_fault_is_found() {
    let wanted = number("LOOPWRIGHT_FAULT");
    let mut missed = Vec::new();
    for (place, fault) in (0..).zip(Fault::ALL) {
        if wanted.is_some_and(|wanted| wanted != place) {
            continue;
        }
        let found = (0..MAX_SEEDS_TO_FIND).find_map(|seed| {
            let broken = simulate(seed, Some(fault), false).broken;
            broken.into_iter().next().map(|first| (seed, first))
        });
        match found {
            Some((seed, broken)) => println!("{fault:?} is found after {} seeds: {broken}", seed + 1),
            None => missed.push(fault),
        }
    }
    assert!(missed.is_empty(), "nothing of {MAX_SEEDS_TO_FIND} seeds finds {missed:?}");
}
