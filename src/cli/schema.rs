//! `schema`: the JSON Schemas of files that people write.

use clap::{Args, ValueEnum};
use loopwright_core::app::FileKind;

use super::{Exit, screen};

/// `schema`.
#[derive(Debug, Args)]
pub(super) struct SchemaArgs {
    /// The kind of file that the schema is for.
    #[arg(value_enum, default_value_t = SchemaOf::Graph)]
    of: SchemaOf,
}

/// The kinds of file that have a schema.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum SchemaOf {
    /// A graph in YAML.
    Graph,
    /// A scenario file, `NAME.scenarios.yaml`.
    Scenarios,
    /// A script of answers, `NAME.script.yaml`.
    Script,
    /// A configuration, `loopwright.toml`.
    Config,
}

pub(super) fn run(args: &SchemaArgs) -> Exit {
    let kind = match args.of {
        SchemaOf::Graph => FileKind::Graph,
        SchemaOf::Scenarios => FileKind::Scenarios,
        SchemaOf::Script => FileKind::Script,
        SchemaOf::Config => FileKind::Configuration,
    };
    screen::print(&screen::json(&kind.schema()))
}
