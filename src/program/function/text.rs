//! Functions on strings. Places are counted in characters (Unicode scalar values), from 0.

use super::args::Args;
use crate::program::fault::Fault;
use crate::program::meter::{MAX_RESULT, Meter};
use crate::value::{List, Str, Value};

type Outcome = Result<Value, Fault>;

pub(super) fn contains(args: Args<'_>, meter: &mut Meter) -> Outcome {
    let (text, part) = pair(args, meter)?;
    Ok(Value::Bool(text.contains(part.as_str())))
}

pub(super) fn starts_with(args: Args<'_>, meter: &mut Meter) -> Outcome {
    let (text, part) = pair(args, meter)?;
    Ok(Value::Bool(text.starts_with(part.as_str())))
}

pub(super) fn ends_with(args: Args<'_>, meter: &mut Meter) -> Outcome {
    let (text, part) = pair(args, meter)?;
    Ok(Value::Bool(text.ends_with(part.as_str())))
}

pub(super) fn char_at(args: Args<'_>, meter: &mut Meter) -> Outcome {
    let text = whole(args, meter)?;
    let at = byte_of(args, text, args.int(1)?)?;
    Ok(text[at..].chars().next().map_or_else(Str::new, Str::from).into())
}

pub(super) fn index_of(args: Args<'_>, meter: &mut Meter) -> Outcome {
    let (text, part) = pair(args, meter)?;
    let from = if args.optional(2).is_some() { byte_of(args, text, args.int(2)?)? } else { 0 };
    Ok(place(text, text[from..].find(part.as_str()).map(|at| at + from)))
}

pub(super) fn last_index_of(args: Args<'_>, meter: &mut Meter) -> Outcome {
    let (text, part) = pair(args, meter)?;
    let to = if args.optional(2).is_some() { byte_of(args, text, args.int(2)?)? } else { text.len() };
    // A match may start at the given place and reach beyond it.
    let end = to.saturating_add(part.len()).min(text.len());
    let end = (end..=text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len());
    Ok(place(text, text[..end].rmatch_indices(part.as_str()).map(|(at, _)| at).find(|at| *at <= to)))
}

/// The number of characters before a byte, or -1.
fn place(text: &str, at: Option<usize>) -> Value {
    Value::Int(at.map_or(-1, |at| as_int(text[..at].chars().count())))
}

pub(super) fn as_int(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

pub(super) fn substring(args: Args<'_>, meter: &mut Meter) -> Outcome {
    let text = whole(args, meter)?;
    let start = byte_of(args, text, args.int(1)?)?;
    let end = if args.optional(2).is_some() { byte_of(args, text, args.int(2)?)? } else { text.len() };
    match text.get(start..end) {
        Some(part) => Ok(part.into()),
        None => Err(args.fault("wants a start that is not behind the end")),
    }
}

/// The byte at which the character number `place` starts; the one past the last is allowed.
fn byte_of(args: Args<'_>, text: &str, place: i64) -> Result<usize, Fault> {
    let mut starts = text.char_indices().map(|(at, _)| at).chain([text.len()]);
    usize::try_from(place)
        .ok()
        .and_then(|place| starts.nth(place))
        .ok_or_else(|| args.out_of_range(place, text.chars().count()))
}

pub(super) fn join(args: Args<'_>, meter: &mut Meter) -> Outcome {
    let list = args.list(0)?;
    let separator = if args.optional(1).is_some() { args.text(1)?.as_str() } else { "" };
    meter.charge_items(list.len())?;
    meter.reserve(args.at(0).size_estimate().saturating_add(separator.len().saturating_mul(list.len())))?;
    let mut joined = Str::new();
    for (place, item) in list.iter().enumerate() {
        let Value::Str(item) = item else { return Err(args.wrong("a list of strings", item)) };
        if place > 0 {
            joined.push_str(separator);
        }
        joined.push_str(item);
    }
    Ok(Value::Str(joined))
}

pub(super) fn lower(args: Args<'_>, meter: &mut Meter) -> Outcome {
    whole(args, meter).map(|text| text.to_ascii_lowercase().into())
}

pub(super) fn upper(args: Args<'_>, meter: &mut Meter) -> Outcome {
    whole(args, meter).map(|text| text.to_ascii_uppercase().into())
}

pub(super) fn replace(args: Args<'_>, meter: &mut Meter) -> Outcome {
    let (text, old, new) = (whole(args, meter)?, args.text(1)?, args.text(2)?);
    let most = if args.optional(3).is_some() { args.int(3)? } else { -1 };
    // A negative number stands for all.
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    let count = text.matches(old.as_str()).take(most).count();
    meter.reserve(text.len().saturating_add(count.saturating_mul(new.len())))?;
    meter.charge_items(count)?;
    Ok(text.replacen(old.as_str(), new, count).into())
}

pub(super) fn split(args: Args<'_>, meter: &mut Meter) -> Outcome {
    let (text, separator) = pair(args, meter)?;
    let most = if args.optional(2).is_some() { args.int(2)? } else { -1 };
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    if most == 0 {
        return Ok(Value::List(List::new()));
    }
    let cuts = text.matches(separator.as_str()).count().min(most);
    meter.reserve(text.len().saturating_add(cuts.saturating_mul(size_of::<Value>())))?;
    let parts: Vec<Value> = if separator.is_empty() {
        characters(text, most)
    } else {
        text.splitn(most, separator.as_str()).map(Value::from).collect()
    };
    Ok(Value::List(parts.into()))
}

/// One string per character; the last of `most` holds all the rest.
fn characters(text: &str, most: usize) -> Vec<Value> {
    let mut starts: Vec<usize> = text.char_indices().map(|(at, _)| at).take(most).collect();
    starts.push(text.len());
    starts.windows(2).map(|pair| Value::from(&text[pair[0]..pair[1]])).collect()
}

pub(super) fn trim(args: Args<'_>, meter: &mut Meter) -> Outcome {
    whole(args, meter).map(|text| text.trim().into())
}

pub(super) fn quote(args: Args<'_>, meter: &mut Meter) -> Outcome {
    let text = whole(args, meter)?;
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for char in text.chars() {
        match char {
            '\u{7}' => quoted.push_str("\\a"),
            '\u{8}' => quoted.push_str("\\b"),
            '\u{c}' => quoted.push_str("\\f"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            '\u{b}' => quoted.push_str("\\v"),
            '\\' => quoted.push_str("\\\\"),
            '"' => quoted.push_str("\\\""),
            other => quoted.push(other),
        }
    }
    quoted.push('"');
    if quoted.len() > MAX_RESULT {
        meter.reserve(quoted.len())?;
    }
    Ok(quoted.into())
}

pub(super) fn reverse(args: Args<'_>, meter: &mut Meter) -> Outcome {
    match args.at(0) {
        Value::Str(text) => {
            meter.charge_items(text.len())?;
            Ok(text.chars().rev().collect::<Str>().into())
        }
        Value::List(list) => {
            meter.charge_items(list.len())?;
            Ok(list.iter().rev().cloned().collect())
        }
        other => Err(args.wrong("a string or a list", other)),
    }
}

pub(super) fn size(args: Args<'_>, meter: &mut Meter) -> Outcome {
    let count = match args.at(0) {
        Value::Str(text) => {
            meter.charge_bytes(text.len())?;
            text.chars().count()
        }
        Value::List(list) => list.len(),
        Value::Map(map) => map.len(),
        other => return Err(args.wrong("a string, a list or a map", other)),
    };
    Ok(Value::Int(as_int(count)))
}

/// The first argument, paid for.
fn whole<'a>(args: Args<'a>, meter: &mut Meter) -> Result<&'a Str, Fault> {
    let text = args.text(0)?;
    meter.charge_bytes(text.len())?;
    Ok(text)
}

/// The text and the part looked for in it, paid for.
fn pair<'a>(args: Args<'a>, meter: &mut Meter) -> Result<(&'a Str, &'a Str), Fault> {
    Ok((whole(args, meter)?, args.text(1)?))
}
