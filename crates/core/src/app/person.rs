//! The names of people.

use crate::source::display::is_obeyed;
use crate::value::Str;

/// The longest name of a person, in characters.
const MAX_NAME_CHARS: usize = 100;

/// The name of a person as the journal has it.
///
/// # Errors
/// It is empty, too long, or has characters that are not seen.
pub fn person_name(name: &str) -> Result<Str, String> {
    let name = name.trim();
    if name.is_empty() || name.contains(is_obeyed) || name.contains('\n') {
        return Err("a name is not empty and has no control or hidden characters".to_owned());
    }
    if name.chars().count() > MAX_NAME_CHARS {
        return Err(format!("a name has at most {MAX_NAME_CHARS} characters"));
    }
    Ok(name.into())
}
