//! Values with expressions in them: what an answer is before it is given.

use crate::diag::{Diagnostic, rule};
use crate::source::{Fragment, Span};
use crate::syntax::{ast, expr};
use crate::value::{List, Map, Str, Value};

/// A JSON value in which texts may hold `{{ expr }}`.
#[derive(Debug, Clone)]
pub enum Data {
    /// A value without expressions.
    Value(Value),
    /// A text that is one expression: its value, whatever its type.
    Whole(Expression),
    /// A text with expressions in it.
    Text(Vec<DataPiece>),
    /// A list.
    List(Vec<Self>),
    /// A map.
    Map(Vec<(Str, Self)>),
}

/// A part of a text.
#[derive(Debug, Clone)]
pub enum DataPiece {
    /// Text outside of expressions.
    Text(Str),
    /// The value of an expression, as text.
    Expr(Expression),
}

/// An expression of a scenario file.
#[derive(Debug, Clone)]
pub struct Expression {
    /// Its number in the file.
    pub id: u32,
    /// The expression.
    pub ast: ast::Expr,
    /// The place in the file.
    pub span: Span,
}

impl Default for Data {
    fn default() -> Self {
        Self::Value(Value::Null)
    }
}

impl Data {
    /// Calls `visit` with each expression, in order of the text.
    pub fn each_expression<'a>(&'a self, visit: &mut impl FnMut(&'a Expression)) {
        match self {
            Self::Value(_) => {}
            Self::Whole(expression) => visit(expression),
            Self::Text(pieces) => {
                for piece in pieces {
                    if let DataPiece::Expr(expression) = piece {
                        visit(expression);
                    }
                }
            }
            Self::List(items) => items.iter().for_each(|item| item.each_expression(visit)),
            Self::Map(entries) => entries.iter().for_each(|(_, value)| value.each_expression(visit)),
        }
    }

    /// The value, with each expression's value in its place.
    ///
    /// # Errors
    /// Whatever `value_of` fails with.
    pub fn fill<E>(&self, value_of: &mut impl FnMut(&Expression) -> Result<Value, E>) -> Result<Value, E> {
        Ok(match self {
            Self::Value(value) => value.clone(),
            Self::Whole(expression) => value_of(expression)?,
            Self::Text(pieces) => {
                let mut text = String::new();
                for piece in pieces {
                    match piece {
                        DataPiece::Text(part) => text.push_str(part),
                        DataPiece::Expr(expression) => text.push_str(&in_text(&value_of(expression)?)),
                    }
                }
                text.into()
            }
            Self::List(items) => {
                Value::List(items.iter().map(|item| item.fill(value_of)).collect::<Result<List, E>>()?)
            }
            Self::Map(entries) => {
                let mut map = Map::new();
                for (key, value) in entries {
                    map.insert(key.clone(), value.fill(value_of)?);
                }
                Value::Map(map)
            }
        })
    }

    /// The value, if there is no expression in it.
    #[must_use]
    pub fn constant(&self) -> Option<Value> {
        self.fill(&mut |_| Err(())).ok()
    }
}

/// A value inside a text: a string as it is, anything else as JSON.
fn in_text(value: &Value) -> Str {
    match value {
        Value::Str(text) => text.clone(),
        other => other.to_json().to_string().into(),
    }
}

/// Reads a text that may hold `{{ expr }}`. Numbers for expressions are taken from `next`.
pub(super) fn read(fragment: &Fragment, next: &mut u32, out: &mut Vec<Diagnostic>) -> Data {
    let text = fragment.text.as_str();
    let mut pieces = Vec::new();
    let mut at = 0;
    while let Some(open) = text[at..].find("{{").map(|i| at + i) {
        let Some(close) = closing(&text[open + 2..]).map(|i| open + 2 + i) else {
            let found =
                Diagnostic::error(rule::SCENARIO_ANSWER, fragment.span(open, open + 2), "`{{` has no `}}`");
            out.push(found.help("an expression in an answer is written {{ expr }}; for the two braces themselves write {{ '{{' }}"));
            return Data::default();
        };
        if open > at {
            pieces.push(DataPiece::Text(text[at..open].into()));
        }
        let inner = &text[open + 2..close];
        let start = open + 2 + (inner.len() - inner.trim_start().len());
        let part = fragment.part(start, start + inner.trim().len());
        let span = fragment.span(open, close + 2);
        if let Some(ast) = expr::expression(&part, out) {
            pieces.push(DataPiece::Expr(Expression { id: *next, ast, span }));
            *next += 1;
        }
        at = close + 2;
    }
    if at == 0 {
        return Data::Value(text.into());
    }
    if at < text.len() {
        pieces.push(DataPiece::Text(text[at..].into()));
    }
    match pieces.as_mut_slice() {
        [DataPiece::Expr(_)] => match pieces.pop() {
            Some(DataPiece::Expr(expression)) => Data::Whole(expression),
            _ => Data::default(),
        },
        _ => Data::Text(pieces),
    }
}

/// The position of the `}}` that ends an expression: outside of quotes and of the expression's own braces.
fn closing(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let (mut depth, mut quote, mut at) = (0_usize, None, 0);
    while at < bytes.len() {
        let byte = bytes[at];
        match quote {
            Some(_) if byte == b'\\' => at += 1,
            Some(open) if byte == open => quote = None,
            Some(_) => {}
            None => match byte {
                b'\'' | b'"' => quote = Some(byte),
                b'{' => depth += 1,
                b'}' if depth > 0 => depth -= 1,
                b'}' if bytes.get(at + 1) == Some(&b'}') => return Some(at),
                _ => {}
            },
        }
        at += 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::{Data, closing, read};
    use crate::source::{FileId, Fragment};
    use crate::value::Value;

    fn data(text: &str) -> (Data, usize) {
        let mut out = Vec::new();
        let read = read(&Fragment::verbatim(text, FileId(0), 0), &mut 0, &mut out);
        (read, out.len())
    }

    fn filled(text: &str) -> Value {
        let (data, faults) = data(text);
        assert_eq!(faults, 0);
        data.fill(&mut |e| Ok::<_, ()>(Value::Int(i64::from(e.id) + 1))).expect("nothing fails here")
    }

    #[test]
    fn a_whole_expression_keeps_its_type() {
        assert_eq!(filled("{{ a.b }}"), Value::Int(1));
        assert_eq!(filled("{{ a }} of {{ b }}"), Value::from("1 of 2"));
        assert_eq!(filled("none"), Value::from("none"));
    }

    #[test]
    fn braces_and_quotes_inside_do_not_end_it() {
        assert_eq!(closing(" {'a': {'b': 1}} }}"), Some(17));
        assert_eq!(closing(" '}}' }}"), Some(6));
        assert_eq!(closing(" 'a"), None);
        assert_eq!(data("{{ x ").1, 1);
        assert_eq!(data("{{ 1 + }}").1, 1);
    }
}
