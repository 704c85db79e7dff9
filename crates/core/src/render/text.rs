//! Any text as a label that Mermaid and Graphviz print as it is.

use crate::source::is_hidden;

/// Appends a label for Mermaid: what its grammars, its comments, its Markdown or HTML would take for something else is
/// written as an entity (`#59;`). Lines are parted by `<br/>`.
pub(super) fn mermaid(text: &str, out: &mut String) {
    for (i, line) in text.trim().lines().enumerate() {
        if i > 0 {
            out.push_str("<br/>");
        }
        mermaid_line(line.trim(), out);
    }
}

fn mermaid_line(line: &str, out: &mut String) {
    if is_plain(line) {
        out.push_str(line);
        return;
    }
    let mut before = '\n';
    let mut numbered = true;
    // What is before this was written; what stays as it is, is written in one piece.
    let mut written = 0;
    for (at, c) in line.char_indices() {
        if c.is_ascii_alphabetic() {
            numbered = false;
            before = c;
            continue;
        }
        let first = before == '\n';
        let after_char = at + c.len_utf8();
        // Mermaid takes these pairs for entities, whatever the signs in them are written as.
        let apart = matches!((before, c), ('\u{fb02}', '°') | ('¶', 'ß'));
        let coded = match c {
            // A list, a heading or a line of Markdown.
            '-' | '+' | '=' => first,
            '.' | ')' => (numbered && !first) || ends_with_word(&line[..at], "www"),
            // Emphasis, unless it is in a word.
            '_' => !(before.is_alphanumeric() && line[after_char..].starts_with(char::is_alphanumeric)),
            ' ' => matches!(before, 'n' | 'N') && ends_with_word(&line[..at], "direction"),
            // A quotation, an arrow, a tag or an entity, a link: elsewhere these signs mean themselves.
            '>' => first || matches!(before, '-' | '='),
            '<' => !line[after_char..].starts_with([' ', '=']),
            '&' => !line[after_char..].starts_with(' '),
            '[' => first || line[after_char..].starts_with('*'),
            ']' => line[after_char..].starts_with(['(', ':', '[']),
            c if c.is_ascii_digit() => false,
            ' '..='~' => !matches!(c, '!' | '\'' | '(' | ',' | '/' | '?' | '^'),
            c => is_odd(c),
        };
        if apart || coded || c.is_control() {
            out.push_str(&line[written..at]);
            written = after_char;
            if apart {
                out.push('\u{200c}');
            }
            if coded { entity(c, out) } else { out.push(shown(c)) }
        }
        numbered &= c.is_ascii_digit();
        before = c;
    }
    out.push_str(&line[written..]);
}

/// Most labels have nothing to look at twice.
fn is_plain(line: &str) -> bool {
    let mut words = line.bytes();
    words.next().is_none_or(|b| b.is_ascii_alphabetic())
        && words.all(|b| b.is_ascii_alphanumeric() || b == b' ' || b == b',')
        && !line.to_ascii_lowercase().contains("direction ")
}

fn ends_with_word(text: &str, word: &str) -> bool {
    text.len() >= word.len()
        && text.as_bytes()[text.len() - word.len()..].eq_ignore_ascii_case(word.as_bytes())
}

/// Characters that are not seen in a drawing, or change how others are seen.
fn is_odd(c: char) -> bool {
    // Joiners and tags hold emoji and letters of many scripts together.
    let joins = matches!(c, '\u{200c}' | '\u{200d}' | '\u{e0000}'..='\u{e007f}');
    (is_hidden(c) && !joins) || (c.is_whitespace() && c != ' ' && !c.is_control())
}

/// Control characters have no entity.
fn shown(c: char) -> char {
    match c {
        '\t' => ' ',
        c if c.is_control() => char::REPLACEMENT_CHARACTER,
        c => c,
    }
}

fn entity(c: char, out: &mut String) {
    match c {
        '"' => out.push_str("#quot;"),
        '&' => out.push_str("#amp;"),
        '<' => out.push_str("#lt;"),
        '>' => out.push_str("#gt;"),
        c => number(u32::from(c), out),
    }
}

/// `#59;` and the like. There are many of them, so no text is made for each.
fn number(number: u32, out: &mut String) {
    out.push('#');
    let mut unit = 1;
    while number / unit >= 10 {
        unit *= 10;
    }
    while unit > 0 {
        out.extend(char::from_digit(number / unit % 10, 10));
        unit /= 10;
    }
    out.push(';');
}

/// Appends a quoted text for Graphviz.
pub(super) fn dot(text: &str, out: &mut String) {
    out.push('"');
    for c in text.trim().chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '&' => out.push_str("&amp;"),
            c if is_odd(c) => out.extend(["&#", &u32::from(c).to_string(), ";"]),
            c => out.push(shown(c)),
        }
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;

    fn coded(text: &str) -> String {
        let mut out = String::new();
        mermaid(text, &mut out);
        out
    }

    #[test]
    fn plain_texts_stay_as_they_are() {
        for text in [
            "ok",
            "not ok",
            "budget must_finish?",
            "Validation failed (retry)",
            "größer, 日本語",
            "a - b",
            "v1.2",
            "n >= 2 and m <= 3 or m < n",
            "error [fix[current] > 1]",
            "bread & cheese",
        ] {
            assert_eq!(coded(text), text);
        }
    }

    #[test]
    fn what_means_something_is_written_as_an_entity() {
        let rows = [
            ("a;b:c#d", "a#59;b#58;c#35;d"),
            ("\"<x>\" &y; 'y'", "#quot;#lt;x>#quot; #amp;y#59; 'y'"),
            ("a->b => c", "a-#gt;b =#gt; c"),
            ("> a", "#gt; a"),
            ("[a](b) [c]: d [*]", "#91;a#93;(b) [c#93;#58; d #91;#42;]"),
            ("two\nlines\n", "two<br/>lines"),
            ("1. first\n- second", "1#46; first<br/>#45; second"),
            ("in direction LR", "in direction#32;LR"),
            ("_all_ in_word", "#95;all#95; in_word"),
            ("a\u{202e}b\u{200f}", "a#8238;b#8207;"),
            ("%%{init}%%", "#37;#37;#123;init#125;#37;#37;"),
            ("www.example a@b", "www#46;example a#64;b"),
            ("a\tb\u{7}", "a b\u{fffd}"),
            ("\u{fb02}\u{b0}\u{b0}59\u{b6}\u{df}", "\u{fb02}\u{200c}\u{b0}\u{b0}59\u{b6}\u{200c}\u{df}"),
            ("a\\nb `c` $$d$$", "a#92;nb #96;c#96; #36;#36;d#36;#36;"),
        ];
        for (text, wanted) in rows {
            assert_eq!(coded(text), wanted, "{text}");
        }
    }

    #[test]
    fn graphviz_gets_quoted_texts() {
        let mut out = String::new();
        dot("a \"b\" \\N\nc & d\u{202e}", &mut out);
        assert_eq!(out, "\"a \\\"b\\\" \\\\N\\nc &amp; d&#8238;\"");
    }
}
