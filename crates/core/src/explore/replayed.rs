//! Runs that are shown, built again from what was stored of them.

use crate::machine::{Input, Output, ReplayCheck, Snapshot, step};
use crate::program::Program;

/// True if a run is elsewhere when it is built again from a stored state and the inputs since. Where a person goes back it is looked
/// at up to there.
pub(super) fn diverges(program: &Program, inputs: &[Input]) -> bool {
    let (mut snapshot, mut check) = (Snapshot::default(), ReplayCheck::new());
    for input in inputs {
        let mut out = Vec::new();
        step(program, &mut snapshot, input.clone(), &mut out);
        if out.iter().any(|output| matches!(output, Output::Rollback { .. })) {
            return false;
        }
        if check.took(program, input.clone(), &out, &snapshot).is_err() {
            return true;
        }
    }
    false
}
