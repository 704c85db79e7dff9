//! The person at the terminal.

use std::io::{BufRead, IsTerminal, Write};
use std::sync::Arc;

use tokio::sync::Mutex;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use crate::machine::Ask;
use crate::port::{BoxFuture, Human, Reply, View};
use crate::value::Value;
use crate::value::json::{Limits, parse_strict};

/// Asks on the terminal, one question after another; where there is no terminal, nobody is here.
#[derive(Debug, Clone, Default)]
pub(super) struct Desk(Arc<Mutex<Option<Lines>>>);

/// The lines a person types. A thread reads one whenever one is wanted: a question that is withdrawn leaves it waiting, and the
/// next question gets its line.
#[derive(Debug)]
struct Lines {
    wanted: std::sync::mpsc::Sender<()>,
    typed: UnboundedReceiver<String>,
    /// Whether the thread waits for a line already.
    waits: bool,
}

impl Lines {
    fn new() -> Self {
        let (wanted, wants) = std::sync::mpsc::channel();
        let (send, typed) = unbounded_channel();
        std::thread::spawn(move || {
            while wants.recv().is_ok() {
                let Some(line) = line() else { return };
                if send.send(line).is_err() {
                    return;
                }
            }
        });
        Self { wanted, typed, waits: false }
    }

    /// The next line; none at the end of the input.
    async fn next(&mut self) -> Option<String> {
        if !self.waits {
            self.waits = self.wanted.send(()).is_ok();
        }
        let line = self.typed.recv().await;
        self.waits = false;
        line
    }
}

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
        let text = is_text(ask);
        let lines = Arc::clone(&self.0);
        Box::pin(async move {
            let mut lines = lines.lock().await;
            if put(&question).is_err() {
                return Reply::Nobody;
            }
            match lines.get_or_insert_with(Lines::new).next().await {
                Some(line) => Reply::Answer(answer(&line, text)),
                None => Reply::Nobody,
            }
        })
    }
}

/// Whether a question wants a text.
pub(super) fn is_text(ask: &Ask) -> bool {
    ask.schema.as_map().and_then(|s| s.get("type")).and_then(Value::as_str) == Some("string")
}

fn question(ask: &Ask) -> String {
    let text = if ask.text.is_empty() { ask.node.as_str() } else { ask.text.as_str() };
    let words = words(&ask.schema);
    let hint = if words.is_empty() { String::new() } else { format!(" [{}]", words.join("/")) };
    format!("\n{text}{hint}\n> ")
}

/// The answers a schema names: words, and maps of one field.
pub(super) fn words(schema: &Value) -> Vec<String> {
    let list = |name: &str| schema.as_map().and_then(|s| s.get(name)).and_then(Value::as_list);
    let each = |name: &str| list(name).into_iter().flat_map(|items| items.iter());
    let forms = each("anyOf").flat_map(words);
    let fields = each("required").filter_map(Value::as_str).map(|name| format!("{{\"{name}\": …}}"));
    // A map of several fields is no word: it is described by the question.
    let fields = if each("required").count() == 1 { fields.collect() } else { Vec::new() };
    each("enum").filter_map(Value::as_str).map(str::to_owned).chain(forms).chain(fields).collect()
}

fn put(question: &str) -> std::io::Result<()> {
    let mut err = anstream::stderr();
    err.write_all(question.as_bytes()).and_then(|()| err.flush())
}

fn line() -> Option<String> {
    let mut line = String::new();
    let n = std::io::stdin().lock().read_line(&mut line).ok()?;
    (n > 0).then(|| line.trim_end_matches(['\r', '\n']).to_owned())
}

fn read(question: &str) -> Option<String> {
    put(question).ok()?;
    line()
}

/// JSON where the line is JSON, a text otherwise: `approve` needs no quotes. Where a text is wanted, `12` is one too.
pub(super) fn answer(line: &str, text: bool) -> Value {
    let value = parse_strict(line.trim(), Limits::default()).ok();
    value.filter(|value| !text || value.as_str().is_some()).unwrap_or_else(|| Value::from(line))
}

/// Asks yes or no; anything but yes is no.
pub(super) fn agrees(question: &str) -> bool {
    is_manned() && read(&format!("{question} [y/N] ")).is_some_and(|l| matches!(l.trim(), "y" | "Y" | "yes"))
}
