//! Amounts of money as text: `0.5`, `-12.000000001`.

use super::text_fault::TextFault;

/// Billionths in one dollar.
pub const ONE: i64 = 1_000_000_000;

/// The amount in billionths that `text` writes: digits, and up to nine more after a point; a minus in front for a debt.
///
/// # Errors
/// [`TextFault`] if the text has another form or is beyond what 64 bits hold (about nine billion dollars).
pub fn parse(text: &str) -> Result<i64, TextFault> {
    let (negative, digits) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, "0"));
    let all_digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    if !all_digits(whole) || !all_digits(fraction) || fraction.len() > 9 {
        return Err(TextFault::Malformed);
    }
    let whole: i128 = whole.parse().map_err(|_| TextFault::OutOfRange)?;
    let fraction: i128 = format!("{fraction:0<9}").parse().map_err(|_| TextFault::Malformed)?;
    let nanos = whole
        .checked_mul(i128::from(ONE))
        .and_then(|nanos| nanos.checked_add(fraction))
        .ok_or(TextFault::OutOfRange)?;
    i64::try_from(if negative { -nanos } else { nanos }).map_err(|_| TextFault::OutOfRange)
}

/// The amount nearest to `dollars`, in billionths.
///
/// # Errors
/// [`TextFault::OutOfRange`] if it is not finite or beyond what 64 bits hold.
pub fn from_float(dollars: f64) -> Result<i64, TextFault> {
    if !dollars.is_finite() || dollars.abs() > 1e10 {
        return Err(TextFault::OutOfRange);
    }
    parse(&format!("{dollars:.9}"))
}

/// The amount as a number of dollars, rounded to the nearest float.
#[must_use]
pub fn to_float(nanos: i64) -> f64 {
    text(nanos).parse().unwrap_or(f64::NAN)
}

/// The shortest text for an amount in billionths: no trailing zeros, no point where none is needed.
#[must_use]
pub fn text(nanos: i64) -> String {
    let sign = if nanos < 0 { "-" } else { "" };
    let (whole, fraction) =
        (nanos.unsigned_abs() / ONE.unsigned_abs(), nanos.unsigned_abs() % ONE.unsigned_abs());
    if fraction == 0 {
        return format!("{sign}{whole}");
    }
    format!("{sign}{whole}.{}", format!("{fraction:09}").trim_end_matches('0'))
}
