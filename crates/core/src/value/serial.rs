//! The lossless form: what is written reads back as the very same value.
//!
//! What JSON has no word for is an object of one entry whose key is a tag: `{"$usd": "0.5"}`, `{"$duration": "1m30s"}`,
//! `{"$float": "NaN"}`. A map whose first key starts with `$` gets one more `$` in front of that key, so it cannot be
//! taken for a tag.

use std::fmt;

use serde::de::{self, Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::ser::{Serialize, SerializeMap, Serializer};

use super::json::float_name;
use super::typed::LOSSLESS;
use super::{List, Map, Str, Value, duration, usd};

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_unit(),
            Self::Bool(value) => serializer.serialize_bool(*value),
            Self::Int(value) => serializer.serialize_i64(*value),
            Self::Float(value) if value.is_finite() => serializer.serialize_f64(*value),
            Self::Float(value) => tag(serializer, "$float", float_name(*value)),
            Self::Usd(value) => tag(serializer, "$usd", &usd::text(*value)),
            Self::Duration(value) => tag(serializer, "$duration", &duration::text(*value)),
            Self::Str(value) => serializer.serialize_str(value),
            Self::List(value) => value.serialize(serializer),
            Self::Map(value) => value.serialize(serializer),
        }
    }
}

fn tag<S: Serializer>(serializer: S, name: &'static str, text: &str) -> Result<S::Ok, S::Error> {
    serializer.serialize_newtype_struct(LOSSLESS, &Tag(name, text))
}

/// The lossless form of what JSON has no word for.
struct Tag<'v>(&'v str, &'v str);

impl Serialize for Tag<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(1))?;
        map.serialize_entry(self.0, self.1)?;
        map.end()
    }
}

impl Serialize for List {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self)
    }
}

impl Serialize for Map {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_newtype_struct(LOSSLESS, &Escaped(self))
    }
}

/// A map whose first key cannot be taken for a tag.
struct Escaped<'v>(&'v Map);

impl Serialize for Escaped<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (place, (key, value)) in self.0.iter().enumerate() {
            if place == 0 && key.starts_with('$') {
                map.serialize_entry(&format!("${key}"), value)?;
            } else {
                map.serialize_entry(key.as_str(), value)?;
            }
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_newtype_struct(LOSSLESS, ValueVisitor)
    }
}

impl<'de> Deserialize<'de> for List {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match <Value as Deserialize>::deserialize(deserializer)? {
            Value::List(list) => Ok(list),
            other => Err(de::Error::custom(format_args!("found {}, wanted a list", other.type_name()))),
        }
    }
}

impl<'de> Deserialize<'de> for Map {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match <Value as Deserialize>::deserialize(deserializer)? {
            Value::Map(map) => Ok(map),
            other => Err(de::Error::custom(format_args!("found {}, wanted a map", other.type_name()))),
        }
    }
}

struct ValueVisitor;

impl<'de> Visitor<'de> for ValueVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_none<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Int(value))
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<Value, E> {
        i64::try_from(value)
            .map(Value::Int)
            .map_err(|_| E::custom("the integer does not fit into 64 signed bits"))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Value::Float(value))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::Str(value.into()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Value, A::Error> {
        let mut items = List::new();
        while let Some(item) = seq.next_element::<Value>()? {
            items.push(item);
        }
        Ok(Value::List(items.fitted()))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut map = Map::new();
        let Some(first) = entries.next_key::<Str>()? else { return Ok(Value::Map(map)) };
        match first.strip_prefix('$') {
            None => map.set(first, entries.next_value::<Value>()?),
            Some(plain) if plain.starts_with('$') => map.set(plain, entries.next_value::<Value>()?),
            Some(tag) => {
                let value = untag(tag, &entries.next_value::<Str>()?)?;
                return match entries.next_key::<Str>()? {
                    None => Ok(value),
                    Some(_) => Err(de::Error::custom(format_args!("`${tag}` must be the only entry"))),
                };
            }
        }
        while let Some((key, value)) = entries.next_entry::<Str, Value>()? {
            if map.contains_key(&key) {
                return Err(de::Error::custom(format_args!("the key `{key}` comes twice")));
            }
            map.set(key, value);
        }
        Ok(Value::Map(map.fitted()))
    }
}

/// The value whose lossless form a map is.
pub(super) fn untagged<E: de::Error>(map: Map) -> Result<Value, E> {
    let Some((first, value)) = map.iter().next() else { return Ok(Value::Map(map)) };
    match first.strip_prefix('$') {
        None => Ok(Value::Map(map)),
        Some(plain) if plain.starts_with('$') => {
            let first = std::iter::once((Str::from(plain), value.clone()));
            let rest = map.iter().skip(1).map(|(key, value)| (key.clone(), value.clone()));
            Ok(Value::Map(first.chain(rest).collect()))
        }
        Some(tag) => untag(tag, value.as_str().unwrap_or_default()),
    }
}

fn untag<E: de::Error>(tag: &str, text: &str) -> Result<Value, E> {
    let wrong = |fault| E::custom(format_args!("`{text}` is no {tag}: {fault}"));
    match (tag, text) {
        ("usd", _) => usd::parse(text).map(Value::Usd).map_err(wrong),
        ("duration", _) => duration::parse(text).map(Value::Duration).map_err(wrong),
        ("float", "NaN") => Ok(Value::Float(f64::NAN)),
        ("float", "Infinity") => Ok(Value::Float(f64::INFINITY)),
        ("float", "-Infinity") => Ok(Value::Float(f64::NEG_INFINITY)),
        _ => Err(E::custom(format_args!("`${tag}`: `{text}` is not known"))),
    }
}
