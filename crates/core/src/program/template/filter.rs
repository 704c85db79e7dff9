//! The engine's filters and printing, each paying for the data it touches, and our own `tojson`.
//!
//! The engine counts its own instructions, but one filter is one instruction however long its list is.

use minijinja::value::{Rest, Value as Dynamic, ValueKind, ValueOrKwargs};
use minijinja::{Environment, Error, ErrorKind, State, escape_formatter, filters, tests};

use super::metered::{FACTOR, PAY, RAW, TIMES_FILTER};
use super::object::shared;
use crate::program::fault::Fault;
use crate::program::meter::MAX_RESULT;
use crate::value::Value;
use crate::value::json::canonical;

/// Units of work the filters and outputs of one rendering may do; one is about an element or 16 bytes.
const MAX_FILTER_WORK: u64 = 5_000_000;

/// The widest indentation or padding, in characters.
const MAX_WIDTH: u64 = 1_000;

/// The deepest nesting of lists and maps a template may build.
const MAX_DEPTH: usize = 64;

/// The rest of the work of one rendering.
struct FilterWork(u64);

/// The products that are being computed, outermost first: the bytes of the text or list in them, and the factors.
#[derive(Default)]
struct Products(Vec<(u64, u64)>);

/// The fault of a text that grows too long.
pub(super) fn too_long() -> Fault {
    Fault::too_large(format!("the text would be longer than {} MiB", MAX_RESULT >> 20))
}

/// Puts the filters into the engine and makes printing pay as well.
pub(super) fn install(engine: &mut Environment<'static>) {
    for (name, filter) in originals() {
        engine.add_filter(name, move |state: &mut State<'_, '_>, args: Rest<ValueOrKwargs>| {
            metered(name, &filter, state, &args.into_values())
        });
    }
    engine.add_filter("tojson", |state: &mut State<'_, '_>, args: Rest<ValueOrKwargs>| {
        let args = args.into_values();
        args.iter().try_for_each(|value| pay(state, value).map(drop))?;
        tojson(&args)
    });
    pay_filters(engine);
    paying_tests(engine);
    engine.set_formatter(|out, state, value| {
        pay(state, value)?;
        escape_formatter(out, state, value)
    });
}

fn originals() -> Vec<(&'static str, Dynamic)> {
    macro_rules! table {
        ($($name:ident)*) => { vec![$((stringify!($name), Dynamic::from_function(filters::$name)),)*] };
    }
    let mut table = table! {
        lower upper title capitalize replace length dictsort items reverse trim join split lines default round abs int float attr
        first last min max sort list string bool batch slice sum indent select reject selectattr rejectattr map groupby unique chain
        zip pprint format
    };
    table.push(("count", Dynamic::from_function(filters::length)));
    table.push(("d", Dynamic::from_function(filters::default)));
    table
}

fn metered(
    name: &str,
    filter: &Dynamic,
    state: &mut State<'_, '_>,
    args: &[Dynamic],
) -> Result<Dynamic, Error> {
    let rounds: u64 = if matches!(name, "sort" | "unique" | "groupby" | "dictsort") { 16 } else { 1 };
    let mut sizes = Vec::with_capacity(args.len());
    for value in args {
        sizes.push(pay(state, value)?);
    }
    // A test or filter that is applied to each element looks at its own arguments each time.
    let each = matches!(name, "select" | "reject" | "selectattr" | "rejectattr" | "map");
    let own: u64 =
        if each { sizes.iter().skip(1).fold(1, |all, size| all.saturating_add(size / 16)) } else { 1 };
    let all = sizes.iter().fold(0, |all: u64, size| all.saturating_add(size / 16));
    charge(state, all.saturating_mul(rounds.saturating_mul(own) - 1))?;
    if growth(name, args) > MAX_RESULT as u64 {
        return Err(too_long_error());
    }
    let result = filter.call(state, args)?;
    pay(state, &result)?;
    Ok(result)
}

/// The greatest length of what the filters give that can give more than they get, in bytes.
fn growth(name: &str, args: &[Dynamic]) -> u64 {
    let text =
        |place: usize| args.get(place).and_then(|value| value.as_str()).map_or(0, |text| text.len() as u64);
    match name {
        "join" => {
            let items = args.first().and_then(|list| list.try_iter().ok()).into_iter().flatten();
            items.map(|item| length(&item).saturating_add(text(1))).fold(0, u64::saturating_add)
        }
        "replace" => {
            let times = text(0) / text(1).max(1) + 1;
            text(0).saturating_add(times.saturating_mul(text(2)))
        }
        "indent" => {
            let lines = args
                .first()
                .and_then(|value| value.as_str())
                .map_or(0, |text| text.matches('\n').count() as u64)
                + 1;
            let width = numbers(args.get(1..).unwrap_or_default());
            if width > MAX_WIDTH { u64::MAX } else { text(0).saturating_add(lines * width) }
        }
        "batch" | "slice" | "round" if numbers(args.get(1..).unwrap_or_default()) > 100_000 => u64::MAX,
        "format" => {
            let wide = args.first().and_then(|value| value.as_str()).is_some_and(has_wide_field);
            let given = numbers(args.get(1..).unwrap_or_default());
            if wide || (text_has_star(args) && given > MAX_WIDTH) { u64::MAX } else { 0 }
        }
        _ => 0,
    }
}

/// The greatest whole number among the arguments, named ones as well.
fn numbers(args: &[Dynamic]) -> u64 {
    let own = |value: &Dynamic| value.as_i64().map_or(0, i64::unsigned_abs);
    let named = |value: &Dynamic| {
        let keys = if value.is_kwargs() { value.try_iter().ok() } else { None };
        keys.into_iter().flatten().filter_map(|key| value.get_item(&key).ok()).map(|value| own(&value)).max()
    };
    args.iter().map(|value| own(value).max(named(value).unwrap_or(0))).max().unwrap_or(0)
}

/// Returns true if a format asks for a width or precision of more than three digits.
fn has_wide_field(format: &str) -> bool {
    format.as_bytes().windows(4).any(|window| window.iter().all(u8::is_ascii_digit))
}

/// Returns true if a format takes widths from its arguments.
fn text_has_star(args: &[Dynamic]) -> bool {
    args.first().and_then(|value| value.as_str()).is_some_and(|text| text.contains('*'))
}

/// The bytes a value prints as, roughly.
fn length(value: &Dynamic) -> u64 {
    match (value.as_str(), shared(value)) {
        (Some(text), _) => text.len() as u64,
        (None, Some(value)) => value.size_estimate() as u64,
        (None, None) => value.len().unwrap_or(1) as u64 * 8,
    }
}

/// Gives the filters a meaning that [`Metered`](super::metered::Metered) puts into texts.
fn pay_filters(engine: &mut Environment<'static>) {
    engine.add_filter(PAY, |state: &mut State<'_, '_>, value: Dynamic| pay(state, &value).map(|_| value));
    engine.add_filter(RAW, |state: &mut State<'_, '_>, _: Dynamic, bytes: u64| {
        charge(state, bytes / 16 + 1).map(|()| "")
    });
    engine.add_filter(FACTOR, |state: &mut State<'_, '_>, value: Dynamic| {
        let size = pay(state, &value)?;
        let start = value.as_i64().map_or((size, 1), |factor| (0, factor.unsigned_abs()));
        state.get_or_insert_extension_with(Products::default).0.push(start);
        Ok::<_, Error>(value)
    });
    engine.add_filter(TIMES_FILTER, |state: &mut State<'_, '_>, value: Dynamic, last: bool| {
        let size = pay(state, &value)?;
        let products = state.get_or_insert_extension_with(Products::default);
        let (mut bytes, mut factor) = products.0.pop().unwrap_or((0, 1));
        match value.as_i64() {
            Some(more) => factor = factor.saturating_mul(more.unsigned_abs()),
            None => bytes = size,
        }
        if !last {
            products.0.push((bytes, factor));
        }
        let result = bytes.saturating_mul(factor);
        if result > MAX_RESULT as u64 {
            return Err(too_long_error());
        }
        charge(state, result / 16).map(|()| value)
    });
}

/// The tests that compare, each paying for what it looks at.
fn paying_tests(engine: &mut Environment<'static>) {
    type Compare = fn(&Dynamic, &Dynamic) -> bool;
    let table: [(&[&'static str], Compare); 6] = [
        (&["eq", "equalto", "=="], |a, b| a == b),
        (&["ne", "!="], |a, b| a != b),
        (&["lt", "lessthan", "<"], |a, b| a < b),
        (&["le", "<="], |a, b| a <= b),
        (&["gt", "greaterthan", ">"], |a, b| a > b),
        (&["ge", ">="], |a, b| a >= b),
    ];
    for (names, compare) in table {
        for name in names {
            engine.add_test(*name, move |state: &mut State<'_, '_>, a: Dynamic, b: Dynamic| {
                pay(state, &a)?;
                pay(state, &b)?;
                Ok::<_, Error>(compare(&a, &b))
            });
        }
    }
    engine.add_test("in", |state: &mut State<'_, '_>, a: Dynamic, b: Dynamic| {
        pay(state, &a)?;
        pay(state, &b)?;
        tests::is_in(state, &a, &b)
    });
}

/// Pays for looking at a value once, with all in it, and gives its size in bytes.
fn pay(state: &mut State<'_, '_>, value: &Dynamic) -> Result<u64, Error> {
    let size = size(value, 0)?;
    if size > MAX_RESULT as u64 {
        return Err(too_long_error());
    }
    charge(state, size / 16 + 1)?;
    Ok(size)
}

/// The bytes of a value; counting stops when they are too many.
fn size(value: &Dynamic, depth: usize) -> Result<u64, Error> {
    if depth > MAX_DEPTH {
        let message = format!("lists and maps of a template nest at most {MAX_DEPTH} deep");
        return Err(Error::new(ErrorKind::InvalidOperation, message));
    }
    if let Some(text) = value.as_str() {
        return Ok(text.len() as u64);
    }
    if let Some(value) = shared(value) {
        return Ok(value.size_estimate() as u64);
    }
    let items = match value.kind() {
        ValueKind::Seq | ValueKind::Map | ValueKind::Iterable => value.try_iter().ok(),
        _ => None,
    };
    let mut all = 0_u64;
    for item in items.into_iter().flatten() {
        if value.kind() == ValueKind::Map {
            all = all.saturating_add(value.get_item(&item).map_or(Ok(0), |value| size(&value, depth + 1))?);
        }
        all = all.saturating_add(16 + size(&item, depth + 1)?);
        if all > MAX_RESULT as u64 {
            break;
        }
    }
    Ok(all)
}

fn charge(state: &mut State<'_, '_>, units: u64) -> Result<(), Error> {
    let work = state.get_or_insert_extension_with(|| FilterWork(MAX_FILTER_WORK));
    let left = work.0.checked_sub(units);
    work.0 = left.unwrap_or(0);
    let error = || Error::new(ErrorKind::InvalidOperation, "the template does too much work");
    left.map(drop).ok_or_else(error)
}

fn too_long_error() -> Error {
    Error::new(ErrorKind::InvalidOperation, too_long().message.to_string())
}

/// `x|tojson`, `x|tojson(indent=2)`: canonical JSON, keys in the order of the alphabet.
fn tojson(args: &[Dynamic]) -> Result<Dynamic, Error> {
    let Some(value) = args.first() else { return Err(Error::from(ErrorKind::MissingArgument)) };
    if value.is_undefined() {
        return Err(Error::from(ErrorKind::UndefinedError));
    }
    let text = canonical(&plain(value)?);
    let width = usize::try_from(numbers(args.get(1..).unwrap_or_default()).min(16)).unwrap_or(0);
    if width == 0 {
        return Ok(Dynamic::from(text));
    }
    let wrong = |error: serde_json::Error| Error::new(ErrorKind::BadSerialization, error.to_string());
    let json: serde_json::Value = serde_json::from_str(&text).map_err(wrong)?;
    let indent = " ".repeat(width);
    let mut out = Vec::new();
    let style = serde_json::ser::PrettyFormatter::with_indent(indent.as_bytes());
    let mut serializer = serde_json::Serializer::with_formatter(&mut out, style);
    serde::Serialize::serialize(&json, &mut serializer).map_err(wrong)?;
    Ok(Dynamic::from(String::from_utf8_lossy(&out).into_owned()))
}

/// One of the engine's values as ours.
fn plain(value: &Dynamic) -> Result<Value, Error> {
    if let Some(value) = shared(value) {
        return Ok(value);
    }
    let json = serde_json::to_value(value)
        .map_err(|error| Error::new(ErrorKind::BadSerialization, error.to_string()))?;
    Ok(Value::from_json(&json))
}
