//! Exact passage between integers and floats.

use std::cmp::Ordering;

/// 2^63, the first float above every `i64`.
const ABOVE: f64 = 9_223_372_036_854_775_808.0;

/// The integer part of `float`, if it is finite and fits.
#[must_use]
pub fn int_of_float(float: f64) -> Option<i64> {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the range is checked; cutting the fraction off is the purpose"
    )]
    (-ABOVE..ABOVE).contains(&float).then_some(float as i64)
}

/// The float nearest to `int`.
#[must_use]
pub const fn float_of_int(int: i64) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "rounding to the nearest float is the purpose")]
    {
        int as f64
    }
}

/// The integer that has exactly the value of `float`, if there is one.
pub(super) fn exact_int(float: f64) -> Option<i64> {
    int_of_float(float).filter(|_| float.fract() == 0.0)
}

/// Compares by exact value; `None` if the float is NaN.
pub(super) fn compare_int_float(int: i64, float: f64) -> Option<Ordering> {
    if float.is_nan() {
        return None;
    }
    let Some(whole) = int_of_float(float) else {
        return Some(if float > 0.0 { Ordering::Less } else { Ordering::Greater });
    };
    let fraction = float.fract();
    Some(int.cmp(&whole).then_with(|| 0.0.partial_cmp(&fraction).unwrap_or(Ordering::Equal)))
}
