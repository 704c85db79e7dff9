//! The least and the greatest value of an integer.

/// The values of an integer that is there: if its expression has a value, it lies between these.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Range {
    pub(super) least: Option<i64>,
    pub(super) most: Option<i64>,
}

impl Range {
    pub(super) const fn of(value: i64) -> Self {
        Self { least: Some(value), most: Some(value) }
    }

    pub(super) const fn within((least, most): (i64, i64)) -> Self {
        Self { least: Some(least), most: Some(most) }
    }

    pub(super) fn or(self, other: Self) -> Self {
        Self {
            least: self.least.zip(other.least).map(|(a, b)| a.min(b)),
            most: self.most.zip(other.most).map(|(a, b)| a.max(b)),
        }
    }

    /// Both are true of one value.
    pub(super) fn and(self, other: Self) -> Self {
        let either = |a: Option<i64>, b: Option<i64>, both: fn(i64, i64) -> i64| match (a, b) {
            (Some(a), Some(b)) => Some(both(a, b)),
            (one, other) => one.or(other),
        };
        Self {
            least: either(self.least, other.least, i64::max),
            most: either(self.most, other.most, i64::min),
        }
    }

    pub(super) fn plus(self, other: Self) -> Self {
        // A sum that overflows has no value.
        let sum = |a: Option<i64>, b: Option<i64>| Some(a?.saturating_add(b?));
        Self { least: sum(self.least, other.least), most: sum(self.most, other.most) }
    }

    pub(super) fn negative(self) -> Self {
        // The least integer has no negative.
        Self { least: self.most.and_then(i64::checked_neg), most: self.least.and_then(i64::checked_neg) }
    }

    pub(super) fn times(self, other: Self) -> Self {
        let (Some(a), Some(b), Some(c), Some(d)) = (self.least, self.most, other.least, other.most) else {
            let known = self.least.is_some_and(|n| n >= 0) && other.least.is_some_and(|n| n >= 0);
            let least = self.least.zip(other.least).map(|(a, b)| a.saturating_mul(b));
            return Self { least: least.filter(|_| known), most: None };
        };
        let corners = [(a, c), (a, d), (b, c), (b, d)].map(|(a, b)| a.saturating_mul(b));
        Self { least: corners.into_iter().min(), most: corners.into_iter().max() }
    }
}
