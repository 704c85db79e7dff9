//! The end of a program, and the outcome of its call.

use std::process::ExitStatus;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;

use super::output::StreamOutput;
use crate::config::{CommandConfig, Parse};
use crate::machine::{CallProgress, Outcome, Usage};
use crate::program::error::ErrorKind;
use crate::value::{List, Map, Value, json};

/// The end of a program.
pub(super) struct ProgramEnd {
    pub(super) status: EndStatus,
    pub(super) stdout: StreamOutput,
    pub(super) stderr: StreamOutput,
}

/// The cause of the end.
pub(super) enum EndStatus {
    Exited(ExitStatus),
    TimedOut,
    /// It printed more than it may, and was killed.
    TooLong,
}

impl EndStatus {
    /// Returns true if a signal ended it that whoever stops a machine or a service sends to all processes: to this one, too.
    pub(super) fn may_be_shared(&self) -> bool {
        use nix::libc::{SIGHUP, SIGINT, SIGKILL, SIGTERM};
        use std::os::unix::process::ExitStatusExt;
        let Self::Exited(status) = self else { return false };
        status.signal().is_some_and(|signal| [SIGTERM, SIGINT, SIGHUP, SIGKILL].contains(&signal))
    }

    /// A program that a signal ended, whoever sent it, was in the middle of its work.
    fn progress(&self) -> CallProgress {
        match self {
            Self::Exited(status) if status.code().is_some() => CallProgress::Unsaid,
            Self::Exited(_) | Self::TimedOut | Self::TooLong => CallProgress::CutOff,
        }
    }
}

/// The outcome of a call whose program ended so.
pub(super) fn outcome(command: &CommandConfig, ended: &ProgramEnd) -> Outcome {
    let name = &command.name;
    let failed = |kind: ErrorKind, message: String| Outcome::Failed {
        kind: kind.into(),
        message: message.into(),
        details: Value::Map(record(ended)),
        usage: Usage::default(),
        retry_after: None,
        progress: ended.status.progress(),
        attempts: Vec::new(),
    };
    match &ended.status {
        EndStatus::TimedOut => {
            let limit = i64::try_from(command.timeout.as_nanos()).unwrap_or(i64::MAX);
            failed(
                ErrorKind::Timeout,
                format!("`{name}` did not end within {}", crate::value::duration::text(limit)),
            )
        }
        EndStatus::TooLong => {
            failed(ErrorKind::TooLarge, format!("`{name}` printed more than {} bytes", command.output_bytes))
        }
        EndStatus::Exited(status) if !status.code().is_some_and(|code| command.ok_exit.contains(code)) => {
            let how = status
                .code()
                .map_or_else(|| format!("was ended: {status}"), |code| format!("exited with {code}"));
            let last = ended.stderr.last_line();
            let last_words = if last.is_empty() { String::new() } else { format!(": {}", shorten(&last)) };
            failed(ErrorKind::ToolFailed, format!("`{name}` {how}{last_words}"))
        }
        EndStatus::Exited(_) => match result(command, ended) {
            Ok(value) => Outcome::answer(value),
            Err((kind, message)) => failed(kind, message),
        },
    }
}

/// The result of a program that ended well.
fn result(command: &CommandConfig, ended: &ProgramEnd) -> Result<Value, (ErrorKind, String)> {
    let name = &command.name;
    let text = || {
        ended.stdout.text().map_err(|at| {
            let message = format!(
                "`{name}` printed bytes that are no UTF-8, the first of them byte {at} of its output (parse = \"bytes\" gives \
                 such output as base64)"
            );
            (ErrorKind::ToolFailed, message)
        })
    };
    Ok(match command.parse {
        Parse::Record => Value::Map(record(ended)),
        // A part of it would pass for the whole.
        Parse::Json | Parse::Bytes if ended.stdout.lost > 0 => {
            let message = format!("`{name}` printed more than {} bytes", command.output_bytes);
            return Err((ErrorKind::TooLarge, message));
        }
        Parse::Text => {
            let text = text()?;
            Value::from(text.strip_suffix('\n').unwrap_or(&text))
        }
        Parse::Lines => Value::List(text()?.lines().map(Value::from).collect::<List>()),
        Parse::Json => json::parse_strict(&text()?, json::JsonLimits::default())
            .map_err(|fault| (ErrorKind::ToolFailed, format!("`{name}` did not print JSON: {fault}")))?,
        Parse::Bytes => Value::from(BASE64_STANDARD.encode(&ended.stdout.bytes)),
    })
}

fn record(ended: &ProgramEnd) -> Map {
    let code = match &ended.status {
        EndStatus::Exited(status) => status.code().map(i64::from),
        EndStatus::TimedOut | EndStatus::TooLong => None,
    };
    let mut record = Map::new();
    record.set("stdout", ended.stdout.noted());
    record.set("stderr", ended.stderr.noted());
    record.set("exit_code", code);
    record
}

/// The beginning of a long line.
fn shorten(line: &str) -> String {
    const MAX_LINE_BYTES: usize = 200;
    match line.char_indices().nth(MAX_LINE_BYTES) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line.to_owned(),
    }
}
