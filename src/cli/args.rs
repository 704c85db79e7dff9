//! The commands and their flags.

use std::path::PathBuf;

use clap::{Parser, Subcommand, ValueEnum};

use crate::config::quoted;

/// Where runs are kept if nothing else is said.
pub(super) const DB: &str = ".loopwright/runs.db";

/// Agent loops as data: graph files that are checked, run and tested.
#[derive(Debug, Parser)]
#[command(name = "loopwright", version, about, arg_required_else_help = true, disable_help_subcommand = true)]
pub(super) struct Args {
    /// What to do.
    #[command(subcommand)]
    pub(super) command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Write a small graph, its scenarios and a configuration that run at once.
    New(New),
    /// Say everything that is wrong with graph files, without running them.
    Check(Check),
    /// Draw a graph: Mermaid or DOT, as text, or kept up to date in a document.
    Render(Render),
    /// Say what changed in meaning between two versions of a graph.
    Diff(Diff),
    /// Write graph files in their canonical form; comments stay.
    Fmt(Fmt),
    /// Print a graph file in the other syntax.
    Convert(Convert),
    /// Play scenario files and compare.
    Test(Test),
    /// Run a graph.
    Run(Run),
    /// Go on with a kept run: after a person's answer, a crash, an interruption.
    Resume(Resume),
    /// End a kept run for good.
    Cancel(Cancel),
    /// Send a kept run back to an earlier step.
    Rollback(Rollback),
    /// Begin another run at a step of a kept one.
    Fork(Fork),
    /// List the kept runs.
    Runs(Runs),
    /// Show where a kept run stands, or stood at a step.
    Show(Show),
    /// Print the events of a kept run.
    Log(Log),
    /// Remove kept runs that nobody wants any more.
    Purge(super::purge::Args),
    /// Make a kept run again from its journal and compare, or hold it against an edited graph.
    Replay(super::replay::Args),
    /// Say what of the kept runs can be read.
    Doctor(Doctor),
    /// Show what a folder's configuration asks for, and allow it.
    Trust(super::trust::Args),
    /// Print the JSON Schema of the YAML form, for editors.
    Schema,
    /// Print a completion script for a shell.
    Completions(Completions),
}

impl Command {
    /// True where it does more than look and print, so that giving it once more is not the same as giving it once.
    pub(super) const fn does(&self) -> bool {
        match self {
            Self::New(_)
            | Self::Fmt(_)
            | Self::Run(_)
            | Self::Trust(_)
            | Self::Resume(_)
            | Self::Cancel(_)
            | Self::Rollback(_)
            | Self::Fork(_)
            | Self::Purge(_) => true,
            Self::Check(_)
            | Self::Render(_)
            | Self::Diff(_)
            | Self::Convert(_)
            | Self::Test(_)
            | Self::Runs(_)
            | Self::Show(_)
            | Self::Log(_)
            | Self::Replay(_)
            | Self::Doctor(_)
            | Self::Schema
            | Self::Completions(_) => false,
        }
    }
}

/// How a command prints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// For people.
    Human,
    /// One JSON document.
    Json,
}

/// The folder below which the files lie that a graph names.
#[derive(Debug, Clone, Default, clap::Args)]
pub(super) struct Reach {
    /// The folder below which a graph's files lie: what it extends, uses and calls, and its texts. It holds the graph. Otherwise
    /// it is the repository in which the graph lies, or its own folder.
    #[arg(long, value_name = "DIR")]
    pub(super) root: Option<PathBuf>,
}

/// `check`.
#[derive(Debug, clap::Args)]
pub(super) struct Check {
    /// Graph files or folders; `-` is standard input.
    #[arg(required_unless_present = "explain")]
    pub(super) paths: Vec<String>,
    /// How to print.
    #[arg(long, value_enum, default_value = "human")]
    pub(super) format: Format,
    /// Fail if a run may make more transitions than that, or if their number is not known.
    #[arg(long, value_name = "N")]
    pub(super) bound_max: Option<u64>,
    /// Print the page of a rule instead.
    #[arg(long, value_name = "RULE")]
    pub(super) explain: Option<String>,
    /// Check again whenever a file changes.
    #[arg(long)]
    pub(super) watch: bool,
    /// The folder of its files.
    #[command(flatten)]
    pub(super) reach: Reach,
}

/// The language of a drawing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Language {
    /// Mermaid's `stateDiagram-v2`.
    State,
    /// Mermaid's `flowchart`.
    Flow,
    /// DOT, for Graphviz.
    Dot,
    /// No text; known so that the answer can say what there is.
    #[value(hide = true)]
    Svg,
    /// No text, either.
    #[value(hide = true)]
    Png,
}

/// What is left out of a drawing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Hidden {
    /// Edges on `error`, `timeout`, `unknown` and `exhausted`.
    Errors,
}

/// What is drawn of a graph, and how.
#[derive(Debug, Clone, clap::Args)]
pub(super) struct Picture {
    /// The language of the drawing; otherwise the one of the view, or `state`.
    #[arg(long = "as", value_enum, value_name = "FORM")]
    pub(super) language: Option<Language>,
    /// Draw a view that the graph declares.
    #[arg(long, value_name = "NAME")]
    pub(super) view: Option<String>,
    /// Draw so many levels of nodes; 1 shows composites without what is in them.
    #[arg(long, value_name = "N", conflicts_with = "view", value_parser = clap::value_parser!(u16).range(1..))]
    pub(super) depth: Option<u16>,
    /// Draw one composite, or one called graph, alone.
    #[arg(long, value_name = "NAME")]
    pub(super) node: Option<String>,
    /// Draw no boxes.
    #[arg(long)]
    pub(super) flat: bool,
    /// Draw called graphs inside of the nodes that call them.
    #[arg(long, conflicts_with = "flat")]
    pub(super) expand: bool,
    /// Leave something out.
    #[arg(long, value_enum, value_name = "WHAT")]
    pub(super) hide: Vec<Hidden>,
    /// Highlight the way of a run: the id of a kept one, or a file of its events, as `run --format jsonl` prints them.
    /// Without a graph file the steps of a kept run are drawn, and its ways back.
    #[arg(long, value_name = "RUN|FILE")]
    pub(super) run: Option<String>,
    /// The file in which the run is kept.
    #[arg(long, value_name = "PATH", default_value = DB, requires = "run")]
    pub(super) db: PathBuf,
}

/// `render`.
#[derive(Debug, clap::Args)]
pub(super) struct Render {
    /// The graph file; `-` is standard input. With `--into`, only the blocks of this graph are looked at.
    #[arg(required_unless_present_any = ["into", "run"])]
    pub(super) file: Option<String>,
    /// What is drawn, and how.
    #[command(flatten)]
    pub(super) picture: Picture,
    /// How to print: the drawing, or what is in it as one JSON document.
    #[arg(long, value_enum, default_value = "human")]
    pub(super) format: Format,
    /// Replace the drawings in a document: what stands between a line `<!-- loopwright: FILE FLAGS -->` and the next line
    /// `<!-- /loopwright -->`. FILE is looked for beside the document.
    #[arg(long, value_name = "DOCUMENT", conflicts_with_all = [
        "language", "view", "depth", "node", "flat", "expand", "hide", "run", "db", "format",
    ])]
    pub(super) into: Option<PathBuf>,
    /// Say which drawings in the document are stale, and change nothing.
    #[arg(long, requires = "into")]
    pub(super) check: bool,
    /// Draw again whenever the graph, a file it uses, or the document changes.
    #[arg(long)]
    pub(super) watch: bool,
    /// The folder of its files.
    #[command(flatten)]
    pub(super) reach: Reach,
}

/// Changes that `diff` can leave out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Left {
    /// Another order of declarations, where runs go the same way.
    Order,
    /// Titles, labels, views and documentation.
    Shown,
}

/// `diff`.
#[derive(Debug, clap::Args)]
pub(super) struct Diff {
    /// The version it was; `-` is standard input.
    pub(super) before: String,
    /// The version it is; `-` is standard input.
    pub(super) after: String,
    /// Leave out changes that do not change what runs do.
    #[arg(long, value_enum, value_name = "WHAT")]
    pub(super) hide: Vec<Left>,
    /// How to print.
    #[arg(long, value_enum, default_value = "human")]
    pub(super) format: Format,
    /// The folder of its files.
    #[command(flatten)]
    pub(super) reach: Reach,
}

/// `fmt`.
#[derive(Debug, clap::Args)]
pub(super) struct Fmt {
    /// Graph files or folders; `-` is standard input, and its canonical form is printed.
    #[arg(required = true)]
    pub(super) paths: Vec<String>,
    /// Write nothing; say which files would change, and end with 1 if there are any.
    #[arg(long)]
    pub(super) check: bool,
    /// How to print.
    #[arg(long, value_enum, default_value = "human")]
    pub(super) format: Format,
    /// The folder of its files.
    #[command(flatten)]
    pub(super) reach: Reach,
}

/// A syntax to write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum To {
    /// YAML.
    Yaml,
    /// The loop DSL.
    Loop,
}

/// `convert`.
#[derive(Debug, clap::Args)]
pub(super) struct Convert {
    /// The graph file; `-` is standard input.
    pub(super) file: String,
    /// The syntax to write. Left out, it is the one the file is not in.
    #[arg(long, value_enum)]
    pub(super) to: Option<To>,
    /// The folder of its files.
    #[command(flatten)]
    pub(super) reach: Reach,
}

/// `new`.
#[derive(Debug, clap::Args)]
pub(super) struct New {
    /// The graph's name; files NAME.yaml and NAME.scenarios.yaml are written.
    pub(super) name: String,
    /// The folder to write into.
    #[arg(long, default_value = ".")]
    pub(super) dir: PathBuf,
}

/// `completions`.
#[derive(Debug, clap::Args)]
pub(super) struct Completions {
    /// The shell.
    pub(super) shell: clap_complete::Shell,
}

/// How `test` prints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum TestFormat {
    /// For people.
    Human,
    /// One JSON document.
    Json,
    /// JUnit XML, for CI servers.
    Junit,
}

/// `test`.
#[derive(Debug, clap::Args)]
pub(super) struct Test {
    /// Scenario files or folders.
    #[arg(required = true)]
    pub(super) paths: Vec<String>,
    /// How to print.
    #[arg(long, value_enum, default_value = "human")]
    pub(super) format: TestFormat,
    /// Say which nodes, edges and `if` branches the scenarios took, and list those none took.
    #[arg(long)]
    pub(super) coverage: bool,
    /// Test again whenever a file changes.
    #[arg(long)]
    pub(super) watch: bool,
    /// The folder of its files.
    #[command(flatten)]
    pub(super) reach: Reach,
}

/// `runs`.
#[derive(Debug, clap::Args)]
pub(super) struct Runs {
    /// The file in which runs are kept.
    #[arg(long, value_name = "PATH", default_value = DB)]
    pub(super) db: PathBuf,
    /// How to print.
    #[arg(long, value_enum, default_value = "human")]
    pub(super) format: Format,
}

/// `show`.
#[derive(Debug, clap::Args)]
pub(super) struct Show {
    /// The run's id.
    pub(super) run: String,
    /// The step: how many transitions the graph had made. Otherwise where the run stands now.
    #[arg(long, value_name = "N")]
    pub(super) at: Option<u64>,
    /// The file in which runs are kept.
    #[arg(long, value_name = "PATH", default_value = DB)]
    pub(super) db: PathBuf,
    /// How to print.
    #[arg(long, value_enum, default_value = "human")]
    pub(super) format: Format,
}

/// How `log` prints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum LogFormat {
    /// For people.
    Human,
    /// One event a line, as `run` prints them.
    Jsonl,
}

/// `log`.
#[derive(Debug, clap::Args)]
pub(super) struct Log {
    /// The run's id.
    pub(super) run: String,
    /// The file in which runs are kept.
    #[arg(long, value_name = "PATH", default_value = DB)]
    pub(super) db: PathBuf,
    /// How to print.
    #[arg(long, value_enum, default_value = "human")]
    pub(super) format: LogFormat,
}

/// `doctor`.
#[derive(Debug, clap::Args)]
pub(super) struct Doctor {
    /// The file in which runs are kept. Nothing in it is changed.
    #[arg(long, value_name = "PATH", default_value = DB)]
    pub(super) db: PathBuf,
    /// How to print.
    #[arg(long, value_enum, default_value = "human")]
    pub(super) format: Format,
}

/// How `run` prints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum RunFormat {
    /// For people.
    Human,
    /// The outcome as one JSON document.
    Json,
    /// One event a line.
    Jsonl,
}

/// How much `--log` says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Level {
    /// Nothing.
    Off,
    /// What went wrong.
    Error,
    /// What may be wrong.
    Warn,
    /// Runs and calls.
    Info,
    /// Nodes too.
    Debug,
    /// Everything.
    Trace,
}

/// What a run is driven with.
#[derive(Debug, clap::Args)]
pub(super) struct Ports {
    /// The configuration; otherwise `loopwright.toml` beside the graph or in the working folder. What it asks for beyond its
    /// folder holds once `loopwright trust` allowed it.
    #[arg(long, value_name = "FILE")]
    pub(super) config: Option<PathBuf>,
    /// Answers of a scripted model (and of tools and people, where the file has them).
    #[arg(long, value_name = "FILE")]
    pub(super) script: Option<String>,
    /// Let the graph use a declared command. With a digest it is only the command that has it.
    #[arg(long, value_name = "TOOL[@DIGEST]")]
    pub(super) grant: Vec<String>,
    /// Allow a configuration or a store of this digest, for this command alone; so does the variable `LOOPWRIGHT_TRUST`.
    #[arg(long, value_name = "DIGEST", value_parser = super::trust::digest)]
    pub(super) trust: Vec<String>,
    /// The file in which the run is kept; `run` makes it if it is not there.
    #[arg(long, value_name = "PATH", default_value = DB)]
    pub(super) db: PathBuf,
    /// Write the run as a scenario file when it ends or waits, and its answers as a script beside it.
    #[arg(long, value_name = "FILE")]
    pub(super) record: Option<PathBuf>,
    /// Let `--record` write over files that it did not write, or that were changed since.
    #[arg(long, requires = "record")]
    pub(super) force: bool,
    /// Say at the end on standard error what it took: time, calls, tokens, cost, budgets. At a terminal that is said anyway where a
    /// real model answered.
    #[arg(long)]
    pub(super) summary: bool,
    /// How to print.
    #[arg(long, value_enum, default_value = "human")]
    pub(super) format: RunFormat,
    /// Log to standard error.
    #[arg(long, value_enum, default_value = "off")]
    pub(super) log: Level,
    /// The folder of its files.
    #[command(flatten)]
    pub(super) reach: Reach,
}

impl Ports {
    /// The flags of this command line that another one for the same run needs.
    fn words(&self) -> Vec<String> {
        let mut words = Vec::new();
        let mut flag = |name: &str, value: &str| words.extend([name.to_owned(), value.to_owned()]);
        if let Some(config) = &self.config {
            flag("--config", &config.to_string_lossy());
        }
        if let Some(script) = &self.script {
            flag("--script", script);
        }
        if self.db.as_os_str() != DB {
            flag("--db", &self.db.to_string_lossy());
        }
        self.grant.iter().for_each(|v| flag("--grant", v));
        self.trust.iter().for_each(|v| flag("--trust", v));
        if let Some(root) = &self.reach.root {
            flag("--root", &root.to_string_lossy());
        }
        if let Some(record) = &self.record {
            flag("--record", &record.to_string_lossy());
        }
        words
    }

    /// The command line that goes on with a run, with further words behind it.
    pub(super) fn resume(&self, run: &str, more: &[&str]) -> String {
        let words = self.words().into_iter().chain(more.iter().map(|word| (*word).to_owned()));
        format!("loopwright resume {}{}", quoted(run), line(words))
    }
}

/// `run`.
#[derive(Debug, clap::Args)]
pub(super) struct Run {
    /// The graph file.
    pub(super) file: String,
    /// An input field as name=value, or a file of them as @FILE.json.
    #[arg(long, value_name = "NAME=VALUE|@FILE")]
    pub(super) input: Vec<String>,
    /// The run's id; otherwise one is made of the time.
    #[arg(long = "run-id", value_name = "ID")]
    pub(super) id: Option<String>,
    /// Seed of the run's random numbers.
    #[arg(long, default_value_t = 0)]
    pub(super) seed: u64,
    /// Stop and ask a person before each transition at which this holds of the graph's state.
    #[arg(long, value_name = "EXPR")]
    pub(super) interrupt_when: Option<String>,
    /// Stop and ask a person behind every so many transitions.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(super) interrupt_every: Option<u64>,
    /// What the run is driven with.
    #[command(flatten)]
    pub(super) ports: Ports,
}

impl Run {
    /// This command line, as a shell reads it.
    pub(super) fn command(&self) -> String {
        let mut words = vec![self.file.clone()];
        let mut flag = |name: &str, value: &str| words.extend([name.to_owned(), value.to_owned()]);
        self.input.iter().for_each(|v| flag("--input", v));
        if let Some(id) = &self.id {
            flag("--run-id", id);
        }
        if let Some(text) = &self.interrupt_when {
            flag("--interrupt-when", text);
        }
        if let Some(every) = self.interrupt_every {
            flag("--interrupt-every", &every.to_string());
        }
        words.extend(self.ports.words());
        format!("loopwright run{}", line(words))
    }
}

/// `resume`.
#[derive(Debug, clap::Args)]
pub(super) struct Resume {
    /// The run's id.
    pub(super) run: String,
    /// The answer to the question the run waits for: JSON, or a text as it is.
    #[arg(long, value_name = "JSON")]
    pub(super) answer: Option<String>,
    /// The question that is answered, by its id, where several are open.
    #[arg(long, value_name = "ID", requires = "answer")]
    pub(super) ask: Option<String>,
    /// Go on with this graph file, an edited form of the run's graph, where all that the run holds has its place in it.
    #[arg(long, value_name = "FILE")]
    pub(super) with: Option<String>,
    /// What the run is driven with.
    #[command(flatten)]
    pub(super) ports: Ports,
}

/// `cancel`.
#[derive(Debug, clap::Args)]
pub(super) struct Cancel {
    /// The run's id.
    pub(super) run: String,
    /// Why, for the graph's own `error(cancelled)` and for the journal.
    #[arg(long, value_name = "TEXT", default_value = "a person cancelled the run")]
    pub(super) reason: String,
    /// With what the graph's answer to that is carried out.
    #[command(flatten)]
    pub(super) ports: Ports,
}

impl Cancel {
    /// This command line, as a shell reads it.
    pub(super) fn command(&self) -> String {
        let mut words = vec![self.run.clone(), "--reason".to_owned(), self.reason.clone()];
        words.extend(self.ports.words());
        format!("loopwright cancel{}", line(words))
    }
}

/// `rollback`.
#[derive(Debug, clap::Args)]
pub(super) struct Rollback {
    /// The run's id.
    pub(super) run: String,
    /// The step: how many transitions the graph had made.
    #[arg(long, value_name = "STEP")]
    pub(super) to: u64,
    /// Do not ask about the calls that were made since.
    #[arg(long)]
    pub(super) yes: bool,
    /// Undo none of them.
    #[arg(long, conflicts_with_all = ["undone", "not_undone"])]
    pub(super) keep: bool,
    /// Where undoing a call was cut off and nobody knows how it ended: it was undone.
    #[arg(long, value_name = "CALL")]
    pub(super) undone: Vec<String>,
    /// The same: it was not undone. It is undone now.
    #[arg(long, value_name = "CALL")]
    pub(super) not_undone: Vec<String>,
    /// With what they are undone.
    #[command(flatten)]
    pub(super) ports: Ports,
}

impl Rollback {
    /// This command line, as a shell reads it; with `yes` it asks nothing.
    pub(super) fn command(&self, yes: bool) -> String {
        let told = [("--undone", &self.undone), ("--not-undone", &self.not_undone)];
        let told = told.into_iter().flat_map(|(flag, calls)| calls.iter().flat_map(move |call| [flag, call]));
        let told: Vec<String> = told.map(str::to_owned).collect();
        self.line(yes, self.keep, told)
    }

    /// The same, saying how the undoing of a call ended that was cut off.
    pub(super) fn told(&self, flag: &str, call: &str) -> String {
        format!("{}{}", self.command(false), line([flag.to_owned(), call.to_owned()]))
    }

    /// The same, undoing nothing.
    pub(super) fn keeping(&self) -> String {
        self.line(false, true, Vec::new())
    }

    fn line(&self, yes: bool, keep: bool, told: Vec<String>) -> String {
        let mut words = vec![self.run.clone(), "--to".to_owned(), self.to.to_string()];
        words.extend((yes || self.yes).then(|| "--yes".to_owned()));
        words.extend(keep.then(|| "--keep".to_owned()));
        words.extend(told);
        words.extend(self.ports.words());
        format!("loopwright rollback{}", line(words))
    }
}

/// `fork`.
#[derive(Debug, clap::Args)]
pub(super) struct Fork {
    /// The run's id.
    pub(super) run: String,
    /// The step: how many transitions the graph had made.
    #[arg(long, value_name = "STEP")]
    pub(super) at: u64,
    /// The new run's id; otherwise one is made of the time.
    #[arg(long = "run-id", value_name = "ID")]
    pub(super) id: Option<String>,
    /// The file in which both are kept.
    #[arg(long, value_name = "PATH", default_value = DB)]
    pub(super) db: PathBuf,
    /// Go on with a store of this digest, which somebody else made.
    #[arg(long, value_name = "DIGEST", value_parser = super::trust::digest)]
    pub(super) trust: Vec<String>,
    /// How to print.
    #[arg(long, value_enum, default_value = "human")]
    pub(super) format: Format,
}

impl Fork {
    /// This command line, as a shell reads it.
    pub(super) fn command(&self) -> String {
        let mut words = vec![self.run.clone(), "--at".to_owned(), self.at.to_string()];
        let mut flag = |name: &str, value: &str| words.extend([name.to_owned(), value.to_owned()]);
        if let Some(id) = &self.id {
            flag("--run-id", id);
        }
        if self.db.as_os_str() != DB {
            flag("--db", &self.db.to_string_lossy());
        }
        format!("loopwright fork{}", line(words))
    }

    /// The command line that goes on with the new run.
    pub(super) fn resume(&self, run: &str) -> String {
        let mut words = vec![run.to_owned()];
        if self.db.as_os_str() != DB {
            words.extend(["--db".to_owned(), self.db.to_string_lossy().into_owned()]);
        }
        format!("loopwright resume{}", line(words))
    }
}

/// Words as a shell reads them, each after a space.
fn line(words: impl IntoIterator<Item = String>) -> String {
    words.into_iter().fold(String::new(), |line, word| line + " " + &quoted(&word))
}
