//! Values told apart by all that shows of them.

use std::borrow::Borrow;
use std::hash::{Hash, Hasher};
use std::mem::discriminant;

use super::Value;

/// A value that is told apart from others by the order of its maps and by the kinds of its numbers, which the language's `==` passes
/// over and `keys`, `for` and `is` show.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Exact<V>(pub(crate) V);

impl<V: Borrow<Value>, W: Borrow<Value>> PartialEq<Exact<W>> for Exact<V> {
    fn eq(&self, other: &Exact<W>) -> bool {
        are_alike(self.0.borrow(), other.0.borrow())
    }
}

impl<V: Borrow<Value>> Eq for Exact<V> {}

impl<V: Borrow<Value>> Hash for Exact<V> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        hash(self.0.borrow(), state);
    }
}

fn are_alike(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::List(one), Value::List(other)) => {
            one.same(other)
                || (one.len() == other.len()
                    && one.iter().zip(other).all(|(one, other)| are_alike(one, other)))
        }
        (Value::Map(one), Value::Map(other)) => {
            let mut entries = one.iter().zip(other);
            one.same(other)
                || (one.len() == other.len()
                    && entries.all(|((key, one), (own, other))| key == own && are_alike(one, other)))
        }
        (Value::Float(one), Value::Float(other)) => one.to_bits() == other.to_bits(),
        _ => discriminant(one) == discriminant(other) && one == other,
    }
}

/// Hashes what [`are_alike`] compares: of two values that differ the hashed bytes do, too.
fn hash(value: &Value, state: &mut impl Hasher) {
    match value {
        Value::Null => state.write_u8(0),
        Value::Bool(value) => state.write_u8(1 + u8::from(*value)),
        Value::Int(value) => number(3, *value, state),
        Value::Usd(value) => number(4, *value, state),
        Value::Duration(value) => number(5, *value, state),
        Value::Float(value) => {
            state.write_u8(6);
            state.write_u64(value.to_bits());
        }
        Value::Str(text) => {
            state.write_u8(7);
            text.as_str().hash(state);
        }
        Value::List(list) => {
            state.write_u8(8);
            state.write_usize(list.len());
            list.iter().for_each(|item| hash(item, state));
        }
        Value::Map(map) => {
            state.write_u8(9);
            state.write_usize(map.len());
            for (key, value) in map {
                key.as_str().hash(state);
                hash(value, state);
            }
        }
    }
}

fn number(kind: u8, value: i64, state: &mut impl Hasher) {
    state.write_u8(kind);
    state.write_i64(value);
}

#[cfg(test)]
mod tests {
    use std::hash::BuildHasher;

    use rustc_hash::FxBuildHasher;

    use super::Exact;
    use crate::value::Value;

    #[test]
    fn values_are_told_apart_by_all_that_shows() {
        let texts = [
            r#"{"a": 1, "b": [2]}"#,
            r#"{"b": [2], "a": 1}"#,
            r#"{"a": 1.0, "b": [2]}"#,
            r#"{"a": 1, "b": [2, 2]}"#,
            "[]",
            "{}",
            "[null]",
            "null",
            "[true, false]",
            r#"["a", "b"]"#,
            r#"["ab"]"#,
        ];
        let values: Vec<Value> =
            texts.iter().map(|text| Value::from_json(&serde_json::from_str(text).expect("JSON"))).collect();
        for (at, one) in values.iter().enumerate() {
            for (place, other) in values.iter().enumerate() {
                assert_eq!(Exact(one) == Exact(other), at == place, "{one:?} {other:?}");
                let same = FxBuildHasher.hash_one(Exact(one)) == FxBuildHasher.hash_one(Exact(other));
                assert_eq!(same, at == place, "{one:?} {other:?}");
            }
        }
    }
}
