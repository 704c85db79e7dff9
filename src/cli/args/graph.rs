//! The flags of commands that read graph and scenario files.

use std::path::PathBuf;

use clap::ValueEnum;

use super::{Format, SearchFlags, TemplateName, TestFormat};

/// The folder below which the files lie that a graph names.
#[derive(Debug, Clone, Default, clap::Args)]
pub(in crate::cli) struct Reach {
    /// The folder below which all files of a graph must be: graphs it extends, uses and calls, and its texts. By default the
    /// repository of the graph, or the folder of the graph.
    #[arg(long, value_name = "DIR")]
    pub(in crate::cli) root: Option<PathBuf>,
}

/// `check`.
#[derive(Debug, clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub(in crate::cli) struct Check {
    /// Graph files or folders, by default the working folder; `-` is standard input.
    #[arg(default_value = ".")]
    pub(in crate::cli) paths: Vec<String>,
    /// Print in this format.
    #[arg(long, value_enum, default_value = "human")]
    pub(in crate::cli) format: Format,
    /// Fail if a run may make more than N transitions, or if the number is unknown.
    #[arg(long, value_name = "N")]
    pub(in crate::cli) bound_max: Option<u64>,
    /// An input as NAME=VALUE, or a JSON file of inputs as @FILE: the bound is that of runs with these inputs. It needs one
    /// graph file.
    #[arg(long, value_name = "NAME=VALUE|@FILE")]
    pub(in crate::cli) input: Vec<String>,
    /// Fail on warnings, too; by default only errors fail.
    #[arg(long)]
    pub(in crate::cli) strict: bool,
    /// List pairs of guards of one node that hold in one state, too. The first edge is taken then: this is no fault.
    #[arg(long)]
    pub(in crate::cli) overlaps: bool,
    /// List where the arguments of tools, the questions to people, what models read and the outcomes may come from.
    #[arg(long)]
    pub(in crate::cli) flows: bool,
    /// Print the page of a rule instead.
    #[arg(long, value_name = "RULE")]
    pub(in crate::cli) explain: Option<String>,
    /// Check again whenever a file changes.
    #[arg(long)]
    pub(in crate::cli) watch: bool,
    /// The folder of its files.
    #[command(flatten)]
    pub(in crate::cli) reach: Reach,
}

/// Changes that `diff` can leave out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum Left {
    /// Another order of declarations that does not change runs.
    Order,
    /// Titles, labels, views and documentation.
    Shown,
}

/// `diff`.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Diff {
    /// The old version; `-` is standard input.
    pub(in crate::cli) before: String,
    /// The new version; `-` is standard input.
    pub(in crate::cli) after: String,
    /// Leave out changes without an effect on runs.
    #[arg(long, value_enum, value_name = "WHAT")]
    pub(in crate::cli) hide: Vec<Left>,
    /// Print in this format.
    #[arg(long, value_enum, default_value = "human")]
    pub(in crate::cli) format: Format,
    /// The folder of its files.
    #[command(flatten)]
    pub(in crate::cli) reach: Reach,
}

/// `fmt`.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Fmt {
    /// Graph files or folders, by default the working folder; `-` formats standard input and prints the result.
    #[arg(default_value = ".")]
    pub(in crate::cli) paths: Vec<String>,
    /// Write nothing; list the files that would change, and exit with code 1 if there are any.
    #[arg(long)]
    pub(in crate::cli) check: bool,
    /// Write nothing; print the lines that would change as a unified diff, and exit with code 1 if there are any.
    #[arg(long, conflicts_with_all = ["check", "format"])]
    pub(in crate::cli) diff: bool,
    /// Print in this format.
    #[arg(long, value_enum, default_value = "human")]
    pub(in crate::cli) format: Format,
    /// The folder of its files.
    #[command(flatten)]
    pub(in crate::cli) reach: Reach,
}

/// A syntax to write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum To {
    /// YAML.
    Yaml,
    /// The loop DSL.
    Loop,
}

/// `convert`.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Convert {
    /// The graph file; `-` is standard input.
    pub(in crate::cli) file: String,
    /// The syntax to write; by default the other syntax.
    #[arg(long, value_enum)]
    pub(in crate::cli) to: Option<To>,
    /// The folder of its files.
    #[command(flatten)]
    pub(in crate::cli) reach: Reach,
}

/// `test`.
#[derive(Debug, clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub(in crate::cli) struct Test {
    /// Scenario files or folders, by default the working folder; with `--write` a graph file.
    #[arg(default_value = ".")]
    pub(in crate::cli) paths: Vec<String>,
    /// Play the scenarios alone whose names have this text in them.
    #[arg(short = 'k', long = "name", value_name = "TEXT", conflicts_with_all = ["mutants", "write"])]
    pub(in crate::cli) name: Option<String>,
    /// Stop at the first scenario that fails.
    #[arg(long, conflicts_with_all = ["mutants", "write"])]
    pub(in crate::cli) fail_fast: bool,
    /// Print in this format.
    #[arg(long, value_enum, default_value = "human")]
    pub(in crate::cli) format: TestFormat,
    /// Count the nodes, edges and `if` branches that the scenarios took, and list those that none took.
    #[arg(long)]
    pub(in crate::cli) coverage: bool,
    /// Count as `--coverage` does, and fail if less than PERCENT of all nodes, edges and branches was taken.
    #[arg(long, value_name = "PERCENT", conflicts_with_all = ["mutants", "write", "name", "fail_fast"],
        value_parser = clap::value_parser!(u8).range(0..=100))]
    pub(in crate::cli) min_coverage: Option<u8>,
    /// Plant a fault at a time in the graphs that the scenarios play, and list the faults that no scenario notices.
    #[arg(long, conflicts_with_all = ["coverage", "watch"])]
    pub(in crate::cli) mutants: bool,
    /// Fail if the scenarios notice less than PERCENT of the faults in a graph.
    #[arg(long, value_name = "PERCENT", requires = "mutants", value_parser = clap::value_parser!(u8).range(0..=100))]
    pub(in crate::cli) min_score: Option<u8>,
    /// Test again whenever a file changes.
    #[arg(long)]
    pub(in crate::cli) watch: bool,
    /// Search the runs of a graph as `explore` does, and add scenarios to the scenario file beside it until every node, edge and
    /// branch that the search reached is covered.
    #[arg(long, conflicts_with_all = ["coverage", "mutants", "watch"])]
    pub(in crate::cli) write: bool,
    /// The search of `--write`.
    #[command(flatten, next_help_heading = "The search of --write")]
    pub(in crate::cli) search: SearchFlags,
    /// The folder of its files.
    #[command(flatten)]
    pub(in crate::cli) reach: Reach,
}

/// `new`.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct New {
    /// The graph's name, such as `my_agent`; the files are NAME.yaml or NAME.loop, NAME.scenarios.yaml and NAME.script.yaml.
    pub(in crate::cli) name: String,
    /// The graph to begin with.
    #[arg(long, value_enum, default_value = "small")]
    pub(in crate::cli) from: TemplateName,
    /// The folder to write into.
    #[arg(long = "in", visible_alias = "dir", value_name = "DIR", default_value = ".")]
    pub(in crate::cli) dir: PathBuf,
    /// Write the graph in the loop DSL.
    #[arg(long = "loop")]
    pub(in crate::cli) in_loop: bool,
}
