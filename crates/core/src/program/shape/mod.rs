//! Types as they are checked at run time.
//!
//! - [`Shapes::fit`] makes a value from outside into one of a shape, or says what is wrong with it, place by place.
//! - [`Shapes::is`] tests a value as it is.
//! - [`Shapes::schema`] is the shape as JSON Schema, for models and people.

mod class;
mod fit;
mod schema;

use std::fmt::Write;
use std::ops::Range;

pub use fit::Misfit;
pub(in crate::program) use fit::found;

use crate::value::{Str, Value};

/// All shapes of a program. Records may refer to themselves.
#[derive(Debug, Clone, Default)]
pub struct Shapes {
    /// Indexed by the ids ops carry.
    pub shapes: Vec<Shape>,
    /// The records that the language supplies since version 3: they are named after all others, so that a graph's own record
    /// of the same name keeps its name in listings.
    pub supplied: Range<u32>,
    /// The class of each, once they are complete. Shapes of one class take the same values.
    pub(crate) classes: Vec<u32>,
}

/// A type that is checked at run time.
#[derive(Debug, Clone, PartialEq)]
pub struct Shape {
    /// Its kind.
    pub kind: ShapeKind,
    /// True if null fits.
    pub nullable: bool,
}

/// The kinds of shape; numbers in `list`, `map` and fields are ids of shapes.
#[derive(Debug, Clone, PartialEq)]
pub enum ShapeKind {
    /// Anything but null (null fits when nullable; `any` is nullable).
    Any,
    /// Only null.
    Null,
    /// `bool`.
    Bool,
    /// `int` with bounds.
    Int(Option<(i64, i64)>),
    /// `float`.
    Float,
    /// `usd`.
    Usd,
    /// `duration`.
    Duration,
    /// `string` with a greatest number of characters.
    String(Option<u64>),
    /// `list<T>` with a greatest length.
    List(u32, Option<u64>),
    /// `map<T>`.
    Map(u32),
    /// The members of an enum.
    Enum(Box<[Str]>),
    /// A record.
    Record {
        /// The name, for messages. Different records may have the same one.
        name: Str,
        /// The shape of the record without null: one number for `T` and `T?`.
        base: u32,
        /// True if unknown fields are let through.
        open: bool,
        /// Its fields.
        fields: Box<[FieldShape]>,
    },
}

/// A record's field.
#[derive(Debug, Clone, PartialEq)]
pub struct FieldShape {
    /// The name.
    pub name: Str,
    /// The shape.
    pub shape: u32,
    /// The value of a missing field; [`None`] means it is required, unless it is nullable.
    pub default: Option<Value>,
}

impl Shapes {
    /// The shape of that id.
    ///
    /// # Panics
    /// On an id of another table.
    #[must_use]
    pub fn shape(&self, id: u32) -> &Shape {
        &self.shapes[id as usize]
    }

    /// The shape as the language writes it, for messages: `list<int(0..9)>(5)?`. Records go by their names.
    #[must_use]
    pub fn describe(&self, id: u32) -> String {
        self.describe_with(id, &mut |record| match &self.shape(record).kind {
            ShapeKind::Record { name, .. } => name.to_string(),
            _ => String::new(),
        })
    }

    /// As [`Shapes::describe`], with the names of records given by `record`, which is called with their bases.
    #[must_use]
    pub fn describe_with(&self, id: u32, record: &mut dyn FnMut(u32) -> String) -> String {
        let shape = self.shape(id);
        let mut text = match &shape.kind {
            ShapeKind::Any => return "any".to_owned(),
            ShapeKind::Null => return "null".to_owned(),
            ShapeKind::Bool => "bool".to_owned(),
            ShapeKind::Int(None) => "int".to_owned(),
            ShapeKind::Int(Some((least, greatest))) => format!("int({least}..{greatest})"),
            ShapeKind::Float => "float".to_owned(),
            ShapeKind::Usd => "usd".to_owned(),
            ShapeKind::Duration => "duration".to_owned(),
            ShapeKind::String(None) => "string".to_owned(),
            ShapeKind::String(Some(most)) => format!("string({most})"),
            ShapeKind::List(item, most) => {
                let mut text = format!("list<{}>", self.describe_with(*item, record));
                if let Some(most) = most {
                    // Writing to a String cannot fail.
                    let _ = write!(text, "({most})");
                }
                text
            }
            ShapeKind::Map(item) => format!("map<{}>", self.describe_with(*item, record)),
            ShapeKind::Enum(members) => format!("enum({})", members.join(", ")),
            ShapeKind::Record { base, .. } => record(*base),
        };
        if shape.nullable {
            text.push('?');
        }
        text
    }
}
