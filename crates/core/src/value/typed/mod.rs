//! Values from and to types of Rust that `serde` knows.
//!
//! A struct is a map, a sequence or tuple a list, an option its value or null, an enum what `serde` writes for it: the
//! name of a variant, or a map of one entry with that name. Amounts and durations are their texts where a type of Rust
//! wants them; in a [`Value`] that is part of such a type they stay what they are.

mod fault;
mod reader;
mod writer;

pub use fault::{TypedFault, TypedFaultKind};

use serde::{Deserialize, Serialize};

use super::Value;

/// The name of the newtype in which the lossless form of a value is, for who reads values as such.
pub(super) const LOSSLESS: &str = "$loopwright::Value";

impl Value {
    /// The value of a type that can be serialized. Nothing is rounded and no key is made into a text.
    ///
    /// ```
    /// use loopwright::Value;
    ///
    /// #[derive(serde::Serialize)]
    /// struct Hit {
    ///     title: &'static str,
    ///     score: f64,
    /// }
    ///
    /// let value = Value::from_serde(&[Hit { title: "Cats", score: 0.5 }])?;
    /// assert_eq!(value.to_json().to_string(), r#"[{"title":"Cats","score":0.5}]"#);
    /// # Ok::<(), loopwright::TypedFault>(())
    /// ```
    ///
    /// # Errors
    /// An integer does not fit into 64 signed bits, a float is no number or not finite, a key is no text or comes
    /// twice, lists and maps nest deeper than [`MAX_DEPTH`](super::MAX_DEPTH), or the type itself fails. The fault has
    /// the place.
    pub fn from_serde<T: Serialize + ?Sized>(value: &T) -> Result<Self, TypedFault> {
        value.serialize(writer::ValueWriter::new())
    }

    /// The value as a type that can be deserialized.
    ///
    /// ```
    /// use loopwright::Value;
    ///
    /// #[derive(serde::Deserialize)]
    /// struct Search {
    ///     query: String,
    ///     limit: Option<u32>,
    /// }
    ///
    /// let value = Value::from_json(&serde_json::json!({"query": "cats"}));
    /// let search: Search = value.deserialize()?;
    /// assert_eq!((search.query.as_str(), search.limit), ("cats", None));
    /// # Ok::<(), loopwright::TypedFault>(())
    /// ```
    ///
    /// # Errors
    /// The value does not fit the type. The fault has the place.
    pub fn deserialize<'v, T: Deserialize<'v>>(&'v self) -> Result<T, TypedFault> {
        T::deserialize(reader::ValueReader::new(self))
    }
}
