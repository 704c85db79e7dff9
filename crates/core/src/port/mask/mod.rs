//! Hiding texts that nobody may see, such as keys, in everything that comes in.

mod pattern;
mod ports;
mod stream;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use self::pattern::Pattern;
use crate::machine::{ModelAttempt, Outcome};
use crate::value::{List, Map, Str, Value};

pub use ports::Masked;
pub use stream::MaskStream;

/// The text shown in place of a hidden one.
const REPLACEMENT: &str = "***";

/// Hides known texts: each is replaced by `***` wherever it is.
///
/// A text is found as it is, with characters written as in JSON or in an address (`\u0073`, `%73`), in base64 and in
/// hexadecimal digits. Of one that was cut off, at least eight characters are hidden too: the first half anywhere, less
/// at the end. This keeps keys from getting out by chance. It cannot stop a program that has a key and writes it in a
/// way of its own.
#[derive(Clone, Default)]
pub struct Mask {
    patterns: Arc<[Pattern]>,
}

impl Mask {
    /// Shorter texts, in bytes, are not hidden: everyday words would go with them.
    pub const MIN_BYTES: usize = 8;

    /// Hides these texts, as far as they are long enough.
    #[must_use]
    pub fn new<'t>(texts: impl IntoIterator<Item = &'t str>) -> Self {
        let long = texts.into_iter().filter(|text| text.len() >= Self::MIN_BYTES);
        Self { patterns: long.flat_map(Pattern::all).collect() }
    }

    /// Returns true if there is nothing to hide.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.patterns.is_empty()
    }

    /// The text with what is hidden replaced.
    #[must_use]
    pub fn text<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let mut out = String::new();
        let mut done = 0;
        while let Some(MaskedSpan::Hidden { from, to }) = self.find(text, done, true) {
            out.push_str(&text[done..from]);
            out.push_str(REPLACEMENT);
            done = to;
        }
        if done == 0 {
            return Cow::Borrowed(text);
        }
        out.push_str(&text[done..]);
        Cow::Owned(out)
    }

    /// Returns true if a text holds something that is hidden.
    #[must_use]
    pub fn finds(&self, text: &str) -> bool {
        self.find(text, 0, true).is_some()
    }

    /// The value with what is hidden replaced in every text and every key of a map.
    #[must_use]
    pub fn value(&self, value: Value) -> Value {
        if self.patterns.is_empty() { value } else { self.changed(&value).unwrap_or(value) }
    }

    /// The map with what is hidden replaced in every text and every key.
    #[must_use]
    pub fn map(&self, map: Map) -> Map {
        if self.patterns.is_empty() { map } else { self.changed_map(&map).unwrap_or(map) }
    }

    /// The outcome with what is hidden replaced in every text.
    #[must_use]
    pub fn outcome(&self, outcome: Outcome) -> Outcome {
        match outcome {
            Outcome::Answer { value, usage, attempts } => {
                Outcome::Answer { value: self.value(value), usage, attempts: self.attempts(attempts) }
            }
            Outcome::Failed { kind, message, details, usage, retry_after, progress, attempts } => {
                Outcome::Failed {
                    kind: self.word(kind),
                    message: self.word(message),
                    details: self.value(details),
                    usage,
                    retry_after,
                    progress,
                    attempts: self.attempts(attempts),
                }
            }
            Outcome::Unknown { message } => Outcome::Unknown { message: self.word(message) },
        }
    }

    fn attempts(&self, mut attempts: Vec<ModelAttempt>) -> Vec<ModelAttempt> {
        for fault in attempts.iter_mut().filter_map(|attempt| attempt.error.as_mut()) {
            fault.message = self.word(std::mem::take(&mut fault.message));
        }
        attempts
    }

    /// Hides in a text that comes piece by piece.
    #[must_use]
    pub fn stream(&self) -> MaskStream {
        MaskStream::new(self.clone())
    }

    fn word(&self, text: Str) -> Str {
        match self.text(&text) {
            Cow::Borrowed(_) => text,
            Cow::Owned(hidden) => hidden.into(),
        }
    }

    /// The value where something in it is hidden, else nothing.
    fn changed(&self, value: &Value) -> Option<Value> {
        match value {
            Value::Str(text) => match self.text(text) {
                Cow::Borrowed(_) => None,
                Cow::Owned(hidden) => Some(Value::Str(hidden.into())),
            },
            Value::List(list) => {
                let changed: Vec<_> = list.iter().map(|item| self.changed(item)).collect();
                changed.iter().any(Option::is_some).then(|| {
                    let pairs = changed.into_iter().zip(list.iter());
                    Value::List(pairs.map(|(new, old)| new.unwrap_or_else(|| old.clone())).collect::<List>())
                })
            }
            Value::Map(map) => self.changed_map(map).map(Value::Map),
            _ => None,
        }
    }

    fn changed_map(&self, map: &Map) -> Option<Map> {
        let changed: Vec<_> = map.iter().map(|(key, value)| (self.finds(key), self.changed(value))).collect();
        changed.iter().any(|(key, value)| *key || value.is_some()).then(|| {
            let pairs = changed.into_iter().zip(map.iter());
            pairs
                .map(|((_, new), (key, old))| (self.word(key.clone()), new.unwrap_or_else(|| old.clone())))
                .collect()
        })
    }

    /// The next place from `from` on; `last` says that nothing comes after the text.
    fn find(&self, text: &str, from: usize, last: bool) -> Option<MaskedSpan> {
        if self.patterns.is_empty() {
            return None;
        }
        let bytes = text.as_bytes();
        let remaining = bytes.get(from..)?.iter().enumerate();
        remaining.filter(|(_, byte)| self.patterns.iter().any(|pattern| pattern.may_begin(**byte))).find_map(
            |(at, _)| {
                let from = from + at;
                let spots = self.patterns.iter().filter_map(|pattern| pattern.at(bytes, from, last));
                spots.max_by_key(|position| match position {
                    MaskedSpan::Open { .. } => usize::MAX,
                    MaskedSpan::Hidden { to, .. } => *to,
                })
            },
        )
    }
}

/// A place in a text where something is to be hidden.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum MaskedSpan {
    /// The range of bytes that is hidden.
    Hidden { from: usize, to: usize },
    /// The bytes after the text decide.
    Open { from: usize },
}

impl fmt::Debug for Mask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Mask(***)")
    }
}
