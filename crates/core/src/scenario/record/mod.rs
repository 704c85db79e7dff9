//! A run written down as a scripted world: the scenario that is the run again, and a script for its graph.
//!
//! What is written is played before it is given out. Where it does not go the way the run went, or where no scenario can
//! say what happened, that is reported instead.

mod answers;
mod expect;
mod inherited;
mod text;

use std::sync::Arc;

use rustc_hash::FxHashMap;

use self::answers::Collected;
use self::expect::Expected;
pub use self::inherited::InheritedDefaults;
use self::text::RecordedScenario;
use super::bind::{BoundExpressions, bind};
use super::check::check;
use super::facts::RunFacts;
use super::file::Scenario;
use super::play::{PlayEnd, PlayedRun, play};
use super::report::Report;
use super::run_path::{PathReader, PathSign};
use crate::diag::Severity;
use crate::machine::{Event, EventKind, Snapshot, Start};
use crate::model::Model;
use crate::program::Program;
use crate::source::Sources;
use crate::value::{Str, Value};

/// A run to be written down.
#[derive(Debug, Clone, Copy)]
pub struct History<'a> {
    /// The graph it ran.
    pub model: &'a Model,
    /// The same compiled, without an operator's pause.
    pub program: &'a Program,
    /// Its events, from the first on.
    pub events: &'a [Event],
    /// The state of the run at its end: it ended, or waits for a person.
    pub snapshot: &'a Snapshot,
}

/// A run written down.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recording {
    /// The scenario file.
    pub scenario: String,
    /// The script.
    pub script: String,
    /// Facts that no scenario can express; if empty, a scenario was written.
    pub lost: Vec<String>,
    /// The facts of the run that are not expected, since it comes out otherwise when it is played.
    pub left_out: Vec<String>,
}

/// The words around a scenario that is written.
#[derive(Debug, Clone, Default)]
pub struct ScenarioHead {
    /// The path of the graph file, as the scenario file names it.
    pub graph: String,
    /// The name of the scenario.
    pub name: String,
    /// The comment above the file, line by line.
    pub comments: Vec<String>,
    /// The defaults of the file that it is written into.
    pub inherited: InheritedDefaults,
}

/// A scenario as an item of a list of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScenarioItem {
    /// Its lines, the dash two columns from the margin.
    pub text: String,
    /// Words on the facts of the run that are not expected, since it comes out otherwise when it is played.
    pub comment: Option<String>,
}

/// The lines of a scenario file before its first scenario.
#[must_use]
pub fn scenario_file_opening(graph: &str) -> String {
    text::opening(graph)
}

/// Writes a run down as one scenario of a file, with all that came of it.
///
/// # Errors
/// The reason for which no scenario can say it.
pub fn write_scenario_item(history: History<'_>, head: &ScenarioHead) -> Result<ScenarioItem, String> {
    // The tools on offer are written where the run differs without them.
    let bare = best_attempt(history, head, None, false);
    let attempt = match bare {
        Ok(bare) if bare.left_out.is_empty() => bare,
        bare => match (bare, best_attempt(history, head, None, true)) {
            (Ok(bare), Ok(full)) if bare.left_out.len() <= full.left_out.len() => bare,
            (bare, full) => full.or(bare)?,
        },
    };
    let comment = (!attempt.left_out.is_empty()).then(|| text::left_out_comment(&attempt.left_out));
    Ok(ScenarioItem { text: attempt.item, comment })
}

/// Writes a run down as a scenario under a name, with all that came of it, or with these expectations alone.
///
/// # Errors
/// The reason for which no scenario can say it.
pub fn write_scenario(
    history: History<'_>,
    head: &ScenarioHead,
    expect: Option<&[(&'static str, Value)]>,
) -> Result<String, String> {
    best_attempt(history, head, expect, true).map(|attempt| attempt.text)
}

/// The attempt without times, if it says everything; otherwise the one that says more.
fn best_attempt(
    history: History<'_>,
    head: &ScenarioHead,
    expect: Option<&[(&'static str, Value)]>,
    has_catalogue: bool,
) -> Result<Attempt, String> {
    let Some(EventKind::Started { start, .. }) = history.events.first().map(|event| &event.kind) else {
        return Err("it did not begin at the start of its graph".to_owned());
    };
    let collected = answers::collect(history.events, history.snapshot, start.interrupt.as_ref());
    if let Some(lost) = collected.lost.first() {
        return Err(lost.clone());
    }
    let writer = ScenarioWriter { history, head, start, collected: &collected, has_catalogue };
    writer.best(expect).map(|(attempt, _)| attempt)
}

/// Writes a run down. `graph` is the path of its file as the scenario file names it; `lost` is what happened to the run that
/// no scenario can say.
#[must_use]
pub fn record(history: History<'_>, graph: &str, mut lost: Vec<String>) -> Recording {
    let run = crate::machine::run_id(history.snapshot);
    let Some(EventKind::Started { start, .. }) = history.events.first().map(|event| &event.kind) else {
        lost.push("it did not begin at the start of its graph".to_owned());
        let recorded = answers::collect(history.events, history.snapshot, None).recorded;
        let script = text::script(&run, &recorded, false, &lost);
        return Recording { scenario: text::without(graph, &run, &lost), script, lost, left_out: Vec::new() };
    };
    let collected = answers::collect(history.events, history.snapshot, start.interrupt.as_ref());
    lost.extend(collected.lost.iter().cloned());
    let mut best: Option<Attempt> = None;
    // A script takes its time in a run: it has times only where the run would go another way without them.
    let mut timed_script = false;
    if lost.is_empty() {
        let comment = format!("The run {run} as a scenario: its answers and its results.");
        let head = ScenarioHead {
            graph: graph.to_owned(),
            name: run.to_string(),
            comments: vec![comment],
            ..ScenarioHead::default()
        };
        let writer =
            ScenarioWriter { history, head: &head, start, collected: &collected, has_catalogue: true };
        match writer.best(None) {
            Ok((attempt, needs_times)) => (best, timed_script) = (Some(attempt), needs_times),
            Err(reason) => lost.push(reason),
        }
    }
    let script = text::script(&run, &collected.recorded, timed_script, &lost);
    match best {
        Some(best) => Recording { scenario: best.text, script, lost, left_out: best.left_out },
        None => Recording { scenario: text::without(graph, &run, &lost), script, lost, left_out: Vec::new() },
    }
}

/// A scenario that goes the way the run went.
struct Attempt {
    /// The whole file.
    text: String,
    /// The scenario alone.
    item: String,
    left_out: Vec<String>,
}

/// Writes the scenario of one run.
struct ScenarioWriter<'a> {
    history: History<'a>,
    head: &'a ScenarioHead,
    start: &'a Start,
    collected: &'a Collected,
    /// True if the tools on offer are written, unless they are the usual ones.
    has_catalogue: bool,
}

impl ScenarioWriter<'_> {
    /// The attempt without times, if it says everything; otherwise the one that says more. With it, true if there is none without
    /// times.
    fn best(&self, expect: Option<&[(&'static str, Value)]>) -> Result<(Attempt, bool), String> {
        let attempt = |timed| match expect {
            Some(keys) => self.bare_attempt(timed, keys),
            None => self.attempt(timed),
        };
        let one = attempt(false);
        if one.as_ref().is_ok_and(|one| one.left_out.is_empty()) {
            return one.map(|one| (one, false));
        }
        match (one, attempt(true)) {
            (Ok(one), Ok(other)) if other.left_out.len() < one.left_out.len() => Ok((other, false)),
            (Ok(one), _) => Ok((one, false)),
            (Err(_), other) => other.map(|other| (other, true)),
        }
    }

    /// Writes the scenario, with or without the times that answers took, plays it, and writes it again with what is to come
    /// of it.
    fn attempt(&self, timed: bool) -> Result<Attempt, String> {
        let bare = self.scenario(timed, &Expected::default()).file();
        let (scenario, bound) = self.read(&bare)?;
        let played = play(self.history.program, &bound, &scenario);
        self.check_same_path(&played)?;
        let (then, now) = (self.facts(), RunFacts::of(self.history.program, &played));
        let expected = Expected::of(self.history.program, &then, &now);
        let text = self.scenario(timed, &expected).file();
        let (scenario, bound) = self.read(&text)?;
        let report = Report::of(self.history.program, &bound, &scenario);
        match report.faults.first() {
            None => {
                let item = self.scenario(timed, &expected).item();
                Ok(Attempt { text, item, left_out: expected.left_out })
            }
            Some(fault) => {
                let mut sources = Sources::new();
                sources.add(FILE, text.as_str());
                let wording = super::print::fault_text(fault, &sources);
                let wording = wording.lines().next().unwrap_or_default().trim().to_owned();
                Err(format!("played again, it gives another result: {wording}"))
            }
        }
    }

    /// Writes the scenario with these expectations, whether or not the graph meets them.
    fn bare_attempt(&self, timed: bool, keys: &[(&'static str, Value)]) -> Result<Attempt, String> {
        let expected = Expected { keys: keys.to_vec(), left_out: Vec::new(), is_stated: true };
        let text = self.scenario(timed, &expected).file();
        let (scenario, bound) = self.read(&text)?;
        let played = play(self.history.program, &bound, &scenario);
        self.check_same_path(&played)?;
        let item = self.scenario(timed, &expected).item();
        Ok(Attempt { text, item, left_out: Vec::new() })
    }

    fn scenario<'s>(&'s self, timed: bool, expected: &'s Expected) -> RecordedScenario<'s> {
        let ScenarioHead { graph, name, comments, inherited } = self.head;
        RecordedScenario {
            graph,
            name,
            comments,
            start: self.start,
            inherited,
            has_catalogue: self.has_catalogue,
            program: self.history.program,
            recorded: &self.collected.recorded,
            timed,
            expected,
        }
    }

    /// Reads what was written.
    fn read(&self, text: &str) -> Result<(Scenario, Arc<BoundExpressions>), String> {
        let mut sources = Sources::new();
        let id = sources.add(FILE, text);
        let (file, mut findings) = super::read::read(&sources, id);
        findings.extend(check(&file, self.history.model));
        let wrong = findings.into_iter().find(|finding| finding.severity == Severity::Error);
        let refuse = |message: String| format!("no scenario file can express it: {message}");
        if let Some(wrong) = wrong {
            return Err(refuse(wrong.message));
        }
        let bound = bind(self.history.model, file.scenarios.iter().map(|scenario| &scenario.answers));
        let bound =
            bound.map_err(|found| refuse(found.into_iter().map(|f| f.message).next().unwrap_or_default()))?;
        let scenario = file.scenarios.into_iter().next();
        Ok((scenario.ok_or_else(|| refuse("it is empty".to_owned()))?, Arc::new(bound)))
    }

    /// Returns true if every lane of the played scenario went the way it went in the run.
    fn check_same_path(&self, played: &PlayedRun) -> Result<(), String> {
        let program = self.history.program;
        let (then, now) = (lanes(program, &self.events()), lanes(program, &played.events));
        for (lane, signs) in &then {
            let other = now.get(lane).map_or(&[][..], Vec::as_slice);
            let differs = |(own, other): (&PathSign, &PathSign)| !own.mark.is_alike(&other.mark);
            let at = signs.iter().zip(other).position(differs);
            let at = at.or_else(|| (signs.len() != other.len()).then(|| signs.len().min(other.len())));
            if let Some(at) = at {
                let node = signs.get(at).or_else(|| other.get(at)).map_or("", |sign| sign.node.as_str());
                let missing_answer = match &played.ended {
                    PlayEnd::Lacking(missing_answer) => format!(": {missing_answer}"),
                    _ => String::new(),
                };
                return Err(format!(
                    "played again, it takes another path at the node `{node}`{missing_answer}"
                ));
            }
        }
        if now.len() == then.len() { Ok(()) } else { Err("played again, it has other lanes".to_owned()) }
    }

    /// The events of the run without the questions that the operator wanted.
    fn events(&self) -> Vec<Event> {
        let interrupt = self.start.interrupt.as_ref();
        let stop = |event: &&Event| matches!(&event.kind, EventKind::Asked(ask) if interrupt.is_some_and(|i| i.asks(ask)));
        self.history.events.iter().filter(|event| !stop(event)).cloned().collect()
    }

    /// The facts of the run.
    fn facts(&self) -> RunFacts {
        let snapshot = self.history.snapshot;
        let ended = match &snapshot.done {
            Some(done) => PlayEnd::Done(done.clone()),
            None => PlayEnd::Waiting(snapshot.asks().cloned().collect()),
        };
        let run = PlayedRun {
            events: self.events(),
            origins: Vec::new(),
            snapshot: snapshot.clone(),
            ended,
            violations: Vec::new(),
            unused: Vec::new(),
            unfit: Vec::new(),
        };
        RunFacts::of(self.history.program, &run)
    }
}

/// The name a scenario file has while it is tried.
const FILE: &str = "recorded.scenarios.yaml";

/// The way of every lane.
fn lanes(program: &Program, events: &[Event]) -> FxHashMap<Str, Vec<PathSign>> {
    let mut path = PathReader::new(program);
    let mut lanes: FxHashMap<Str, Vec<PathSign>> = FxHashMap::default();
    for sign in events.iter().filter_map(|event| path.next(event)) {
        lanes.entry(sign.lane.clone()).or_default().push(sign);
    }
    lanes
}
