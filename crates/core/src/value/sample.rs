//! Strategies for random values, for the tests of every module above.

use proptest::collection::vec;
use proptest::prelude::*;

use super::{Str, Value};

/// Keys, some of them nasty.
pub(crate) fn key() -> impl Strategy<Value = Str> {
    prop_oneof![
        4 => "[a-e]{1,2}".prop_map(Str::from),
        1 => r"\$(usd|duration|float|\$usd|x)?".prop_map(Str::from),
        1 => any::<String>().prop_map(Str::from),
    ]
}

/// Any scalar.
pub(crate) fn scalar() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        any::<i64>().prop_map(Value::Int),
        (-3_i64..4).prop_map(Value::Int),
        any::<f64>().prop_map(Value::Float),
        (-3_i32..4).prop_map(|int| Value::Float(f64::from(int) / 2.0)),
        prop_oneof![Just(f64::NAN), Just(-0.0), Just(f64::INFINITY), Just(9.223_372_036_854_776e18)]
            .prop_map(Value::Float),
        any::<i64>().prop_map(Value::Usd),
        any::<i64>().prop_map(Value::Duration),
        any::<String>().prop_map(Value::from),
        "[ab]{0,2}".prop_map(Value::from),
    ]
}

/// Any value, a few levels deep.
pub(crate) fn value() -> impl Strategy<Value = Value> {
    scalar().prop_recursive(4, 48, 6, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..6).prop_map(|items| Value::List(items.into())),
            vec((key(), inner), 0..6).prop_map(|entries| Value::Map(entries.into_iter().collect())),
        ]
    })
}
