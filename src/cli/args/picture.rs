//! The flags of `render`.

use std::path::PathBuf;

use clap::ValueEnum;

use super::{DB, Format, Reach};
use loopwright_core::store::StoreAddress;

/// The language of a drawing, or the format of a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum Language {
    /// Mermaid's `stateDiagram-v2`.
    State,
    /// Mermaid's `flowchart`.
    Flow,
    /// DOT, for Graphviz.
    Dot,
    /// A picture.
    Svg,
    /// A picture in pixels; programs that were built with the feature `png` have it.
    Png,
}

/// The parts of a drawing that can be left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum Hidden {
    /// Edges on `error`, `timeout`, `unknown` and `exhausted`.
    Errors,
}

/// The way in which a drawing is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum Direction {
    /// From left to right.
    #[value(name = "LR")]
    Across,
    /// From top to bottom.
    #[value(name = "TB")]
    Down,
}

/// The parts of a graph that are drawn, and the form.
#[derive(Debug, Clone, clap::Args)]
pub(in crate::cli) struct Picture {
    /// The language of the drawing, or the format of a picture; by default the language of the view, or `state`.
    #[arg(long = "as", value_enum, value_name = "FORM")]
    pub(in crate::cli) language: Option<Language>,
    /// Draw a view that the graph declares.
    #[arg(long, value_name = "NAME")]
    pub(in crate::cli) view: Option<String>,
    /// Draw N levels of nodes; 1 shows composites without their inner nodes.
    #[arg(long, value_name = "N", conflicts_with = "view", value_parser = clap::value_parser!(u16).range(1..))]
    pub(in crate::cli) depth: Option<u16>,
    /// Draw one composite, or one called graph, alone.
    #[arg(long, value_name = "NAME")]
    pub(in crate::cli) node: Option<String>,
    /// Draw no boxes.
    #[arg(long)]
    pub(in crate::cli) flat: bool,
    /// Draw called graphs inside the nodes that call them.
    #[arg(long, conflicts_with = "flat")]
    pub(in crate::cli) expand: bool,
    /// Leave something out.
    #[arg(long, value_enum, value_name = "WHAT")]
    pub(in crate::cli) hide: Vec<Hidden>,
    /// Draw one arrow for all edges between the same two nodes.
    #[arg(long)]
    pub(in crate::cli) merge: bool,
    /// Draw from left to right, or from top to bottom.
    #[arg(long, value_enum, ignore_case = true, value_name = "LR|TB")]
    pub(in crate::cli) direction: Option<Direction>,
    /// Highlight the path of a run: the id of a stored run, or a file with its events from `run --format jsonl`. Without a
    /// graph file, draw the steps of a stored run and its rollbacks.
    #[arg(long, value_name = "RUN|FILE")]
    pub(in crate::cli) run: Option<String>,
    /// The store of the run: a file, or a Postgres database (`postgres://HOST/DATABASE`).
    #[arg(long, value_name = "STORE", default_value = DB, requires = "run")]
    pub(in crate::cli) db: StoreAddress,
}

/// `render`.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Render {
    /// The graph file; `-` is standard input. With `--into`, only the drawings of this graph are updated.
    #[arg(required_unless_present_any = ["into", "run"])]
    pub(in crate::cli) file: Option<String>,
    /// The parts that are drawn, and the form.
    #[command(flatten)]
    pub(in crate::cli) picture: Picture,
    /// Print in this format: the drawing, or its parts as one JSON document.
    #[arg(long, value_enum, default_value = "human")]
    pub(in crate::cli) format: Format,
    /// Replace the drawings in a document: the lines between `<!-- loopwright: FILE FLAGS -->` and the next
    /// `<!-- /loopwright -->`. FILE is relative to the document.
    #[arg(long, value_name = "DOCUMENT", conflicts_with_all = [
        "language", "view", "depth", "node", "flat", "expand", "hide", "merge", "direction", "run", "db", "format",
    ])]
    pub(in crate::cli) into: Option<PathBuf>,
    /// List the stale drawings in the document, and change nothing.
    #[arg(long, requires = "into")]
    pub(in crate::cli) check: bool,
    /// Draw again whenever the graph, a file it uses, or the document changes.
    #[arg(long)]
    pub(in crate::cli) watch: bool,
    /// The folder of its files.
    #[command(flatten)]
    pub(in crate::cli) reach: Reach,
}
