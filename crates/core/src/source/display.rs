//! Texts of strangers as people are shown them.
//!
//! The words of a graph, a model, a tool or a file name are shown, never obeyed: a sign that moves the cursor, colours what
//! follows, turns the line around or is not seen at all is written out.

use std::borrow::Cow;
use std::fmt::Write as _;

use unicode_security::confusable_detection::skeleton;
use unicode_security::{GeneralSecurityProfile, MixedScript};

/// Returns true if a character is not seen, or changes how others are seen: all that Unicode has programs ignore where
/// they cannot show it, and the pattern of Braille without a dot. Blanks and control characters are none of these, and
/// nor are the selectors that emoji are written with.
#[must_use]
pub fn is_hidden(c: char) -> bool {
    matches!(c, '\u{AD}' | '\u{34F}' | '\u{61C}' | '\u{115F}'..='\u{1160}' | '\u{17B4}'..='\u{17B5}'
        | '\u{180B}'..='\u{180F}' | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{206F}'
        | '\u{2800}' | '\u{3164}' | '\u{FEFF}' | '\u{FFA0}' | '\u{FFF0}'..='\u{FFF8}' | '\u{1BCA0}'..='\u{1BCA3}'
        | '\u{1D173}'..='\u{1D17A}' | '\u{E0000}'..='\u{E0FFF}')
}

/// Returns true if a character chooses between forms of the one before it, as emoji have them. It is not seen itself.
const fn is_selector(c: char) -> bool {
    matches!(c, '\u{FE00}'..='\u{FE0F}')
}

/// Returns true if a character is not printed as it is: a terminal would obey it, break the line at it, or not show it.
#[must_use]
pub fn is_obeyed(c: char) -> bool {
    match c {
        ' '..='~' => false,
        c => c.is_control() || is_hidden(c) || matches!(c, '\u{2028}' | '\u{2029}' | '\u{FFF9}'..='\u{FFFB}'),
    }
}

/// The text on one line: what is not printed as it is, is written out as in `\u{1b}` and `\n`.
#[must_use]
pub fn line(text: &str) -> Cow<'_, str> {
    escaped(text, is_obeyed)
}

/// The most blanks in a row that a question shows.
const MAX_BLANKS_IN_A_ROW: usize = 8;

/// The text on one line for a question, in which nothing is left out of sight: all that [`line()`] writes out, the
/// selectors of emoji, blanks that are none of ASCII, letters that make a word look like another, and the number of blanks
/// in a row where they would push the rest away.
#[must_use]
pub fn asked(text: &str) -> String {
    let odd = |c: char| is_obeyed(c) || is_selector(c) || c.is_whitespace() && c != ' ';
    let mut out = String::new();
    let text = escaped(text, odd);
    let text = alike(&text);
    let mut rest = &*text;
    while let Some(at) = rest.find(&" ".repeat(MAX_BLANKS_IN_A_ROW + 1)) {
        let blanks = rest[at..].len() - rest[at..].trim_start_matches(' ').len();
        let _ = write!(out, "{} [{blanks} blanks] ", &rest[..at]);
        rest = &rest[at + blanks..];
    }
    out + rest
}

/// The text with the letters written out that make a word look like another: in a word of several scripts, as `pаypal` with
/// a Cyrillic `а`, and in one that looks like ASCII beside a word that is ASCII, as in an address.
fn alike(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for token in text.split_inclusive(' ') {
        let words = || token.split(|c: char| !c.is_alphanumeric());
        let plain = words().any(|word| word.is_ascii() && word.contains(|c: char| c.is_ascii_alphabetic()));
        for piece in token.split_inclusive(|c: char| !c.is_alphanumeric()) {
            if is_alike(piece.trim_end_matches(|c: char| !c.is_alphanumeric()), plain) {
                out.push_str(&escaped(piece, |c| !c.is_ascii()));
            } else {
                out.push_str(piece);
            }
        }
    }
    Cow::Owned(out)
}

/// Returns true if a word may be taken for another one; `plain` tells that words beside it are ASCII.
fn is_alike(word: &str, plain: bool) -> bool {
    if word.is_ascii() {
        return false;
    }
    let like_ascii = |text: &str| skeleton(text).all(|c| c.is_ascii());
    let odd = |c: char| !c.is_ascii() && !c.identifier_allowed() && like_ascii(c.encode_utf8(&mut [0; 4]));
    let mixed = word.contains(|c: char| c.is_ascii_alphabetic()) && word.contains(odd);
    !word.is_single_script() || mixed || plain && like_ascii(word)
}

/// The text with its lines and tabs.
#[must_use]
pub fn lines(text: &str) -> Cow<'_, str> {
    escaped(text, |c| is_obeyed(c) && c != '\n' && c != '\t')
}

fn escaped(text: &str, odd: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.contains(&odd) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if odd(c) {
            out.extend(c.escape_default());
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

/// The text with one sign for each of its characters, so that columns stay: pictures (`␛`) for control characters that have
/// one, `�` for all else that is not printed as it is. Lines and tabs stay; of the end of a line, `\n` alone.
#[must_use]
pub fn in_place(text: &str) -> Cow<'_, str> {
    let odd = |c: char| is_obeyed(c) && c != '\n' && c != '\t';
    if !text.contains(odd) {
        return Cow::Borrowed(text);
    }
    let following = text.chars().skip(1).chain(['\n']);
    let remaining = text.chars().zip(following).filter(|pair| *pair != ('\r', '\n'));
    remaining.map(|(c, _)| if odd(c) { picture(c) } else { c }).collect::<String>().into()
}

fn picture(c: char) -> char {
    match c {
        '\0'..='\u{1f}' => char::from_u32(0x2400 + u32::from(c)).unwrap_or(char::REPLACEMENT_CHARACTER),
        '\u{7f}' => '\u{2421}',
        _ => char::REPLACEMENT_CHARACTER,
    }
}

#[cfg(test)]
mod tests {
    use super::{asked, in_place, is_obeyed, line, lines};

    #[test]
    fn what_is_obeyed_is_written_out() {
        let text = "a\tb\nc\rd\u{1b}[2J\u{7f}\u{85}\u{9b}m\u{2028}\u{202e}\u{200b}\u{e0041}é漢";
        let odd = r"c\rd\u{1b}[2J\u{7f}\u{85}\u{9b}m\u{2028}\u{202e}\u{200b}\u{e0041}é漢";
        assert_eq!(line(text), format!(r"a\tb\n{odd}"));
        assert_eq!(lines(text), format!("a\tb\n{odd}"));
        assert_eq!(lines(&line(text)), line(text), "what was written out stays as it is");
    }

    #[test]
    fn letters_that_look_like_others_are_written_out_in_a_question() {
        for (text, shown) in [
            ("pay p\u{430}ypal", r"pay p\u{430}ypal"),
            // A word of one script alone looks like ASCII only beside words that are.
            ("\u{441}\u{430}\u{440}.com", r"\u{441}\u{430}\u{440}.com"),
            ("{\"to\":\"\u{430}\u{440}\u{440}@x.org\"}", r#"{"to":"\u{430}\u{440}\u{440}@x.org"}"#),
            ("p\u{251}y", r"p\u{251}y"),
        ] {
            assert_eq!(asked(text), shown);
        }
        for text in
            ["привет", "раз два", "naïve Grüße være kapı œuvre", "東京タワーへ行く", "x² 5€ – ok", "ΑΒΓ a"]
        {
            assert_eq!(asked(text), text);
        }
    }

    /// The characters that Unicode has programs ignore, as its `DerivedCoreProperties.txt` lists it, and two that look
    /// like blanks.
    const UNSEEN: &str = "\u{ad}\u{34f}\u{61c}\u{115f}\u{1160}\u{17b4}\u{17b5}\u{180b}\u{180f}\u{200b}\u{200f}\u{202a}\u{202e}\
\u{2060}\u{206f}\u{2800}\u{3164}\u{feff}\u{ffa0}\u{fff0}\u{fff8}\u{1bca0}\u{1bca3}\u{1d173}\u{1d17a}\u{e0000}\u{e0100}\u{e01ef}\u{e0fff}";

    #[test]
    fn what_is_not_seen_is_written_out() {
        let shown = line(UNSEEN);
        assert!(shown.is_ascii(), "{shown}");
        // Emoji stay what they are, but where somebody is asked.
        assert_eq!(line("\u{2764}\u{fe0f}"), "\u{2764}\u{fe0f}");
        assert_eq!(
            asked("\u{2764}\u{fe0f}\u{a0}\u{3000}\u{2003}x"),
            "\u{2764}\\u{fe0f}\\u{a0}\\u{3000}\\u{2003}x"
        );
    }

    #[test]
    fn a_question_shows_what_stands_behind_many_blanks() {
        assert_eq!(asked("a        b"), "a        b");
        assert_eq!(
            asked(&format!("a{}; id{}", " ".repeat(300), " ".repeat(9))),
            "a [300 blanks] ; id [9 blanks] "
        );
    }

    #[test]
    fn one_sign_stands_for_each_character() {
        let text: String =
            ('\0'..='\u{ff}').chain(['\u{2029}', '\u{2066}', '\u{e007f}', '\u{fffa}']).collect();
        let shown = in_place(&text);
        assert_eq!(shown.chars().count(), text.chars().count());
        assert!(!shown.chars().any(|c| is_obeyed(c) && c != '\n' && c != '\t'), "{shown}");
        assert_eq!(in_place("\u{1b}\u{7f}\u{9b}"), "␛␡\u{fffd}");
        assert_eq!(in_place("a\rb\r\nc\r"), "a␍b\nc");
    }
}
