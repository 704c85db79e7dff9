//! A declared command as a tool.

use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use tokio::io::AsyncWriteExt;
use tokio::process::Command as Process;

use super::Tool;
use super::group::{Group, LeaderEnd};
use super::guard::{Guard, LockRefusal, Locks};
use super::output::{OutputAllowance, StreamOutput};
use super::program_end::{EndStatus, ProgramEnd, outcome};
use crate::config::{self, CommandConfig, Overflow, Stdin};
use crate::machine::{CallId, Outcome};
use crate::port::{BoxFuture, Claim, Leftovers, ToolInfo};
use crate::program::error::ErrorKind;
use crate::value::{Map, Str, Value};

/// The time output is waited for after the program ended: something it started may hold the streams open.
const DRAIN: Duration = Duration::from_secs(1);

/// The variable in which a program finds the id of its call, the idempotency key.
const CALL_ID: &str = "IDEMPOTENCY_KEY";

/// The context of commands: the folder relative paths start from, and the operator's environment.
#[derive(Clone)]
pub struct CommandContext {
    /// The folder of the configuration file.
    pub folder: PathBuf,
    /// Looks a variable up. What a command is not allowed to see is never asked for, except `PATH`, by which programs
    /// are found.
    pub env: Arc<Lookup>,
    /// The guard of commands. Without one a command may outlive a driver that is killed.
    pub guard: Option<Guard>,
}

/// Looks a variable of the environment up.
pub type Lookup = dyn Fn(&str) -> Option<OsString> + Send + Sync;

impl CommandContext {
    /// A folder and the environment of this process.
    #[must_use]
    pub fn of_process(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into(), env: Arc::new(|name| std::env::var_os(name)), guard: None }
    }

    /// Starts commands through a guard.
    #[must_use]
    pub fn guarded(self, guard: Option<Guard>) -> Self {
        Self { guard, ..self }
    }

    /// A program with a `/` is relative to the configuration's folder; any other is looked for in `PATH`.
    ///
    /// # Errors
    /// It is not there.
    pub(super) fn find(&self, program: &str) -> Result<PathBuf, String> {
        let missing = |hint: &str| format!("the program `{program}` was not found{hint}");
        if program.contains('/') {
            let path = std::path::absolute(self.folder.join(program)).unwrap_or_else(|_| program.into());
            return if is_program(&path) {
                Ok(path)
            } else {
                Err(missing(&format!(" at {}", path.display())))
            };
        }
        let path = (self.env)("PATH").unwrap_or_default();
        let found =
            std::env::split_paths(&path).map(|folder| folder.join(program)).find(|path| is_program(path));
        found.ok_or_else(|| missing(" in PATH"))
    }

    /// Gives a process the folder of its command and the variables that this may see.
    pub(super) fn surround(&self, process: &mut Process, command: &CommandConfig) {
        process.current_dir(self.folder.join(command.folder.as_deref().unwrap_or("."))).env_clear();
        for name in &command.env {
            process.envs((self.env)(name).map(|value| (name, value)));
        }
        process.envs(command.set_env.iter().map(|(name, value)| (name, value)));
    }
}

impl fmt::Debug for CommandContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Surroundings").field("folder", &self.folder).finish_non_exhaustive()
    }
}

/// The time after which a signal that ended a command has reached this process, too, if it was sent to both.
const OWN_SIGNAL: Duration = Duration::from_millis(250);

/// A declared command as a tool. It needs a grant.
///
/// The program runs without a shell, in a process group of its own that is ended as a whole: when the program ends,
/// when its time is over, when the call is given up. It sees only the variables its declaration names, and
/// `IDEMPOTENCY_KEY`.
#[derive(Debug, Clone)]
pub struct CommandTool {
    info: ToolInfo,
    command: Arc<CommandConfig>,
    surroundings: CommandContext,
}

impl CommandTool {
    /// The tool of a declaration.
    #[must_use]
    pub fn new(command: CommandConfig, surroundings: CommandContext) -> Self {
        let mut info = ToolInfo::new(command.name.clone(), command.schema.clone())
            .description(command.description.clone())
            .delivery(command.delivery);
        info.tags.clone_from(&command.tags);
        info.approval = command.approval;
        info.probe.clone_from(&command.probe);
        info.compensate.clone_from(&command.compensate);
        Self { info, command: Arc::new(command), surroundings }
    }

    /// Makes one call, where it may begin until the end of `claim`.
    fn make(&self, id: &CallId, args: Map, claim: Option<Claim>) -> BoxFuture<'static, Outcome> {
        let tool = self.clone();
        let id = id.clone();
        async move {
            let process = match tool.prepare(&id, &args, claim.as_ref()) {
                Ok(process) => process,
                Err(refused) => return *refused,
            };
            let input = match tool.command.stdin {
                Stdin::Closed => None,
                Stdin::Args => Some(format!(
                    "{}\n",
                    Value::Map(config::with_defaults(&tool.command.schema, &args)).to_json()
                )),
            };
            let name = &tool.info.name;
            let group = match &tool.surroundings.guard {
                Some(guard) => Group::guarded(process, guard, tool.lock(&id)).await,
                None => Group::start(process).map_err(LockRefusal::Failed),
            };
            let ended = match group {
                Ok(group) => run(group, input, &tool.command).await.map_err(LockRefusal::Failed),
                Err(refused) => Err(refused),
            };
            match ended {
                Ok(ended) => {
                    if ended.status.may_be_shared() {
                        tokio::time::sleep(OWN_SIGNAL).await;
                    }
                    outcome(&tool.command, &ended)
                }
                // Something of this call is at work: that it never began cannot be reported.
                Err(LockRefusal::Held(why)) => Outcome::failed(ErrorKind::ToolFailed, not_begun(name, &why)),
                Err(LockRefusal::Failed(why)) => {
                    Outcome::never_began(ErrorKind::ToolFailed, not_begun(name, &why))
                }
            }
        }
        .boxed()
    }

    fn prepare(&self, id: &CallId, args: &Map, claim: Option<&Claim>) -> Result<Process, Box<Outcome>> {
        let args = config::with_defaults(&self.command.schema, args);
        let list = config::fill(&self.command.list, &args, self.command.dashes).map_err(|fault| {
            Outcome::never_began(
                ErrorKind::InvalidArgs,
                ecow::eco_format!("the arguments do not fit `{}`: {fault}", self.info.name),
            )
        })?;
        let (program, rest) = list.split_first().expect("a command has a program");
        let found = self.surroundings.find(program);
        let program = found.map_err(|why| Outcome::never_began(ErrorKind::ToolFailed, why))?;
        let mut process = match &self.surroundings.guard {
            Some(guard) => {
                let mut process = guard.command(&self.lock(id), claim);
                process.arg(program);
                Process::from(process)
            }
            None => Process::new(program),
        };
        process.args(rest).stdout(Stdio::piped()).stderr(Stdio::piped());
        process.stdin(match self.command.stdin {
            Stdin::Closed => Stdio::null(),
            Stdin::Args => Stdio::piped(),
        });
        self.surroundings.surround(&mut process, &self.command);
        process.env(CALL_ID, id.0.as_str());
        Ok(process)
    }

    /// The lock of a call of this tool.
    fn lock(&self, id: &CallId) -> String {
        Locks::name(&self.info.name, id)
    }
}

fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}

impl Tool for CommandTool {
    fn info(&self) -> &ToolInfo {
        &self.info
    }

    fn needs_grant(&self) -> bool {
        true
    }

    fn call(&self, id: &CallId, args: Map) -> BoxFuture<'static, Outcome> {
        self.make(id, args, None)
    }

    fn call_within(&self, id: &CallId, args: Map, claim: &Claim) -> BoxFuture<'static, Outcome> {
        self.make(id, args, Some(claim.clone()))
    }

    fn remains(&self, id: &CallId) -> Option<BoxFuture<'static, Leftovers>> {
        let locks = Arc::clone(self.surroundings.guard.as_ref()?.locks());
        let lock = self.lock(id);
        if !locks.is_held(&lock) {
            return None;
        }
        let cleared = async move { tokio::task::spawn_blocking(move || locks.clear(&lock)).await };
        Some(
            cleared
                .map(|cleared| match cleared {
                    Ok(Ok(ended)) => Leftovers::Gone(ended.map(Into::into)),
                    Ok(Err(why)) => Leftovers::AtWork(why.to_string().into()),
                    Err(_) => Leftovers::AtWork("it was given up to find out".into()),
                })
                .boxed(),
        )
    }
}

fn not_begun(tool: &str, why: &str) -> Str {
    ecow::eco_format!("`{tool}` could not be started: {why}")
}

/// Runs a program to its end, and returns how it ended or why it never began.
async fn run(mut group: Group, input: Option<String>, command: &CommandConfig) -> Result<ProgramEnd, String> {
    let (stdin, out, err) = (group.child.stdin.take(), group.child.stdout.take(), group.child.stderr.take());
    let room = OutputAllowance::new(command.output_bytes, command.overflow == Overflow::Fail);
    let (mut stdout, mut stderr) = (StreamOutput::default(), StreamOutput::default());
    let status = {
        let feed = async move {
            if let (Some(mut stdin), Some(input)) = (stdin, input) {
                // A program that does not read its input is none the worse for it.
                let _unread = stdin.write_all(input.as_bytes()).await;
            }
        };
        let read = async {
            // The first stream there is no room for ends both.
            tokio::try_join!(room.fill(out, &mut stdout), room.fill(err, &mut stderr)).is_err()
        };
        watch(&mut group, feed, read, command.timeout).await?
    };
    Ok(ProgramEnd { status, stdout, stderr })
}

/// Waits for the end of a program, of its output, or of its time.
async fn watch(
    group: &mut Group,
    feed: impl Future<Output = ()>,
    read: impl Future<Output = bool>,
    timeout: Duration,
) -> Result<EndStatus, String> {
    let deadline = tokio::time::sleep(timeout);
    tokio::pin!(deadline, feed, read);
    let (mut written, mut read_all) = (false, false);
    let status = loop {
        tokio::select! {
            () = &mut feed, if !written => written = true,
            over = &mut read, if !read_all => {
                if over {
                    group.kill();
                    return Ok(EndStatus::TooLong);
                }
                read_all = true;
            }
            ended = group.wait() => match ended {
                LeaderEnd::Exited(status) => break status,
                LeaderEnd::NotBegun(why) => return Err(why),
            },
            () = &mut deadline => {
                group.end().await;
                return Ok(EndStatus::TimedOut);
            }
        }
    };
    // Nothing a call started outlives it.
    group.kill();
    if !read_all && tokio::time::timeout(DRAIN, read).await.unwrap_or(false) {
        return Ok(EndStatus::TooLong);
    }
    Ok(EndStatus::Exited(status))
}
