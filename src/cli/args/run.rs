//! The flags of commands that start a run, or change a stored one.

use super::line::Line;
use super::{DB, Engine, Format, Ports};
use loopwright_core::store::StoreAddress;
use loopwright_core::value::Str;

/// `run`.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Run {
    /// The graph file.
    pub(in crate::cli) file: String,
    /// An input as NAME=VALUE, or a JSON file of inputs as @FILE.
    #[arg(long, value_name = "NAME=VALUE|@FILE")]
    pub(in crate::cli) input: Vec<String>,
    /// The run's id; by default one is made from the time.
    #[arg(long = "run-id", value_name = "ID")]
    pub(in crate::cli) id: Option<String>,
    /// The seed of the run's random numbers.
    #[arg(long, default_value_t = 0)]
    pub(in crate::cli) seed: u64,
    /// Stop and ask a person before each transition at which this condition over the state is true.
    #[arg(long, value_name = "EXPR")]
    pub(in crate::cli) interrupt_when: Option<String>,
    /// Stop and ask a person after every N transitions.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(in crate::cli) interrupt_every: Option<u64>,
    /// Let an engine drive the run: `restate=URL`, a Restate server by its ingress. A worker there has the graph, its models
    /// and tools (`loopwright worker restate`).
    #[arg(
        long,
        value_name = "ENGINE=URL",
        value_parser = Engine::read,
        conflicts_with_all = [
            "db", "script", "grant", "record", "summary", "mcp_config", "update_lock", "interrupt_when", "interrupt_every",
        ],
    )]
    pub(in crate::cli) engine: Option<Engine>,
    /// Leave the run to a worker (`loopwright work`) or an engine, print its id and do not wait for its end.
    #[arg(long, conflicts_with_all = ["record", "summary", "script", "grant", "mcp_config", "update_lock"])]
    pub(in crate::cli) detach: bool,
    /// The ports of the run.
    #[command(flatten)]
    pub(in crate::cli) ports: Ports,
}

impl Run {
    /// This command line, as a shell reads it.
    pub(in crate::cli) fn command(&self) -> String {
        let line = Line::of("run")
            .word(&self.file)
            .flag("--input", &self.input)
            .flag("--run-id", &self.id)
            .flag("--interrupt-when", &self.interrupt_when)
            .flag("--interrupt-every", self.interrupt_every.map(|every| every.to_string()))
            .switch("--detach", self.detach);
        self.ports.onto(line).text()
    }
}

/// `resume`.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Resume {
    /// The run: its id, the beginning of it, or `last`.
    pub(in crate::cli) run: String,
    /// The answer to the open question: JSON or plain text.
    #[arg(long, value_name = "JSON")]
    pub(in crate::cli) answer: Option<String>,
    /// The id of the question that is answered, if several are open.
    #[arg(long, value_name = "ID", requires = "answer")]
    pub(in crate::cli) ask: Option<String>,
    /// Continue with this edited version of the run's graph, if the run fits it.
    #[arg(long, value_name = "FILE")]
    pub(in crate::cli) with: Option<String>,
    /// Leave the answer, and the run, to a worker (`loopwright work`).
    #[arg(long, conflicts_with_all = ["with", "record", "summary", "script"])]
    pub(in crate::cli) detach: bool,
    /// Answer a run that an engine drives: `restate=URL`; without an answer, wait for its end.
    #[arg(
        long,
        value_name = "ENGINE=URL",
        value_parser = Engine::read,
        conflicts_with_all = ["db", "script", "grant", "record", "summary", "mcp_config", "update_lock", "with"],
    )]
    pub(in crate::cli) engine: Option<Engine>,
    /// The ports of the run.
    #[command(flatten)]
    pub(in crate::cli) ports: Ports,
}

/// `cancel`.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Cancel {
    /// The run: its id, the beginning of it, or `last`.
    pub(in crate::cli) run: String,
    /// The reason, for the graph's `error(cancelled)` and for the journal.
    #[arg(long, value_name = "TEXT", default_value = "a person cancelled the run")]
    pub(in crate::cli) reason: String,
    /// Cancel a run that an engine drives: `restate=URL`.
    #[arg(
        long,
        value_name = "ENGINE=URL",
        value_parser = Engine::read,
        conflicts_with_all = ["db", "script", "grant", "record", "summary", "mcp_config", "update_lock"],
    )]
    pub(in crate::cli) engine: Option<Engine>,
    /// With what the graph's answer to that is carried out.
    #[command(flatten)]
    pub(in crate::cli) ports: Ports,
}

impl Cancel {
    /// This command line, as a shell reads it.
    pub(in crate::cli) fn command(&self) -> String {
        self.ports.onto(Line::of("cancel").word(&self.run).flag("--reason", [&self.reason])).text()
    }
}

/// `rollback`.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Rollback {
    /// The run: its id, the beginning of it, or `last`.
    pub(in crate::cli) run: String,
    /// The step: the number of transitions that the graph had made.
    #[arg(long, value_name = "STEP", required_unless_present = "when")]
    pub(in crate::cli) to: Option<u64>,
    /// The latest step at which this condition over the graph's state began to hold, in place of its number.
    #[arg(long, value_name = "EXPR", conflicts_with = "to")]
    pub(in crate::cli) when: Option<String>,
    /// Undo the calls made after that step without asking.
    #[arg(long)]
    pub(in crate::cli) yes: bool,
    /// Undo no calls.
    #[arg(long, conflicts_with_all = ["undone", "not_undone"])]
    pub(in crate::cli) keep: bool,
    /// Treat this call, whose undoing was interrupted, as undone.
    #[arg(long, value_name = "CALL")]
    pub(in crate::cli) undone: Vec<String>,
    /// Treat this call, whose undoing was interrupted, as not undone, and undo it now.
    #[arg(long, value_name = "CALL")]
    pub(in crate::cli) not_undone: Vec<String>,
    /// With what they are undone.
    #[command(flatten)]
    pub(in crate::cli) ports: Ports,
}

impl Rollback {
    /// This command line, as a shell reads it; with `yes` it asks nothing.
    pub(in crate::cli) fn command(&self, yes: bool) -> String {
        self.line(yes, self.keep).text()
    }

    /// The same, saying how the undoing of a call ended that was cut off.
    pub(in crate::cli) fn answer_command(&self, flag: &str, call: &str) -> String {
        self.line(false, self.keep).flag(flag, [call]).text()
    }

    /// The same, undoing nothing.
    pub(in crate::cli) fn keeping(&self) -> String {
        self.line(false, true).text()
    }

    fn line(&self, yes: bool, keep: bool) -> Line {
        let line = Line::of("rollback")
            .word(&self.run)
            .flag("--to", self.to.map(|step| step.to_string()))
            .flag("--when", &self.when)
            .switch("--yes", yes || self.yes)
            .switch("--keep", keep);
        // Neither goes with `--keep`.
        let answer_command = |calls| if keep { &[][..] } else { calls };
        let line = line
            .flag("--undone", answer_command(&self.undone))
            .flag("--not-undone", answer_command(&self.not_undone));
        self.ports.onto(line)
    }
}

/// `fork`.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Fork {
    /// The run: its id, the beginning of it, or `last`.
    pub(in crate::cli) run: String,
    /// The step: the number of transitions that the graph had made.
    #[arg(long, value_name = "STEP")]
    pub(in crate::cli) at: u64,
    /// The new run's id; by default one is made from the time.
    #[arg(long = "run-id", value_name = "ID")]
    pub(in crate::cli) id: Option<String>,
    /// The store of both runs: a file, or a Postgres database (`postgres://HOST/DATABASE`).
    #[arg(long, value_name = "STORE", default_value = DB)]
    pub(in crate::cli) db: StoreAddress,
    /// The name of the person who does this, for the journal of the new run.
    #[arg(long, value_name = "NAME", value_parser = loopwright_core::app::person_name)]
    pub(in crate::cli) by: Option<Str>,
    /// Allow a foreign store with this digest.
    #[arg(long, value_name = "DIGEST", value_parser = loopwright_core::app::trust::digest)]
    pub(in crate::cli) trust: Vec<String>,
    /// Print in this format.
    #[arg(long, value_enum, default_value = "human")]
    pub(in crate::cli) format: Format,
}

impl Fork {
    /// This command line, as a shell reads it.
    pub(in crate::cli) fn command(&self) -> String {
        let line = Line::of("fork").word(&self.run).flag("--at", [self.at.to_string()]);
        line.flag("--run-id", &self.id).flag("--by", &self.by).db(&self.db).text()
    }

    /// The command line that resumes the new run.
    pub(in crate::cli) fn resume(&self, run: &str) -> String {
        Line::of("resume").word(run).db(&self.db).text()
    }
}
