//! The meaning of a person's answer to a question.

use super::call::QuestionId;
use super::snapshot::{Lane, Phase, Snapshot};
use super::yes::Yes;
use crate::program::Program;
use crate::program::graph::LinkedNodeKind;
use crate::value::Value;

/// The meaning of an answer.
pub(super) enum AnswerMeaning {
    /// The answer of a node, fitted to its type.
    Given(Value),
    /// A pause: the run continues.
    Resume,
    /// A pause: the run ends.
    Abort,
    /// A pause: the run goes back to this step.
    Rollback(u64),
    /// A call of which nobody knows whether it took place: it is made again.
    Retry,
    /// It counts as failed.
    Fail,
    /// It took place, with this result.
    Happened(Value),
    /// A call that wants an approval: it may be made.
    Approve(Yes),
    /// It may not.
    Deny,
}

/// Says why an answer does not fit its question, before anybody is given it.
///
/// # Errors
/// What was wanted and what was found, in words; or that nobody asks this.
pub fn check_answer(
    program: &Program,
    snapshot: &Snapshot,
    ask: &QuestionId,
    answer: &Value,
) -> Result<(), String> {
    let Some(place) = asking(snapshot, ask) else { return Err("nobody asks this any more".to_owned()) };
    let lane = snapshot.lane(place).ok_or("nobody asks this any more")?;
    meaning(program, snapshot.step(), lane, answer).map(|_| ())
}

/// Returns true if an answer sends the run back to an earlier step.
#[must_use]
pub fn asks_rollback(program: &Program, snapshot: &Snapshot, ask: &QuestionId, answer: &Value) -> bool {
    let lane = asking(snapshot, ask).and_then(|place| snapshot.lane(place));
    let meant = lane.and_then(|lane| meaning(program, snapshot.step(), lane, answer).ok());
    matches!(meant, Some(AnswerMeaning::Rollback(_)))
}

/// The lane that asks a question.
pub(super) fn asking(snapshot: &Snapshot, ask: &QuestionId) -> Option<u32> {
    let asks = |phase: &Phase| phase.ask().is_some_and(|own| own.id == *ask);
    let place =
        snapshot.lanes.iter().position(|lane| lane.as_deref().is_some_and(|lane| asks(&lane.phase)))?;
    u32::try_from(place).ok()
}

/// The meaning of an answer to the question a lane asks. `step` is where the run is: nobody goes back to what has not
/// happened yet.
///
/// # Errors
/// The value that was wanted and the one that was found, in words.
pub(super) fn meaning(
    program: &Program,
    step: u64,
    lane: &Lane,
    answer: &Value,
) -> Result<AnswerMeaning, String> {
    let word = answer.as_str();
    let found = || answer.to_json();
    match (&lane.phase, word) {
        (Phase::Paused { .. }, Some("resume")) => Ok(AnswerMeaning::Resume),
        (Phase::Paused { .. }, Some("abort")) => Ok(AnswerMeaning::Abort),
        (Phase::Paused { .. }, _) => match wanted_step(answer) {
            Some(back) if back <= step => Ok(AnswerMeaning::Rollback(back)),
            Some(back) => Err(format!("step {back} has not happened yet; the run is at step {step}")),
            None => Err(format!("wanted `resume`, `abort` or {{\"rollback\": STEP}}, found {}", found())),
        },
        (Phase::Lost { .. }, Some("retry")) => Ok(AnswerMeaning::Retry),
        (Phase::Lost { .. }, Some("fail")) => Ok(AnswerMeaning::Fail),
        (Phase::Lost { .. }, _) => match only(answer, "result") {
            Some(result) => fitted(program, lane, result).map(AnswerMeaning::Happened),
            None => Err(format!("wanted `retry`, `fail` or {{\"result\": …}}, found {}", found())),
        },
        (Phase::Approving { .. }, Some("deny")) => Ok(AnswerMeaning::Deny),
        (Phase::Approving { ask, .. }, _) => {
            Yes::of(answer, ask.approval().unwrap_or_default()).map(AnswerMeaning::Approve)
        }
        _ => {
            let graph = &program.graphs[lane.frame.graph as usize];
            let LinkedNodeKind::Human(human) = &graph.nodes[lane.frame.node as usize].kind else {
                return Err("nobody asks this any more".to_owned());
            };
            let given = fit(program, human.answer.shape, answer)?;
            if human.into.as_ref().is_some_and(|place| place.shape != human.answer.shape) {
                fitted(program, lane, &given)?;
            }
            Ok(AnswerMeaning::Given(given))
        }
    }
}

/// The result that a person gives for the work of a node, as one of its type and of the place it goes to.
///
/// # Errors
/// The value that was wanted and the one that was found, in words.
fn fitted(program: &Program, lane: &Lane, result: &Value) -> Result<Value, String> {
    if !program.semantics.fits_results() {
        return Ok(result.clone());
    }
    let kind = &program.graphs[lane.frame.graph as usize].nodes[lane.frame.node as usize].kind;
    let answer = match kind {
        LinkedNodeKind::Model(model) => {
            fit(program, model.reply.as_ref().unwrap_or(&model.output).shape, result)?
        }
        _ => result.clone(),
    };
    match kind.into_place() {
        Some(place) => fit(program, place.shape, &answer),
        None => Ok(answer),
    }
}

fn fit(program: &Program, shape: u32, value: &Value) -> Result<Value, String> {
    let fits = program.shapes.fit(shape, value.clone());
    fits.map_err(|misfits| misfits.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))
}

/// The step a person wants to go back to, who answers a pause.
#[must_use]
pub fn wanted_step(answer: &Value) -> Option<u64> {
    u64::try_from(only(answer, "rollback")?.as_int()?).ok()
}

/// The value of a map's only field, if it has this name.
fn only<'v>(answer: &'v Value, field: &str) -> Option<&'v Value> {
    answer.as_map().filter(|map| map.len() == 1)?.get(field)
}
