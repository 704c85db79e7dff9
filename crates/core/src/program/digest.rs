//! The digest of a program.

use std::fmt;

use super::Program;
use super::listing::write_listing;
use crate::value::Str;

/// BLAKE3 over the program's [listing](super::listing()), which holds everything that decides what a run does and
/// nothing else.
#[must_use]
pub fn digest(program: &Program) -> Str {
    let mut hasher = Hasher(blake3::Hasher::new());
    // Writing to a hasher cannot fail.
    let _ = write_listing(program, &mut hasher);
    hasher.0.finalize().to_hex().as_str().into()
}

struct Hasher(blake3::Hasher);

impl fmt::Write for Hasher {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.update(text.as_bytes());
        Ok(())
    }
}
