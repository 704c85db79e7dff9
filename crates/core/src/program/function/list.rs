//! Functions on lists.

use std::collections::BTreeSet;

use super::args::Args;
use super::row::{FunctionResult, Topic, rows};
use super::text::as_int;
use crate::program::fault::Fault;
use crate::program::meter::Meter;
use crate::value::{List, Value};

/// Lists.
pub(super) const TOPIC: Topic = Topic {
    title: "Lists",
    rows: rows! {
        "slice" Receiver Data slice, [takes(List(&T), Int, Int) -> List(&T)]
            "The elements from a place up to (not including) another."
            "['a', 'b', 'c'].slice(1, 3)" => "['b', 'c']";
        "flatten" Receiver Data flatten, [takes(List(&List(&T))) -> List(&T), takes(List(&T)) -> List(&T), takes(List(&Nullable), Int) -> List(&Any)]
            "The list with inner lists opened, one level or as many as given."
            "[[1, 2], [3]].flatten()" => "[1, 2, 3]";
        "first" Receiver Fixed first, [takes(List(&T)) -> OrNull(&T)]
            "The first element, or null if there is none."
            "[1, 2].first()" => "1";
        "last" Receiver Fixed last, [takes(List(&T)) -> OrNull(&T)]
            "The last element, or null if there is none."
            "[1, 2].last()" => "2";
        "distinct" Receiver Sorting distinct, [takes(List(&T)) -> List(&T)]
            "The elements without repetitions, each at its first place."
            "[2, 1, 2].distinct()" => "[2, 1]";
        "sort" Receiver Sorting sort, [takes(List(&T)) -> List(&T)]
            "The elements in ascending order."
            "[3, 1, 2].sort()" => "[1, 2, 3]";
        "sortBy" Receiver Sorting sort_by_keys, [takes(List(&T), List(&Nullable)) -> List(&T)]
            "The elements in ascending order of the keys in a second list of equal length."
            "['bb', 'a'].sortBy([2, 1])" => "['a', 'bb']";
        "lists.range" Global Data range, [takes(Int) -> List(&Int)]
            "The integers from 0 up to (not including) the number."
            "lists.range(3)" => "[0, 1, 2]";
    },
};

fn slice(args: Args<'_>, meter: &mut Meter) -> FunctionResult {
    let (list, start, end) = (args.list(0)?, args.int(1)?, args.int(2)?);
    let len = as_int(list.len());
    if !(0..=len).contains(&start) {
        return Err(args.out_of_range(start, list.len()));
    }
    if !(start..=len).contains(&end) {
        return Err(if end < start && end >= 0 {
            args.fault("wants a start that is not behind the end")
        } else {
            args.out_of_range(end, list.len())
        });
    }
    let place = |place: i64| usize::try_from(place).unwrap_or(0);
    let count = place(end - start);
    meter.charge_items(count)?;
    Ok(Value::List(list.slice(place(start)..place(end))))
}

fn flatten(args: Args<'_>, meter: &mut Meter) -> FunctionResult {
    let levels = if args.optional(1).is_some() { args.int(1)? } else { 1 };
    if levels < 0 {
        return Err(args.fault("wants a number of levels that is not negative"));
    }
    let mut flat = Vec::new();
    open(args.list(0)?, levels, &mut flat, meter)?;
    Ok(Value::List(flat.into()))
}

fn open(list: &List, levels: i64, flat: &mut Vec<Value>, meter: &mut Meter) -> Result<(), Fault> {
    meter.charge_items(list.len())?;
    for item in list {
        match item {
            Value::List(inner) if levels > 0 => open(inner, levels - 1, flat, meter)?,
            item => flat.push(item.clone()),
        }
    }
    meter.reserve(flat.len() * size_of::<Value>() / 16)
}

fn first(args: Args<'_>, _: &mut Meter) -> FunctionResult {
    args.list(0).map(|list| list.get(0).cloned().unwrap_or_default())
}

fn last(args: Args<'_>, _: &mut Meter) -> FunctionResult {
    args.list(0).map(|list| list.last().cloned().unwrap_or_default())
}

fn distinct(args: Args<'_>, meter: &mut Meter) -> FunctionResult {
    let list = args.list(0)?;
    charge_sort(args.at(0), list.len(), meter)?;
    let mut seen = BTreeSet::new();
    Ok(list.iter().filter(|item| seen.insert(*item)).cloned().collect())
}

fn sort(args: Args<'_>, meter: &mut Meter) -> FunctionResult {
    let list = args.list(0)?;
    sortable(args, list)?;
    charge_sort(args.at(0), list.len(), meter)?;
    let mut items: Vec<Value> = list.iter().cloned().collect();
    items.sort();
    Ok(Value::List(items.into()))
}

/// `sortBy` after its keys are evaluated: the first list in the order of the second.
fn sort_by_keys(args: Args<'_>, meter: &mut Meter) -> FunctionResult {
    let (list, keys) = (args.list(0)?, args.list(1)?);
    if list.len() != keys.len() {
        return Err(args.fault("wants as many keys as elements"));
    }
    sortable(args, keys)?;
    charge_sort(args.at(1), list.len(), meter)?;
    let mut pairs: Vec<(&Value, &Value)> = keys.iter().zip(list).collect();
    pairs.sort_by_key(|(key, _)| *key);
    Ok(pairs.into_iter().map(|(_, item)| item.clone()).collect())
}

/// Checks that there is an order between the elements.
fn sortable(args: Args<'_>, list: &List) -> Result<(), Fault> {
    let kind = |value: &Value| match value {
        Value::Float(_) => "int",
        other => other.type_name(),
    };
    let Some(first) = list.get(0) else { return Ok(()) };
    for item in list {
        if matches!(item, Value::Null | Value::List(_) | Value::Map(_)) {
            return Err(args.wrong("elements that have an order", item));
        }
        if kind(item) != kind(first) {
            let (one, two) = (first.type_name(), item.type_name());
            return Err(args.fault(format_args!("wants elements of one type, found {one} and {two}")));
        }
    }
    Ok(())
}

/// Each element is compared about log n times.
fn charge_sort(whole: &Value, count: usize, meter: &mut Meter) -> Result<(), Fault> {
    let rounds = u64::from(count.max(1).ilog2()) + 1;
    meter.charge_whole(whole)?;
    meter.charge(rounds.saturating_mul(count as u64))
}

fn range(args: Args<'_>, meter: &mut Meter) -> FunctionResult {
    let end = args.int(0)?;
    let count = usize::try_from(end.max(0)).unwrap_or(usize::MAX);
    meter.reserve(count.saturating_mul(size_of::<Value>()))?;
    Ok((0..end).map(Value::Int).collect())
}
