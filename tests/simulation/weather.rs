//! How often things fail.

use crate::dice::Dice;

/// How often things fail in one simulation, each so many times out of 10,000.
pub(crate) struct Weather {
    /// True once nothing fails any more.
    pub(crate) calm: bool,
    /// A process is killed where it waits.
    pub(crate) kill: u64,
    /// A process is stopped where it waits, for a while.
    pub(crate) pause: u64,
    /// A request is lost.
    pub(crate) lose_request: u64,
    /// An answer is lost.
    pub(crate) lose_answer: u64,
    /// A request or an answer is slow.
    pub(crate) slow: u64,
    /// A process is cut off from the store for a while.
    pub(crate) cut_off: u64,
    /// The disk refuses to write.
    pub(crate) disk: u64,
    /// The store's machine crashes, asked every half a second.
    pub(crate) crash: u64,
    /// A wake-up is lost.
    pub(crate) lose_wake_up: u64,
    /// A wake-up comes without a reason.
    pub(crate) wake_up: u64,
    /// A process's clock jumps, asked whenever it is read for a sleep.
    pub(crate) jump: u64,
    /// A tool or a model does something else than to answer.
    pub(crate) trouble: u64,
}

impl Weather {
    /// The weather of a seed: some of it fair, some of it foul.
    pub(crate) fn new(dice: &mut Dice) -> Self {
        let mut often = |most: u64| if dice.chance(4_000) { 0 } else { dice.between(most / 8, most) };
        Self {
            calm: false,
            kill: often(200),
            pause: often(120),
            lose_request: often(300),
            lose_answer: often(400),
            slow: often(1_000),
            cut_off: often(60),
            disk: often(150),
            crash: often(900),
            lose_wake_up: often(5_000),
            wake_up: often(2_000),
            jump: often(150),
            trouble: often(4_000),
        }
    }
}
