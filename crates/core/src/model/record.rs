//! Records: their fields in order, found by name, and the table of all records of a model.

use std::ops::{Deref, Range};

use rustc_hash::FxHashMap;

use super::expr::Expr;
use super::types::{Kind, RecordId, Type};
use crate::value::Str;

/// A record type.
#[derive(Debug, Clone)]
pub struct RecordType {
    /// The name, for messages. Two records of one shape are the same type whatever they are called.
    pub name: Str,
    /// True if unknown fields are let through as `any`.
    pub open: bool,
    /// The fields in order of declaration.
    pub fields: Fields,
}

/// A field of a record.
#[derive(Debug, Clone)]
pub struct Field {
    /// The name.
    pub name: Str,
    /// The type.
    pub ty: Type,
    /// The value of a missing field. A missing nullable field without a default is null.
    pub default: Option<Expr>,
}

/// All records of a model: of the graph itself and of every graph it calls.
#[derive(Debug, Clone, Default)]
pub struct TypeTable {
    /// Indexed by [`RecordId`].
    pub records: Vec<RecordType>,
    /// Those of conversations, which the language supplies.
    pub supplied: Range<u32>,
}

impl TypeTable {
    /// Adds a record, and gives its type.
    pub(in crate::model) fn add(&mut self, name: Str, open: bool, fields: Vec<Field>) -> Type {
        let id = RecordId(u32::try_from(self.records.len()).expect("records are limited by the files' size"));
        self.records.push(RecordType { name, open, fields: fields.into() });
        Type::of(Kind::Record(id))
    }

    /// The record of that id.
    #[must_use]
    pub fn record(&self, id: RecordId) -> &RecordType {
        &self.records[id.0 as usize]
    }
}

/// The largest number of fields that is searched one by one.
const MAX_FIELDS_TO_SCAN: usize = 16;

/// The fields of a record in order of declaration.
#[derive(Debug, Clone, Default)]
pub struct Fields {
    all: Vec<Field>,
    /// The position of each, if they are many.
    places: FxHashMap<Str, usize>,
}

impl Fields {
    /// The position of the field of that name.
    #[must_use]
    pub fn position(&self, name: &str) -> Option<usize> {
        if self.all.len() <= MAX_FIELDS_TO_SCAN {
            self.all.iter().position(|field| field.name == name)
        } else {
            self.places.get(name).copied()
        }
    }

    /// The field of that name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Field> {
        self.position(name).map(|at| &self.all[at])
    }

    /// Says what a missing field takes; a name that no field has is ignored.
    pub(super) fn set_default(&mut self, name: &str, default: Expr) {
        if let Some(at) = self.position(name) {
            self.all[at].default = Some(default);
        }
    }
}

impl From<Vec<Field>> for Fields {
    fn from(all: Vec<Field>) -> Self {
        let many = if all.len() <= MAX_FIELDS_TO_SCAN { &[][..] } else { &all };
        let mut places = FxHashMap::default();
        for (at, field) in many.iter().enumerate() {
            places.entry(field.name.clone()).or_insert(at);
        }
        Self { all, places }
    }
}

impl Deref for Fields {
    type Target = [Field];

    fn deref(&self) -> &[Field] {
        &self.all
    }
}

impl<'f> IntoIterator for &'f Fields {
    type Item = &'f Field;
    type IntoIter = std::slice::Iter<'f, Field>;

    fn into_iter(self) -> Self::IntoIter {
        self.all.iter()
    }
}
