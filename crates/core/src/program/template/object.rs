//! Our values as the template engine's, converted as far as they are looked at.

use std::cmp::Ordering;
use std::sync::Arc;

use minijinja::value::{DynObject, Enumerator, Object, ObjectRepr, Value as Dynamic};
use minijinja::{Error, ErrorKind, State};

use crate::program::fault::Fault;
use crate::value::{List, Map, Str, Value, duration, usd};

/// The variables of one rendering.
#[derive(Debug)]
pub(super) struct Context {
    entries: Vec<(Str, Dynamic)>,
}

impl Context {
    /// Asks for every variable. One that cannot be had is kept as its fault, which comes up where the variable is used.
    pub(super) fn collect(
        names: &[Str],
        lookup: &mut dyn FnMut(&str) -> Result<Option<Value>, Fault>,
        faults: &mut Vec<Fault>,
    ) -> Self {
        let mut entries = Vec::with_capacity(names.len());
        for name in names {
            match lookup(name) {
                Ok(Some(value)) => entries.push((name.clone(), dynamic(&value))),
                Ok(None) => {}
                Err(fault) => {
                    let error = Error::new(ErrorKind::InvalidOperation, fault.message.to_string());
                    entries.push((name.clone(), Dynamic::from(error)));
                    faults.push(fault);
                }
            }
        }
        Self { entries }
    }
}

impl Object for Context {
    fn get_value(self: &Arc<Self>, key: &Dynamic) -> Option<Dynamic> {
        self.get_value_by_str(key.as_str()?)
    }

    fn get_value_by_str(self: &Arc<Self>, key: &str) -> Option<Dynamic> {
        // The names come in the order of the alphabet.
        let place = self.entries.binary_search_by(|(name, _)| name.as_str().cmp(key)).ok()?;
        self.entries.get(place).map(|(_, value)| value.clone())
    }
}

/// A value as the engine's. Lists and maps are shared, not copied.
pub(super) fn dynamic(value: &Value) -> Dynamic {
    match value {
        Value::Null => Dynamic::from(()),
        Value::Bool(value) => Dynamic::from(*value),
        Value::Int(value) => Dynamic::from(*value),
        Value::Float(value) => Dynamic::from(*value),
        Value::Usd(value) => Dynamic::from(usd::to_float(*value)),
        Value::Duration(value) => Dynamic::from(duration::text(*value)),
        Value::Str(value) => Dynamic::from(value.as_str()),
        Value::List(value) => Dynamic::from_object(Items(value.clone())),
        Value::Map(value) => Dynamic::from_object(Entries(value.clone())),
    }
}

/// The list or map behind one of the engine's values, if it is one of ours.
pub(super) fn shared(value: &Dynamic) -> Option<Value> {
    let list = value.downcast_object_ref::<Items>().map(|items| Value::List(items.0.clone()));
    list.or_else(|| value.downcast_object_ref::<Entries>().map(|entries| Value::Map(entries.0.clone())))
}

/// A list.
#[derive(Debug)]
struct Items(List);

impl Object for Items {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Seq
    }

    fn get_value(self: &Arc<Self>, key: &Dynamic) -> Option<Dynamic> {
        self.0.get(key.as_usize()?).map(dynamic)
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        Enumerator::Seq(self.0.len())
    }

    fn custom_cmp(self: &Arc<Self>, other: &DynObject) -> Option<Ordering> {
        other.downcast_ref::<Self>().map(|other| self.0.cmp(&other.0))
    }
}

/// A map.
#[derive(Debug)]
struct Entries(Map);

impl Object for Entries {
    fn get_value(self: &Arc<Self>, key: &Dynamic) -> Option<Dynamic> {
        self.get_value_by_str(key.as_str()?)
    }

    fn get_value_by_str(self: &Arc<Self>, key: &str) -> Option<Dynamic> {
        self.0.get(key).map(dynamic)
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        let keys: Vec<Dynamic> = self.0.keys().map(|key| Dynamic::from(key.as_str())).collect();
        Enumerator::Iter(Box::new(keys.into_iter()))
    }

    fn enumerator_len(self: &Arc<Self>) -> Option<usize> {
        Some(self.0.len())
    }

    fn custom_cmp(self: &Arc<Self>, other: &DynObject) -> Option<Ordering> {
        other.downcast_ref::<Self>().map(|other| self.0.cmp(&other.0))
    }

    /// `items`, `keys`, `values` and `get`, as prompt writers know them from Python.
    fn call_method(
        self: &Arc<Self>,
        _: &mut State<'_, '_>,
        method: &str,
        args: &[Dynamic],
    ) -> Result<Dynamic, Error> {
        let pair =
            |(key, value): (&Str, &Value)| Dynamic::from(vec![Dynamic::from(key.as_str()), dynamic(value)]);
        match (method, args) {
            ("items", []) => Ok(self.0.iter().map(pair).collect()),
            ("keys", []) => Ok(self.0.keys().map(|key| Dynamic::from(key.as_str())).collect()),
            ("values", []) => Ok(self.0.values().map(dynamic).collect()),
            ("get", [key]) => Ok(self.get_value(key).unwrap_or_else(|| Dynamic::from(()))),
            ("get", [key, default]) => Ok(self.get_value(key).unwrap_or_else(|| default.clone())),
            _ => Err(Error::from(ErrorKind::UnknownMethod)),
        }
    }
}
