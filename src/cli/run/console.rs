//! The person at the terminal.

use std::io::{BufRead, IsTerminal};
use std::sync::Arc;

use tokio::sync::Mutex;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use super::{approval, form};
use crate::cli::screen;
use loopwright_core::machine::Question;
use loopwright_core::port::{BoxFuture, Human, HumanReply, RunView};

/// Asks on the terminal, one question after another; where there is no terminal, nobody is here.
#[derive(Debug, Clone, Default)]
pub(in crate::cli) struct Console(Arc<Mutex<Option<InputLines>>>);

/// The lines a person types. A thread reads one whenever one is wanted: a question that is withdrawn leaves it waiting,
/// and the next question gets its line.
#[derive(Debug)]
struct InputLines {
    wanted: std::sync::mpsc::Sender<()>,
    typed: UnboundedReceiver<String>,
    /// True if the thread waits for a line already.
    waits: bool,
}

impl InputLines {
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

/// True if a person is at the terminal of this process.
pub(in crate::cli) fn is_manned() -> bool {
    std::io::stdin().is_terminal() && screen::stderr_is_terminal()
}

impl Human for Console {
    fn ask(&self, ask: &Question, _view: RunView<'_>) -> BoxFuture<'static, HumanReply> {
        self.ask_for_tool(ask)
    }

    fn ask_for_tool(&self, ask: &Question) -> BoxFuture<'static, HumanReply> {
        if !is_manned() {
            return Box::pin(async { HumanReply::Unattended });
        }
        let question = question(ask);
        let ask = ask.clone();
        let lines = Arc::clone(&self.0);
        Box::pin(async move {
            let mut lines = lines.lock().await;
            if screen::ask(&question).is_err() {
                return HumanReply::Unattended;
            }
            match lines.get_or_insert_with(InputLines::new).next().await {
                // Whoever sits here saw what is asked about.
                Some(line) => HumanReply::Answer(approval::answer(&line, &ask, true)),
                None => HumanReply::Unattended,
            }
        })
    }
}

fn question(ask: &Question) -> String {
    let words = form::words(&ask.schema);
    let hint = if words.is_empty() { String::new() } else { format!(" [{}]", words.join("/")) };
    format!("{}\n{}{hint}\n> ", refusal(ask), approval::shown(ask))
}

/// Explains why the last answer was refused and shows the form of an answer.
fn refusal(ask: &Question) -> String {
    if ask.misfit.is_empty() {
        return String::new();
    }
    let form = form::form(&ask.schema);
    let example = form::example(&ask.schema);
    // Where there is but one way to write it, that is its own example.
    let example = if example == form { String::new() } else { format!(", for example {example}") };
    format!("not taken: {}; write {form}{example}\n", screen::line(&ask.misfit))
}

fn line() -> Option<String> {
    let mut line = String::new();
    let n = std::io::stdin().lock().read_line(&mut line).ok()?;
    (n > 0).then(|| line.trim_end_matches(['\r', '\n']).to_owned())
}

fn read(question: &str) -> Option<String> {
    screen::ask(question).ok()?;
    line()
}

/// Asks yes or no; anything but yes is no.
pub(in crate::cli) fn agrees(question: &str) -> bool {
    is_manned() && read(&format!("{question} [y/N] ")).is_some_and(|l| matches!(l.trim(), "y" | "Y" | "yes"))
}
