//! Equality, the total order and the hash that agrees with it.

use std::cmp::Ordering;
use std::hash::{DefaultHasher, Hash, Hasher};

use super::number::{compare_int_float, exact_int, float_of_int};
use super::same_text::same_text;
use super::{List, Map, Value};

impl Value {
    /// The language's `==`: an integer and a float compare as floats (as in CEL), NaN is equal to nothing, values of
    /// different types are not equal, maps compare without regard to order.
    #[must_use]
    #[inline]
    pub fn equals(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Str(one), Self::Str(two)) => same_text(one, two),
            (Self::Null, _) => other.is_null(),
            (_, Self::Null) => false,
            (Self::Bool(one), Self::Bool(two)) => one == two,
            (Self::Int(one), Self::Int(two)) => one == two,
            _ => self.equals_other(other),
        }
    }

    fn equals_other(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Float(one), Self::Float(two)) => one.partial_cmp(two) == Some(Ordering::Equal),
            (Self::Int(int), Self::Float(float)) | (Self::Float(float), Self::Int(int)) => {
                float_of_int(*int).partial_cmp(float) == Some(Ordering::Equal)
            }
            (Self::List(one), Self::List(two)) => {
                one.len() == two.len() && one.iter().zip(two).all(|(one, two)| one.equals(two))
            }
            (Self::Map(one), Self::Map(two)) => same_entries(one, two, Self::equals),
            _ => self == other,
        }
    }

    /// The language's `<` for two values of one kind (numbers mix): `None` where there is no order, as with NaN, null,
    /// lists, maps or different types.
    #[must_use]
    pub fn compare(&self, other: &Self) -> Option<Ordering> {
        match (self, other) {
            (Self::Bool(one), Self::Bool(two)) => Some(one.cmp(two)),
            (Self::Int(one), Self::Int(two))
            | (Self::Usd(one), Self::Usd(two))
            | (Self::Duration(one), Self::Duration(two)) => Some(one.cmp(two)),
            (Self::Float(one), Self::Float(two)) => one.partial_cmp(two),
            (Self::Int(int), Self::Float(float)) => float_of_int(*int).partial_cmp(float),
            (Self::Float(float), Self::Int(int)) => float.partial_cmp(&float_of_int(*int)),
            (Self::Str(one), Self::Str(two)) => Some(one.as_str().cmp(two.as_str())),
            _ => None,
        }
    }

    /// The place of the value's kind in the total order; the two kinds of numbers share one.
    const fn rank(&self) -> u8 {
        match self {
            Self::Null => 0,
            Self::Bool(_) => 1,
            Self::Int(_) | Self::Float(_) => 2,
            Self::Usd(_) => 3,
            Self::Duration(_) => 4,
            Self::Str(_) => 5,
            Self::List(_) => 6,
            Self::Map(_) => 7,
        }
    }
}

impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Null, Self::Null) => true,
            (Self::Bool(one), Self::Bool(two)) => one == two,
            (Self::Int(one), Self::Int(two))
            | (Self::Usd(one), Self::Usd(two))
            | (Self::Duration(one), Self::Duration(two)) => one == two,
            (Self::Float(one), Self::Float(two)) => one == two || (one.is_nan() && two.is_nan()),
            (Self::Int(int), Self::Float(float)) | (Self::Float(float), Self::Int(int)) => {
                compare_int_float(*int, *float) == Some(Ordering::Equal)
            }
            (Self::Str(one), Self::Str(two)) => one == two,
            (Self::List(one), Self::List(two)) => one == two,
            (Self::Map(one), Self::Map(two)) => one == two,
            _ => false,
        }
    }
}

impl Eq for Value {}

impl PartialOrd for Value {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Value {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::List(one), Self::List(two)) => one.cmp(two),
            (Self::Map(one), Self::Map(two)) => one.cmp(two),
            (Self::Float(one), Self::Float(two)) if one.is_nan() || two.is_nan() => {
                one.is_nan().cmp(&two.is_nan())
            }
            (Self::Int(int), Self::Float(float)) => compare_int_float(*int, *float).unwrap_or(Ordering::Less),
            (Self::Float(float), Self::Int(int)) => {
                compare_int_float(*int, *float).map_or(Ordering::Greater, Ordering::reverse)
            }
            _ => self.compare(other).unwrap_or_else(|| self.rank().cmp(&other.rank())),
        }
    }
}

impl Hash for Value {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u8(self.rank());
        match self {
            Self::Null => {}
            Self::Bool(value) => state.write_u8(u8::from(*value)),
            Self::Int(value) | Self::Usd(value) | Self::Duration(value) => state.write_i64(*value),
            Self::Float(value) => match exact_int(*value) {
                Some(int) => state.write_i64(int),
                None if value.is_nan() => state.write_u64(f64::NAN.to_bits()),
                None => state.write_u64(value.to_bits()),
            },
            Self::Str(value) => value.as_str().hash(state),
            Self::List(value) => value.hash(state),
            Self::Map(value) => value.hash(state),
        }
    }
}

impl PartialEq for List {
    fn eq(&self, other: &Self) -> bool {
        self.same(other) || (self.len() == other.len() && self.iter().eq(other.iter()))
    }
}

impl Eq for List {}

impl PartialOrd for List {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for List {
    fn cmp(&self, other: &Self) -> Ordering {
        if self.same(other) { Ordering::Equal } else { self.iter().cmp(other.iter()) }
    }
}

impl Hash for List {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_usize(self.len());
        self.iter().for_each(|item| item.hash(state));
    }
}

impl PartialEq for Map {
    fn eq(&self, other: &Self) -> bool {
        self.same(other) || same_entries(self, other, Value::eq)
    }
}

impl Eq for Map {}

impl PartialOrd for Map {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Map {
    fn cmp(&self, other: &Self) -> Ordering {
        if self.same(other) { Ordering::Equal } else { self.sorted().cmp(&other.sorted()) }
    }
}

impl Hash for Map {
    /// Adds up one hash per entry, so that the order of the entries does not matter.
    fn hash<H: Hasher>(&self, state: &mut H) {
        let sum = self.iter().fold(0_u64, |sum, entry| {
            let mut hasher = DefaultHasher::new();
            entry.hash(&mut hasher);
            sum.wrapping_add(hasher.finish())
        });
        state.write_usize(self.len());
        state.write_u64(sum);
    }
}

fn same_entries(one: &Map, two: &Map, same: impl Fn(&Value, &Value) -> bool) -> bool {
    one.len() == two.len()
        && one
            .iter()
            .enumerate()
            .all(|(place, (key, value))| two.get_at(place, key).is_some_and(|other| same(value, other)))
}
