//! Choices that a test makes at random, the same in every run.

use regex::Regex;
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

    /// A text with up to three of its tokens lost, doubled, exchanged or put in, the last also from `put`.
    pub(crate) fn changed(&mut self, text: &str, tokens: &Regex, put: &[&str]) -> String {
        let mut parts: Vec<&str> = tokens.find_iter(text).map(|found| found.as_str()).collect();
        for _ in 0..=self.below(3) {
            if parts.len() < 2 {
                break;
            }
            let (at, other) = (self.below(parts.len()), self.below(parts.len()));
            match self.below(6) {
                0 => drop(parts.remove(at)),
                1 => parts.insert(at, parts[at]),
                2 => parts.swap(at, other),
                3 => parts.insert(at, parts[other]),
                _ => parts.insert(at, put[self.below(put.len())]),
            }
        }
        parts.concat()
    }
}

/// The parts that a text is cut into before it is changed.
pub(crate) fn tokens() -> Regex {
    let tokens = r#"'''(?s:.)*?'''|'[^'\n]*'|"[^"\n]*"|\w+|->|&&|\|\||\?\?|[=!<>+]=|[ \t]+|(?s:.)"#;
    Regex::new(tokens).expect("the pattern is one")
}

/// The number of texts to try: as many as `LOOPWRIGHT_ROUNDS` says, or so many.
pub(crate) fn rounds(usual: u32) -> u32 {
    std::env::var("LOOPWRIGHT_ROUNDS").ok().and_then(|n| n.parse().ok()).unwrap_or(usual)
}
