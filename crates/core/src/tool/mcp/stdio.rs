//! A server that is a program: how it is started, and what it prints beside its answers.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::process::Stdio;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::io::{AsyncBufReadExt, AsyncRead, BufReader};
use tokio::process::{ChildStdin, ChildStdout, Command};

use super::text::cut;
use crate::config::{Argument, CommandConfig, McpServerConfig, expanded};
use crate::machine::CallId;
use crate::tool::command::CommandContext;
use crate::tool::group::Group;
use crate::tool::guard::{LockRefusal, Locks};

/// The longest line of standard error that is logged, in bytes.
const MAX_LINE: usize = 2 << 10;

/// The bytes of standard error of one process that are logged.
const MAX_LOGGED: usize = 1 << 20;

/// The lines that are remembered, for the message where it ends.
const REMEMBERED: usize = 8;

/// A program that was started.
pub(super) struct StartedServer {
    pub(super) group: Group,
    pub(super) stdin: ChildStdin,
    pub(super) stdout: ChildStdout,
    pub(super) last_lines: LastLines,
}

/// The last lines that a program printed on standard error.
#[derive(Clone, Default)]
pub(super) struct LastLines(Arc<Mutex<VecDeque<String>>>);

impl LastLines {
    /// They, in a few words for a message; empty where there are none.
    pub(super) fn words(&self) -> String {
        let lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match lines.iter().rev().find(|line| !line.trim().is_empty()) {
            Some(line) => format!("; the last that it printed: {}", cut(line.trim(), 300)),
            None => String::new(),
        }
    }

    fn add(&self, line: String) {
        let mut lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if lines.len() == REMEMBERED {
            lines.pop_front();
        }
        lines.push_back(line);
    }
}

/// Starts a server in a process group of its own, under a guard where there is one.
///
/// # Errors
/// It cannot be started, and why.
pub(super) async fn start(
    config: &McpServerConfig,
    command: &CommandConfig,
    context: &CommandContext,
) -> Result<StartedServer, String> {
    static STARTED: AtomicU64 = AtomicU64::new(0);
    let command = filled(config, command, context)?;
    let mut words = command.list.iter().map(|argument| match argument {
        Argument::Fixed(text) => text.as_str(),
        Argument::Whole(_) | Argument::Mixed(_) => "",
    });
    let program = context.find(words.next().unwrap_or_default())?;
    // Several runs may have the server at once, each its own.
    let number = STARTED.fetch_add(1, Ordering::Relaxed);
    let id = CallId(ecow::eco_format!("server {} {number}", std::process::id()));
    let lock = Locks::name(&config.name, &id);
    let mut process = match &context.guard {
        Some(guard) => {
            let mut process = guard.command(&lock, None);
            process.arg(program);
            Command::from(process)
        }
        None => Command::new(program),
    };
    process.args(words).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    context.surround(&mut process, &command);
    let mut group = match &context.guard {
        Some(guard) => Group::guarded(process, guard, lock).await.map_err(|refused| match refused {
            LockRefusal::Held(why) | LockRefusal::Failed(why) => why,
        })?,
        None => Group::start(process)?,
    };
    let streams = (group.child.stdin.take(), group.child.stdout.take());
    let (Some(stdin), Some(stdout)) = streams else { return Err("its streams are not there".to_owned()) };
    let last_lines = LastLines::default();
    if let Some(stderr) = group.child.stderr.take() {
        tokio::spawn(log(config.name.to_string(), stderr, last_lines.clone()));
    }
    Ok(StartedServer { group, stdin, stdout, last_lines })
}

/// The command with the variables filled in, if it has any.
fn filled<'c>(
    config: &'c McpServerConfig,
    command: &'c CommandConfig,
    context: &CommandContext,
) -> Result<Cow<'c, CommandConfig>, String> {
    let filled = config.filled_command(&|text| {
        let text = expanded(text, &*context.env).map_err(|unset| unset.to_string())?;
        if text.contains('\0') { Err("a zero byte in a variable".to_owned()) } else { Ok(text.into_owned()) }
    });
    Ok(filled?.unwrap_or(Cow::Borrowed(command)))
}

/// Logs what a server prints on standard error, up to a limit; what is past it is read and thrown away.
async fn log(server: String, stderr: impl AsyncRead + Unpin, last_lines: LastLines) {
    let mut stderr = BufReader::new(stderr);
    let (mut line, mut logged) = (Vec::new(), 0);
    loop {
        let read = stderr.fill_buf().await.unwrap_or_default();
        let is_over = read.is_empty();
        let end = read.iter().position(|byte| *byte == b'\n');
        let taken = end.map_or(read.len(), |at| at + 1);
        let room = MAX_LINE.saturating_sub(line.len());
        line.extend_from_slice(&read[..taken.min(room)]);
        stderr.consume(taken);
        // The last line may not be finished.
        if end.is_some() || is_over && !line.is_empty() {
            let text = String::from_utf8_lossy(&line).trim_end().to_owned();
            line.clear();
            logged += text.len();
            if logged <= MAX_LOGGED {
                tracing::info!(server, "{text}");
            } else if logged - text.len() <= MAX_LOGGED {
                tracing::warn!(server, "it prints too much; the rest is not logged");
            }
            last_lines.add(text);
        }
        if is_over {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{LastLines, log};

    #[tokio::test]
    async fn a_last_line_that_is_not_finished_is_remembered() {
        let last_lines = LastLines::default();
        log("t".to_owned(), &b"one\ntwo"[..], last_lines.clone()).await;
        assert_eq!(last_lines.words(), "; the last that it printed: two");
    }
}
