//! Whether an answer fits its question.

use super::call::AskId;
use super::person::rollback;
use super::snapshot::{Phase, Snapshot};
use crate::program::Program;
use crate::program::graph::NodeKind;
use crate::value::Value;

/// Says why an answer does not fit its question, before anybody is given it.
///
/// # Errors
/// What was wanted and what was found, in words; or that nobody asks this.
pub fn check_answer(
    program: &Program,
    snapshot: &Snapshot,
    ask: &AskId,
    answer: &Value,
) -> Result<(), String> {
    let asks = |phase: &Phase| match phase {
        Phase::Asking(own) | Phase::Paused { ask: own, .. } | Phase::Lost { ask: own, .. } => own.id == *ask,
        _ => false,
    };
    let Some(lane) = snapshot.lanes.iter().flatten().find(|lane| asks(&lane.phase)) else {
        return Err("nobody asks this any more".to_owned());
    };
    let word = answer.as_str();
    let found = || answer.to_json();
    match &lane.phase {
        Phase::Paused { .. } if matches!(word, Some("resume" | "abort")) => Ok(()),
        Phase::Paused { .. } => match rollback(answer) {
            Some(step) if step <= snapshot.step() => Ok(()),
            Some(step) => {
                Err(format!("step {step} has not happened yet; the run is at step {}", snapshot.step()))
            }
            None => Err(format!("wanted `resume`, `abort` or {{\"rollback\": STEP}}, found {}", found())),
        },
        Phase::Lost { .. } => {
            let told = answer.as_map().is_some_and(|map| map.contains_key("result") && map.len() == 1);
            if told || matches!(word, Some("retry" | "fail")) {
                return Ok(());
            }
            Err(format!("wanted `retry`, `fail` or {{\"result\": …}}, found {}", found()))
        }
        _ => {
            let graph = &program.graphs[lane.frame.graph as usize];
            let NodeKind::Human(human) = &graph.nodes[lane.frame.node as usize].kind else { return Ok(()) };
            let fits = program.shapes.fit(human.answer, answer.clone()).map(|_| ());
            fits.map_err(|misfits| misfits.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))
        }
    }
}
