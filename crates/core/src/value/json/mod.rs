//! JSON both ways, canonical JSON, digests.
//!
//! Plain JSON ([`Value::to_json`], [`canonical`]) is for models, tools and people: durations and amounts are their
//! texts (`"1m30s"`, `"0.5"`), NaN and the infinities the texts `"NaN"`, `"Infinity"`, `"-Infinity"`. The lossless
//! form, from which the same value comes back, is `serde`'s.

mod field;
mod parse;
mod write;

pub use field::FieldReader;
pub use parse::{JsonFault, JsonFaultKind, JsonLimits, parse_strict};
pub use write::canonical;

use std::fmt;

use serde_json::{Number, Value as Json};

use super::{Value, duration, usd};

impl Value {
    /// The value as plain JSON, in the order of its entries.
    #[must_use]
    pub fn to_json(&self) -> Json {
        match self {
            Self::Null => Json::Null,
            Self::Bool(value) => Json::Bool(*value),
            Self::Int(value) => Json::Number((*value).into()),
            Self::Float(value) => Number::from_f64(*value)
                .map_or_else(|| Json::String(float_name(*value).to_owned()), Json::Number),
            Self::Usd(value) => Json::String(usd::text(*value)),
            Self::Duration(value) => Json::String(duration::text(*value)),
            Self::Str(value) => Json::String(value.as_str().to_owned()),
            Self::List(value) => Json::Array(value.iter().map(Self::to_json).collect()),
            Self::Map(value) => Json::Object(
                value.iter().map(|(key, value)| (key.as_str().to_owned(), value.to_json())).collect(),
            ),
        }
    }

    /// Plain JSON as a value: a number is an integer if it is written without point and exponent and fits, else a
    /// float; a text stays a text.
    #[must_use]
    pub fn from_json(json: &Json) -> Self {
        match json {
            Json::Null => Self::Null,
            Json::Bool(value) => Self::Bool(*value),
            Json::Number(value) => {
                value.as_i64().map_or_else(|| Self::Float(value.as_f64().unwrap_or(f64::NAN)), Self::Int)
            }
            Json::String(value) => Self::Str(value.as_str().into()),
            Json::Array(value) => value.iter().map(Self::from_json).collect(),
            Json::Object(value) => {
                Self::Map(value.iter().map(|(key, value)| (key.as_str(), Self::from_json(value))).collect())
            }
        }
    }
}

/// The name of a float that JSON cannot write.
pub(super) fn float_name(value: f64) -> &'static str {
    if value.is_nan() {
        "NaN"
    } else if value > 0.0 {
        "Infinity"
    } else {
        "-Infinity"
    }
}

/// A BLAKE3 hash of a value; prints as 64 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest(pub [u8; 32]);

/// The digest of a value. Two values have the same digest exactly if they are the same in the total order: `digest(1)
/// == digest(1.0)`, and the order of a map's entries does not matter.
#[must_use]
pub fn digest(value: &Value) -> Digest {
    Digest(*blake3::hash(write::tagged(value).as_bytes()).as_bytes())
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&blake3::Hash::from(self.0).to_hex())
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
