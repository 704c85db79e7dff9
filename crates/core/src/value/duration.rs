//! Durations as text: `1m30s`, `250ms`, `-2h`.

use super::text_fault::TextFault;

/// The units, greatest first, with their nanoseconds.
pub const UNITS: [(&str, u64); 7] = [
    ("d", 86_400_000_000_000),
    ("h", 3_600_000_000_000),
    ("m", 60_000_000_000),
    ("s", 1_000_000_000),
    ("ms", 1_000_000),
    ("us", 1_000),
    ("ns", 1),
];

/// The nanoseconds that `text` writes: numbers (also with a point, `1.5h`) each followed by one of the units `ns us ms
/// s m h d`, with an optional minus in front of all; or `0`.
///
/// # Errors
/// [`TextFault`] if the text has another form or is beyond what 64 bits hold (about 292 years).
pub fn parse(text: &str) -> Result<i64, TextFault> {
    let (negative, mut rest) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
    if rest == "0" {
        return Ok(0);
    }
    if rest.is_empty() {
        return Err(TextFault::Malformed);
    }
    let mut total: i128 = 0;
    while !rest.is_empty() {
        let (nanos, after_term) = term(rest)?;
        total = total.checked_add(nanos).ok_or(TextFault::OutOfRange)?;
        rest = after_term;
    }
    i64::try_from(if negative { -total } else { total }).map_err(|_| TextFault::OutOfRange)
}

/// One number with its unit, and what is after it.
fn term(text: &str) -> Result<(i128, &str), TextFault> {
    let (whole, rest) = digits(text);
    let (fraction, rest) = rest.strip_prefix('.').map_or(("", rest), digits);
    if whole.is_empty() && fraction.is_empty() {
        return Err(TextFault::Malformed);
    }
    let letters = rest.find(|c: char| !c.is_alphabetic()).unwrap_or(rest.len());
    let (name, rest) = rest.split_at(letters);
    let name = if name == "\u{b5}s" || name == "\u{3bc}s" { "us" } else { name };
    let (_, unit) = UNITS.iter().find(|(unit, _)| *unit == name).ok_or(TextFault::Malformed)?;
    let unit = i128::from(*unit);
    let whole: i128 = if whole.is_empty() { 0 } else { whole.parse().map_err(|_| TextFault::OutOfRange)? };
    let nanos = whole.checked_mul(unit).ok_or(TextFault::OutOfRange)?;
    // Digits below a nanosecond of the greatest unit (a day has 14 places) cannot matter.
    let fraction = fraction.get(..fraction.len().min(15)).unwrap_or(fraction);
    let scale = 10_i128.pow(u32::try_from(fraction.len()).unwrap_or(0));
    let part: i128 =
        if fraction.is_empty() { 0 } else { fraction.parse().map_err(|_| TextFault::Malformed)? };
    Ok((nanos.checked_add(part * unit / scale).ok_or(TextFault::OutOfRange)?, rest))
}

fn digits(text: &str) -> (&str, &str) {
    text.split_at(text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len()))
}

/// The text of a duration in nanoseconds, greatest unit first, each unit a whole number: `1d2h`, `1m30s`, `0s`.
#[must_use]
pub fn text(nanos: i64) -> String {
    if nanos == 0 {
        return "0s".to_owned();
    }
    let mut text = String::from(if nanos < 0 { "-" } else { "" });
    let mut rest = nanos.unsigned_abs();
    for (name, unit) in UNITS {
        let count = rest / unit;
        if count > 0 {
            text.push_str(&count.to_string());
            text.push_str(name);
        }
        rest %= unit;
    }
    text
}

/// The text CEL gives a duration: all of it in seconds, `90s`, `0.25s`.
#[must_use]
pub fn seconds_text(nanos: i64) -> String {
    format!("{}s", super::usd::text(nanos))
}
