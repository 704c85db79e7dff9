//! A small suite of scenarios that takes every part of a graph which a search reached.
//!
//! ```text
//! first run to each part ─finish─▶ whole runs ─greedy─▶ chosen, lengthened ─drop what others cover─▶ named, written
//! ```
//!
//! # Why
//! - Runs that break a property come last: a part has such a scenario only where no other run takes it.
//! - A run that no scenario can say is left for another one; what then is not covered is said with the reason.

mod name;
mod run;

use std::collections::{BTreeMap, BTreeSet};

use self::name::{PartWords, RunFinish};
use self::run::{PartialRun, RunBuilder};
use super::counterexample::PlayedTrail;
use super::search::StateSearch;
use crate::machine::{EventCursor, Input, InputKind, Outcome};
use crate::scenario::{
    History, InheritedDefaults, NamedPart, ProgramPart, ScenarioHead, ScenarioItem, each_taken,
    program_parts, write_scenario_item,
};
use crate::source::Sources;
use crate::value::Str;

/// The words of a run that was not brought to an end.
const ENDLESS: &str = "no run that was found from there ends or waits for a person";

/// The purpose of a suite.
#[derive(Debug, Clone, Copy)]
pub struct CoverTask<'a> {
    /// The parts that are covered already.
    pub covered: &'a BTreeSet<ProgramPart>,
    /// The names that scenarios have already.
    pub names: &'a BTreeSet<Str>,
    /// The defaults of the file that the scenarios are for.
    pub inherited: &'a InheritedDefaults,
    /// True if each scenario has all inputs of its run, needed or not, since the file has others by default.
    pub is_explicit: bool,
    /// The path of the graph file, as the scenario file names it.
    pub graph_file: &'a str,
    /// The texts of the graph.
    pub sources: &'a Sources,
}

/// A scenario that covers parts of a graph.
#[derive(Debug, Clone)]
pub struct CoveringScenario {
    /// Its name.
    pub name: String,
    /// Its text.
    pub item: ScenarioItem,
    /// The parts that no earlier scenario takes, in the order in which it does.
    pub covers: Vec<NamedPart>,
}

/// Scenarios that cover what a search reached.
#[derive(Debug, Clone, Default)]
pub struct CoveringSuite {
    /// The scenarios: those with success first, and the short ones of these.
    pub scenarios: Vec<CoveringScenario>,
    /// The parts that were reached and that no scenario covers, each with the reason.
    pub unsaid: Vec<(NamedPart, String)>,
}

/// A run that was played, with all that it takes.
#[derive(Debug)]
struct CoverRun {
    begun: PartialRun,
    whole: PartialRun,
    /// The place among the runs that were found.
    number: usize,
}

/// A run that is written as a scenario.
#[derive(Debug)]
struct ChosenRun {
    played: PlayedTrail,
    /// In order.
    parts: Vec<ProgramPart>,
}

impl StateSearch<'_, '_> {
    /// The parts that some run takes.
    #[must_use]
    pub fn reached(&self) -> BTreeSet<ProgramPart> {
        self.covered.sorted().into_iter().map(|(part, _)| part).collect()
    }

    /// A small suite that takes everything that the search reached and that is not covered yet.
    #[must_use]
    pub fn covering(&self, task: &CoverTask<'_>) -> CoveringSuite {
        let wanted: BTreeSet<ProgramPart> =
            self.reached().into_iter().filter(|part| !task.covered.contains(part)).collect();
        let mut choice = SuiteChoice {
            search: self,
            task,
            builder: RunBuilder::new(self),
            chosen: Vec::new(),
            reasons: BTreeMap::new(),
        };
        choice.choose(&wanted);
        choice.drop_needless(&wanted);
        choice.suite(&wanted)
    }
}

/// Chooses the runs of a suite.
struct SuiteChoice<'r, 's, 'm> {
    search: &'r StateSearch<'s, 'm>,
    task: &'r CoverTask<'r>,
    builder: RunBuilder<'r, 's, 'm>,
    chosen: Vec<ChosenRun>,
    /// The reasons for which parts have no scenario so far.
    reasons: BTreeMap<ProgramPart, String>,
}

impl SuiteChoice<'_, '_, '_> {
    /// Takes the run that takes most of what is left, again and again.
    fn choose(&mut self, wanted: &BTreeSet<ProgramPart>) {
        let mut runs = self.runs(wanted);
        let mut left = wanted.clone();
        while let Some(best) = best(&runs, &left) {
            let run = runs.swap_remove(best);
            let lengthened = self.builder.lengthen(&run.begun, &left);
            let longer = self.builder.finish(&lengthened, &left).filter(|longer| {
                // A longer run is worth it if it takes more.
                gain(longer, &left) > gain(&run.whole, &left) && !longer.is_faulty
            });
            let tried = longer.iter().chain([&run.whole]).map(|run| self.written(run));
            let mut tried: Vec<Result<ChosenRun, String>> = tried.collect();
            let first_good = tried.iter().position(Result::is_ok);
            if let Some(Ok(chosen)) = first_good.map(|at| tried.swap_remove(at)) {
                left.retain(|part| !chosen.parts.contains(part));
                self.chosen.push(chosen);
            } else {
                let why = tried.into_iter().find_map(Result::err).unwrap_or_default();
                for part in run.whole.parts.intersection(&left) {
                    self.reasons.insert(*part, why.clone());
                }
            }
        }
    }

    /// The first run to each part, brought to an end.
    fn runs(&mut self, wanted: &BTreeSet<ProgramPart>) -> Vec<CoverRun> {
        let mut runs: Vec<CoverRun> = Vec::new();
        for (part, trail) in self.search.covered.sorted() {
            if !wanted.contains(&part) {
                continue;
            }
            let begun = self.builder.begin(trail, part);
            if runs.iter().any(|run| run.begun.has_inputs_of(&begun)) {
                continue;
            }
            let Some(whole) = self.builder.finish(&begun, wanted) else {
                self.reasons.insert(part, ENDLESS.to_owned());
                continue;
            };
            runs.push(CoverRun { begun, whole, number: runs.len() });
        }
        runs
    }

    /// The run as it is played and written, without inputs that it does not need.
    fn written(&self, run: &PartialRun) -> Result<ChosenRun, String> {
        let space = self.search.space();
        let mut all = space.play(&run.inputs);
        let (parts, end) = (self.parts(&all), outcome(&all));
        let is_same = |other: &PlayedTrail| self.parts(other) == parts && outcome(other) == end;
        let worded = space.play(&with_messages(&run.inputs));
        if is_same(&worded) {
            all = worded;
        }
        let played = if self.task.is_explicit { all } else { space.play_shortened(&all.inputs, &is_same) };
        let chosen = ChosenRun { parts: self.parts(&played), played };
        self.item(&chosen, "a scenario").map(|_| chosen)
    }

    fn item(&self, chosen: &ChosenRun, name: &str) -> Result<ScenarioItem, String> {
        let space = self.search.space();
        let history = History {
            model: space.model,
            program: space.program,
            events: &chosen.played.events,
            snapshot: &chosen.played.state.snapshot,
        };
        let inherited = self.task.inherited.clone();
        let (graph, name) = (self.task.graph_file.to_owned(), name.to_owned());
        let head = ScenarioHead { graph, name, inherited, ..ScenarioHead::default() };
        write_scenario_item(history, &head)
    }

    /// The parts that a played run takes, in order.
    fn parts(&self, played: &PlayedTrail) -> Vec<ProgramPart> {
        let (mut parts, mut seen) = (Vec::new(), BTreeSet::new());
        each_taken(self.search.space().program, EventCursor::new(), &played.events, &mut |part| {
            if seen.insert(part) {
                parts.push(part);
            }
        });
        parts
    }

    /// Drops runs all of whose parts others take, too: failures before successes, long ones before short ones.
    fn drop_needless(&mut self, wanted: &BTreeSet<ProgramPart>) {
        let is_success = |run: &ChosenRun| outcome(&run.played).is_some_and(|(_, ok)| ok);
        self.chosen
            .sort_by_key(|run| (!run.played.broken.is_empty(), !is_success(run), run.played.inputs.len()));
        for at in (0..self.chosen.len()).rev() {
            let is_needed = |part: &ProgramPart| {
                let others = self.chosen.iter().enumerate().filter(|(other, _)| *other != at);
                wanted.contains(part) && !others.map(|(_, run)| run).any(|run| run.parts.contains(part))
            };
            if !self.chosen[at].parts.iter().any(is_needed) {
                self.chosen.remove(at);
            }
        }
    }

    fn suite(mut self, wanted: &BTreeSet<ProgramPart>) -> CoveringSuite {
        let space = self.search.space();
        let words = PartWords { model: space.model, program: space.program, sources: self.task.sources };
        let parts: BTreeMap<ProgramPart, NamedPart> =
            program_parts(space.model, space.program).into_iter().map(|own| (own.part, own)).collect();
        let (mut suite, mut left, mut names) =
            (CoveringSuite::default(), wanted.clone(), self.task.names.clone());
        for chosen in &std::mem::take(&mut self.chosen) {
            let new: Vec<ProgramPart> =
                chosen.parts.iter().copied().filter(|part| left.contains(part)).collect();
            let name = unused(words.name(&new, &finish(&chosen.played)), &mut names);
            match self.item(chosen, &name) {
                Ok(item) => {
                    left.retain(|part| !new.contains(part));
                    let covers = new.iter().filter_map(|part| parts.get(part).cloned()).collect();
                    suite.scenarios.push(CoveringScenario { name, item, covers });
                }
                Err(why) => new.iter().for_each(|part| drop(self.reasons.insert(*part, why.clone()))),
            }
        }
        let reason = |part: &ProgramPart| {
            let known = self.reasons.get(part).cloned();
            known.unwrap_or_else(|| "with its texts written, the run takes another path".to_owned())
        };
        let unsaid = left.iter().filter_map(|part| Some((parts.get(part)?.clone(), reason(part))));
        suite.unsaid = unsaid.collect();
        suite
    }
}

/// The place of the run that takes most of what is left: of those that break nothing, and among equals the shortest.
fn best(runs: &[CoverRun], left: &BTreeSet<ProgramPart>) -> Option<usize> {
    let rank = |run: &CoverRun| {
        let gain = gain(&run.whole, left);
        (run.whole.is_faulty, std::cmp::Reverse(gain), run.whole.inputs.len(), run.number)
    };
    let useful = runs.iter().enumerate().filter(|(_, run)| gain(&run.whole, left) > 0);
    useful.min_by_key(|(_, run)| rank(run)).map(|(at, _)| at)
}

/// The number of parts that a run takes of some.
fn gain(run: &PartialRun, of: &BTreeSet<ProgramPart>) -> usize {
    run.parts.intersection(of).count()
}

/// The outcome of a run, if it ended.
fn outcome(played: &PlayedTrail) -> Option<(Str, bool)> {
    played.state.snapshot.done.as_ref().map(|done| (done.outcome.clone(), done.ok))
}

/// Inputs in which failures without a message have that which a scenario gives them: their kind.
fn with_messages(inputs: &[Input]) -> Vec<Input> {
    let mut inputs = inputs.to_vec();
    for input in &mut inputs {
        if let InputKind::Resolved { outcome: Outcome::Failed { kind, message, .. }, .. } = &mut input.kind
            && message.is_empty()
        {
            message.clone_from(kind);
        }
    }
    inputs
}

fn finish(played: &PlayedTrail) -> RunFinish<'_> {
    let snapshot = &played.state.snapshot;
    match &snapshot.done {
        Some(done) => RunFinish::Done(done),
        None => RunFinish::Waits(snapshot.asks().next().map_or("", |ask| ask.node.as_str())),
    }
}

/// The name, with a number after it if it is in use.
fn unused(name: String, names: &mut BTreeSet<Str>) -> String {
    let numbered = (2..).map(|number| format!("{name} ({number})"));
    let free = std::iter::once(name.clone()).chain(numbered).find(|own| !names.contains(own.as_str()));
    let free = free.unwrap_or(name);
    names.insert(free.as_str().into());
    free
}
