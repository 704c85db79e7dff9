//! Findings as scenarios.

use super::finding::{FindingKey, FindingKind};
use super::search::StateSearch;
use super::space::{AnswerCache, State, StateSpace};
use super::trail::Trail;
use crate::machine::{Event, Input, InputKind};
use crate::scenario::{History, ScenarioHead, write_scenario};
use crate::value::Value;

/// The most inputs with which a run is brought to its end after what is shown.
const MAX_MORE: usize = 200;

/// A run from its beginning.
#[derive(Debug, Clone)]
pub struct PlayedTrail {
    /// Its inputs.
    pub inputs: Vec<Input>,
    /// Its events.
    pub events: Vec<Event>,
    /// The state at its end.
    pub state: State,
    /// The properties that did not hold, in order.
    pub broken: Vec<(u32, u32)>,
}

impl StateSpace<'_> {
    /// Plays inputs from the beginning.
    #[must_use]
    pub fn play(&self, inputs: &[Input]) -> PlayedTrail {
        let mut played = PlayedTrail {
            inputs: Vec::new(),
            events: Vec::new(),
            state: State::default(),
            broken: Vec::new(),
        };
        for input in inputs {
            self.play_on(&mut played, input.clone());
        }
        played
    }

    /// Plays inputs from the beginning, without those of the start that the run does not need to show something.
    pub(super) fn play_shortened(
        &self,
        inputs: &[Input],
        shows: &dyn Fn(&PlayedTrail) -> bool,
    ) -> PlayedTrail {
        let mut best = self.play(inputs);
        let Some(Input { kind: InputKind::Started(start), .. }) = inputs.first() else { return best };
        for name in start.input.keys() {
            let mut fewer = best.inputs.clone();
            let Some(Input { kind: InputKind::Started(start), .. }) = fewer.first_mut() else { continue };
            start.input.remove(name);
            let played = self.play(&fewer);
            if shows(&played) {
                best = played;
            }
        }
        best
    }

    fn play_on(&self, played: &mut PlayedTrail, input: Input) {
        let taken = self.take_whole(&played.state, input.clone(), &|| played.inputs.clone());
        played.inputs.push(input);
        played.events.extend(taken.events);
        played.broken.extend(taken.violations.iter().map(|own| (own.graph, own.property)));
        played.state = taken.state;
    }

    /// Brings a run to its end, by the plainest answers.
    pub(super) fn finish(&self, played: &mut PlayedTrail) {
        let mut cache = AnswerCache::default();
        for _ in 0..MAX_MORE {
            let ends = |input: &Input| matches!(input.kind, InputKind::Cancel { .. });
            let next = self.choices(&played.state, &mut cache).into_iter().find(|input| !ends(input));
            let Some(next) = next else { return };
            self.play_on(played, next);
        }
    }
}

impl StateSearch<'_, '_> {
    /// A run that comes to a finding as a scenario file. `graph` is the path of the graph file as the scenario file names it.
    ///
    /// # Errors
    /// The reason for which no scenario can say it.
    pub(super) fn counterexample(
        &self,
        finding: &FindingKey,
        mut played: PlayedTrail,
        graph: &str,
    ) -> Result<String, String> {
        let space = self.space();
        let message = finding.message(space.program);
        if finding.kind != FindingKind::Endless {
            space.finish(&mut played);
        }
        let mut comments = vec![format!("Found by `loopwright explore`: {message}.")];
        if is_beyond_scenarios(finding) {
            comments.push("It passes all the same: it shows the run, and not the fault.".to_owned());
        }
        let head =
            ScenarioHead { graph: graph.to_owned(), name: message, comments, ..ScenarioHead::default() };
        let history = History {
            model: space.model,
            program: space.program,
            events: &played.events,
            snapshot: &played.state.snapshot,
        };
        write_scenario(history, &head, Some(&expected(finding)))
    }

    /// The run without the inputs of its start that the finding does not need.
    pub(super) fn shortened(&self, finding: &FindingKey, trail: &Trail) -> PlayedTrail {
        self.space().play_shortened(&self.inputs(trail), &|played| shows(finding, played))
    }
}

/// True if a run comes to a finding.
fn shows(finding: &FindingKey, played: &PlayedTrail) -> bool {
    match &finding.kind {
        FindingKind::Broken(property) => played.broken.contains(&(finding.graph, *property)),
        FindingKind::Endless | FindingKind::PastBound(_) | FindingKind::Misfit(_) | FindingKind::Diverged => {
            false
        }
        FindingKind::Fault(kind) | FindingKind::Unanswered(kind) => {
            let done = played.state.snapshot.done.as_deref();
            done.is_some_and(|done| {
                done.error.as_map().and_then(|error| error.get("kind")).is_some_and(|own| own.is_str(kind))
            })
        }
    }
}

/// True for a fault that the results of a run do not tell of.
const fn is_beyond_scenarios(finding: &FindingKey) -> bool {
    matches!(finding.kind, FindingKind::PastBound(_) | FindingKind::Misfit(_) | FindingKind::Diverged)
}

/// The expectations that the run does not meet. A property that does not hold is one without being named.
fn expected(finding: &FindingKey) -> Vec<(&'static str, Value)> {
    if matches!(finding.kind, FindingKind::Broken(_)) || is_beyond_scenarios(finding) {
        return Vec::new();
    }
    vec![("ok", Value::Bool(true))]
}
