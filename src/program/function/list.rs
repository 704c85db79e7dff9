//! Functions on lists.

use std::collections::BTreeSet;

use super::args::Args;
use super::operator;
use super::text::as_int;
use crate::program::fault::Fault;
use crate::program::meter::Meter;
use crate::value::{List, Value};

type Outcome = Result<Value, Fault>;

pub(super) fn slice(args: Args<'_>, meter: &mut Meter) -> Outcome {
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
    Ok((place(start)..place(end)).filter_map(|at| list.get(at)).cloned().collect())
}

pub(super) fn flatten(args: Args<'_>, meter: &mut Meter) -> Outcome {
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

pub(super) fn first(args: Args<'_>, _: &mut Meter) -> Outcome {
    args.list(0).map(|list| list.get(0).cloned().unwrap_or_default())
}

pub(super) fn last(args: Args<'_>, _: &mut Meter) -> Outcome {
    args.list(0).map(|list| list.last().cloned().unwrap_or_default())
}

pub(super) fn distinct(args: Args<'_>, meter: &mut Meter) -> Outcome {
    let list = args.list(0)?;
    charge_sort(args.at(0), list.len(), meter)?;
    let mut seen = BTreeSet::new();
    Ok(list.iter().filter(|item| seen.insert(*item)).cloned().collect())
}

pub(super) fn sort(args: Args<'_>, meter: &mut Meter) -> Outcome {
    let list = args.list(0)?;
    sortable(args, list)?;
    charge_sort(args.at(0), list.len(), meter)?;
    let mut items: Vec<Value> = list.iter().cloned().collect();
    items.sort();
    Ok(Value::List(items.into()))
}

/// `sortBy` after its keys are evaluated: the first list in the order of the second.
pub(super) fn sort_by_keys(args: Args<'_>, meter: &mut Meter) -> Outcome {
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

pub(super) fn range(args: Args<'_>, meter: &mut Meter) -> Outcome {
    let end = args.int(0)?;
    let count = usize::try_from(end.max(0)).unwrap_or(usize::MAX);
    meter.reserve(count.saturating_mul(size_of::<Value>()))?;
    Ok((0..end).map(Value::Int).collect())
}

/// The sum of a list. A second argument, if given, is what an empty list sums up to: the zero of the list's type.
pub(super) fn sum(args: Args<'_>, meter: &mut Meter) -> Outcome {
    let list = args.list(0)?;
    meter.charge_items(list.len())?;
    let Some(first) = list.get(0) else { return Ok(args.optional(1).cloned().unwrap_or(Value::Int(0))) };
    if !matches!(first, Value::Int(_) | Value::Float(_) | Value::Usd(_) | Value::Duration(_)) {
        return Err(args.wrong("numbers, amounts or durations", first));
    }
    list.iter().skip(1).try_fold(first.clone(), |sum, item| operator::add(&sum, item, meter))
}
