//! Texts with colours in them. The colours are ours alone: what a stranger wrote is written out before it is coloured.

use clap::Parser as _;
use clap::error::{ContextKind, ContextValue};

use super::stream;
use super::{Exit, line, lines, set_in};
use crate::cli::args::CommandLine;
use loopwright_core::diag::{self, Diagnostic};
use loopwright_core::diff::{self, Diff};
use loopwright_core::source::Sources;

/// A text that is printed in one piece, on one of the two streams.
pub(in crate::cli) struct Page {
    /// As it may be printed.
    text: String,
    colour: bool,
}

impl Page {
    /// An empty page for standard output.
    pub(in crate::cli) fn for_stdout() -> Self {
        Self { text: String::new(), colour: stream::stdout_is_coloured() }
    }

    /// An empty page for standard error.
    pub(in crate::cli) fn for_stderr() -> Self {
        Self { text: String::new(), colour: stream::stderr_is_coloured() }
    }

    /// A text without colours follows.
    pub(in crate::cli) fn text(mut self, text: &str) -> Self {
        self.text += &lines(text);
        self
    }

    /// Adds findings.
    pub(in crate::cli) fn findings(self, findings: &[Diagnostic], sources: &Sources) -> Self {
        let text = diag::text::render(findings, sources, self.colour);
        self.painted(&text)
    }

    /// Adds a diff.
    pub(in crate::cli) fn diff(self, found: &Diff, sources: &Sources) -> Self {
        let text = diff::text::render(found, sources, self.colour);
        self.painted(&text)
    }

    /// A text follows in which all colours are ours.
    fn painted(mut self, text: &str) -> Self {
        if self.colour {
            painted(text, &mut self.text);
            self
        } else {
            self.text(text)
        }
    }

    /// Prints it to standard output.
    pub(in crate::cli) fn put(self) -> Exit {
        stream::out(&self.text)
    }

    /// Says it on standard error.
    pub(in crate::cli) fn say(self) {
        let _ = stream::err(&self.text);
    }
}

/// Appends a text with its colours; whatever else a terminal would obey is written out.
fn painted(text: &str, out: &mut String) {
    let mut rest = text;
    while let Some(at) = rest.find('\u{1b}') {
        *out += &lines(&rest[..at]);
        let length = colour(&rest[at..]).unwrap_or(0);
        *out += &rest[at..at + length];
        // A sequence that is no colour is written out, whole with what follows it.
        let next =
            rest[at + length.max(1)..].find('\u{1b}').map_or(rest.len(), |next| at + length.max(1) + next);
        *out += &lines(&rest[at + length..next]);
        rest = &rest[next..];
    }
    *out += &lines(rest);
}

/// The length of the colour that the text begins with: `ESC [`, numbers, `m`.
fn colour(text: &str) -> Option<usize> {
    let numbers = text.strip_prefix("\u{1b}[")?;
    let end = numbers.find(|c: char| !c.is_ascii_digit() && c != ';')?;
    numbers[end..].starts_with('m').then_some("\u{1b}[".len() + end + 1)
}

/// Prints what the reader of the command line has to say: help where it was asked for, or what is wrong. Of the words of
/// the command line, which may be names of files, nothing is obeyed, and none of them is more than one line.
pub(in crate::cli) fn usage(error: clap::Error) -> Exit {
    let error = without_password(error);
    let words: Vec<_> = std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect();
    let shown: Vec<_> = words.iter().map(|word| line(word)).collect();
    let plain = words == shown;
    // A fault of the words is one of the words as they are shown, too.
    let again = if plain { None } else { CommandLine::try_parse_from(&shown).err().map(without_password) };
    let wrong = error.use_stderr();
    let page = if wrong { Page::for_stderr() } else { Page::for_stdout() };
    let page = match again.as_ref().or(plain.then_some(&error)) {
        Some(error) if page.colour => page.painted(&error.render().ansi().to_string()),
        Some(error) => page.text(&error.render().to_string()),
        None => page.text(&set_in(&error.render().to_string())),
    };
    if wrong {
        page.say();
        return Exit::Usage;
    }
    page.put()
}

/// Leaves out what follows the scheme of an address that cannot be read: a password may be in it.
fn without_password(mut error: clap::Error) -> clap::Error {
    if let Some(ContextValue::String(value)) = error.get(ContextKind::InvalidValue)
        && let Some((scheme, _)) = value.split_once("://")
    {
        let value = format!("{scheme}://…");
        error.insert(ContextKind::InvalidValue, ContextValue::String(value));
    }
    error
}

#[cfg(test)]
mod tests {
    use super::painted;

    #[test]
    fn of_what_a_terminal_obeys_only_colours_pass() {
        for (text, wanted) in [
            ("a\u{1b}[1;31mb\u{1b}[0m\n", "a\u{1b}[1;31mb\u{1b}[0m\n"),
            ("\u{1b}[2J\u{1b}[m", "\\u{1b}[2J\u{1b}[m"),
            ("\u{1b}]52;c;\u{7}\u{1b}c\u{1b}\u{1b}[31m", "\\u{1b}]52;c;\\u{7}\\u{1b}c\\u{1b}\u{1b}[31m"),
            ("\u{1b}[38:5m\u{9b}31m\r\u{1b}[", "\\u{1b}[38:5m\\u{9b}31m\\r\\u{1b}["),
            ("\u{1b}", "\\u{1b}"),
        ] {
            let mut out = String::new();
            painted(text, &mut out);
            assert_eq!(out, wanted);
        }
    }
}
