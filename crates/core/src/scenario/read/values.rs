//! JSON values, with and without expressions in their texts.

use super::ScenarioReader;
use crate::diag::{Diagnostic, rule};
use crate::scenario::data::{self, Data};
use crate::scenario::file::NamedValues;
use crate::source::Spanned;
use crate::syntax::yaml::{Node, NodeKind, Scalar, Style};
use crate::value::{List, Map, Str, Value, duration};

impl ScenarioReader<'_> {
    /// A JSON value.
    pub(super) fn value(&mut self, node: &Node<'_>) -> Value {
        match &node.kind {
            NodeKind::Scalar(scalar) => self.scalar(scalar).unwrap_or_else(|| (&*scalar.text).into()),
            NodeKind::Sequence(items) => {
                Value::List(items.iter().map(|item| self.value(item)).collect::<List>())
            }
            NodeKind::Mapping(entries) => {
                let mut map = Map::new();
                for entry in entries {
                    map.insert((&**entry.name()).into(), self.value(&entry.value));
                }
                Value::Map(map)
            }
            NodeKind::Refused => Value::Null,
        }
    }

    /// A JSON value whose texts may hold `{{ expr }}`.
    pub(super) fn data(&mut self, node: &Node<'_>) -> Data {
        match &node.kind {
            NodeKind::Scalar(scalar) => match self.scalar(scalar) {
                Some(value) => Data::Value(value),
                None => data::read(&scalar.fragment(self.text), &mut self.next, self.out),
            },
            NodeKind::Sequence(items) => {
                let items: Vec<Data> = items.iter().map(|item| self.data(item)).collect();
                let plain =
                    |item: &Data| if let Data::Value(value) = item { Some(value.clone()) } else { None };
                match items.iter().map(plain).collect::<Option<List>>() {
                    Some(list) => Data::Value(Value::List(list)),
                    None => Data::List(items),
                }
            }
            NodeKind::Mapping(entries) => {
                let entries: Vec<(Str, Data)> =
                    entries.iter().map(|e| ((&**e.name()).into(), self.data(&e.value))).collect();
                if entries.iter().all(|(_, value)| matches!(value, Data::Value(_))) {
                    let plain =
                        entries.into_iter().map(|(key, value)| (key, value.constant().unwrap_or_default()));
                    return Data::Value(Value::Map(plain.collect()));
                }
                Data::Map(entries)
            }
            NodeKind::Refused => Data::default(),
        }
    }

    /// A mapping of JSON values.
    pub(super) fn named(&mut self, node: &Node<'_>, what: &str) -> Option<Spanned<NamedValues>> {
        let entries = self.entries(node, what)?;
        let values = entries.iter().map(|e| (Str::from(&**e.name()), self.value(&e.value))).collect();
        let places = entries.iter().map(|e| e.key.span).collect();
        Some(Spanned::new(NamedValues { values, places }, node.span))
    }

    /// A duration: `1m30s`.
    pub(super) fn duration(&mut self, node: &Node<'_>) -> Option<i64> {
        let text = self.text(node, "a duration, such as `1m30s`")?;
        match duration::parse(&text.value) {
            Ok(nanoseconds) if nanoseconds >= 0 => Some(nanoseconds),
            _ => {
                let message = format!("`{}` is not a duration", text.value);
                let found = Diagnostic::error(rule::WRONG_FORM, text.span, message);
                self.out.push(found.help("write a number and a unit, such as `500ms`, `30s`, `1m30s`, `2h`"));
                None
            }
        }
    }

    /// A number that is at least 0.
    pub(super) fn count(&mut self, node: &Node<'_>) -> Option<u64> {
        let value = self.value(node);
        let found = value.as_int().and_then(|n| u64::try_from(n).ok());
        if found.is_none() {
            self.wrong(node, "a whole number that is not negative");
        }
        found
    }

    /// The value of a scalar by YAML's core types; nothing for a text.
    fn scalar(&mut self, scalar: &Scalar<'_>) -> Option<Value> {
        if scalar.style != Style::Plain {
            return None;
        }
        let text = &*scalar.text;
        match text {
            "" | "~" | "null" | "Null" | "NULL" => Some(Value::Null),
            "true" | "True" | "TRUE" => Some(Value::Bool(true)),
            "false" | "False" | "FALSE" => Some(Value::Bool(false)),
            _ => self.number(text, scalar),
        }
    }

    fn number(&mut self, text: &str, scalar: &Scalar<'_>) -> Option<Value> {
        let digits = text.trim_start_matches(['+', '-']);
        if !digits.starts_with(|c: char| c.is_ascii_digit() || c == '.') || text.len() > digits.len() + 1 {
            return None;
        }
        let whole = digits.bytes().all(|b| b.is_ascii_digit());
        if whole {
            let read = text.trim_start_matches('+').parse::<i64>();
            return Some(read.map_or_else(|_| self.out_of_range(text, scalar), Value::Int));
        }
        let form = |c: char| c.is_ascii_digit() || matches!(c, '.' | 'e' | 'E' | '+' | '-');
        if !digits.chars().all(form) {
            return None;
        }
        let float = text.parse::<f64>().ok()?;
        Some(if float.is_finite() { Value::Float(float) } else { self.out_of_range(text, scalar) })
    }

    fn out_of_range(&mut self, text: &str, scalar: &Scalar<'_>) -> Value {
        let message = format!("the number {text} is too large");
        let found = Diagnostic::error(rule::NUMBER_RANGE, scalar.span, message);
        self.out.push(found.help("an int has 64 bits; write it in quotes if it is a text"));
        Value::Null
    }
}
