//! Commands over texts in a process of their own, with limits of the system.
//!
//! The process is this very program, started twice for a call: first it sets its limits, then it becomes what carries out the
//! command, so that the limits hold from its first instruction. It reads the call from standard input, writes the reply to
//! standard output, and can open no file.
//!
//! # Why
//! - Memory is bounded by `RLIMIT_DATA`, which counts what a process may write to. Where a system does not count so (macOS),
//!   the limit of the inputs and the deadline are what is left.
//! - The deadline is kept from outside, by killing the process. It kills itself when whoever started it is gone (Linux), and
//!   is ended by the system after its seconds of processor time in any case: none is left behind.

mod limits;
mod process;

use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::process::{ExitCode, Stdio};
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, Command};
use tokio::sync::Semaphore;
use tokio::time::timeout;

use super::commands::{CommandReply, TextCommand};
use crate::tool::guard::own_program;

/// The longest that a call takes.
pub const MAX_CALL_TIME: Duration = Duration::from_secs(5);

/// The most memory of a call, in bytes.
pub const MAX_CALL_BYTES: u64 = 256 << 20;

/// The longest reply, in bytes.
pub const MAX_REPLY_BYTES: u64 = 8 << 20;

/// The most calls at once. Others wait.
const MAX_CALLS_AT_ONCE: usize = 4;

/// The most calls that wait or work.
const MAX_CALLS: usize = 64;

/// The first word of the command line of a process that sets its limits.
const LIMIT: &str = "_limit";

/// The first word of the command line of one that has them.
const CARRY_OUT: &str = "_carry_out";

/// A call, as it goes to the process.
#[derive(Serialize, Deserialize)]
struct ConfinedCall {
    command: String,
    arguments: Map<String, Json>,
}

/// Runs commands over texts, each in a process of its own.
#[derive(Clone)]
pub struct Confined {
    program: PathBuf,
    time: Duration,
    bytes: u64,
    turns: Arc<Semaphore>,
    places: Arc<Semaphore>,
}

impl Confined {
    /// `program` carries out commands; it must call [`serve`] first in `main`.
    #[must_use]
    pub fn new(program: impl Into<PathBuf>) -> Self {
        let turns = Arc::new(Semaphore::new(MAX_CALLS_AT_ONCE));
        let places = Arc::new(Semaphore::new(MAX_CALLS));
        Self { program: program.into(), time: MAX_CALL_TIME, bytes: MAX_CALL_BYTES, turns, places }
    }

    /// This program carries them out: its `main` calls [`serve`] first. None where the system does not tell which it is.
    #[must_use]
    pub fn of_process() -> Option<Self> {
        own_program().map(Self::new)
    }

    /// With other limits, never above the usual ones.
    #[must_use]
    pub fn limits(self, time: Duration, bytes: u64) -> Self {
        Self { time: time.min(MAX_CALL_TIME), bytes: bytes.min(MAX_CALL_BYTES), ..self }
    }

    /// Carries out a command. When the future is dropped, its process is killed.
    pub async fn run(&self, command: TextCommand, arguments: Map<String, Json>) -> CommandReply {
        let Ok(_place) = self.places.try_acquire() else {
            return CommandReply::refused(&format!("{MAX_CALLS} calls wait already; try later"));
        };
        let Ok(_turn) = self.turns.acquire().await else { return CommandReply::refused("the server stops") };
        let call = ConfinedCall { command: command.name().to_owned(), arguments };
        let call = match serde_json::to_vec(&call) {
            Ok(call) => call,
            Err(error) => return CommandReply::refused(&error.to_string()),
        };
        match self.start() {
            Ok(child) => self.reply(child, call).await,
            Err(error) => CommandReply::refused(&format!("no process can be started for it: {error}")),
        }
    }

    fn start(&self) -> std::io::Result<Child> {
        let mut command = Command::new(&self.program);
        command.arg(LIMIT).arg(std::process::id().to_string()).arg(self.bytes.to_string());
        command.arg(self.seconds().to_string());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        // Signals of a terminal are for the server.
        command.process_group(0).kill_on_drop(true).env_clear().spawn()
    }

    /// The time limit in whole seconds of the processor, rounded up.
    fn seconds(&self) -> u64 {
        self.time.as_secs() + u64::from(self.time.subsec_nanos() > 0)
    }

    async fn reply(&self, mut child: Child, call: Vec<u8>) -> CommandReply {
        let talk = async {
            let (Some(mut to), Some(from)) = (child.stdin.take(), child.stdout.take()) else {
                return Vec::new();
            };
            let mut reply = Vec::new();
            let mut from = from.take(MAX_REPLY_BYTES + 1);
            let write = async {
                // A process that ended does not read on: its end tells why.
                let _gone = to.write_all(&call).await;
                drop(to);
            };
            let ((), _end) = tokio::join!(write, from.read_to_end(&mut reply));
            reply
        };
        let Ok(reply) = timeout(self.time, talk).await else {
            let _dead = child.kill().await;
            return CommandReply::refused(&format!(
                "it took longer than {} s, which is all that a call has",
                self.time.as_secs_f32()
            ));
        };
        if u64::try_from(reply.len()).unwrap_or(u64::MAX) > MAX_REPLY_BYTES {
            let _dead = child.kill().await;
            return CommandReply::refused(&format!("its reply is longer than {MAX_REPLY_BYTES} bytes"));
        }
        let ended = timeout(self.time, child.wait()).await;
        if let Ok(reply) = serde_json::from_slice(&reply) {
            return reply;
        }
        CommandReply::refused(&match ended {
            Ok(Ok(status)) => process::cause(status, self.bytes),
            _ => "its process did not end".to_owned(),
        })
    }
}

impl fmt::Debug for Confined {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Confined")
            .field("program", &self.program)
            .field("bytes", &self.bytes)
            .finish_non_exhaustive()
    }
}

/// Carries out a command over texts, if this process was started for that: then nothing else is to be done. To be called
/// before anything else in `main`: before a runtime, before other threads.
#[must_use]
pub fn serve() -> Option<ExitCode> {
    let mut words = std::env::args_os().skip(1);
    let first = words.next()?;
    if first == LIMIT {
        return Some(limits::limit(&words.collect::<Vec<OsString>>()));
    }
    (first == CARRY_OUT).then(process::carry_out)
}
