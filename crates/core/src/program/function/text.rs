//! Functions on strings. Places are counted in characters (Unicode scalar values), from 0.

use super::args::Args;
use super::row::{FunctionResult, Topic, rows};
use super::{format, pattern};
use crate::program::fault::Fault;
use crate::program::meter::{MAX_RESULT, Meter};
use crate::value::{List, Str, Value};

/// Strings.
pub(super) const TOPIC: Topic = Topic {
    title: "Strings",
    rows: rows! {
        "contains" Receiver Data contains, [takes(String, String) -> Bool]
            "True if the string contains the other."
            "'abc'.contains('b')" => "true";
        "startsWith" Receiver Data starts_with, [takes(String, String) -> Bool]
            "True if the string starts with the other."
            "'abc'.startsWith('ab')" => "true";
        "endsWith" Receiver Data ends_with, [takes(String, String) -> Bool]
            "True if the string ends with the other."
            "'abc'.endsWith('bc')" => "true";
        "matches" Either Matching pattern::matches, [takes(String, String) -> Bool]
            "True if the regular expression occurs in the string."
            "'abc'.matches('b+')" => "true";
        "find_all" Global Matching pattern::find_all, [takes(String, String) -> List(&List(&String))]
            "Every match of the regular expression (first argument) as `[whole, group1, …]`."
            "find_all('([a-z])([0-9])', 'a1 b2')" => "[['a1', 'a', '1'], ['b2', 'b', '2']]";
        "charAt" Receiver Data char_at, [takes(String, Int) -> String]
            "The character at a place, counted from 0; `''` at the very end."
            "'abc'.charAt(1)" => "'b'";
        "indexOf" Receiver Data index_of, [takes(String, String) -> Int, takes(String, String, Int) -> Int]
            "The first place of the other string, or -1; from a place on, if given."
            "'abcb'.indexOf('b')" => "1";
        "lastIndexOf" Receiver Data last_index_of, [takes(String, String) -> Int, takes(String, String, Int) -> Int]
            "The last place of the other string, or -1; up to a place, if given."
            "'abcb'.lastIndexOf('b')" => "3";
        "join" Receiver Data join, [takes(List(&String)) -> String, takes(List(&String), String) -> String]
            "The strings of the list in one, with a separator between them."
            "['a', 'b'].join('-')" => "'a-b'";
        "lowerAscii" Receiver Data lower, [takes(String) -> String]
            "The string with A to Z in lower case."
            "'AbC'.lowerAscii()" => "'abc'";
        "upperAscii" Receiver Data upper, [takes(String) -> String]
            "The string with a to z in upper case."
            "'AbC'.upperAscii()" => "'ABC'";
        "replace" Receiver Data replace, [takes(String, String, String) -> String, takes(String, String, String, Int) -> String]
            "The string with each occurrence replaced; at most so many, if given."
            "'a.b.c'.replace('.', '-')" => "'a-b-c'";
        "split" Receiver Data split, [takes(String, String) -> List(&String), takes(String, String, Int) -> List(&String)]
            "The parts between separators; at most so many, if given."
            "'a,b'.split(',')" => "['a', 'b']";
        "substring" Receiver Data substring, [takes(String, Int) -> String, takes(String, Int, Int) -> String]
            "The characters from a place on, up to another, if given."
            "'abcd'.substring(1, 3)" => "'bc'";
        "trim" Receiver Data trim, [takes(String) -> String]
            "The string without white space at its ends."
            "'  a '.trim()" => "'a'";
        "format" Receiver Data format::format, [takes(String, List(&Nullable)) -> String]
            "The string with `%s %d %f %e %b %x %X %o` filled in from a list."
            "'%s-%s'.format(['a', 'b'])" => "'a-b'";
        "strings.quote" Global Data quote, [takes(String) -> String]
            "The string in double quotes with escapes."
            "strings.quote('a')" => "'\"a\"'";
        "reverse" Receiver Data reverse, [takes(String) -> String, takes(List(&T)) -> List(&T)]
            "The characters or elements in reverse order."
            "[1, 2, 3].reverse()" => "[3, 2, 1]";
    },
};

fn contains(args: Args<'_>, meter: &mut Meter) -> FunctionResult {
    let (text, part) = pair(args, meter)?;
    Ok(Value::Bool(text.contains(part.as_str())))
}

fn starts_with(args: Args<'_>, meter: &mut Meter) -> FunctionResult {
    let (text, part) = pair(args, meter)?;
    Ok(Value::Bool(text.starts_with(part.as_str())))
}

fn ends_with(args: Args<'_>, meter: &mut Meter) -> FunctionResult {
    let (text, part) = pair(args, meter)?;
    Ok(Value::Bool(text.ends_with(part.as_str())))
}

fn char_at(args: Args<'_>, meter: &mut Meter) -> FunctionResult {
    let text = whole(args, meter)?;
    let at = byte_of(args, text, args.int(1)?)?;
    Ok(text[at..].chars().next().map_or_else(Str::new, Str::from).into())
}

fn index_of(args: Args<'_>, meter: &mut Meter) -> FunctionResult {
    let (text, part) = pair(args, meter)?;
    let from = if args.optional(2).is_some() { byte_of(args, text, args.int(2)?)? } else { 0 };
    Ok(place(text, text[from..].find(part.as_str()).map(|at| at + from)))
}

fn last_index_of(args: Args<'_>, meter: &mut Meter) -> FunctionResult {
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

fn substring(args: Args<'_>, meter: &mut Meter) -> FunctionResult {
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

fn join(args: Args<'_>, meter: &mut Meter) -> FunctionResult {
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

fn lower(args: Args<'_>, meter: &mut Meter) -> FunctionResult {
    whole(args, meter).map(|text| text.to_ascii_lowercase().into())
}

fn upper(args: Args<'_>, meter: &mut Meter) -> FunctionResult {
    whole(args, meter).map(|text| text.to_ascii_uppercase().into())
}

fn replace(args: Args<'_>, meter: &mut Meter) -> FunctionResult {
    let (text, old, new) = (whole(args, meter)?, args.text(1)?, args.text(2)?);
    let most = if args.optional(3).is_some() { args.int(3)? } else { -1 };
    // A negative number stands for all.
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    let count = text.matches(old.as_str()).take(most).count();
    meter.reserve(text.len().saturating_add(count.saturating_mul(new.len())))?;
    meter.charge_items(count)?;
    Ok(text.replacen(old.as_str(), new, count).into())
}

fn split(args: Args<'_>, meter: &mut Meter) -> FunctionResult {
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

fn trim(args: Args<'_>, meter: &mut Meter) -> FunctionResult {
    let text = whole(args, meter)?;
    let trimmed = text.trim();
    // Mostly nothing is to be cut off, and the text stays what it is.
    Ok(if trimmed.len() == text.len() { text.clone().into() } else { trimmed.into() })
}

fn quote(args: Args<'_>, meter: &mut Meter) -> FunctionResult {
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

fn reverse(args: Args<'_>, meter: &mut Meter) -> FunctionResult {
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
