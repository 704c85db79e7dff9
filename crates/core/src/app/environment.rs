//! Keys out of the environment, and the texts that may not hold one.

use crate::port::{Mask, ProgramText};
use crate::value::Str;

/// The key in a variable of the environment; none where it is not set or empty.
#[must_use]
pub fn secret(variable: &str) -> Option<String> {
    let found = std::env::var(variable).ok()?;
    Some(found.trim().to_owned()).filter(|key| !key.is_empty())
}

/// The first file of a graph that holds one of the texts that a mask hides: it would be stored with the run.
#[must_use]
pub fn file_with_secret<'t>(text: &'t ProgramText, mask: &Mask) -> Option<&'t Str> {
    text.files.iter().find(|(_, text)| mask.finds(text)).map(|(name, _)| name)
}
