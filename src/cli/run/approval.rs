//! Approvals as they are typed.

use super::form;
use crate::cli::screen;
use loopwright_core::machine::Question;
use loopwright_core::value::json::{JsonLimits, parse_strict};
use loopwright_core::value::{Map, Value};

/// The answer a line means. An approval is `approve`, the hash of the call, and the arguments that change, as JSON. Whoever
/// `sees` what is asked about need not write the hash: their `approve` is for just that.
pub(super) fn answer(line: &str, ask: &Question, sees: bool) -> Value {
    approval(line.trim(), ask, sees).unwrap_or_else(|| form::answer(line, &ask.schema))
}

fn approval(line: &str, ask: &Question, sees: bool) -> Option<Value> {
    let shown = ask.approval()?;
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    if !word.eq_ignore_ascii_case("approve") {
        return None;
    }
    let rest = rest.trim();
    let (hash, changes) = rest.split_at(rest.find('{').unwrap_or(rest.len()));
    let hash = match hash.trim() {
        "" if sees => shown,
        "" => return None,
        typed => typed,
    };
    let mut answer = Map::from_iter([("approve", Value::from(hash))]);
    if !changes.is_empty() {
        answer.set("args", parse_strict(changes, JsonLimits::default()).ok()?);
    }
    Some(Value::Map(answer))
}

/// The text of a question. Of a call that is to be approved nothing is left out of sight.
pub(super) fn shown(ask: &Question) -> String {
    let text = if ask.text.is_empty() { &ask.node } else { &ask.text };
    if ask.approval().is_some() { screen::asked(text) } else { screen::set_in(text) }
}

/// The message for an answer that does not fit its question.
pub(super) fn unfit(ask: &Question, why: &str) -> String {
    format!("the answer does not fit the question at {}: {}", ask.node, why)
}
