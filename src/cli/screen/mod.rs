//! Printing. Everything that a command says goes through here, and nothing that a stranger wrote is obeyed by a terminal.
//!
//! Text for people is written out where a terminal would obey it ([`print()`], [`say`], [`Page`]); texts that must
//! stay on one line go through [`line`] before. Documents for programs escape the same characters in their own way
//! ([`json`]), and so does what is data itself, at a terminal ([`data`]). Only this module writes to standard output and
//! standard error; a test of the source makes sure of that.

mod fault;
mod page;
mod stream;

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io;
use std::path::Path;
use std::sync::{PoisonError, RwLock};

use serde_json::Value as Json;

pub(super) use self::fault::watch_panics;
pub(super) use self::page::{Page, usage};
pub(super) use self::stream::{Log, blocking_messages, end, messages, stderr_is_terminal, width};
use super::Exit;
use loopwright_core::diag::Diagnostic;
use loopwright_core::port::Mask;
use loopwright_core::source::Sources;
use loopwright_core::source::display::{self, is_obeyed};

/// The masks over everything that is never printed: a command that serves several graphs has one of each.
static HIDDEN: RwLock<Vec<Mask>> = RwLock::new(Vec::new());

/// From now on nothing is printed of what the mask hides, either.
pub(super) fn hide(mask: Mask) {
    HIDDEN.write().unwrap_or_else(PoisonError::into_inner).push(mask);
}

/// The text without what the masks hide.
pub(super) fn hidden(text: &str) -> Cow<'_, str> {
    let mut shown = Cow::Borrowed(text);
    for mask in HIDDEN.read().unwrap_or_else(PoisonError::into_inner).iter() {
        if let Cow::Owned(rest) = mask.text(&shown) {
            shown = Cow::Owned(rest);
        }
    }
    shown
}

/// Prints to standard output, for people.
pub(super) fn print(text: &str) -> Exit {
    stream::out(&lines(text))
}

/// Prints to standard error; nothing can be done where that fails.
pub(super) fn say(text: &str) {
    let _ = stream::err(&lines(text));
}

/// Says at a terminal which run this is about.
pub(super) fn say_run(run: &str) {
    if stderr_is_terminal() {
        say(&format!("run: {}\n", line(run)));
    }
}

/// Puts a question on standard error.
///
/// # Errors
/// The terminal does not take it.
pub(super) fn ask(question: &str) -> io::Result<()> {
    stream::err(&lines(question))
}

/// Says findings on standard error.
pub(super) fn findings(findings: &[Diagnostic], sources: &Sources) {
    Page::for_stderr().findings(findings, sources).say();
}

/// Says what is wrong with the command's use, on one line.
pub(super) fn refuse(message: &str) -> Exit {
    refuse_lines(&line(message))
}

/// The same, and what helps on the next line.
pub(super) fn refuse_with(message: &str, help: &str) -> Exit {
    refuse_lines(&format!("{}\nhelp: {}", line(message), line(help)))
}

/// The same with the breaks of its lines: what in it comes from elsewhere must have none.
pub(super) fn refuse_lines(message: &str) -> Exit {
    say(&format!("error: {message}\n"));
    Exit::Usage
}

/// Prints what is to be read by programs and may be a stranger's, such as a graph file: to a pipe or a file byte for
/// byte, at a terminal as [`print()`] does.
pub(super) fn data(text: &str) -> Exit {
    if stream::stdout_is_terminal() { print(text) } else { stream::out(text) }
}

/// Bytes that are no text, for a file or a program.
pub(super) fn bytes(bytes: &[u8]) -> Exit {
    if stream::stdout_is_terminal() {
        return refuse("this is no text: write it to a file with `> FILE`");
    }
    stream::raw(bytes)
}

/// One document, set out on lines.
pub(super) fn json(document: &Json) -> String {
    escaped(&format!("{document:#}\n"))
}

/// One document on a line.
pub(super) fn json_line(document: &Json) -> String {
    escaped(&format!("{document}\n"))
}

/// JSON that means the same, and in which nothing but line ends is obeyed by a terminal. Outside of texts JSON has no such
/// characters.
fn escaped(json: &str) -> String {
    let odd = |c: char| is_obeyed(c) && c != '\n';
    if !json.contains(odd) {
        return json.to_owned();
    }
    let mut out = String::with_capacity(json.len() + 16);
    for c in json.chars() {
        if odd(c) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                let _ = write!(out, "\\u{unit:04x}");
            }
        } else {
            out.push(c);
        }
    }
    out
}

/// A text that comes from elsewhere, on one line: what a terminal would obey or not show is written out.
pub(super) fn line(text: &str) -> String {
    display::line(text).into_owned()
}

/// The same for a question: nothing in it is left out of sight.
pub(super) fn asked(text: &str) -> String {
    display::asked(text)
}

/// The same with the breaks of its lines. What is printed goes through it in any case.
pub(super) fn lines(text: &str) -> Cow<'_, str> {
    display::lines(text)
}

/// The same, with the further lines set in after the first: none of them can be taken for one of ours.
pub(super) fn set_in(text: &str) -> String {
    let text = lines(text);
    let mut all = text.split('\n');
    let first = all.next().unwrap_or_default().to_owned();
    all.fold(first, |text, line| if line.is_empty() { text + "\n" } else { text + "\n  " + line })
}

/// The path of a file, on one line.
pub(super) fn path(path: &Path) -> String {
    line(&path.to_string_lossy())
}

#[cfg(test)]
mod tests {
    use serde_json::{Value as Json, json};

    use super::{hidden, hide, json_line, lines, set_in};
    use loopwright_core::port::Mask;
    use loopwright_core::source::display::is_obeyed;

    #[test]
    fn every_mask_hides_what_it_hides() {
        let keys = ["key-of-the-first-graph", "key-of-the-second-graph"];
        for key in keys {
            hide(Mask::new([key]));
        }
        let shown = hidden("key-of-the-first-graph, key-of-the-second-graph, and no key");
        assert!(keys.iter().all(|key| !shown.contains(key)), "{shown}");
        assert!(shown.ends_with("and no key"), "{shown}");
    }

    #[test]
    fn further_lines_are_set_in() {
        for (text, wanted) in [
            ("", ""),
            ("one", "one"),
            ("one\n", "one\n"),
            ("one\n\noutcome: end\r\n  two", "one\n\n  outcome: end\\r\n    two"),
            ("\nhelp: me", "\n  help: me"),
        ] {
            assert_eq!(set_in(text), wanted);
        }
    }

    #[test]
    fn json_is_escaped_and_means_the_same() {
        let all: String = ('\0'..='\u{3000}').chain('\u{dfff0}'..='\u{e0100}').collect();
        let document = json!({all.as_str(): [all.as_str(), 1, null]});
        let printed = json_line(&document);
        let text = printed.strip_suffix('\n').expect("it is a line");
        assert!(!text.contains(is_obeyed), "{text}");
        assert_eq!(lines(&printed), printed.as_str(), "printing changes nothing");
        let read: Json = serde_json::from_str(text).expect("it is JSON");
        assert_eq!(read, document);
    }
}
