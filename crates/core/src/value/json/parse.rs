//! A strict JSON parser for text that comes from models and tools.
//!
//! It is no visitor of `serde_json`, which was tried. That hands an integer beyond 64 bits over as a float, so that
//! `-9223372036854775809` would silently become another number (only its feature `arbitrary_precision` tells them apart,
//! which changes every number of the program). It gives its faults as texts, and places them after what is wrong: a key
//! that comes twice after the key, half a surrogate pair after the closing quote.

use crate::value::{List, MAX_DEPTH, Map, Str, Value};

/// The limits of a text.
#[derive(Debug, Clone, Copy)]
pub struct JsonLimits {
    /// The longest text, in bytes.
    pub bytes: usize,
    /// The deepest nesting of lists and maps; never more than [`MAX_DEPTH`].
    pub depth: u32,
}

impl Default for JsonLimits {
    fn default() -> Self {
        Self { bytes: 16 << 20, depth: MAX_DEPTH }
    }
}

/// A fault of a JSON text, with its place.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{kind} at byte {offset}")]
pub struct JsonFault {
    /// The kind of fault.
    pub kind: JsonFaultKind,
    /// The place, in bytes from the start of the text.
    pub offset: usize,
}

/// The fault with a text that should be JSON.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum JsonFaultKind {
    /// The text is longer than the limit.
    #[error("the text is longer than {0} bytes")]
    TooLong(usize),
    /// Lists and maps nest deeper than the limit.
    #[error("lists and maps nest deeper than {0}")]
    TooDeep(u32),
    /// The text ends too early.
    #[error("the text ends where {0} was wanted")]
    Ends(&'static str),
    /// Something else was found.
    #[error("found `{found}` where {wanted} was wanted")]
    Found {
        /// The character found.
        found: char,
        /// The part that was expected there.
        wanted: &'static str,
    },
    /// A key comes twice in one object.
    #[error("the key {0:?} comes twice in one object")]
    DuplicateKey(Str),
    /// An integer beyond 64 bits or a number beyond a float.
    #[error("the number is out of range")]
    NumberRange,
    /// An escape in a string that JSON does not know, or half a surrogate pair.
    #[error("the escape in the string is not valid")]
    Escape,
    /// A control character in a string.
    #[error("a control character in a string must be escaped")]
    Control,
    /// Something after the value.
    #[error("found more text after the value")]
    Trailing,
}

/// Reads one JSON value. Strict: nothing but blanks around it, no key twice in an object, integers within 64 bits.
///
/// A number without point and exponent is an integer, any other a float. The order of keys is kept.
///
/// # Errors
/// The first fault, with its place.
pub fn parse_strict(text: &str, limits: JsonLimits) -> Result<Value, JsonFault> {
    if text.len() > limits.bytes {
        return Err(JsonFault { kind: JsonFaultKind::TooLong(limits.bytes), offset: limits.bytes });
    }
    let mut parser =
        JsonParser { text, at: 0, left: limits.depth.min(MAX_DEPTH), depth: limits.depth.min(MAX_DEPTH) };
    let value = parser.value()?;
    parser.blanks();
    if parser.at < text.len() { Err(parser.fault(JsonFaultKind::Trailing)) } else { Ok(value) }
}

struct JsonParser<'a> {
    text: &'a str,
    at: usize,
    left: u32,
    depth: u32,
}

impl JsonParser<'_> {
    fn value(&mut self) -> Result<Value, JsonFault> {
        self.blanks();
        match self.peek() {
            Some(b'{') => self.nested(Self::object),
            Some(b'[') => self.nested(Self::array),
            Some(b'"') => self.string().map(Value::Str),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(b't') => self.word("true", Value::Bool(true)),
            Some(b'f') => self.word("false", Value::Bool(false)),
            Some(b'n') => self.word("null", Value::Null),
            _ => Err(self.unexpected("a value")),
        }
    }

    fn nested(
        &mut self,
        inner: impl FnOnce(&mut Self) -> Result<Value, JsonFault>,
    ) -> Result<Value, JsonFault> {
        self.left = self.left.checked_sub(1).ok_or_else(|| self.fault(JsonFaultKind::TooDeep(self.depth)))?;
        self.at += 1;
        let value = inner(self)?;
        self.left += 1;
        Ok(value)
    }

    fn array(&mut self) -> Result<Value, JsonFault> {
        // Never a plain list of all items beside the list that is made of it.
        let mut items = List::new();
        self.blanks();
        if !self.take(b']') {
            loop {
                items.push(self.value()?);
                self.blanks();
                if self.take(b']') {
                    break;
                }
                self.expect(b',', "`,` or `]`")?;
            }
        }
        Ok(Value::List(items.fitted()))
    }

    fn object(&mut self) -> Result<Value, JsonFault> {
        let mut map = Map::new();
        self.blanks();
        if self.take(b'}') {
            return Ok(Value::Map(map));
        }
        loop {
            self.blanks();
            let start = self.at;
            if self.peek() != Some(b'"') {
                return Err(self.unexpected("a key in double quotes"));
            }
            let key = self.string()?;
            if map.contains_key(&key) {
                return Err(JsonFault { kind: JsonFaultKind::DuplicateKey(key), offset: start });
            }
            self.blanks();
            self.expect(b':', "`:`")?;
            let value = self.value()?;
            map.set(key, value);
            self.blanks();
            if self.take(b'}') {
                return Ok(Value::Map(map.fitted()));
            }
            self.expect(b',', "`,` or `}`")?;
        }
    }

    fn string(&mut self) -> Result<Str, JsonFault> {
        self.at += 1;
        let mut start = self.at;
        let mut owned = String::new();
        loop {
            match self.peek() {
                Some(b'"') => {
                    let tail = &self.text[start..self.at];
                    self.at += 1;
                    if owned.is_empty() {
                        return Ok(tail.into());
                    }
                    owned.push_str(tail);
                    return Ok(owned.into());
                }
                Some(b'\\') => {
                    owned.push_str(&self.text[start..self.at]);
                    owned.push(self.escape()?);
                    start = self.at;
                }
                Some(0x00..0x20) => return Err(self.fault(JsonFaultKind::Control)),
                Some(_) => self.at += 1,
                None => return Err(self.fault(JsonFaultKind::Ends("`\"`"))),
            }
        }
    }

    fn escape(&mut self) -> Result<char, JsonFault> {
        let fault = self.fault(JsonFaultKind::Escape);
        self.at += 1;
        let short = self.peek().ok_or_else(|| self.fault(JsonFaultKind::Ends("an escape")))?;
        if short != b'u' {
            let plain = match short {
                b'"' | b'\\' | b'/' => char::from(short),
                b'b' => '\u{8}',
                b'f' => '\u{c}',
                b'n' => '\n',
                b'r' => '\r',
                b't' => '\t',
                _ => return Err(fault),
            };
            self.at += 1;
            return Ok(plain);
        }
        self.at += 1;
        let first = self.hex().ok_or_else(|| fault.clone())?;
        let code = match first {
            0xd800..=0xdbff if self.text.as_bytes()[self.at..].starts_with(b"\\u") => {
                self.at += 2;
                match self.hex() {
                    Some(second @ 0xdc00..=0xdfff) => 0x1_0000 + ((first - 0xd800) << 10) + (second - 0xdc00),
                    _ => return Err(fault),
                }
            }
            code => code,
        };
        char::from_u32(code).ok_or(fault)
    }

    fn hex(&mut self) -> Option<u32> {
        let digits = self.text.as_bytes().get(self.at..self.at + 4)?;
        let code =
            digits.iter().try_fold(0, |code, digit| Some(code * 16 + char::from(*digit).to_digit(16)?))?;
        self.at += 4;
        Some(code)
    }

    fn number(&mut self) -> Result<Value, JsonFault> {
        let start = self.at;
        let _minus = self.take(b'-');
        if !self.take(b'0') {
            self.digits()?;
        }
        let mut whole = true;
        if self.take(b'.') {
            whole = false;
            self.digits()?;
        }
        if self.take(b'e') || self.take(b'E') {
            whole = false;
            let _sign = self.take(b'+') || self.take(b'-');
            self.digits()?;
        }
        let text = &self.text[start..self.at];
        let value = if whole {
            text.parse().ok().map(Value::Int)
        } else {
            text.parse().ok().filter(|float: &f64| float.is_finite()).map(Value::Float)
        };
        value.ok_or(JsonFault { kind: JsonFaultKind::NumberRange, offset: start })
    }

    fn digits(&mut self) -> Result<(), JsonFault> {
        if !matches!(self.peek(), Some(b'0'..=b'9')) {
            return Err(self.unexpected("a digit"));
        }
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        Ok(())
    }

    fn word(&mut self, word: &'static str, value: Value) -> Result<Value, JsonFault> {
        if !self.text[self.at..].starts_with(word) {
            return Err(self.unexpected("a value"));
        }
        self.at += word.len();
        Ok(value)
    }

    fn blanks(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn take(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, byte: u8, wanted: &'static str) -> Result<(), JsonFault> {
        if self.take(byte) { Ok(()) } else { Err(self.unexpected(wanted)) }
    }

    fn unexpected(&self, wanted: &'static str) -> JsonFault {
        self.fault(match self.text.get(self.at..).and_then(|rest| rest.chars().next()) {
            Some(found) => JsonFaultKind::Found { found, wanted },
            None => JsonFaultKind::Ends(wanted),
        })
    }

    fn fault(&self, kind: JsonFaultKind) -> JsonFault {
        JsonFault { kind, offset: self.at }
    }
}
