//! The argument list of a command with places for the call's arguments.
//!
//! `{name}` stands for an argument; `{{` and `}}` are braces. There is no shell: each element of the list reaches the
//! program as one argument, whatever its text is.

use crate::value::{List, Map, Str, Value, json};

/// One element of a command's argument list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Argument {
    /// A text without arguments of the call.
    Fixed(String),
    /// `{name}` alone: a list fills in as many elements as it has items, a missing or null argument none.
    Whole(Str),
    /// `{name}` inside other text: a missing or null argument is empty there.
    Mixed(Vec<ArgumentPiece>),
}

/// A part of an [`Argument::Mixed`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ArgumentPiece {
    /// Text as it is.
    Text(String),
    /// The value of an argument.
    Field(Str),
}

/// An error of writing the arguments of a call into an argument list.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ArgumentFault {
    /// A zero byte cannot be handed to a program.
    #[error("`{0}` contains a zero byte")]
    Zero(Str),
    /// A text that the program would take for an option.
    #[error("`{0}` begins with `-`: the program would read it as an option")]
    Option(Str),
}

impl Argument {
    /// Reads one element.
    ///
    /// # Errors
    /// A brace without its partner, or braces around something that is no name: what is wrong.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut pieces = Vec::new();
        let mut plain = String::new();
        let mut rest = text;
        while let Some(at) = rest.find(['{', '}']) {
            plain.push_str(&rest[..at]);
            let brace = &rest[at..=at];
            rest = &rest[at + 1..];
            if let Some(after) = rest.strip_prefix(brace) {
                plain.push_str(brace);
                rest = after;
                continue;
            }
            if brace == "}" {
                return Err("a `}` without its `{`".to_owned());
            }
            let (name, after) = rest.split_once('}').ok_or("a `{` without its `}`")?;
            if !is_name(name) {
                return Err(format!("`{{{name}}}` is not the name of an argument"));
            }
            if !plain.is_empty() {
                pieces.push(ArgumentPiece::Text(std::mem::take(&mut plain)));
            }
            pieces.push(ArgumentPiece::Field(name.into()));
            rest = after;
        }
        plain.push_str(rest);
        if pieces.is_empty() {
            return Ok(Self::Fixed(plain));
        }
        if !plain.is_empty() {
            pieces.push(ArgumentPiece::Text(plain));
        }
        match pieces.as_slice() {
            [ArgumentPiece::Field(name)] => Ok(Self::Whole(name.clone())),
            _ => Ok(Self::Mixed(pieces)),
        }
    }

    /// The arguments it names.
    pub fn names(&self) -> impl Iterator<Item = &Str> {
        let (whole, pieces) = match self {
            Self::Fixed(_) => (None, &[][..]),
            Self::Whole(name) => (Some(name), &[][..]),
            Self::Mixed(pieces) => (None, pieces.as_slice()),
        };
        let inner = pieces.iter().filter_map(|piece| match piece {
            ArgumentPiece::Field(name) => Some(name),
            ArgumentPiece::Text(_) => None,
        });
        whole.into_iter().chain(inner)
    }
}

/// The argument list of one call. With `dashes` a filled-in text may begin with `-`; without, it may only after an
/// element `--`.
///
/// # Errors
/// The first argument that cannot be handed over.
pub fn fill(list: &[Argument], args: &Map, dashes: bool) -> Result<Vec<String>, ArgumentFault> {
    let mut filled = Vec::with_capacity(list.len());
    let mut dashes = dashes;
    for argument in list {
        match argument {
            Argument::Fixed(text) => {
                dashes |= text == "--";
                filled.push(text.clone());
            }
            Argument::Whole(name) => match args.get(name) {
                None | Some(Value::Null) => {}
                Some(Value::List(items)) => spread(name, items, dashes, &mut filled)?,
                Some(value) => filled.push(checked(name, value, text_of(value), dashes)?),
            },
            Argument::Mixed(pieces) => filled.push(mixed(pieces, args, dashes)?),
        }
    }
    Ok(filled)
}

fn spread(name: &Str, items: &List, dashes: bool, filled: &mut Vec<String>) -> Result<(), ArgumentFault> {
    for item in items {
        filled.push(checked(name, item, text_of(item), dashes)?);
    }
    Ok(())
}

fn mixed(pieces: &[ArgumentPiece], args: &Map, dashes: bool) -> Result<String, ArgumentFault> {
    let mut text = String::new();
    // The argument that the element begins with, and whether any of its arguments is a text with something in it.
    let (mut first, mut worded) = (None, false);
    for piece in pieces {
        match piece {
            ArgumentPiece::Text(plain) => text.push_str(plain),
            ArgumentPiece::Field(name) => {
                let value = args.get(name).unwrap_or(&Value::Null);
                let part = if value.is_null() { String::new() } else { text_of(value) };
                if text.is_empty() && !part.is_empty() {
                    first = Some(name);
                }
                worded |= value.as_str().is_some_and(|text| !text.is_empty());
                text.push_str(&without_zero(name, part)?);
            }
        }
    }
    // The finished element decides what the program sees. A number may be negative, but not lead a text: `-3` and `x`
    // would be options together.
    match first {
        Some(name) if !dashes && worded && text.starts_with('-') => Err(ArgumentFault::Option(name.clone())),
        _ => Ok(text),
    }
}

/// A text passes unless it holds a zero byte or may be taken for an option; a negative number is none.
fn checked(name: &Str, value: &Value, text: String, dashes: bool) -> Result<String, ArgumentFault> {
    if !dashes && text.starts_with('-') && value.as_str().is_some() {
        return Err(ArgumentFault::Option(name.clone()));
    }
    without_zero(name, text)
}

fn without_zero(name: &Str, text: String) -> Result<String, ArgumentFault> {
    if text.contains('\0') { Err(ArgumentFault::Zero(name.clone())) } else { Ok(text) }
}

/// Texts as they are, everything else as JSON.
fn text_of(value: &Value) -> String {
    value.as_str().map_or_else(|| plain(value), str::to_owned)
}

fn plain(value: &Value) -> String {
    match value {
        // Money and durations are quoted texts in JSON; a program wants them bare.
        Value::Usd(_) | Value::Duration(_) => value.to_json().as_str().unwrap_or_default().to_owned(),
        _ => json::canonical(value),
    }
}

fn is_name(name: &str) -> bool {
    name.bytes().enumerate().all(|(i, b)| b == b'_' || b.is_ascii_alphabetic() || i > 0 && b.is_ascii_digit())
        && !name.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(elements: &[&str]) -> Vec<Argument> {
        elements.iter().map(|text| Argument::parse(text).expect("a good element")).collect()
    }

    fn args() -> Map {
        [
            ("n", Value::Int(-3)),
            ("text", Value::from("a b; rm -rf $HOME")),
            ("flag", Value::from("--exec")),
            ("files", Value::from(vec!["one", "two"])),
            ("none", Value::Null),
        ]
        .into_iter()
        .collect()
    }

    #[test]
    fn fills_in_without_a_shell() {
        let filled = fill(
            &list(&["grep", "-m{n}", "{text}", "{files}", "{none}", "{missing}", "{{x}}"]),
            &args(),
            false,
        );
        assert_eq!(
            filled,
            Ok(["grep", "-m-3", "a b; rm -rf $HOME", "one", "two", "{x}"].map(str::to_owned).to_vec())
        );
    }

    #[test]
    fn a_text_is_no_option() {
        let fault = Err(ArgumentFault::Option("flag".into()));
        assert_eq!(fill(&list(&["find", "{flag}"]), &args(), false), fault);
        assert_eq!(fill(&list(&["find", "{flag}/x"]), &args(), false), fault);
        assert!(fill(&list(&["find", "--", "{flag}"]), &args(), false).is_ok());
        assert!(fill(&list(&["find", "--name={flag}"]), &args(), false).is_ok());
        assert!(fill(&list(&["find", "{flag}"]), &args(), true).is_ok());
        assert_eq!(
            fill(&list(&["head", "{n}"]), &args(), false),
            Ok(vec!["head".to_owned(), "-3".to_owned()])
        );
    }

    #[test]
    fn the_finished_element_is_no_option() {
        let args: Map = [
            ("empty", Value::from("")),
            ("flag", Value::from("-o")),
            ("n", Value::Int(-3)),
            ("word", Value::from("x")),
            ("none", Value::Null),
        ]
        .into_iter()
        .collect();
        let filled = |element: &str| fill(&list(&["show", element]), &args, false);
        for element in ["{empty}{flag}", "{none}{flag}", "{missing}{empty}{flag}/x", "{empty}{none}{flag}"] {
            assert_eq!(filled(element), Err(ArgumentFault::Option("flag".into())), "{element}");
        }
        assert_eq!(filled("{n}{word}"), Err(ArgumentFault::Option("n".into())));
        let good = |element: &str, text: &str| {
            assert_eq!(filled(element), Ok(vec!["show".to_owned(), text.to_owned()]), "{element}");
        };
        good("{n}k", "-3k");
        good("{n}{none}", "-3");
        good("{empty}{n}", "-3");
        good("{word}{flag}", "x-o");
        good("-x{flag}", "-x-o");
        assert!(fill(&list(&["show", "--", "{empty}{flag}"]), &args, false).is_ok());
        assert!(fill(&list(&["show", "{empty}{flag}"]), &args, true).is_ok());
    }

    #[test]
    fn braces_need_a_partner_and_a_name() {
        for bad in ["{", "}", "a{b", "a}b", "{}", "{1}", "{a b}", "{a}}"] {
            assert!(Argument::parse(bad).is_err(), "{bad}");
        }
    }
}
