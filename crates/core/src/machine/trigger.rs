//! Matching of failures to the triggers of an edge.

use super::fault;
use super::snapshot::NodeExit;
use super::step::Machine;
use crate::program::Stop;
use crate::program::error::{ErrorKind, is_answered_by_error};
use crate::program::graph::Trigger;
use crate::program::op::Counter;
use crate::value::Str;

impl Machine<'_> {
    /// Returns true if one of these triggers answers to a failure.
    pub(super) fn fits(&mut self, lane: u32, triggers: &[Trigger], exit: &NodeExit) -> Result<bool, Stop> {
        let mut fits = false;
        for trigger in triggers {
            fits |= self.answers(lane, trigger, exit)?;
        }
        Ok(fits)
    }

    fn answers(&mut self, lane: u32, trigger: &Trigger, exit: &NodeExit) -> Result<bool, Stop> {
        Ok(match (trigger, exit) {
            (Trigger::Unknown, NodeExit::Unknown(..)) => true,
            (Trigger::AnyError, NodeExit::Error(error)) => is_answered_by_error(fault::text(error, "kind")),
            (Trigger::Kind(kind), NodeExit::Error(error)) => fault::text(error, "kind") == kind,
            // A time-out that hides the outcome of a call is `unknown`, and also what its name says.
            (Trigger::Kind(kind), NodeExit::Unknown(_, error)) => {
                ErrorKind::Timeout.is(kind) && ErrorKind::Timeout.is(fault::text(error, "kind"))
            }
            (Trigger::Class(class), NodeExit::Error(error)) => fault::text(error, "class") == class,
            (Trigger::Kind(kind), NodeExit::Exhausted { .. }) => ErrorKind::BudgetExhausted.is(kind),
            (Trigger::Exhausted(counter), NodeExit::Exhausted { lane: owner, budget, key }) => {
                *owner == lane && counter.budget == *budget && self.same_key(lane, *counter, key.as_ref())?
            }
            _ => false,
        })
    }

    fn same_key(&mut self, lane: u32, counter: Counter, key: Option<&Str>) -> Result<bool, Stop> {
        if counter.key.is_none() {
            return Ok(true);
        }
        let program = self.program;
        let (wanted, _) =
            self.unit(lane, |exec| exec.evaluation().key(counter).map_err(|t| program.stopped(t)));
        Ok(wanted?.as_ref() == key)
    }
}
