//! Classes of values: those that all conditions of a set of guards treat alike.

use crate::model::types::{Kind, Type};
use crate::value::{List, Map, Str, Value, float_of_int};

/// The most classes of one subject.
const MAX_CLASSES: usize = 1024;

/// The longest text, list or map that is made as an example.
const MAX_EXAMPLE_SIZE: i64 = 4096;

/// The greatest float up to which every whole number is one.
const MAX_WHOLE: f64 = 9_007_199_254_740_992.0;

/// The values that a subject is compared with.
#[derive(Debug, Clone, Default)]
pub(crate) struct Points {
    pub(crate) values: Vec<Value>,
    /// The numbers that its size is compared with.
    pub(crate) sizes: Vec<i64>,
    /// True if texts are compared by their order.
    pub(crate) ordered: bool,
}

/// An example of a class, or what stands for it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Example {
    /// There is no value: evaluating it fails.
    Failed,
    /// A value of the class.
    Value(Value),
}

/// A class of values.
#[derive(Debug, Clone)]
pub(crate) struct ValueClass {
    pub(crate) example: Example,
    /// More of its values, to try.
    pub(crate) others: Vec<Value>,
    /// The numbers in it, for whole numbers, amounts and durations.
    pub(super) range: Option<(i64, i64)>,
    /// The sizes of its texts, lists or maps.
    pub(super) sizes: Option<(i64, i64)>,
    /// False if the example is smaller than the values of the class are.
    pub(super) is_real: bool,
    /// True if it has one value only.
    pub(super) is_one: bool,
}

impl ValueClass {
    fn of(example: Example) -> Self {
        Self { example, others: Vec::new(), range: None, sizes: None, is_real: true, is_one: true }
    }

    fn one(value: Value) -> Self {
        Self::of(Example::Value(value))
    }

    fn many(value: Value) -> Self {
        Self { is_one: false, ..Self::one(value) }
    }

    /// A value of the class, if it has one.
    pub(crate) fn value(&self) -> Option<&Value> {
        match &self.example {
            Example::Value(value) => Some(value),
            Example::Failed => None,
        }
    }

    pub(super) fn is_null(&self) -> bool {
        self.value().is_some_and(Value::is_null)
    }

    /// True if it may have the value.
    pub(super) fn may_have(&self, value: &Value) -> bool {
        let Some(own) = self.value() else { return false };
        if let (Some((low, high)), Some(n)) = (self.range, whole(value)) {
            return own.type_name() == value.type_name() && low <= n && n <= high;
        }
        if self.is_one {
            return own == value && own.type_name() == value.type_name();
        }
        own.type_name() == value.type_name()
    }
}

/// The number of a whole number, an amount or a duration.
pub(super) const fn whole(value: &Value) -> Option<i64> {
    match value {
        Value::Int(n) | Value::Usd(n) | Value::Duration(n) => Some(*n),
        _ => None,
    }
}

/// The classes of a type by the points its values are compared with; [`None`] if they are too many. `range` holds
/// whole numbers to what is known of them.
pub(crate) fn classes(
    ty: &Type,
    can_fail: bool,
    range: (i64, i64),
    points: &Points,
) -> Option<Vec<ValueClass>> {
    let mut all = Vec::new();
    of_kind(&ty.kind, range, points, &mut all);
    if ty.nullable || matches!(ty.kind, Kind::Any | Kind::Null | Kind::Error) {
        all.push(ValueClass::one(Value::Null));
    }
    if can_fail {
        all.push(ValueClass::of(Example::Failed));
    }
    (all.len() <= MAX_CLASSES && !all.is_empty()).then_some(all)
}

fn of_kind(kind: &Kind, range: (i64, i64), points: &Points, all: &mut Vec<ValueClass>) {
    match kind {
        Kind::Bool => all.extend([true, false].map(|flag| ValueClass::one(Value::Bool(flag)))),
        Kind::Enum(members) => all.extend(members.members.iter().map(|member| text(member.clone()))),
        Kind::Int(bounds) => {
            let (low, high) = bounds.unwrap_or((i64::MIN, i64::MAX));
            numbers((low.max(range.0), high.min(range.1)), points, Value::Int, all);
        }
        Kind::Usd => numbers(range, points, Value::Usd, all),
        Kind::Duration => numbers(range, points, Value::Duration, all),
        Kind::Float => floats(points, all),
        Kind::String(most) => texts(*most, points, all),
        Kind::Type => texts(None, points, all),
        Kind::List(_, most) => sized(*most, points, true, all),
        Kind::Map(_) => sized(None, points, false, all),
        Kind::Record(_) => all.push(ValueClass::many(Value::Map(Map::new()))),
        Kind::Null => {}
        Kind::Any | Kind::Error => {
            all.extend([true, false].map(|flag| ValueClass::one(Value::Bool(flag))));
            let whole = (i64::MIN, i64::MAX);
            numbers(whole, points, Value::Int, all);
            floats(points, all);
            texts(None, points, all);
            numbers(whole, points, Value::Usd, all);
            numbers(whole, points, Value::Duration, all);
            sized(None, points, true, all);
            sized(None, points, false, all);
        }
    }
}

/// The intervals that points cut a range into, the points by themselves.
pub(super) fn intervals<T: Copy + Ord>(
    points: &mut Vec<T>,
    (low, high): (T, T),
    next: impl Fn(T) -> T,
    before: impl Fn(T) -> T,
) -> Vec<(T, T)> {
    points.sort_unstable();
    points.dedup();
    let mut all = Vec::new();
    if low > high {
        return all;
    }
    let mut from = low;
    for point in points.iter().copied().filter(|point| low <= *point && *point <= high) {
        if from < point {
            all.push((from, before(point)));
        }
        all.push((point, point));
        if point == high {
            return all;
        }
        from = next(point);
    }
    all.push((from, high));
    all
}

fn numbers(range: (i64, i64), points: &Points, make: fn(i64) -> Value, all: &mut Vec<ValueClass>) {
    let sample = make(0);
    let mut cuts = Vec::new();
    for point in &points.values {
        match point {
            // A whole number is compared with a float as one: up to this size both are exact.
            Value::Float(float) if matches!(sample, Value::Int(_)) && float.abs() < MAX_WHOLE => {
                #[expect(
                    clippy::cast_possible_truncation,
                    reason = "it is smaller than the greatest whole float"
                )]
                cuts.extend([float.floor() as i64, float.ceil() as i64]);
            }
            _ if point.type_name() == sample.type_name() => cuts.extend(whole(point)),
            _ => {}
        }
    }
    for (low, high) in intervals(&mut cuts, range, |n| n + 1, |n| n - 1) {
        let near = 0.clamp(low, high);
        let others = [low.saturating_add(1).min(high), low, high].map(make).to_vec();
        let class = ValueClass {
            others,
            range: Some((low, high)),
            is_one: low == high,
            ..ValueClass::many(make(near))
        };
        all.push(class);
    }
}

fn floats(points: &Points, all: &mut Vec<ValueClass>) {
    let mut cuts: Vec<f64> = points
        .values
        .iter()
        .filter_map(|point| match point {
            Value::Float(float) => Some(*float),
            Value::Int(n) => Some(float_of_int(*n)),
            _ => None,
        })
        .filter(|float| !float.is_nan())
        .collect();
    cuts.sort_by(f64::total_cmp);
    cuts.dedup_by(|a, b| a.partial_cmp(&b) == Some(std::cmp::Ordering::Equal));
    let mut below = None;
    for cut in cuts.iter().copied().map(Some).chain([None]) {
        if let Some(between) = between(below, cut) {
            all.push(ValueClass::many(Value::Float(between)));
        }
        if let Some(cut) = cut {
            all.push(ValueClass::one(Value::Float(cut)));
        }
        below = cut;
    }
    all.push(ValueClass::one(Value::Float(f64::NAN)));
}

/// A float strictly between two others, as near to 0 as is easily found.
fn between(low: Option<f64>, high: Option<f64>) -> Option<f64> {
    let fits = |float: &f64| low.is_none_or(|low| low < *float) && high.is_none_or(|high| *float < high);
    let middle = low.zip(high).map(|(low, high)| low / 2.0 + high / 2.0);
    let above = low.map(|low| low.floor() + 1.0);
    let under = high.map(|high| high.ceil() - 1.0);
    let next = low.map(f64::next_up);
    let last = high.map(f64::next_down);
    [Some(0.0), above, under, middle, next, last].into_iter().flatten().find(fits)
}

fn text(text: Str) -> ValueClass {
    let size = i64::try_from(text.chars().count()).unwrap_or(i64::MAX);
    ValueClass { sizes: Some((size, size)), ..ValueClass::one(Value::Str(text)) }
}

fn texts(most: Option<u64>, points: &Points, all: &mut Vec<ValueClass>) {
    let most = most.map_or(i64::MAX, |most| i64::try_from(most).unwrap_or(i64::MAX));
    let mut named: Vec<&Str> = points
        .values
        .iter()
        .filter_map(|point| match point {
            Value::Str(text) => Some(text),
            _ => None,
        })
        .collect();
    named.sort_unstable();
    named.dedup();
    let fits = |text: &Str| i64::try_from(text.chars().count()).is_ok_and(|size| size <= most);
    if points.ordered {
        ordered_texts(&named, fits, all);
        return;
    }
    all.extend(named.iter().filter(|text| fits(text)).map(|own| text((*own).clone())));
    let mut sizes = points.sizes.clone();
    for (low, high) in intervals(&mut sizes, (0, most), |n| n + 1, |n| n - 1) {
        if high == 0 {
            if !named.iter().any(|text| text.is_empty()) {
                all.push(text(Str::new()));
            }
            continue;
        }
        let size = 5.clamp(low.max(1), high);
        let shown = size.min(MAX_EXAMPLE_SIZE);
        let other = other_text(usize::try_from(shown).unwrap_or(0), &named);
        let class = ValueClass {
            sizes: Some((low, high)),
            is_real: shown == size,
            others: vec![Value::Str(Str::new()); usize::from(low == 0)],
            ..ValueClass::many(Value::Str(other))
        };
        all.push(class);
    }
}

/// A text of that size that is none of the named ones.
fn other_text(size: usize, named: &[&Str]) -> Str {
    let plain: String = "other".chars().chain(std::iter::repeat('x')).take(size).collect();
    let mut text = Str::from(plain.as_str());
    let last = plain.char_indices().last().map_or(0, |(at, _)| at);
    for letter in ('a'..='z').chain('\u{4e00}'..='\u{9fff}') {
        if !named.contains(&&text) {
            break;
        }
        text = plain[..last].into();
        text.push(letter);
    }
    text
}

fn ordered_texts(named: &[&Str], fits: impl Fn(&Str) -> bool, all: &mut Vec<ValueClass>) {
    let mut below: Option<&Str> = None;
    for cut in named.iter().copied().map(Some).chain([None]) {
        // The text that comes right after another one has a zero character more.
        let candidates = match below {
            None => vec![Str::new(), Str::from("a")],
            Some(below) => ["a", "!", "\0"].map(|more| Str::from(format!("{below}{more}"))).to_vec(),
        };
        let between = candidates
            .into_iter()
            .find(|text| below.is_none_or(|below| below < text) && cut.is_none_or(|cut| text < cut));
        if let Some(between) = between {
            let is_real = fits(&between);
            all.push(ValueClass { is_real, ..ValueClass::many(Value::Str(between)) });
        }
        if let Some(cut) = cut.filter(|cut| fits(cut)) {
            all.push(text(cut.clone()));
        }
        below = cut;
    }
}

/// Lists or maps by their sizes.
fn sized(most: Option<u64>, points: &Points, is_list: bool, all: &mut Vec<ValueClass>) {
    let most = most.map_or(i64::MAX, |most| i64::try_from(most).unwrap_or(i64::MAX));
    let mut sizes = points.sizes.clone();
    for (low, high) in intervals(&mut sizes, (0, most), |n| n + 1, |n| n - 1) {
        let size = low.min(MAX_EXAMPLE_SIZE);
        let value = if is_list {
            Value::List((0..size).map(|_| Value::Null).collect::<List>())
        } else {
            Value::Map((0..size).map(|i| (Str::from(format!("k{i}")), Value::Null)).collect::<Map>())
        };
        let class = ValueClass {
            sizes: Some((low, high)),
            is_real: size == low,
            is_one: high == 0,
            ..ValueClass::many(value)
        };
        all.push(class);
    }
}
