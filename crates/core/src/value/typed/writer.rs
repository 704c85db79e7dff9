//! Types of Rust as values.

use std::fmt::Display;

use serde::ser::{self, Serialize, Serializer};

use super::super::serial::untagged;
use super::super::{List, MAX_DEPTH, Map, PathSeg, Str, Value};
use super::{LOSSLESS, TypedFault, TypedFaultKind};

type Done = Result<Value, TypedFault>;

/// Makes a value of whatever is serialized into it.
#[derive(Clone, Copy)]
pub(super) struct ValueWriter {
    depth: u32,
    /// True if a map is the lossless form of a value.
    lossless: bool,
}

impl ValueWriter {
    pub(super) const fn new() -> Self {
        Self { depth: 0, lossless: false }
    }

    /// One level further in.
    fn inner(self) -> Result<Self, TypedFault> {
        if self.depth == MAX_DEPTH {
            return Err(TypedFaultKind::Deep.into());
        }
        Ok(Self { depth: self.depth + 1, lossless: false })
    }

    fn list(self) -> Result<ItemWriter, TypedFault> {
        Ok(ItemWriter { writer: self.inner()?, list: List::new(), variant: Variant(None) })
    }

    fn map(self) -> Result<EntryWriter, TypedFault> {
        Ok(EntryWriter {
            writer: self.inner()?,
            map: Map::new(),
            key: None,
            lossless: self.lossless,
            variant: Variant(None),
        })
    }
}

/// The variant of an enum that holds what is written, if one does.
#[derive(Clone, Copy)]
struct Variant(Option<&'static str>);

impl Variant {
    /// The value as `serde` writes it: in a map of one entry with the name of the variant.
    fn around(self, value: Value) -> Value {
        let Some(name) = self.0 else { return value };
        let mut map = Map::new();
        map.set(name, value);
        Value::Map(map)
    }

    /// The fault of the part at `place`, as seen from outside of the variant.
    fn fault(self, fault: TypedFault, place: PathSeg) -> TypedFault {
        let fault = fault.within(place);
        match self.0 {
            None => fault,
            Some(name) => fault.within(PathSeg::Key(name.into())),
        }
    }
}

fn integer<T: Copy + Display + TryInto<i64>>(found: T) -> Done {
    found.try_into().map(Value::Int).map_err(|_| TypedFaultKind::Integer(found.to_string()).into())
}

impl Serializer for ValueWriter {
    type Ok = Value;
    type Error = TypedFault;
    type SerializeSeq = ItemWriter;
    type SerializeTuple = ItemWriter;
    type SerializeTupleStruct = ItemWriter;
    type SerializeTupleVariant = ItemWriter;
    type SerializeMap = EntryWriter;
    type SerializeStruct = EntryWriter;
    type SerializeStructVariant = EntryWriter;

    fn serialize_bool(self, value: bool) -> Done {
        Ok(Value::Bool(value))
    }

    fn serialize_i8(self, value: i8) -> Done {
        integer(value)
    }

    fn serialize_i16(self, value: i16) -> Done {
        integer(value)
    }

    fn serialize_i32(self, value: i32) -> Done {
        integer(value)
    }

    fn serialize_i64(self, value: i64) -> Done {
        Ok(Value::Int(value))
    }

    fn serialize_i128(self, value: i128) -> Done {
        integer(value)
    }

    fn serialize_u8(self, value: u8) -> Done {
        integer(value)
    }

    fn serialize_u16(self, value: u16) -> Done {
        integer(value)
    }

    fn serialize_u32(self, value: u32) -> Done {
        integer(value)
    }

    fn serialize_u64(self, value: u64) -> Done {
        integer(value)
    }

    fn serialize_u128(self, value: u128) -> Done {
        integer(value)
    }

    fn serialize_f32(self, value: f32) -> Done {
        self.serialize_f64(f64::from(value))
    }

    fn serialize_f64(self, value: f64) -> Done {
        let odd = match value {
            _ if value.is_nan() => "NaN",
            f64::INFINITY => "Infinity",
            f64::NEG_INFINITY => "-Infinity",
            _ => return Ok(Value::Float(value)),
        };
        Err(TypedFaultKind::Float(odd).into())
    }

    fn serialize_char(self, value: char) -> Done {
        Ok(Value::Str(value.into()))
    }

    fn serialize_str(self, value: &str) -> Done {
        Ok(Value::Str(value.into()))
    }

    fn serialize_bytes(self, value: &[u8]) -> Done {
        self.inner()?;
        Ok(value.iter().map(|byte| Value::Int(i64::from(*byte))).collect())
    }

    fn serialize_none(self) -> Done {
        Ok(Value::Null)
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Done {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Done {
        Ok(Value::Null)
    }

    fn serialize_unit_struct(self, _: &'static str) -> Done {
        Ok(Value::Null)
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, name: &'static str) -> Done {
        Ok(Value::from(name))
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, name: &'static str, value: &T) -> Done {
        value.serialize(Self { lossless: name == LOSSLESS, ..self })
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        name: &'static str,
        value: &T,
    ) -> Done {
        let value =
            value.serialize(self.inner()?).map_err(|fault| fault.within(PathSeg::Key(name.into())))?;
        Ok(Variant(Some(name)).around(value))
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<ItemWriter, TypedFault> {
        self.list()
    }

    fn serialize_tuple(self, _: usize) -> Result<ItemWriter, TypedFault> {
        self.list()
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<ItemWriter, TypedFault> {
        self.list()
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        name: &'static str,
        _: usize,
    ) -> Result<ItemWriter, TypedFault> {
        Ok(ItemWriter { variant: Variant(Some(name)), ..self.inner()?.list()? })
    }

    fn serialize_map(self, _: Option<usize>) -> Result<EntryWriter, TypedFault> {
        self.map()
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<EntryWriter, TypedFault> {
        self.map()
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        name: &'static str,
        _: usize,
    ) -> Result<EntryWriter, TypedFault> {
        Ok(EntryWriter { variant: Variant(Some(name)), ..self.inner()?.map()? })
    }
}

/// A list that is being written.
pub(super) struct ItemWriter {
    writer: ValueWriter,
    list: List,
    variant: Variant,
}

impl ItemWriter {
    fn push<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), TypedFault> {
        let place = i64::try_from(self.list.len()).unwrap_or(i64::MAX);
        let item = value.serialize(self.writer);
        self.list.push(item.map_err(|fault| self.variant.fault(fault, PathSeg::Index(place)))?);
        Ok(())
    }

    fn finish(self) -> Value {
        self.variant.around(Value::List(self.list))
    }
}

/// Implements a trait of `serde` for sequences, whose method is named here.
macro_rules! sequence {
    ($($of:ident $method:ident),*) => {$(
        impl ser::$of for ItemWriter {
            type Ok = Value;
            type Error = TypedFault;

            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), TypedFault> {
                self.push(value)
            }

            fn end(self) -> Done {
                Ok(self.finish())
            }
        }
    )*};
}

sequence!(
    SerializeSeq serialize_element,
    SerializeTuple serialize_element,
    SerializeTupleStruct serialize_field,
    SerializeTupleVariant serialize_field
);

/// A map that is being written.
pub(super) struct EntryWriter {
    writer: ValueWriter,
    map: Map,
    /// The key whose value comes next.
    key: Option<Str>,
    /// True if the map is the lossless form of a value.
    lossless: bool,
    variant: Variant,
}

impl EntryWriter {
    fn put<T: Serialize + ?Sized>(&mut self, key: Str, value: &T) -> Result<(), TypedFault> {
        if self.map.contains_key(&key) {
            return Err(TypedFaultKind::Twice(key.into()).into());
        }
        let value = value.serialize(self.writer);
        let value = value.map_err(|fault| self.variant.fault(fault, PathSeg::Key(key.clone())))?;
        self.map.set(key, value);
        Ok(())
    }

    fn finish(self) -> Done {
        if self.lossless {
            return untagged(self.map);
        }
        Ok(self.variant.around(Value::Map(self.map)))
    }
}

impl ser::SerializeMap for EntryWriter {
    type Ok = Value;
    type Error = TypedFault;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), TypedFault> {
        let found = match key.serialize(self.writer)? {
            Value::Str(key) => {
                self.key = Some(key);
                return Ok(());
            }
            Value::Null => "null",
            Value::Bool(_) => "a boolean",
            Value::Int(_) => "an integer",
            Value::Float(_) => "a float",
            Value::Usd(_) => "an amount",
            Value::Duration(_) => "a duration",
            Value::List(_) => "a list",
            Value::Map(_) => "a map",
        };
        Err(TypedFaultKind::Key(found).into())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), TypedFault> {
        let key = self.key.take().unwrap_or_default();
        self.put(key, value)
    }

    fn end(self) -> Done {
        self.finish()
    }
}

/// Implements a trait of `serde` for structs.
macro_rules! fields {
    ($($of:ident),*) => {$(
        impl ser::$of for EntryWriter {
            type Ok = Value;
            type Error = TypedFault;

            fn serialize_field<T: Serialize + ?Sized>(&mut self, key: &'static str, value: &T) -> Result<(), TypedFault> {
                self.put(key.into(), value)
            }

            fn end(self) -> Done {
                self.finish()
            }
        }
    )*};
}

fields!(SerializeStruct, SerializeStructVariant);
