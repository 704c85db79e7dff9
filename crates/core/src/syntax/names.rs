//! Rules of names, and characters that hide or look like others.

use unicode_security::MixedScript;

use crate::diag::{Diagnostic, rule};
use crate::source::{Fragment, is_hidden};

/// The longest name, in characters.
pub const MAX_NAME: usize = 64;
/// The longest name of a tool, in characters.
const MAX_TOOL: usize = 128;

/// A fault of a name.
pub(super) enum NameFault {
    /// It is a word of the language.
    Reserved,
    /// It has the wrong form; the hint says how to mend it.
    Form(String),
}

/// Returns true if a word has the form of a name.
#[must_use]
pub fn is_identifier(word: &str) -> bool {
    let letter = |c: char| c.is_ascii_alphabetic() || c == '_';
    word.starts_with(letter)
        && word.chars().all(|c| letter(c) || c.is_ascii_digit())
        && word.len() <= MAX_NAME
}

/// Returns true if a word is an identifier, and, where it is `declared`, free to be one.
pub(super) fn check(word: &str, declared: bool) -> Result<(), NameFault> {
    if is_identifier(word) {
        return if declared && super::expr::is_reserved(word) { Err(NameFault::Reserved) } else { Ok(()) };
    }
    if let Some(c) = word.chars().find(|c| !c.is_ascii()) {
        let hint = format!(
            "it contains `{c}` (U+{:04X}); names have only letters a-z, digits and `_`",
            u32::from(c)
        );
        return Err(NameFault::Form(hint));
    }
    if word.len() > MAX_NAME {
        return Err(NameFault::Form(format!(
            "a name has at most {MAX_NAME} characters, this one has {}",
            word.len()
        )));
    }
    let hint = "a name starts with a letter or `_` and has only letters, digits and `_`";
    let tidy = word.trim().replace([' ', '-', '.', '/'], "_");
    Err(NameFault::Form(if is_identifier(&tidy) { format!("{hint}: `{tidy}`") } else { hint.into() }))
}

/// Returns true if a word can be the name of a tool: servers give them dots and dashes too.
pub(super) fn is_tool(word: &str) -> bool {
    let fits = |c: char| c.is_ascii_alphanumeric() || "_-./:".contains(c);
    !word.is_empty() && word.len() <= MAX_TOOL && word.chars().all(fits)
}

/// A word of a drawn text that mixes scripts, so that it may look like another word.
pub(super) fn look_alike(text: &Fragment) -> Option<Diagnostic> {
    if text.text.is_ascii() {
        return None;
    }
    let word =
        text.text.split(|c: char| !c.is_alphanumeric()).find(|w| !w.is_ascii() && !w.is_single_script())?;
    let start = word.as_ptr() as usize - text.text.as_ptr() as usize;
    let message = format!("`{word}` mixes letters of several scripts that look alike");
    let found = Diagnostic::warning(rule::HIDDEN_CHARACTER, text.span(start, start + word.len()), message);
    Some(found.help("write the word in letters of one script"))
}

/// The first character of a file's text that is not seen but changes how the text is seen or compared.
pub(super) fn hidden(text: &str) -> Option<(usize, char)> {
    if text.is_ascii() {
        return None;
    }
    text.char_indices().find(|&(i, c)| is_hidden(c) && !(i == 0 && c == '\u{FEFF}'))
}

/// A word from the file for a message: a very long one is cut.
pub(super) fn clip(word: &str) -> String {
    let short: String = word.chars().take(40).collect::<String>().replace(['\n', '\r', '\t'], " ");
    if short.len() < word.len() { format!("{short}…") } else { short }
}
