//! Domains: the values of a type that a graph's uses tell apart, a representative of each class.

use crate::check::guard::class::{Points, classes};
use crate::check::guard::state::plain;
use crate::model::record::TypeTable;
use crate::model::types::{Kind, Type};
use crate::value::{List, Map, Str, Value};

use rustc_hash::FxHashSet;

use super::product::{Choices, MAX_COMBINED, product};
use super::region::{RegionId, Regions, SampledUse};
use super::wanted::WantedValues;

/// Types with at most so many values are tried in full.
const MAX_FINITE: u64 = 64;

/// Lists with at most so many items are tried in full, if there are not too many of them.
const MAX_ITEMS: u64 = 3;
const MAX_LISTS: usize = 400;

/// Lists longer than this are not made.
const MAX_LENGTH: i64 = 200;

/// Distinct values that nothing names, for values that are compared with each other.
const MAX_FRESH: usize = 3;

/// Maps that are tried where anything is wanted.
const MAX_OF_ANY: usize = 20;

/// Combinations of the fields of a value that lies in another one.
const MAX_NESTED: usize = 200;

/// The size of a long text, in characters.
const LONG_TEXT: usize = 120;

/// Values deeper than this are as plain as they can be.
const MAX_DEPTH: usize = 8;

/// A part of an answer whose values are not all stood for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SampledField {
    /// The path in the answer: `.items[].name`; empty for the answer itself.
    pub path: String,
    /// The use because of which it is sampled.
    pub used: SampledUse,
}

/// Makes the domains of one kind of answer.
pub(super) struct DomainMaker<'m> {
    pub(super) types: &'m TypeTable,
    pub(super) regions: &'m Regions,
    /// The values of a run that values of a region are compared with.
    pub(super) present: &'m dyn Fn(&[RegionId]) -> Vec<Value>,
    /// The parts that are sampled.
    pub(super) sampled: Vec<SampledField>,
    /// The path to the part that is made.
    path: Vec<String>,
    /// The regions of the values that it lies in.
    around: Vec<RegionId>,
    /// The schema that the part has to fit.
    wanted: WantedValues<'m>,
}

impl<'m> DomainMaker<'m> {
    pub(super) fn new(
        types: &'m TypeTable,
        regions: &'m Regions,
        present: &'m dyn Fn(&[RegionId]) -> Vec<Value>,
    ) -> Self {
        Self {
            types,
            regions,
            present,
            sampled: Vec::new(),
            path: Vec::new(),
            around: Vec::new(),
            wanted: WantedValues::default(),
        }
    }

    /// The values of a type in a region that a schema wants, the plainest first.
    pub(super) fn wanted(&mut self, ty: &Type, region: Option<RegionId>, schema: &'m Value) -> Vec<Value> {
        self.wanted = WantedValues::of(schema);
        let all = self.values(ty, region);
        self.wanted = WantedValues::default();
        all
    }

    /// The values of a type in a region, the plainest first.
    pub(super) fn values(&mut self, ty: &Type, region: Option<RegionId>) -> Vec<Value> {
        let region = region.map(|region| self.regions.find(region));
        let used = region.is_some_and(|region| self.regions.is_used(region));
        let mut all = match region {
            // What lies in itself is not taken apart once more.
            Some(region) if used && !self.around.contains(&region) && self.path.len() < MAX_DEPTH => {
                self.around.push(region);
                let all = self.used(ty, region);
                self.around.pop();
                all
            }
            _ => vec![self.plain(ty)],
        };
        if used && ty.nullable {
            all.push(Value::Null);
        }
        self.wanted.keep(&mut all, used);
        // An integer and a float of one value are different answers.
        let mut seen = FxHashSet::default();
        all.retain(|value| seen.insert((value.type_name(), value.clone())));
        all
    }

    /// The values of a part.
    fn part(&mut self, name: String, ty: &Type, region: Option<RegionId>) -> Vec<Value> {
        let outer = self.wanted;
        self.wanted = outer.part(&name);
        self.path.push(name);
        let values = self.values(ty, region);
        self.path.pop();
        self.wanted = outer;
        values
    }

    fn sample(&mut self, used: SampledUse) {
        let path = self.path.concat();
        if !self.sampled.iter().any(|own| own.path == path) {
            self.sampled.push(SampledField { path, used });
        }
    }

    /// The plainest value of a type that nothing depends on; texts are named after their place.
    fn plain(&mut self, ty: &Type) -> Value {
        match &ty.kind {
            Kind::String(most) => {
                let name = self.path.iter().rev().find_map(|step| step.strip_prefix('.')).unwrap_or("text");
                let most = most.map_or(usize::MAX, |most| usize::try_from(most).unwrap_or(usize::MAX));
                Value::from(name.chars().take(most).collect::<String>().as_str())
            }
            Kind::Any => Value::from("text"),
            Kind::Record(id) if self.path.len() < MAX_DEPTH => {
                let mut made = Map::new();
                for field in &*self.types.record(*id).fields {
                    self.path.push(format!(".{}", field.name));
                    made.insert(field.name.clone(), self.plain(&field.ty));
                    self.path.pop();
                }
                Value::Map(made)
            }
            _ => plain(&ty.clone().not_null(), self.types, 0),
        }
    }

    fn used(&mut self, ty: &Type, region: RegionId) -> Vec<Value> {
        let sampled = self.regions.get(region).sampled;
        match &ty.kind {
            Kind::Bool => vec![Value::Bool(false), Value::Bool(true)],
            Kind::Enum(members) => self.members(&members.members, region),
            Kind::Int(Some((low, high))) if is_small(*low, *high) && self.needs_all(region) => {
                let near = 0.clamp(*low, *high);
                let mut all: Vec<i64> = (*low..=*high).collect();
                all.sort_by_key(|n| n.abs_diff(near));
                all.into_iter().map(Value::Int).collect()
            }
            Kind::List(item, most) => self.lists(item, *most, region),
            Kind::Map(item) => self.maps(item, region),
            Kind::Record(id) => {
                let record = self.types.record(*id);
                let mut fields: Vec<(Str, Vec<Option<Value>>)> = Vec::new();
                for field in &*record.fields {
                    let own = self.regions.known_field(region, &field.name);
                    let values = self.part(format!(".{}", field.name), &field.ty, own);
                    fields.push((field.name.clone(), values.into_iter().map(Some).collect()));
                }
                self.records(&fields)
            }
            Kind::Any => self.anything(region),
            _ => {
                if let Some(used) = sampled {
                    self.sample(used);
                }
                self.scalars(ty, region)
            }
        }
    }

    /// True if values of the region differ by more than the constants that they are compared with.
    fn needs_all(&self, region: RegionId) -> bool {
        self.regions.get(region).sampled.is_some() || self.regions.is_compared(region)
    }

    fn members(&self, members: &[Str], region: RegionId) -> Vec<Value> {
        if self.needs_all(region) {
            return members.iter().cloned().map(Value::Str).collect();
        }
        let points = &self.regions.get(region).points;
        let is_point = |member: &Str| points.iter().any(|point| point.is_str(member));
        let other = members.iter().find(|member| !is_point(member));
        members
            .iter()
            .filter(|member| is_point(member) || Some(*member) == other)
            .cloned()
            .map(Value::Str)
            .collect()
    }

    /// The constants and values that values of a region are compared with.
    fn points(&self, region: RegionId) -> Points {
        let compared = self.regions.compared_with(region);
        let is_compared = self.regions.is_compared(region);
        let mut points = Points { sizes: self.regions.get(region).sizes.clone(), ..Points::default() };
        for own in &compared {
            let own = self.regions.get(*own);
            points.values.extend(own.points.iter().cloned());
            points.ordered |= own.is_ordered;
            if is_compared {
                points.values.extend(own.constants.iter().cloned());
            }
        }
        if is_compared {
            points.values.extend((self.present)(&compared));
        }
        points
    }

    fn scalars(&mut self, ty: &Type, region: RegionId) -> Vec<Value> {
        let own = self.regions.get(region).clone();
        let points = self.points(region);
        let bounds = match ty.kind {
            Kind::Int(Some(bounds)) => bounds,
            _ => (i64::MIN, i64::MAX),
        };
        let ty = ty.clone().not_null();
        let Some(found) = classes(&ty, false, bounds, &points) else { return vec![self.plain(&ty)] };
        let mut all: Vec<Value> = found.iter().rev().filter_map(|class| class.value().cloned()).collect();
        if !matches!(ty.kind, Kind::String(_)) {
            all.sort_by_key(magnitude);
        }
        if let Kind::String(most) = ty.kind {
            let most = most.map_or(usize::MAX, |most| usize::try_from(most).unwrap_or(usize::MAX));
            if self.regions.is_compared(region) {
                let fresh = (1..).map(|n| Value::from(format!("other {n}").as_str()));
                all.extend(fresh.filter(|text| !points.values.contains(text)).take(MAX_FRESH - 1));
            }
            if own.sampled.is_some() {
                all.extend([Value::from(""), Value::from("long ".repeat(LONG_TEXT / 5).as_str())]);
            }
            all.retain(|text| text.as_str().is_none_or(|text| text.chars().count() <= most));
        } else if own.sampled.is_some() {
            all.extend(found.iter().flat_map(|class| class.others.iter().cloned()));
        }
        all
    }

    fn lists(&mut self, item: &Type, most: Option<u64>, region: RegionId) -> Vec<Value> {
        let own = self.regions.get(region).clone();
        let items = self.part("[]".to_owned(), item, self.regions.known_item(region));
        let item_is_used = self.regions.known_item(region).is_some_and(|item| self.regions.is_used(item));
        let most = most.map_or(i64::MAX, |most| i64::try_from(most).unwrap_or(i64::MAX));
        let gone_through = own.is_iterated || item_is_used || own.sampled.is_some();
        let as_list = |items: &[&Value]| items.iter().map(|item| (*item).clone()).collect::<List>();
        if gone_through && most <= i64::try_from(MAX_ITEMS).unwrap_or(0) {
            let all = all_lists(&items, usize::try_from(most).unwrap_or(0));
            if let Some(all) = all {
                return all.iter().map(|list| Value::List(as_list(list))).collect();
            }
        }
        let first = &items[0];
        let mut sizes: Vec<i64> =
            own.sizes.iter().flat_map(|size| [size - 1, *size, size + 1]).chain([0, 1]).collect();
        sizes.retain(|size| (0..=most.min(MAX_LENGTH)).contains(size));
        sizes.sort_unstable();
        sizes.dedup();
        let mut all: Vec<Value> = Vec::new();
        for size in sizes {
            let list: Vec<&Value> = (0..size).map(|_| first).collect();
            all.push(Value::List(as_list(&list)));
        }
        if gone_through {
            let why = "gone through, and may be of any length";
            self.sample(own.sampled.unwrap_or(SampledUse { why, span: crate::source::Span::default() }));
            all.extend(items.iter().map(|item| Value::List(as_list(&[item]))));
            if most > 1 {
                let pairs = items.iter().flat_map(|one| items.iter().map(move |other| [one, other]));
                all.extend(pairs.take(MAX_LISTS / 4).map(|pair| Value::List(as_list(&pair))));
            }
        }
        all
    }

    fn maps(&mut self, item: &Type, region: RegionId) -> Vec<Value> {
        let own = self.regions.get(region).clone();
        let required = self.wanted.required();
        let mut names: Vec<Str> = self.regions.fields(region).map(|(name, _)| name.clone()).collect();
        names.extend(required.iter().cloned());
        names.sort_unstable();
        names.dedup();
        let mut fields: Vec<(Str, Vec<Option<Value>>)> = Vec::new();
        for name in names {
            let part = self.regions.known_field(region, &name);
            let values = self.part(format!(".{name}"), item, part);
            let none = (!required.contains(&name)).then_some(None);
            fields.push((name, none.into_iter().chain(values.into_iter().map(Some)).collect()));
        }
        let other = self.part("[]".to_owned(), item, self.regions.known_item(region));
        if own.is_iterated || own.sampled.is_some() || !own.sizes.is_empty() {
            let why = "gone through, and may have any keys";
            self.sample(own.sampled.unwrap_or(SampledUse { why, span: crate::source::Span::default() }));
            let values = std::iter::once(None).chain(other.into_iter().map(Some)).collect();
            fields.push(("key".into(), values));
        }
        self.records(&fields)
    }

    /// Values of any type: those that it is compared with, maps of the fields that are read, one of each kind.
    fn anything(&mut self, region: RegionId) -> Vec<Value> {
        let why = "of any type";
        let own = self.regions.get(region).sampled;
        self.sample(own.unwrap_or(SampledUse { why, span: crate::source::Span::default() }));
        let any = Type::of(Kind::Any);
        let mut all = vec![self.plain(&any), Value::Int(0), Value::Bool(true)];
        all.extend(self.points(region).values);
        let most = if self.wanted.is_given() { MAX_NESTED } else { MAX_OF_ANY };
        all.extend(self.maps(&any, region).into_iter().take(most));
        if let Some(item) = self.regions.known_item(region) {
            let items = self.part("[]".to_owned(), &any, Some(item));
            all.extend(items.into_iter().map(|item| Value::List(List::from_iter([item]))));
        }
        all
    }

    fn records(&mut self, fields: &[(Str, Vec<Option<Value>>)]) -> Vec<Value> {
        let most = if self.path.is_empty() { MAX_COMBINED } else { MAX_NESTED };
        let Choices { chosen, is_full } = product(fields, most);
        if !is_full {
            let why = "one of too many fields to be combined in full";
            self.sample(SampledUse { why, span: crate::source::Span::default() });
        }
        let made = chosen.into_iter().map(|fields| {
            let entries = fields.into_iter().filter_map(|(name, value)| Some((name, value?)));
            Value::Map(entries.collect::<Map>())
        });
        made.collect()
    }
}

const fn is_small(low: i64, high: i64) -> bool {
    high.abs_diff(low) < MAX_FINITE
}

/// Sorts values by how plain they are.
fn magnitude(value: &Value) -> (u64, bool) {
    match value {
        Value::Int(n) | Value::Usd(n) | Value::Duration(n) => (n.unsigned_abs(), *n < 0),
        Value::Float(float) if float.is_nan() => (u64::MAX, true),
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "an order needs no more")]
        Value::Float(float) => (float.abs() as u64, *float < 0.0),
        _ => (0, false),
    }
}

/// All lists of at most so many items; nothing if they are too many.
fn all_lists(items: &[Value], most: usize) -> Option<Vec<Vec<&Value>>> {
    let mut all: Vec<Vec<&Value>> = vec![Vec::new()];
    let mut last = 0;
    for _ in 0..most {
        let end = all.len();
        for at in last..end {
            for item in items {
                let longer: Vec<&Value> = all[at].iter().copied().chain([item]).collect();
                all.push(longer);
                if all.len() > MAX_LISTS {
                    return None;
                }
            }
        }
        last = end;
    }
    Some(all)
}
