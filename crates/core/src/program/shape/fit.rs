//! Values from outside against shapes.

use std::fmt;

use super::{FieldShape, Shape, ShapeKind, Shapes};
use crate::value::{List, MAX_DEPTH, Map, PathSeg, Str, Value, duration, float_of_int, usd};

/// More faults than this of one value are not listed.
const MAX_MISFITS: usize = 16;

/// The longest piece of a string that a message quotes, in characters.
const MAX_QUOTED_CHARS: usize = 40;

/// A place where a value is not of the wanted shape. Prints as `at plan.steps[2]: wanted string, found 3`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Misfit {
    /// The way: fields, keys and indices on the way down, as an expression would write them; empty for the value itself.
    pub path: String,
    /// The kind of value that was wanted there.
    pub expected: String,
    /// The value found.
    pub found: String,
}

impl fmt::Display for Misfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.path.is_empty() {
            write!(f, "at {}: ", self.path)?;
        }
        write!(f, "wanted {}, found {}", self.expected, self.found)
    }
}

impl Shapes {
    /// Returns true if the value belongs to the shape as it is: nothing missing, nothing to convert. The order of a
    /// record's fields does not matter. Costs time in the size of the value.
    #[must_use]
    pub fn is(&self, id: u32, value: &Value) -> bool {
        value.depth() <= MAX_DEPTH && self.holds(id, value, false)
    }

    /// The value as one of the shape.
    ///
    /// Strict: unknown fields are refused unless the record is open, bounds are obeyed, null is no default. Filled in or
    /// converted are: a missing field with a default or of a nullable type; an int where a float or an amount is wanted;
    /// the text of a duration or an amount, and a number of dollars. In the result the fields of records are in the
    /// order of their declaration. A value that is like that already is given back as it is.
    ///
    /// # Errors
    /// Each place that does not fit, the first sixteen of them.
    pub fn fit(&self, id: u32, value: Value) -> Result<Value, Vec<Misfit>> {
        if value.depth() > MAX_DEPTH {
            return Err(vec![Misfit {
                path: String::new(),
                expected: format!("at most {MAX_DEPTH} levels of lists and maps"),
                found: format!("{} levels", value.depth()),
            }]);
        }
        if self.is_fitted(id, &value) {
            return Ok(value);
        }
        let mut fitting = Fitting { shapes: self, path: Vec::new(), misfits: Vec::new() };
        let value = fitting.value(id, value);
        if fitting.misfits.is_empty() { Ok(value) } else { Err(fitting.misfits) }
    }

    /// Returns true if [`Shapes::fit`] would give the value back as it is.
    pub(crate) fn is_fitted(&self, id: u32, value: &Value) -> bool {
        value.depth() <= MAX_DEPTH && self.holds(id, value, true)
    }

    /// As [`Shapes::is_fitted`] for a value that was another one before, which was fitted: what is the same in both is not looked at again.
    pub(crate) fn is_still_fitted(&self, id: u32, was: &Value, value: &Value) -> bool {
        if was.is_same(value) {
            return true;
        }
        match (&self.shape(id).kind, was, value) {
            (ShapeKind::List(item, most), Value::List(was), Value::List(list)) => {
                let mut before = was.iter();
                most.is_none_or(|most| list.len() as u64 <= most)
                    && list.iter().all(|value| match before.next() {
                        Some(was) => self.is_still_fitted(*item, was, value),
                        None => self.is_fitted(*item, value),
                    })
            }
            (ShapeKind::Record { fields, .. }, Value::Map(was), Value::Map(map))
                if was.len() == map.len() && map.len() == fields.len() =>
            {
                fields.iter().zip(was).zip(map).all(|((field, (_, was)), (key, value))| {
                    field.name == *key && self.is_still_fitted(field.shape, was, value)
                })
            }
            _ => self.is_fitted(id, value),
        }
    }

    /// `ordered`: the fields of records must be in the order of their declaration.
    fn holds(&self, id: u32, value: &Value, ordered: bool) -> bool {
        let shape = self.shape(id);
        match (&shape.kind, value) {
            (_, Value::Null) => shape.nullable || shape.kind == ShapeKind::Null,
            (ShapeKind::Any, _)
            | (ShapeKind::Bool, Value::Bool(_))
            | (ShapeKind::Float, Value::Float(_))
            | (ShapeKind::Usd, Value::Usd(_))
            | (ShapeKind::Duration, Value::Duration(_)) => true,
            (ShapeKind::Int(bounds), Value::Int(value)) => in_bounds(*bounds, *value),
            (ShapeKind::String(most), Value::Str(value)) => short_enough(*most, value),
            (ShapeKind::Enum(members), Value::Str(value)) => members.contains(value),
            (ShapeKind::List(item, most), Value::List(list)) => {
                most.is_none_or(|most| list.len() as u64 <= most)
                    && (self.takes_all(*item) || list.iter().all(|value| self.holds(*item, value, ordered)))
            }
            (ShapeKind::Map(item), Value::Map(map)) => {
                self.takes_all(*item) || map.values().all(|value| self.holds(*item, value, ordered))
            }
            (ShapeKind::Record { open, fields, .. }, Value::Map(map)) => {
                let count = if *open { map.len() >= fields.len() } else { map.len() == fields.len() };
                count
                    && if ordered {
                        fields.iter().zip(map).all(|(field, (key, value))| {
                            field.name == *key && self.holds(field.shape, value, true)
                        })
                    } else {
                        fields.iter().enumerate().all(|(place, field)| {
                            map.get_at(place, &field.name)
                                .is_some_and(|value| self.holds(field.shape, value, false))
                        })
                    }
            }
            _ => false,
        }
    }

    fn takes_all(&self, id: u32) -> bool {
        let shape = self.shape(id);
        shape.nullable && shape.kind == ShapeKind::Any
    }
}

fn in_bounds(bounds: Option<(i64, i64)>, value: i64) -> bool {
    bounds.is_none_or(|(least, greatest)| (least..=greatest).contains(&value))
}

fn short_enough(most: Option<u64>, text: &str) -> bool {
    // A text has no more characters than bytes, so most need not be counted.
    most.is_none_or(|most| text.len() as u64 <= most || text.chars().count() as u64 <= most)
}

/// One fitting in progress. It goes as deep as the value does, which is at most [`MAX_DEPTH`].
struct Fitting<'a> {
    shapes: &'a Shapes,
    path: Vec<PathSeg>,
    misfits: Vec<Misfit>,
}

impl<'a> Fitting<'a> {
    fn value(&mut self, id: u32, value: Value) -> Value {
        let shapes: &'a Shapes = self.shapes;
        let Shape { kind, nullable } = shapes.shape(id);
        match (kind, value) {
            (ShapeKind::Null, Value::Null) => Value::Null,
            (_, Value::Null) if *nullable => Value::Null,
            (ShapeKind::List(item, most), Value::List(list))
                if most.is_none_or(|most| list.len() as u64 <= most) =>
            {
                self.list(*item, &list)
            }
            (ShapeKind::Map(item), Value::Map(map)) => self.map(*item, &map),
            (ShapeKind::Record { open, fields, .. }, Value::Map(map)) => self.record(fields, *open, &map),
            (_, value) => match scalar(kind, &value) {
                Some(value) => value,
                None => self.wrong(id, value),
            },
        }
    }

    fn list(&mut self, item: u32, list: &List) -> Value {
        let mut fitted = Vec::with_capacity(list.len());
        for (place, value) in (0_i64..).zip(list) {
            if self.is_full() {
                break;
            }
            fitted.push(self.inside(PathSeg::Index(place), item, value.clone()));
        }
        Value::List(fitted.into())
    }

    fn map(&mut self, item: u32, map: &Map) -> Value {
        let mut fitted = Map::new();
        for (key, value) in map {
            if self.is_full() {
                break;
            }
            let value = self.inside(PathSeg::Key(key.clone()), item, value.clone());
            fitted.set(key.clone(), value);
        }
        Value::Map(fitted)
    }

    fn record(&mut self, fields: &[FieldShape], open: bool, map: &Map) -> Value {
        let mut fitted = Map::new();
        for (place, field) in fields.iter().enumerate() {
            let value = match (map.get_at(place, &field.name), &field.default) {
                (Some(value), _) => self.inside(PathSeg::Key(field.name.clone()), field.shape, value.clone()),
                (None, Some(default)) => default.clone(),
                (None, None) => self.absent(field),
            };
            fitted.set(field.name.clone(), value);
        }
        for (key, value) in map {
            if fitted.contains_key(key) {
                continue;
            }
            if open {
                fitted.set(key.clone(), value.clone());
            } else {
                self.unknown(key, fields);
            }
        }
        Value::Map(fitted)
    }

    fn inside(&mut self, segment: PathSeg, id: u32, value: Value) -> Value {
        self.path.push(segment);
        let value = self.value(id, value);
        self.path.pop();
        value
    }

    fn absent(&mut self, field: &FieldShape) -> Value {
        if !self.shapes.shape(field.shape).nullable {
            self.path.push(PathSeg::Key(field.name.clone()));
            let expected = self.shapes.describe(field.shape);
            self.report(expected, "nothing: the field is missing".to_owned());
            self.path.pop();
        }
        Value::Null
    }

    fn unknown(&mut self, key: &Str, fields: &[FieldShape]) {
        let names: Vec<&str> = fields.iter().map(|field| field.name.as_str()).collect();
        let expected = if names.is_empty() {
            "no field at all".to_owned()
        } else {
            format!("no field but {}", names.join(", "))
        };
        self.report(expected, format!("the unknown field {}", quote(key)));
    }

    fn wrong(&mut self, id: u32, value: Value) -> Value {
        let found = match (&self.shapes.shape(id).kind, &value) {
            (ShapeKind::String(Some(_)), Value::Str(text)) => {
                format!("a string of {} characters", text.chars().count())
            }
            (_, value) => found(value),
        };
        self.report(self.shapes.describe(id), found);
        value
    }

    fn report(&mut self, expected: String, found: String) {
        if !self.is_full() {
            self.misfits.push(Misfit { path: path_text(&self.path), expected, found });
        }
    }

    const fn is_full(&self) -> bool {
        self.misfits.len() >= MAX_MISFITS
    }
}

/// A value that has no parts, taken as it is or converted.
fn scalar(kind: &ShapeKind, value: &Value) -> Option<Value> {
    match (kind, value) {
        (_, Value::Null) => None,
        (ShapeKind::Any, _)
        | (ShapeKind::Bool, Value::Bool(_))
        | (ShapeKind::Float, Value::Float(_))
        | (ShapeKind::Usd, Value::Usd(_))
        | (ShapeKind::Duration, Value::Duration(_)) => Some(value.clone()),
        (ShapeKind::Int(bounds), Value::Int(int)) => in_bounds(*bounds, *int).then(|| value.clone()),
        (ShapeKind::String(most), Value::Str(text)) => short_enough(*most, text).then(|| value.clone()),
        (ShapeKind::Enum(members), Value::Str(text)) => members.contains(text).then(|| value.clone()),
        (ShapeKind::Float, Value::Int(int)) => Some(Value::Float(float_of_int(*int))),
        (ShapeKind::Usd, Value::Int(int)) => int.checked_mul(usd::ONE).map(Value::Usd),
        (ShapeKind::Usd, Value::Float(float)) => usd::from_float(*float).ok().map(Value::Usd),
        (ShapeKind::Usd, Value::Str(text)) => usd::parse(text).ok().map(Value::Usd),
        (ShapeKind::Duration, Value::Str(text)) => duration::parse(text).ok().map(Value::Duration),
        _ => None,
    }
}

/// A value in a few words.
pub(in crate::program) fn found(value: &Value) -> String {
    match value {
        Value::Str(text) => quote(text),
        Value::List(list) => match list.len() {
            0 => "an empty list".to_owned(),
            1 => "a list of 1 item".to_owned(),
            count => format!("a list of {count} items"),
        },
        Value::Map(map) => {
            let keys: Vec<String> = map.keys().take(5).map(|key| quote(key)).collect();
            match (keys.is_empty(), map.len() > keys.len()) {
                (true, _) => "an empty map".to_owned(),
                (_, false) => format!("a map with {}", keys.join(", ")),
                (_, true) => format!("a map with {}, …", keys.join(", ")),
            }
        }
        scalar => format!("{scalar:?}"),
    }
}

fn quote(text: &str) -> String {
    let short: String = text.chars().take(MAX_QUOTED_CHARS).collect();
    let more = if short.len() < text.len() { "…" } else { "" };
    format!("{short:?}{more}")
}

fn path_text(path: &[PathSeg]) -> String {
    let mut text = String::new();
    for segment in path {
        match segment {
            PathSeg::Index(index) => text.extend(["[", &index.to_string(), "]"]),
            PathSeg::Key(key) if is_name(key) => {
                if !text.is_empty() {
                    text.push('.');
                }
                text.push_str(key);
            }
            PathSeg::Key(key) => text.extend(["[", &quote(key), "]"]),
        }
    }
    text
}

fn is_name(key: &str) -> bool {
    let mut bytes = key.bytes();
    bytes.next().is_some_and(|first| first.is_ascii_alphabetic() || first == b'_')
        && bytes.all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}
