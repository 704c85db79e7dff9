//! The person at the terminal.

use std::io::{BufRead, IsTerminal, Write};

use crate::machine::Ask;
use crate::port::{BoxFuture, Human, Reply, View};
use crate::value::Value;
use crate::value::json::{Limits, parse_strict};

/// Asks on the terminal; where there is none, nobody is here.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Desk;

/// Whether a person sits before this process.
pub(super) fn is_manned() -> bool {
    std::io::stdin().is_terminal() && std::io::stderr().is_terminal()
}

impl Human for Desk {
    fn ask(&self, ask: &Ask, _view: View<'_>) -> BoxFuture<'static, Reply> {
        if !is_manned() {
            return Box::pin(async { Reply::Nobody });
        }
        let question = question(ask);
        let text = ask.schema.as_map().and_then(|s| s.get("type")).and_then(Value::as_str) == Some("string");
        Box::pin(async move {
            let line = tokio::task::spawn_blocking(move || read(&question)).await;
            match line {
                Ok(Some(line)) => Reply::Answer(answer(&line, text)),
                _ => Reply::Nobody,
            }
        })
    }
}

fn question(ask: &Ask) -> String {
    let text = if ask.text.is_empty() { ask.node.as_str() } else { ask.text.as_str() };
    let choices = ask.schema.as_map().and_then(|s| s.get("enum")).and_then(Value::as_list);
    let words = choices.into_iter().flat_map(|c| c.iter()).filter_map(Value::as_str).collect::<Vec<_>>();
    let hint = if words.is_empty() { String::new() } else { format!(" [{}]", words.join("/")) };
    format!("\n{text}{hint}\n> ")
}

fn read(question: &str) -> Option<String> {
    let mut err = anstream::stderr();
    err.write_all(question.as_bytes()).and_then(|()| err.flush()).ok()?;
    let mut line = String::new();
    let n = std::io::stdin().lock().read_line(&mut line).ok()?;
    (n > 0).then(|| line.trim_end_matches(['\r', '\n']).to_owned())
}

/// JSON where the line is JSON, a text otherwise: `approve` needs no quotes. Where a text is wanted, `12` is one too.
fn answer(line: &str, text: bool) -> Value {
    let value = parse_strict(line.trim(), Limits::default()).ok();
    value.filter(|value| !text || value.as_str().is_some()).unwrap_or_else(|| Value::from(line))
}

/// Asks yes or no; anything but yes is no.
pub(super) fn agrees(question: &str) -> bool {
    is_manned() && read(&format!("{question} [y/N] ")).is_some_and(|l| matches!(l.trim(), "y" | "Y" | "yes"))
}
