//! A recorded file that knows which of its keys were asked for.
//!
//! A key that nobody asks for carries an input or an expectation that is silently left out, and a case then passes or fails for
//! the wrong reason. So every key must be read, or stand in the table of [`super::excuse`].

use std::cell::RefCell;

use loopwright::program::shape::{ShapeKind, Shapes};
use rustc_hash::FxHashMap;
use serde_json::Value as Json;

/// How a value was read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Read {
    /// It was asked for; of its own keys each must be asked for, too.
    Opened,
    /// It was taken with all that is in it.
    Whole,
}

/// The values of one file that were read, by their addresses.
#[derive(Default)]
pub(crate) struct Ledger(RefCell<FxHashMap<*const Json, Read>>);

impl Ledger {
    fn note(&self, value: &Json, read: Read) {
        let mut notes = self.0.borrow_mut();
        let note = notes.entry(std::ptr::from_ref(value)).or_insert(read);
        if read == Read::Whole {
            *note = read;
        }
    }

    fn of(&self, value: &Json) -> Option<Read> {
        self.0.borrow().get(&std::ptr::from_ref(value)).copied()
    }

    /// The keys in a value that nobody asked for, as paths that begin with `path`; of two nested ones the outer.
    pub(crate) fn unread(&self, value: &Json, path: &str) -> Vec<String> {
        let mut found = Vec::new();
        if self.of(value) != Some(Read::Whole) {
            self.collect(value, path, &mut found);
        }
        found
    }

    fn collect(&self, value: &Json, path: &str, found: &mut Vec<String>) {
        match value {
            Json::Object(entries) => {
                for (key, value) in entries {
                    let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                    match self.of(value) {
                        None => found.push(path),
                        Some(Read::Opened) => self.collect(value, &path, found),
                        Some(Read::Whole) => {}
                    }
                }
            }
            Json::Array(items) => {
                let path = format!("{path}[]");
                let items = items.iter().filter(|item| self.of(item) != Some(Read::Whole));
                items.for_each(|item| self.collect(item, &path, found));
            }
            _ => {}
        }
    }
}

/// A value of a recorded file. Who looks into it leaves a note of that.
#[derive(Clone, Copy)]
pub(crate) struct Recorded<'a> {
    value: &'a Json,
    ledger: &'a Ledger,
}

impl<'a> Recorded<'a> {
    pub(crate) const fn new(value: &'a Json, ledger: &'a Ledger) -> Self {
        Self { value, ledger }
    }

    /// The value under a key; null where there is none.
    pub(crate) fn at(self, key: &str) -> Self {
        static NULL: Json = Json::Null;
        self.find(key).unwrap_or(Self { value: &NULL, ..self })
    }

    /// The value under a key, if the key is there.
    pub(crate) fn find(self, key: &str) -> Option<Self> {
        let value = self.value.get(key)?;
        self.ledger.note(value, Read::Opened);
        Some(Self { value, ..self })
    }

    /// The value under a key with all that is in it, if the key is there: to be handed on, or compared.
    pub(crate) fn get(self, key: &str) -> Option<&'a Json> {
        self.find(key).map(Self::whole)
    }

    /// The value with all that is in it: to be handed on, or compared.
    pub(crate) fn whole(self) -> &'a Json {
        self.ledger.note(self.value, Read::Whole);
        self.value
    }

    /// The value, with its keys as they are: read or not.
    pub(crate) const fn peek(self) -> &'a Json {
        self.value
    }

    /// The value under one of several keys; the others are for other tests, which read them the same way.
    pub(crate) fn one_of(self, key: &str, keys: &[&str]) -> Self {
        assert!(keys.contains(&key), "{key} is one of {keys:?}");
        for other in keys.iter().filter(|other| **other != key) {
            self.get(other);
        }
        self.at(key)
    }

    /// The value, to be handed to something that takes this type: keys that the type does not name stay unread.
    pub(crate) fn of_type(self, shapes: &Shapes, id: u32) -> &'a Json {
        match &shapes.shape(id).kind {
            ShapeKind::Record { fields, .. } if self.value.is_object() => {
                for field in fields {
                    if let Some(value) = self.find(&field.name) {
                        value.of_type(shapes, field.shape);
                    }
                }
                self.value
            }
            ShapeKind::List(item, _) if self.value.is_array() => {
                self.items().for_each(|value| _ = value.of_type(shapes, *item));
                self.value
            }
            ShapeKind::Map(item) if self.value.is_object() => {
                self.entries().for_each(|(_, value)| _ = value.of_type(shapes, *item));
                self.value
            }
            // Anything goes, or the value does not fit: then the graph says so.
            _ => self.whole(),
        }
    }

    /// The items of a list; none where there is no list.
    pub(crate) fn items(self) -> impl Iterator<Item = Self> + 'a {
        self.value.as_array().into_iter().flatten().map(move |value| Self { value, ..self })
    }

    /// The entries of a mapping whose keys are data.
    pub(crate) fn entries(self) -> impl Iterator<Item = (&'a str, Self)> + 'a {
        let entries = self.value.as_object().into_iter().flatten();
        entries.map(move |(key, value)| {
            self.ledger.note(value, Read::Opened);
            (key.as_str(), Self { value, ..self })
        })
    }

    pub(crate) fn text(self) -> Option<&'a str> {
        self.value.as_str()
    }

    pub(crate) fn count(self) -> Option<u64> {
        self.value.as_u64()
    }

    pub(crate) fn number(self) -> Option<f64> {
        self.value.as_f64()
    }

    pub(crate) fn is_null(self) -> bool {
        self.value.is_null()
    }

    pub(crate) fn is_text(self) -> bool {
        self.value.is_string()
    }

    pub(crate) fn is_list(self) -> bool {
        self.value.is_array()
    }

    /// Checks that nothing is there: no value, or a list or mapping without entries.
    pub(crate) fn is_nothing(self) -> bool {
        match self.value {
            Json::Null => true,
            Json::Array(items) => items.is_empty(),
            Json::Object(entries) => entries.is_empty(),
            _ => false,
        }
    }
}

impl<T> PartialEq<T> for Recorded<'_>
where
    Json: PartialEq<T>,
{
    fn eq(&self, other: &T) -> bool {
        self.value == other
    }
}
