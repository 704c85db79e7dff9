//! Values of types: the judge of them, and the ones that an adversary answers with.
//!
//! The judge goes by the declared types of the model, not by the shapes that a program fits values to.

use loopwright::model::record::TypeTable;
use loopwright::model::types::{Kind, Type};
use loopwright::value::{List, Map, Value};
use rand::Rng;
use rand::rngs::SmallRng;
use rand::seq::IndexedRandom;

/// The reason why a value does not belong to a type; nothing if it does.
pub(super) fn misfit(types: &TypeTable, ty: &Type, value: &Value) -> Option<String> {
    let wrong = || Some(format!("{} is no {:?}", value.to_json(), ty.kind));
    if value.is_null() {
        let fits = ty.nullable || matches!(ty.kind, Kind::Any | Kind::Null);
        return if fits { None } else { wrong() };
    }
    let fits = match (&ty.kind, value) {
        (Kind::Any, _)
        | (Kind::Bool, Value::Bool(_))
        | (Kind::Float, Value::Float(_))
        | (Kind::Usd, Value::Usd(_))
        | (Kind::Duration, Value::Duration(_))
        | (Kind::String(None) | Kind::Type, Value::Str(_))
        | (Kind::Int(None), Value::Int(_)) => true,
        (Kind::Int(Some((least, most))), Value::Int(n)) => least <= n && n <= most,
        (Kind::String(Some(most)), Value::Str(text)) => text.chars().count() as u64 <= *most,
        (Kind::Enum(words), Value::Str(text)) => words.members.iter().any(|word| word == text),
        (Kind::List(item, most), Value::List(list)) => {
            if most.is_some_and(|most| list.len() as u64 > most) {
                return wrong();
            }
            return list.iter().find_map(|value| misfit(types, item, value));
        }
        (Kind::Map(item), Value::Map(map)) => {
            return map.values().find_map(|value| misfit(types, item, value));
        }
        (Kind::Record(id), Value::Map(map)) => {
            let record = types.record(*id);
            if let Some(field) = record.fields.iter().find(|field| map.get(&field.name).is_none()) {
                return Some(format!("{} has no field {} of {}", value.to_json(), field.name, record.name));
            }
            let unknown = map.keys().find(|key| record.fields.iter().all(|field| field.name != **key));
            if let Some(key) = unknown.filter(|_| !record.open) {
                return Some(format!("{} has a field {key} that {} has not", value.to_json(), record.name));
            }
            return record.fields.iter().find_map(|field| misfit(types, &field.ty, map.get(&field.name)?));
        }
        _ => false,
    };
    if fits { None } else { wrong() }
}

/// Makes values up.
pub(super) struct ValueMaker<'a> {
    pub(super) types: &'a TypeTable,
    pub(super) random: &'a mut SmallRng,
}

impl ValueMaker<'_> {
    fn chance(&mut self, of: f64) -> bool {
        self.random.random_bool(of)
    }

    fn pick<T: Clone>(&mut self, from: &[T]) -> T {
        from.choose(self.random).cloned().expect("there are some")
    }

    /// A value of the type, often at its edge.
    pub(super) fn of(&mut self, ty: &Type, depth: u32) -> Value {
        if ty.nullable && self.chance(0.35) {
            return Value::Null;
        }
        match &ty.kind {
            Kind::Null | Kind::Error => Value::Null,
            Kind::Bool => Value::Bool(self.chance(0.5)),
            Kind::Int(None) => Value::Int(self.pick(&[0, 1, 2, 3, -1, 7, 100, i64::MAX, i64::MIN])),
            Kind::Int(Some((least, most))) => {
                let middle = self.random.random_range(*least..=*most);
                Value::Int(self.pick(&[*least, *most, middle]))
            }
            Kind::Float => Value::Float(self.pick(&[
                0.0,
                1.5,
                -2.0,
                1e300,
                f64::NAN,
                f64::INFINITY,
                f64::NEG_INFINITY,
                -0.0,
            ])),
            Kind::Usd => Value::Usd(self.pick(&[0, 500_000_000, -1, i64::MAX])),
            Kind::Duration => Value::Duration(self.pick(&[0, 1, 90_000_000_000, -5, i64::MAX])),
            Kind::String(most) => {
                let text = self.pick(&[
                    "",
                    "a",
                    "red",
                    "tower hill",
                    "7",
                    "-3",
                    "[1]",
                    "{\"k\": null}",
                    "aé😀",
                    "true",
                    "0",
                ]);
                let long = self.chance(0.05);
                let text = if long { "long ".repeat(200) } else { text.to_owned() };
                let most = usize::try_from(most.unwrap_or(u64::MAX)).unwrap_or(usize::MAX);
                Value::from(text.chars().take(most).collect::<String>().as_str())
            }
            Kind::Type => Value::from("int"),
            Kind::Enum(words) => Value::Str(self.pick(&words.members)),
            Kind::List(item, most) => {
                let most = most.unwrap_or(4).min(4);
                let count = if depth == 0 { 0 } else { self.random.random_range(0..=most) };
                let items: Vec<Value> = (0..count).map(|_| self.of(item, depth - 1)).collect();
                Value::List(List::from_iter(items))
            }
            Kind::Map(item) => {
                let mut map = Map::new();
                for key in ["a", "b", "c", "outcome"] {
                    if depth > 0 && self.chance(0.4) {
                        let value = self.of(item, depth - 1);
                        map.set(key, value);
                    }
                }
                Value::Map(map)
            }
            Kind::Record(id) => {
                let record = self.types.record(*id).clone();
                let mut map = Map::new();
                for field in &*record.fields {
                    let free = field.default.is_some() || field.ty.nullable || depth == 0;
                    if !(free && self.chance(0.4)) {
                        let value = self.of(&field.ty, depth.saturating_sub(1));
                        map.insert(field.name.clone(), value);
                    }
                }
                if record.open && self.chance(0.3) {
                    map.set("further", 1);
                }
                Value::Map(map)
            }
            Kind::Any => self.anything(depth),
        }
    }

    /// A value of any kind.
    pub(super) fn anything(&mut self, depth: u32) -> Value {
        match self.random.random_range(0..10) {
            0 => Value::Null,
            1 => Value::Bool(true),
            2 => Value::Int(self.pick(&[0, 3, -7])),
            3 => Value::Float(self.pick(&[0.5, f64::NAN])),
            4 => Value::from(self.pick(&["", "x", "red", "12"])),
            5 => Value::Duration(1),
            6 => Value::Usd(1),
            7 if depth > 0 => Value::List(List::from_iter([self.anything(depth - 1)])),
            8 if depth > 0 => {
                let mut map = Map::new();
                let key = self.pick(&["a", "k", "kind", "f0", "outcome"]);
                let value = self.anything(depth - 1);
                map.set(key, value);
                Value::Map(map)
            }
            _ => Value::from("any"),
        }
    }

    /// An answer: mostly of the type, at times of none.
    pub(super) fn answer(&mut self, ty: &Type) -> Value {
        if self.chance(0.85) {
            return self.of(ty, 3);
        }
        match (self.of(ty, 3), self.chance(0.5)) {
            (Value::Map(mut map), true) => {
                let first = map.keys().next().cloned();
                match first {
                    Some(key) if self.chance(0.5) => drop(map.remove(&key)),
                    _ => map.set("surplus", 1),
                }
                Value::Map(map)
            }
            (Value::Int(_), true) => Value::Int(1_000_000),
            _ => self.anything(2),
        }
    }
}
