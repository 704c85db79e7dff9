//! One way in which a hidden text may be in another.

use super::{Mask, MaskedSpan};

/// The number of backslashes that may escape one character.
const MAX_BACKSLASHES: usize = 16;

/// The number of times a percent sign may be escaped as `%25`.
const MAX_PERCENT_LEVELS: usize = 8;

const STANDARD: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const FOR_ADDRESSES: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// The bytes that are looked for, each as it is or escaped.
pub(super) struct Pattern(Vec<u8>);

/// The match at a position where a byte is wanted.
enum Unit {
    /// That byte; the next one begins here.
    On(usize),
    /// Another byte.
    Off,
    /// The text ends before that is known.
    Open,
}

impl Pattern {
    /// All ways in which a text may be written.
    pub(super) fn all(text: &str) -> Vec<Self> {
        let bytes = text.as_bytes();
        let hex = bytes.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().concat();
        let mut spellings = vec![bytes.to_vec(), hex.to_uppercase().into_bytes(), hex.into_bytes()];
        for alphabet in [STANDARD, FOR_ADDRESSES] {
            spellings.extend((0..3).map(|before| base64(bytes, before, alphabet)));
        }
        spellings.sort_unstable();
        spellings.dedup();
        let spellings = spellings.iter().map(|spelling| Self(plain(spelling)));
        spellings.filter(|spelling| spelling.0.len() >= Mask::MIN_BYTES).collect()
    }

    /// Returns true if the text may begin with this byte.
    pub(super) fn may_begin(&self, byte: u8) -> bool {
        byte == b'\\' || byte == b'%' || self.0.first() == Some(&byte)
    }

    /// The match at a position of a text, if it is to be hidden.
    pub(super) fn at(&self, text: &[u8], from: usize, last: bool) -> Option<MaskedSpan> {
        let mut to = from;
        for (found, wanted) in self.0.iter().enumerate() {
            match unit(text, to, *wanted, last) {
                Unit::On(next) => to = next,
                Unit::Open if !last => return Some(MaskedSpan::Open { from }),
                Unit::Off | Unit::Open => {
                    let cut = to == text.len() || text[to..].starts_with("…".as_bytes());
                    let enough =
                        if cut { Mask::MIN_BYTES } else { Mask::MIN_BYTES.max(self.0.len().div_ceil(2)) };
                    while to > from && text.get(to).is_some_and(|byte| byte & 0xC0 == 0x80) {
                        // Not in the middle of a letter.
                        to -= 1;
                    }
                    return (found >= enough).then_some(MaskedSpan::Hidden { from, to });
                }
            }
        }
        Some(MaskedSpan::Hidden { from, to })
    }
}

/// The bytes as [`unit`] reads them: a run of backslashes counts as one, and so does a percent sign however it is escaped.
fn plain(bytes: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let [byte, remaining @ ..] = rest {
        rest = remaining;
        match byte {
            b'\\' if plain.last() == Some(&b'\\') => continue,
            b'%' => {
                while let Some(remaining) = rest.strip_prefix(b"25") {
                    rest = remaining;
                }
            }
            _ => {}
        }
        plain.push(*byte);
    }
    plain
}

/// `last` says that nothing comes after the text.
fn unit(text: &[u8], at: usize, wanted: u8, last: bool) -> Unit {
    match text.get(at) {
        None => Unit::Open,
        Some(b'\\') => escaped(text, at, wanted, last),
        Some(b'%') => encoded(text, at, wanted, last),
        Some(found) if *found == wanted => Unit::On(at + 1),
        Some(_) => Unit::Off,
    }
}

/// `\u0073`, `\"`, and the same with the backslash escaped.
fn escaped(text: &[u8], at: usize, wanted: u8, last: bool) -> Unit {
    let run = text[at..].iter().take(MAX_BACKSLASHES + 1).take_while(|byte| **byte == b'\\').count();
    if run > MAX_BACKSLASHES {
        return Unit::Off;
    }
    let at = at + run;
    match text.get(at) {
        Some(b'u') => match digits(text, at + 1, 4) {
            Digits::Are(code) if code == u32::from(wanted) => return Unit::On(at + 5),
            Digits::Open if !last => return Unit::Open,
            _ => {}
        },
        Some(found) if *found == wanted && !wanted.is_ascii_alphanumeric() => return Unit::On(at + 1),
        None if !last => return Unit::Open,
        _ => {}
    }
    if wanted == b'\\' { Unit::On(at) } else { Unit::Off }
}

/// `%73`, and the same with the percent sign encoded.
fn encoded(text: &[u8], at: usize, wanted: u8, last: bool) -> Unit {
    let mut at = at + 1;
    for _ in 0..MAX_PERCENT_LEVELS {
        if !text[at..].starts_with(b"25") {
            break;
        }
        at += 2;
    }
    match digits(text, at, 2) {
        Digits::Are(code) if code == u32::from(wanted) => Unit::On(at + 2),
        Digits::Open if !last => Unit::Open,
        _ if wanted == b'%' => Unit::On(at),
        _ => Unit::Off,
    }
}

/// The hexadecimal digits at a position.
enum Digits {
    Are(u32),
    None,
    /// The text ends before.
    Open,
}

fn digits(text: &[u8], at: usize, count: usize) -> Digits {
    let found = &text[at.min(text.len())..(at + count).min(text.len())];
    let code = found.iter().try_fold(0, |sum, byte| Some(sum * 16 + char::from(*byte).to_digit(16)?));
    match code {
        None => Digits::None,
        Some(_) if found.len() < count => Digits::Open,
        Some(code) => Digits::Are(code),
    }
}

/// The base64 form of bytes after so many others: the characters that come from these bytes alone.
fn base64(bytes: &[u8], before: usize, alphabet: &[u8; 64]) -> Vec<u8> {
    let bit = |at: usize| bytes[at / 8 - before] >> (7 - at % 8) & 1;
    let first = (before * 8).div_ceil(6);
    let end = (before + bytes.len()) * 8 / 6;
    let sextet = |at: usize| (at * 6..at * 6 + 6).fold(0, |sum, at| sum << 1 | usize::from(bit(at)));
    (first..end).map(|at| alphabet[sextet(at)]).collect()
}
