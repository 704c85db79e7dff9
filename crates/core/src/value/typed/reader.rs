//! Values as types of Rust.

use serde::de::value::{BorrowedStrDeserializer, StringDeserializer};
use serde::de::{
    self, DeserializeSeed, Deserializer, EnumAccess, MapAccess, SeqAccess, Unexpected, VariantAccess, Visitor,
};
use serde::forward_to_deserialize_any;

use super::super::number::exact_int;
use super::super::{ListIter, MapIter, PathSeg, Str, Value, duration, float_of_int, usd};
use super::{LOSSLESS, TypedFault, TypedFaultKind};

/// Hands a value to whatever is deserialized from it.
#[derive(Clone, Copy)]
pub(super) struct ValueReader<'v> {
    value: &'v Value,
    /// True for who wants the lossless form.
    lossless: bool,
}

impl<'v> ValueReader<'v> {
    pub(super) const fn new(value: &'v Value) -> Self {
        Self { value, lossless: false }
    }

    /// A value that plain JSON has no word for, as its lossless form.
    fn tag(self) -> Option<(&'static str, String)> {
        match self.value {
            Value::Usd(amount) => Some(("$usd", usd::text(*amount))),
            Value::Duration(time) => Some(("$duration", duration::text(*time))),
            _ => None,
        }
    }
}

/// A float that an integer is exactly.
fn exact(found: i64) -> Result<f64, TypedFault> {
    let float = float_of_int(found);
    if exact_int(float) == Some(found) { Ok(float) } else { Err(TypedFaultKind::Rounded(found).into()) }
}

impl<'v> Deserializer<'v> for ValueReader<'v> {
    type Error = TypedFault;

    fn deserialize_any<V: Visitor<'v>>(self, visitor: V) -> Result<V::Value, TypedFault> {
        match self.value {
            Value::Null => visitor.visit_unit(),
            Value::Bool(value) => visitor.visit_bool(*value),
            Value::Int(value) => visitor.visit_i64(*value),
            Value::Float(value) => visitor.visit_f64(*value),
            Value::Str(value) => visitor.visit_borrowed_str(value),
            Value::List(list) => {
                let mut items = ItemReader { left: list.iter(), next: 0 };
                let found = visitor.visit_seq(&mut items)?;
                match items.left.next() {
                    None => Ok(found),
                    Some(_) => Err(de::Error::invalid_length(list.len(), &"a shorter list")),
                }
            }
            Value::Map(map) => {
                visitor.visit_map(EntryReader { left: map.iter(), value: None, escape: self.lossless })
            }
            Value::Usd(_) | Value::Duration(_) => match self.tag() {
                Some((tag, text)) if self.lossless => visitor.visit_map(TaggedText { tag: Some(tag), text }),
                Some((_, text)) => visitor.visit_string(text),
                None => visitor.visit_unit(),
            },
        }
    }

    fn deserialize_f64<V: Visitor<'v>>(self, visitor: V) -> Result<V::Value, TypedFault> {
        match self.value {
            // An integer is a float only where nothing is rounded.
            Value::Int(value) => visitor.visit_f64(exact(*value)?),
            _ => self.deserialize_any(visitor),
        }
    }

    fn deserialize_f32<V: Visitor<'v>>(self, visitor: V) -> Result<V::Value, TypedFault> {
        self.deserialize_f64(visitor)
    }

    fn deserialize_option<V: Visitor<'v>>(self, visitor: V) -> Result<V::Value, TypedFault> {
        match self.value {
            Value::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'v>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, TypedFault> {
        visitor.visit_newtype_struct(Self { lossless: name == LOSSLESS, ..self })
    }

    fn deserialize_enum<V: Visitor<'v>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, TypedFault> {
        match self.value {
            Value::Str(name) => visitor.visit_enum(Variant { name, value: None }),
            Value::Map(map) if map.len() == 1 => match map.iter().next() {
                Some((name, value)) => visitor.visit_enum(Variant { name, value: Some(value) }),
                None => Err(de::Error::invalid_length(0, &"a map of one entry")),
            },
            Value::Map(map) => Err(de::Error::invalid_length(map.len(), &"a map of one entry")),
            other => Err(de::Error::invalid_type(
                Unexpected::Other(other.type_name()),
                &"the name of a variant, or a map of one entry",
            )),
        }
    }

    fn deserialize_ignored_any<V: Visitor<'v>>(self, visitor: V) -> Result<V::Value, TypedFault> {
        visitor.visit_unit()
    }

    forward_to_deserialize_any! {
        <V: Visitor<'v>>
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 char str string bytes byte_buf unit unit_struct seq tuple tuple_struct map
        struct identifier
    }
}

/// The items of a list.
struct ItemReader<'v> {
    left: ListIter<'v>,
    /// The place of the next one.
    next: i64,
}

impl<'v> SeqAccess<'v> for &mut ItemReader<'v> {
    type Error = TypedFault;

    fn next_element_seed<T: DeserializeSeed<'v>>(&mut self, seed: T) -> Result<Option<T::Value>, TypedFault> {
        let Some(item) = self.left.next() else { return Ok(None) };
        let place = self.next;
        self.next += 1;
        seed.deserialize(ValueReader::new(item))
            .map(Some)
            .map_err(|fault| fault.within(PathSeg::Index(place)))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.left.len())
    }
}

/// The entries of a map.
struct EntryReader<'v> {
    left: MapIter<'v>,
    /// The entry whose key was handed over.
    value: Option<(&'v Str, &'v Value)>,
    /// True before the first key of a lossless form.
    escape: bool,
}

impl<'v> MapAccess<'v> for EntryReader<'v> {
    type Error = TypedFault;

    fn next_key_seed<K: DeserializeSeed<'v>>(&mut self, seed: K) -> Result<Option<K::Value>, TypedFault> {
        let Some((key, value)) = self.left.next() else { return Ok(None) };
        self.value = Some((key, value));
        if std::mem::take(&mut self.escape) && key.starts_with('$') {
            let key: StringDeserializer<TypedFault> =
                de::IntoDeserializer::into_deserializer(format!("${key}"));
            return seed.deserialize(key).map(Some);
        }
        seed.deserialize(BorrowedStrDeserializer::new(key)).map(Some)
    }

    fn next_value_seed<T: DeserializeSeed<'v>>(&mut self, seed: T) -> Result<T::Value, TypedFault> {
        let Some((key, value)) = self.value.take() else {
            return Err(de::Error::custom("a value was asked for before its key"));
        };
        seed.deserialize(ValueReader::new(value)).map_err(|fault| fault.within(PathSeg::Key(key.clone())))
    }
}

/// The lossless form of an amount or a duration.
struct TaggedText {
    tag: Option<&'static str>,
    text: String,
}

impl<'v> MapAccess<'v> for TaggedText {
    type Error = TypedFault;

    fn next_key_seed<K: DeserializeSeed<'v>>(&mut self, seed: K) -> Result<Option<K::Value>, TypedFault> {
        let Some(tag) = self.tag.take() else { return Ok(None) };
        seed.deserialize(BorrowedStrDeserializer::new(tag)).map(Some)
    }

    fn next_value_seed<T: DeserializeSeed<'v>>(&mut self, seed: T) -> Result<T::Value, TypedFault> {
        let text = std::mem::take(&mut self.text);
        let text: StringDeserializer<TypedFault> = de::IntoDeserializer::into_deserializer(text);
        seed.deserialize(text)
    }
}

/// A variant of an enum.
struct Variant<'v> {
    name: &'v str,
    /// The content, where the variant is in a map.
    value: Option<&'v Value>,
}

impl<'v> EnumAccess<'v> for Variant<'v> {
    type Error = TypedFault;
    type Variant = Self;

    fn variant_seed<T: DeserializeSeed<'v>>(self, seed: T) -> Result<(T::Value, Self), TypedFault> {
        let name = seed.deserialize(BorrowedStrDeserializer::<TypedFault>::new(self.name))?;
        Ok((name, self))
    }
}

impl<'v> Variant<'v> {
    fn within<T>(self, read: impl FnOnce(ValueReader<'v>) -> Result<T, TypedFault>) -> Result<T, TypedFault> {
        let name = PathSeg::Key(self.name.into());
        let Some(value) = self.value else {
            let why = format!(
                "the variant `{}` holds something; write a map of one entry with its name",
                self.name
            );
            return Err(de::Error::custom(why));
        };
        read(ValueReader::new(value)).map_err(|fault| fault.within(name))
    }
}

impl<'v> VariantAccess<'v> for Variant<'v> {
    type Error = TypedFault;

    fn unit_variant(self) -> Result<(), TypedFault> {
        match self.value {
            None | Some(Value::Null) => Ok(()),
            Some(_) => Err(de::Error::custom(format_args!("the variant `{}` holds nothing", self.name))),
        }
    }

    fn newtype_variant_seed<T: DeserializeSeed<'v>>(self, seed: T) -> Result<T::Value, TypedFault> {
        self.within(|reader| seed.deserialize(reader))
    }

    fn tuple_variant<V: Visitor<'v>>(self, _: usize, visitor: V) -> Result<V::Value, TypedFault> {
        self.within(|reader| reader.deserialize_seq(visitor))
    }

    fn struct_variant<V: Visitor<'v>>(
        self,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, TypedFault> {
        self.within(|reader| reader.deserialize_map(visitor))
    }
}
