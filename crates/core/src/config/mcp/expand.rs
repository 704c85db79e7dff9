//! `${VAR}` and `${VAR:-default}` in imported files.

use std::borrow::Cow;
use std::ffi::OsString;

/// A variable that is not set and has no default.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the variable {0} is not set, or is no text")]
pub struct UnsetVariable(pub String);

/// A text with the values of its variables. `env` looks one up.
///
/// # Errors
/// One is not set and has no default.
pub fn expanded<'t>(
    text: &'t str,
    env: &dyn Fn(&str) -> Option<OsString>,
) -> Result<Cow<'t, str>, UnsetVariable> {
    if !text.contains("${") {
        return Ok(Cow::Borrowed(text));
    }
    let mut out = String::new();
    for piece in pieces(text) {
        match piece {
            ExpandedPiece::Text(plain) => out.push_str(plain),
            ExpandedPiece::Variable { name, default } => {
                match env(name).and_then(|value| value.into_string().ok()) {
                    Some(value) if !(value.is_empty() && default.is_some()) => out.push_str(&value),
                    _ => out.push_str(default.ok_or_else(|| UnsetVariable(name.to_owned()))?),
                }
            }
        }
    }
    Ok(Cow::Owned(out))
}

/// A text with the defaults of its variables, whatever their values are. A variable that has none has its value; where that is
/// not set, it stays as it is written.
#[must_use]
pub fn by_default(text: &str, env: &dyn Fn(&str) -> Option<OsString>) -> String {
    let filled = pieces(text).into_iter().map(|piece| match piece {
        ExpandedPiece::Text(plain) => plain.to_owned(),
        ExpandedPiece::Variable { default: Some(default), .. } => default.to_owned(),
        ExpandedPiece::Variable { name, default: None } => {
            let value = env(name).and_then(|value| value.into_string().ok());
            value.unwrap_or_else(|| format!("${{{name}}}"))
        }
    });
    filled.collect()
}

/// The names of the variables in a text.
pub(super) fn variables(text: &str) -> impl Iterator<Item = &str> {
    pieces(text).into_iter().filter_map(|piece| match piece {
        ExpandedPiece::Variable { name, .. } => Some(name),
        ExpandedPiece::Text(_) => None,
    })
}

enum ExpandedPiece<'t> {
    Text(&'t str),
    Variable { name: &'t str, default: Option<&'t str> },
}

/// A text that has the form of no variable stays as it is.
fn pieces(text: &str) -> Vec<ExpandedPiece<'_>> {
    let mut pieces = Vec::new();
    let (mut plain, mut from) = (0, 0);
    while let Some(at) = text[from..].find("${").map(|at| from + at) {
        let Some(end) = text[at..].find('}').map(|end| at + end) else { break };
        let inner = &text[at + 2..end];
        let (name, default) = match inner.split_once(":-") {
            Some((name, default)) => (name, Some(default)),
            None => (inner, None),
        };
        // Some programs write the kind of a variable before it.
        let name = name.strip_prefix("env:").unwrap_or(name);
        from = end + 1;
        if is_variable(name) {
            pieces.push(ExpandedPiece::Text(&text[plain..at]));
            pieces.push(ExpandedPiece::Variable { name, default });
            plain = from;
        }
    }
    pieces.push(ExpandedPiece::Text(&text[plain..]));
    pieces
}

fn is_variable(name: &str) -> bool {
    let fits = |(at, b): (usize, u8)| b == b'_' || b.is_ascii_alphabetic() || at > 0 && b.is_ascii_digit();
    !name.is_empty() && name.bytes().enumerate().all(fits)
}

#[cfg(test)]
mod tests {
    use super::{UnsetVariable, by_default, expanded, variables};

    #[test]
    fn variables_are_filled_in_and_defaults_where_they_are_not_set() {
        let env = |name: &str| match name {
            "A" => Some("1".into()),
            "EMPTY" => Some("".into()),
            _ => None,
        };
        let all = |text| expanded(text, &env).map(std::borrow::Cow::into_owned);
        assert_eq!(all("a ${A}${B:-x}${EMPTY:-y}${EMPTY}${env:A}").as_deref(), Ok("a 1xy1"));
        assert_eq!(all("${B}"), Err(UnsetVariable("B".to_owned())));
        assert_eq!(all("$A ${} ${a b} ${A").as_deref(), Ok("$A ${} ${a b} ${A"));
        assert_eq!(by_default("a ${A}${A:-x}${EMPTY:-y}${B}", &env), "a 1xy${B}");
        assert_eq!(variables("${A} ${B:-c} ${1}").collect::<Vec<_>>(), ["A", "B"]);
    }
}
