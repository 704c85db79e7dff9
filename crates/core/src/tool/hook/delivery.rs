//! The program of a hook, once for each event.

use std::process::{ExitStatus, Stdio};

use tokio::io::AsyncWriteExt;
use tokio::process::Command;
use tokio::time::timeout;

use super::queue::QueuedEvents;
use crate::config::{Argument, CommandConfig};
use crate::tool::command::CommandContext;
use crate::tool::group::{Group, LeaderEnd};

/// Tells a hook of its events, one after another, until no more can come. When this is dropped, what is at work is killed.
pub(super) async fn deliver(command: CommandConfig, context: CommandContext, events: QueuedEvents) {
    while let Some(line) = events.next().await {
        if let Err(why) = run(&command, &context, line).await {
            tracing::warn!(hook = command.name.as_str(), why, "a hook failed");
        }
    }
}

/// Runs the program for one event.
async fn run(command: &CommandConfig, context: &CommandContext, line: String) -> Result<(), String> {
    let mut group = Group::start(prepare(command, context)?)?;
    let stdin = group.child.stdin.take();
    let work = async {
        let feed = async move {
            if let Some(mut stdin) = stdin {
                // A program that does not read its input is none the worse for it.
                let _unread = stdin.write_all(line.as_bytes()).await;
            }
        };
        // The feed ends with the program, which may never read.
        tokio::pin!(feed);
        let mut written = false;
        loop {
            tokio::select! {
                () = &mut feed, if !written => written = true,
                ended = group.wait() => break ended,
            }
        }
    };
    match timeout(command.timeout, work).await {
        Ok(LeaderEnd::Exited(status)) if status.success() => Ok(()),
        Ok(LeaderEnd::Exited(status)) => Err(exit(status)),
        Ok(LeaderEnd::NotBegun(why)) => Err(why),
        Err(_) => {
            group.end().await;
            Err(format!("it was ended after {} s", command.timeout.as_secs_f64()))
        }
    }
}

fn prepare(command: &CommandConfig, context: &CommandContext) -> Result<Command, String> {
    let words = command.list.iter().filter_map(|argument| match argument {
        Argument::Fixed(text) => Some(text),
        Argument::Whole(_) | Argument::Mixed(_) => None,
    });
    let words: Vec<_> = words.collect();
    let (program, rest) = words.split_first().ok_or("it has no program")?;
    let mut process = Command::new(context.find(program)?);
    process.args(rest).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    context.surround(&mut process, command);
    Ok(process)
}

fn exit(status: ExitStatus) -> String {
    status.code().map_or_else(|| format!("it ended by {status}"), |code| format!("exit code {code}"))
}
