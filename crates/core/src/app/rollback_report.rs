//! A rollback, as programs read it.

use serde_json::{Value as Json, json};

use crate::drive::{Compensation, RollbackPlan, UndoState};
use crate::machine::Outcome;
use crate::value::Value;

/// The way back of a run as JSON, with what becomes of the calls made since then; with `undo`, those that can be are undone.
#[must_use]
pub fn rollback_json(run: &str, plan: &RollbackPlan, undo: bool) -> Json {
    let left = |left: &Compensation| {
        let args = left.call.request.args().map_or(Json::Null, |args| Value::Map(args.clone()).to_json());
        json!({
            "call": left.call.id.0.as_str(),
            "tool": left.tool(),
            "args": args,
            "outcome": match &left.outcome {
                Some(Outcome::Answer { .. }) => "answered",
                Some(Outcome::Failed { .. }) => "failed",
                None | Some(Outcome::Unknown { .. }) => "unknown",
            },
            "undone": matches!(left.undo_state, UndoState::Done | UndoState::Answered(true)) || (undo && left.can_be_undone()),
        })
    };
    json!({
        "run": run,
        "from": plan.from,
        "to": plan.place.step,
        "left": plan.left.iter().map(left).collect::<Vec<_>>(),
    })
}
