//! Numbers, durations and strings: from their text to their value.

use super::fault::Fault;
use crate::diag::rule;
use crate::syntax::ast::Literal;
use crate::value::duration::UNITS;

/// Reads a number or a duration; `negative` says that a `-` is before it. `at` is where the text begins.
pub(super) fn number(text: &str, negative: bool, at: usize) -> Result<Literal, Fault> {
    let here = (at, at + text.len());
    if let Some(hex) = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        return hexadecimal(hex, negative, here);
    }
    if text.bytes().all(|b| b.is_ascii_digit()) {
        return integer(text.parse::<u64>().ok(), negative, here);
    }
    if let Some(digits) = text.strip_suffix(['u', 'U'])
        && digits.bytes().all(|b| b.is_ascii_digit())
    {
        return Err(unsigned(digits, here));
    }
    if text.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'.' | b'e' | b'E' | b'+' | b'-')) {
        return match text.parse::<f64>() {
            Ok(value) if value.is_finite() => Ok(Literal::Float(if negative { -value } else { value })),
            Ok(_) => Err(Fault::new(rule::NUMBER_RANGE, here, format!("`{text}` is larger than any float"))),
            Err(_) => Err(Fault::syntax(here, format!("`{text}` is not a number"))),
        };
    }
    duration(text, negative, here)
}

fn hexadecimal(hex: &str, negative: bool, here: (usize, usize)) -> Result<Literal, Fault> {
    if let Some(digits) = hex.strip_suffix(['u', 'U']) {
        return Err(unsigned(&format!("0x{digits}"), here));
    }
    if hex.is_empty() || !hex.bytes().all(|b| b.is_ascii_hexdigit()) {
        return Err(Fault::syntax(here, format!("`0x{hex}` is not a hexadecimal number"))
            .help("after `0x` write digits and the letters a to f"));
    }
    integer(u64::from_str_radix(hex, 16).ok(), negative, here)
}

fn unsigned(digits: &str, here: (usize, usize)) -> Fault {
    Fault::new(
        rule::UNSUPPORTED_LITERAL,
        here,
        "unsigned integers (suffix `u`) are not part of this language",
    )
    .help(format!("all integers are signed: write `{digits}`"))
}

fn integer(magnitude: Option<u64>, negative: bool, here: (usize, usize)) -> Result<Literal, Fault> {
    magnitude.and_then(|m| signed(m, negative)).map(Literal::Int).ok_or_else(|| {
        Fault::new(rule::NUMBER_RANGE, here, "this integer does not fit into 64 bits").help(
            "integers go from -9223372036854775808 to 9223372036854775807; write a float (`1e19`) for more",
        )
    })
}

fn signed(magnitude: u64, negative: bool) -> Option<i64> {
    let value = i128::from(magnitude);
    i64::try_from(if negative { -value } else { value }).ok()
}

fn duration(text: &str, negative: bool, here: (usize, usize)) -> Result<Literal, Fault> {
    let mut rest = text;
    let mut total: i128 = 0;
    let mut next_unit = 0;
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
        let (amount, tail) = rest.split_at(digits);
        let letters = tail.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(tail.len());
        let (unit, tail) = tail.split_at(letters);
        let Some(index) = UNITS.iter().position(|(name, _)| *name == unit) else {
            return Err(not_a_number(text, unit, here));
        };
        if index < next_unit {
            return Err(Fault::syntax(here, format!("the units of `{text}` are out of order"))
                .help("each unit occurs once, the longest first: `1h30m`"));
        }
        next_unit = index + 1;
        let part = scaled(amount, UNITS[index].1).ok_or_else(|| {
            Fault::syntax(here, format!("`{amount}{unit}` is not a whole number of nanoseconds"))
        })?;
        total = total.saturating_add(part);
        rest = tail;
    }
    let total = if negative { -total } else { total };
    i64::try_from(total).map(Literal::Duration).map_err(|_| {
        Fault::new(rule::NUMBER_RANGE, here, format!("the duration `{text}` is too long"))
            .help("the longest is about 292 years")
    })
}

fn not_a_number(text: &str, unit: &str, here: (usize, usize)) -> Fault {
    let fault = Fault::syntax(here, format!("`{text}` is neither a number nor a duration"));
    if unit.is_empty() {
        fault.help("every part of a duration has a unit: `1m30s`")
    } else if unit.eq_ignore_ascii_case("usd") {
        fault.help(format!("an amount of money is a number alone: `{}`", text.trim_end_matches(unit)))
    } else {
        fault.help("the units of durations are d h m s ms us ns; a name does not begin with a digit")
    }
}

/// `amount * unit`, exact; [`None`] when it is no whole number or far too large.
fn scaled(amount: &str, unit: u64) -> Option<i128> {
    let (whole, fraction) = amount.split_once('.').unwrap_or((amount, ""));
    if fraction.len() > 18
        || whole.len() > 20
        || fraction.contains('.')
        || whole.is_empty() && fraction.is_empty()
    {
        return None;
    }
    let whole: i128 = if whole.is_empty() { 0 } else { whole.parse().ok()? };
    let mut total = whole * i128::from(unit);
    if !fraction.is_empty() {
        let scale = 10_i128.pow(u32::try_from(fraction.len()).ok()?);
        let part = fraction.parse::<i128>().ok()? * i128::from(unit);
        if part % scale != 0 {
            return None;
        }
        total += part / scale;
    }
    Some(total)
}

/// Reads a quoted text with its prefix and quotes. `at` is where it begins.
pub(super) fn string(token: &str, at: usize) -> Result<String, Fault> {
    let quote = token.find(['\'', '"']).unwrap_or(0);
    let (prefix, quoted) = token.split_at(quote);
    if prefix.contains(['b', 'B']) {
        return Err(Fault::new(
            rule::UNSUPPORTED_LITERAL,
            (at, at + token.len()),
            "bytes literals are not part of this language",
        )
        .help(format!("texts are strings: write `{}`", super::message::clip(quoted))));
    }
    let width =
        if quoted.len() >= 6 && (quoted.starts_with("'''") || quoted.starts_with("\"\"\"")) { 3 } else { 1 };
    let body = quoted.get(width..quoted.len().saturating_sub(width)).unwrap_or_default();
    if !prefix.is_empty() || !body.contains('\\') {
        return Ok(body.to_owned());
    }
    unescape(body, at + quote + width)
}

fn unescape(body: &str, at: usize) -> Result<String, Fault> {
    let mut out = String::with_capacity(body.len());
    let mut rest = body;
    while let Some(slash) = rest.find('\\') {
        out.push_str(&rest[..slash]);
        let offset = at + (body.len() - rest.len()) + slash;
        let (c, used) = escape(&rest[slash + 1..]).map_err(|used| {
            let end = slash + 1 + used;
            let shown = rest.get(slash..end).unwrap_or("\\");
            Fault::new(rule::EXPRESSION_SYNTAX, (offset, offset + 1 + used), format!("`{shown}` is not an escape"))
                .help("the escapes are \\n \\t \\r \\\\ \\' \\\" \\a \\b \\f \\v \\? \\` \\x41 \\101 \\u0041 \\U00000041; a raw string r'…' takes `\\` as it is")
        })?;
        out.push(c);
        rest = &rest[slash + 1 + used..];
    }
    out.push_str(rest);
    Ok(out)
}

/// The character an escape stands for and the bytes used after the backslash; the error is the bytes of the bad one.
pub(in crate::syntax) fn escape(rest: &str) -> Result<(char, usize), usize> {
    let Some(first) = rest.chars().next() else { return Err(0) };
    let simple = match first {
        'a' => '\u{7}',
        'b' => '\u{8}',
        'f' => '\u{c}',
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        'v' => '\u{b}',
        '\\' | '?' | '"' | '\'' | '`' => first,
        'x' | 'X' => return coded(rest, 1, 2, 16),
        'u' => return coded(rest, 1, 4, 16),
        'U' => return coded(rest, 1, 8, 16),
        '0'..='3' => return coded(rest, 0, 3, 8),
        _ => return Err(first.len_utf8()),
    };
    Ok((simple, 1))
}

fn coded(rest: &str, skip: usize, digits: usize, radix: u32) -> Result<(char, usize), usize> {
    let bad = || {
        let taken = rest.char_indices().take(skip + digits).last();
        taken.map_or(0, |(i, c)| i + c.len_utf8())
    };
    let code = rest.get(skip..skip + digits).ok_or_else(bad)?;
    if !code.bytes().all(|b| b.is_ascii_hexdigit()) {
        return Err(bad());
    }
    let value = u32::from_str_radix(code, radix).map_err(|_| bad())?;
    char::from_u32(value).map(|c| (c, skip + digits)).ok_or_else(bad)
}
