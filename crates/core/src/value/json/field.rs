//! One field of an object, while the object is still being written.

/// Reads one text field of a JSON object that comes piece by piece.
///
/// Only a field of the outermost object counts, and of several of that name the first. Where the text turns out to be
/// no such object, nothing more comes of it.
#[derive(Debug, Clone)]
pub struct FieldReader {
    field: String,
    at: FieldPosition,
    /// The name that is being read, as far as it can still be the field's.
    name: String,
    letters: EscapedLetters,
}

/// The position in the object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FieldPosition {
    Before,
    /// After `{`.
    First,
    /// After a comma.
    Name,
    InName,
    Colon,
    Value,
    /// In the field.
    Field,
    /// In the value of another one.
    Other {
        /// So many brackets are open.
        depth: usize,
        /// It is in a text.
        text: bool,
        /// After a backslash.
        escaped: bool,
    },
    Over,
}

impl FieldReader {
    /// A reader of the field of that name.
    #[must_use]
    pub fn new(field: impl Into<String>) -> Self {
        Self {
            field: field.into(),
            at: FieldPosition::Before,
            name: String::new(),
            letters: EscapedLetters::default(),
        }
    }

    /// Takes a piece of the object and gives what it adds to the field's text.
    pub fn push(&mut self, piece: &str) -> String {
        let mut out = String::new();
        for c in piece.chars() {
            self.at = self.take(c, &mut out);
            if self.at == FieldPosition::Over {
                break;
            }
        }
        out
    }

    /// Returns true if nothing more can come.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.at == FieldPosition::Over
    }

    fn take(&mut self, c: char, out: &mut String) -> FieldPosition {
        let space = matches!(c, ' ' | '\t' | '\n' | '\r');
        match self.at {
            FieldPosition::Before
            | FieldPosition::First
            | FieldPosition::Name
            | FieldPosition::Colon
            | FieldPosition::Value
                if space =>
            {
                self.at
            }
            FieldPosition::Before if c == '{' => FieldPosition::First,
            FieldPosition::First | FieldPosition::Name if c == '"' => {
                self.name.clear();
                self.letters = EscapedLetters::default();
                FieldPosition::InName
            }
            FieldPosition::InName => self.name(c),
            FieldPosition::Colon if c == ':' => FieldPosition::Value,
            FieldPosition::Value if self.name == self.field => {
                self.letters = EscapedLetters::default();
                if c == '"' { FieldPosition::Field } else { FieldPosition::Over }
            }
            FieldPosition::Value => other(c, 0, false, false),
            FieldPosition::Field => match self.letters.take(c) {
                Letter::Is(letter) => {
                    out.push(letter);
                    FieldPosition::Field
                }
                Letter::Part => FieldPosition::Field,
                Letter::End | Letter::Bad => FieldPosition::Over,
            },
            FieldPosition::Other { depth, text, escaped } => other(c, depth, text, escaped),
            _ => FieldPosition::Over,
        }
    }

    fn name(&mut self, c: char) -> FieldPosition {
        match self.letters.take(c) {
            Letter::Is(letter) => {
                // One letter too many is enough to tell it from the field's.
                if self.name.len() <= self.field.len() {
                    self.name.push(letter);
                }
                FieldPosition::InName
            }
            Letter::Part => FieldPosition::InName,
            Letter::End => FieldPosition::Colon,
            Letter::Bad => FieldPosition::Over,
        }
    }
}

/// A character in a value that is passed over.
fn other(c: char, depth: usize, text: bool, escaped: bool) -> FieldPosition {
    match c {
        _ if text => {
            FieldPosition::Other { depth, text: escaped || c != '"', escaped: !escaped && c == '\\' }
        }
        '"' => FieldPosition::Other { depth, text: true, escaped: false },
        '{' | '[' => FieldPosition::Other { depth: depth + 1, text, escaped },
        '}' | ']' if depth == 0 => FieldPosition::Over,
        '}' | ']' => FieldPosition::Other { depth: depth - 1, text, escaped },
        ',' if depth == 0 => FieldPosition::Name,
        _ => FieldPosition::Other { depth, text, escaped },
    }
}

/// The letters of a text, as they are or escaped.
#[derive(Debug, Clone, Copy, Default)]
struct EscapedLetters {
    escape: Escape,
    /// The first half of a letter that takes two codes.
    half: Option<u32>,
}

#[derive(Debug, Clone, Copy, Default)]
enum Escape {
    #[default]
    None,
    /// After a backslash.
    Begun,
    /// In the digits of a code.
    Code { digits: u8, code: u32 },
}

/// The text that a character of the JSON adds.
enum Letter {
    Is(char),
    Part,
    End,
    /// This is no JSON.
    Bad,
}

impl EscapedLetters {
    fn take(&mut self, c: char) -> Letter {
        match std::mem::take(&mut self.escape) {
            Escape::None if c == '\\' => self.escape(Escape::Begun),
            Escape::Begun if c == 'u' => self.escape(Escape::Code { digits: 0, code: 0 }),
            Escape::Code { digits, code } => match c.to_digit(16) {
                None => Letter::Bad,
                Some(digit) if digits == 3 => self.code(code * 16 + digit),
                Some(digit) => self.escape(Escape::Code { digits: digits + 1, code: code * 16 + digit }),
            },
            // The other half has to follow.
            _ if self.half.is_some() => Letter::Bad,
            Escape::None if c == '"' => Letter::End,
            Escape::None if c < ' ' => Letter::Bad,
            Escape::None => Letter::Is(c),
            Escape::Begun => short(c).map_or(Letter::Bad, Letter::Is),
        }
    }

    fn escape(&mut self, escape: Escape) -> Letter {
        self.escape = escape;
        Letter::Part
    }

    fn code(&mut self, code: u32) -> Letter {
        let whole = match (self.half.take(), code) {
            (None, 0xD800..=0xDBFF) => {
                self.half = Some(code - 0xD800);
                return Letter::Part;
            }
            (Some(half), 0xDC00..=0xDFFF) => 0x1_0000 + half * 0x400 + (code - 0xDC00),
            (Some(_), _) => return Letter::Bad,
            (None, code) => code,
        };
        char::from_u32(whole).map_or(Letter::Bad, Letter::Is)
    }
}

/// The character after a backslash, beside a code.
const fn short(c: char) -> Option<char> {
    match c {
        '"' | '\\' | '/' => Some(c),
        'b' => Some('\u{8}'),
        'f' => Some('\u{c}'),
        'n' => Some('\n'),
        'r' => Some('\r'),
        't' => Some('\t'),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::FieldReader;

    fn read(text: &str, size: usize) -> String {
        let letters: Vec<char> = text.chars().collect();
        let mut reader = FieldReader::new("text");
        letters.chunks(size).map(|piece| reader.push(&String::from_iter(piece))).collect()
    }

    /// JSON in which every letter of every text is written as a code.
    fn in_codes(value: &Value) -> String {
        let coded = |text: &str| {
            let codes = text.encode_utf16().map(|code| format!("\\u{code:04X}")).collect::<Vec<_>>().concat();
            format!("\"{codes}\"")
        };
        match value {
            Value::String(text) => coded(text),
            Value::Array(items) => {
                format!("[ {} ]", items.iter().map(in_codes).collect::<Vec<_>>().join(" ,"))
            }
            Value::Object(map) => {
                let fields =
                    map.iter().map(|(name, value)| format!("{} :\n{}", coded(name), in_codes(value)));
                format!("{{ {} }}", fields.collect::<Vec<_>>().join(" ,\t"))
            }
            other => other.to_string(),
        }
    }

    #[test]
    fn the_field_is_read_and_nothing_else() {
        for size in 1..40 {
            let nested = r#" {"a": {"text": "no"}, "b": ["text", "\\\"}", {"text": "no"}], "te\u0078t": "ye\ns 😀\uD83D\uDE00\"", "text": "no"}"#;
            assert_eq!(read(nested, size), "ye\ns 😀😀\"");
            assert_eq!(
                read(r#"{"texts": "no", "tex": "no", "n": -1e5, "t": null, "text": "yes"#, size),
                "yes"
            );
            assert_eq!(read(r#"{"text": null, "text": "no"}"#, size), "");
            assert_eq!(read(r#"{"text":"","a":"no"} {"text": "no"}"#, size), "");
        }
    }

    #[test]
    fn what_is_no_object_gives_nothing_more() {
        for bad in
            ["", "text", "[{\"text\": \"a\"}]", "```json\n{\"text\": \"a\"}", "\"text\"", "{,\"text\": 1"]
        {
            assert_eq!(read(bad, 3), "", "{bad}");
        }
        for bad in [
            r#"{"text": "a\x"#,
            r#"{"text": "a\uD83Dx"#,
            r#"{"text": "a\uD83D\n"#,
            r#"{"text": "a\uDE00b"#,
            "{\"text\": \"a\nb",
        ] {
            assert_eq!(read(bad, 1), "a", "{bad}");
        }
    }

    fn object() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i32>().prop_map(Value::from),
            any::<String>().prop_map(Value::from),
        ];
        let name = prop_oneof![Just("text".to_owned()), "[a-z\"\\\\]{0,4}"];
        let value = leaf.prop_recursive(3, 24, 4, move |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::vec((name.clone(), inner), 0..4)
                    .prop_map(|fields| fields.into_iter().collect::<serde_json::Map<_, _>>().into()),
            ]
        });
        let name = prop_oneof![Just("text".to_owned()), "[a-z\"\\\\]{0,4}"];
        prop::collection::vec((name, value), 0..5)
            .prop_map(|fields| Value::Object(fields.into_iter().collect()))
    }

    proptest! {
        #[test]
        fn an_object_cut_anywhere_gives_the_beginning_of_the_field(
            object in object(), message in any::<String>(), has in any::<bool>(), cut in 0_usize..400, size in 1_usize..9,
        ) {
            let mut object = object;
            if has {
                object["text"] = json!(message);
            }
            let wanted = object.get("text").and_then(Value::as_str).unwrap_or_default();
            for text in [object.to_string(), format!("{object:#}"), in_codes(&object)] {
                prop_assert_eq!(read(&text, size), wanted);
                let part: String = text.chars().take(cut).collect();
                let part = read(&part, size);
                prop_assert!(wanted.starts_with(&part), "{part:?} of {wanted:?}");
            }
        }

        #[test]
        fn no_text_is_too_strange(text in r#"[{}\[\]",:\\u0-9texDd \n]{0,60}"#, size in 1_usize..5) {
            read(&text, size);
        }
    }
}
