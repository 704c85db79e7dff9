//! The cost of evaluating expressions.

use super::fault::{Fault, FaultKind};
use crate::value::Value;

/// The cost limit of one evaluation (an expression, or a whole statement list) unless the caller sets another.
///
/// One unit is about as much as one comparison of numbers or one element of a new list, 10 to 50 nanoseconds: the limit
/// is reached in a quarter of a second at most.
pub const DEFAULT_COST: u64 = 5_000_000;

/// The cost limit of all evaluations of one step together, from one input to the next.
pub const STEP_COST: u64 = 10_000_000;

/// The greatest size of one result, in bytes as [`Value::size_estimate`] counts them.
pub const MAX_RESULT: usize = 16 << 20;

/// The bytes of data that a function touches for one unit of cost.
const BYTES_PER_UNIT: usize = 16;

/// Counts what an evaluation costs and ends it at a limit, whatever the data are. The count depends on the values
/// alone, so that every replay stops at the same place.
#[derive(Debug, Clone)]
pub struct Meter {
    limit: u64,
    left: u64,
    /// The rest that all evaluations of the step had when the present one began.
    room: u64,
}

impl Default for Meter {
    /// The meter of a step: one evaluation after the other, with [`Meter::refill`] between them.
    fn default() -> Self {
        Self { limit: DEFAULT_COST, left: DEFAULT_COST, room: STEP_COST }
    }
}

impl Meter {
    /// A meter that allows `limit` units.
    #[must_use]
    pub const fn new(limit: u64) -> Self {
        Self { limit, left: limit, room: u64::MAX }
    }

    /// Fills the meter for the next evaluation of the step, as far as the work of the whole step allows.
    #[inline]
    pub fn refill(&mut self) {
        self.room -= self.used();
        self.limit = self.room.min(DEFAULT_COST);
        self.left = self.limit;
    }

    /// The units used so far.
    #[must_use]
    pub const fn used(&self) -> u64 {
        self.limit - self.left
    }

    /// Returns true if nothing is left: from then on every charge fails.
    #[must_use]
    pub const fn spent(&self) -> bool {
        self.left == 0
    }

    /// Uses `units`.
    ///
    /// # Errors
    /// [`FaultKind::Cost`] if that is more than what is left; nothing is left then.
    #[inline]
    pub fn charge(&mut self, units: u64) -> Result<(), Fault> {
        if let Some(left) = self.left.checked_sub(units) {
            self.left = left;
            return Ok(());
        }
        self.left = 0;
        Err(self.exceeded())
    }

    /// Uses one unit per element, for work on `count` elements.
    ///
    /// # Errors
    /// As [`Meter::charge`].
    #[inline]
    pub fn charge_items(&mut self, count: usize) -> Result<(), Fault> {
        self.charge((count as u64).saturating_add(1))
    }

    /// Uses what reading or writing `bytes` of text costs.
    ///
    /// # Errors
    /// As [`Meter::charge`].
    #[inline]
    pub fn charge_bytes(&mut self, bytes: usize) -> Result<(), Fault> {
        self.charge_items(bytes / BYTES_PER_UNIT)
    }

    /// Uses what reading the whole of `value` costs, with everything in it.
    ///
    /// # Errors
    /// As [`Meter::charge`].
    pub fn charge_whole(&mut self, value: &Value) -> Result<(), Fault> {
        self.charge_bytes(value.size_estimate())
    }

    /// Uses what building a result of `bytes` costs, before it is built.
    ///
    /// # Errors
    /// [`FaultKind::TooLarge`] if it would exceed [`MAX_RESULT`], else as [`Meter::charge`].
    pub fn reserve(&mut self, bytes: usize) -> Result<(), Fault> {
        if bytes > MAX_RESULT {
            return Err(too_large());
        }
        self.charge_bytes(bytes)
    }

    /// Uses one unit; false if none is left.
    #[inline]
    #[must_use]
    pub const fn tick(&mut self) -> bool {
        let some = self.left != 0;
        self.left = self.left.saturating_sub(1);
        some
    }

    /// The fault of an evaluation that has used up its limit.
    #[cold]
    #[must_use]
    pub fn exceeded(&self) -> Fault {
        let message = if self.room < DEFAULT_COST {
            format!("the evaluations since the last input need more than {STEP_COST} steps together")
        } else {
            format!("the evaluation needs more than {} steps", self.limit)
        };
        Fault { kind: FaultKind::Cost, message: message.into(), place: None }
    }
}

/// Passes a result on if it is within [`MAX_RESULT`]. Costs the same for every value.
///
/// # Errors
/// [`FaultKind::TooLarge`] if it is not.
#[inline]
pub fn limit_size(value: Value) -> Result<Value, Fault> {
    if value.size_estimate() > MAX_RESULT { Err(too_large()) } else { Ok(value) }
}

/// The fault of a result beyond [`MAX_RESULT`].
#[cold]
pub(super) fn too_large() -> Fault {
    Fault::too_large(format!("the result would be larger than {} MiB", MAX_RESULT >> 20))
}
