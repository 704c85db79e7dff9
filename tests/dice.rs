//! Choices that a test makes at random, the same in every run.

use serde_json::Value as Json;

/// Numbers that look random and are the same each time.
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) const fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).expect("31 bits fit") % n
    }

    pub(crate) fn of(&mut self, all: &[Json]) -> Json {
        all[self.below(all.len())].clone()
    }
}
