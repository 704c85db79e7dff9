//! Functions on maps.

use super::args::Args;
use super::row::{FunctionResult, Topic, rows};
use crate::program::meter::{Meter, limit_size};
use crate::value::{List, Map, Value};

/// Maps.
pub(super) const TOPIC: Topic = Topic {
    title: "Maps",
    rows: rows! {
        "keys" Global Data keys, [takes(Map(&Nullable)) -> List(&String)]
            "The keys of a map, in its order."
            "keys({'a': 1, 'b': 2})" => "['a', 'b']";
        "values" Global Data values, [takes(Map(&T)) -> List(&T)]
            "The values of a map, in its order."
            "values({'a': 1, 'b': 2})" => "[1, 2]";
        "merge" Global Data merge, [takes(Map(&T), Map(&T)) -> Map(&T)]
            "The first map with the entries of the second set."
            "merge({'a': 1}, {'a': 2, 'b': 3})" => "{'a': 2, 'b': 3}";
        "without" Global Data without, [takes(Map(&T), String) -> Map(&T), takes(Map(&T), List(&String)) -> Map(&T), takes(List(&T), List(&Nullable)) -> List(&T)]
            "The map without a key or a list of keys; the list without the elements of another."
            "without({'a': 1, 'b': 2}, 'a')" => "{'b': 2}";
    },
};

fn keys(args: Args<'_>, meter: &mut Meter) -> FunctionResult {
    let map = args.map(0)?;
    meter.charge_items(map.len())?;
    Ok(map.keys().cloned().map(Value::Str).collect())
}

fn values(args: Args<'_>, meter: &mut Meter) -> FunctionResult {
    let map = args.map(0)?;
    meter.charge_items(map.len())?;
    Ok(map.values().cloned().collect())
}

fn merge(args: Args<'_>, meter: &mut Meter) -> FunctionResult {
    let (base, over) = (args.map(0)?, args.map(1)?);
    meter.charge_items(base.len().min(32) + over.len())?;
    let mut merged = base.clone();
    for (key, value) in over {
        merged.set(key.clone(), value.clone());
    }
    limit_size(Value::Map(merged))
}

fn without(args: Args<'_>, meter: &mut Meter) -> FunctionResult {
    match (args.at(0), args.at(1)) {
        (Value::Map(map), Value::Str(key)) => {
            let mut rest = map.clone();
            let _gone = rest.remove(key);
            Ok(Value::Map(rest))
        }
        (Value::Map(map), Value::List(keys)) => without_keys(args, map, keys, meter),
        (Value::List(list), Value::List(gone)) => {
            meter.charge_whole(args.at(0))?;
            meter.charge_whole(args.at(1))?;
            let gone: std::collections::BTreeSet<&Value> = gone.iter().collect();
            Ok(list.iter().filter(|item| !gone.contains(item)).cloned().collect())
        }
        (Value::Map(_), other) => Err(args.wrong("a key or a list of keys", other)),
        (Value::List(_), other) => Err(args.wrong("a list of elements", other)),
        (other, _) => Err(args.wrong("a map or a list", other)),
    }
}

fn without_keys(args: Args<'_>, map: &Map, keys: &List, meter: &mut Meter) -> FunctionResult {
    meter.charge_items(map.len().min(32) + keys.len())?;
    let mut rest = map.clone();
    for key in keys {
        let Value::Str(key) = key else { return Err(args.wrong("a list of keys", key)) };
        let _gone = rest.remove(key);
    }
    Ok(Value::Map(rest))
}
