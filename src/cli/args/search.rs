//! The flags of a search through the runs of a graph.

use std::num::NonZeroUsize;

/// The flags of a search through the runs of a graph.
#[derive(Debug, Clone, Default, clap::Args)]
pub(in crate::cli) struct SearchFlags {
    /// An input as NAME=VALUE, or a JSON file of inputs as @FILE. A required input that is not given is explored.
    #[arg(long, value_name = "NAME=VALUE|@FILE")]
    pub(in crate::cli) input: Vec<String>,
    /// Explore the values of this input, too, though it has a default.
    #[arg(long, value_name = "NAME")]
    pub(in crate::cli) open: Vec<String>,
    /// A script or a scenario file whose answers are examples: the models, tools and people that it answers for give these alone, or
    /// their calls fail. Its tools are on offer beside those that the graph names.
    #[arg(long, value_name = "FILE")]
    pub(in crate::cli) answers: Option<String>,
    /// The most answers of a run.
    #[arg(long, value_name = "N")]
    pub(in crate::cli) depth: Option<u32>,
    /// The most states that are searched; what lies beyond is visited by random walks. By default 200000.
    #[arg(long, value_name = "N")]
    pub(in crate::cli) max_states: Option<usize>,
    /// The random walks after a search that does not reach everything. By default 2000.
    #[arg(long, value_name = "N")]
    pub(in crate::cli) walks: Option<u64>,
    /// The seed of the walks; with the same seed they are the same. By default 0.
    #[arg(long, value_name = "N")]
    pub(in crate::cli) seed: Option<u64>,
    /// The times that a person may send one run back at a pause: 0 or 1. By default 1.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=1))]
    pub(in crate::cli) rollbacks: Option<u32>,
    /// The threads. Any number of them finds the same. By default as many as the machine has processors.
    #[arg(long, value_name = "N")]
    pub(in crate::cli) threads: Option<NonZeroUsize>,
}

impl SearchFlags {
    /// One of the flags that were given.
    pub(in crate::cli) fn given(&self) -> Option<&'static str> {
        let flags = [
            ("--input", !self.input.is_empty()),
            ("--open", !self.open.is_empty()),
            ("--answers", self.answers.is_some()),
            ("--depth", self.depth.is_some()),
            ("--max-states", self.max_states.is_some()),
            ("--walks", self.walks.is_some()),
            ("--seed", self.seed.is_some()),
            ("--rollbacks", self.rollbacks.is_some()),
            ("--threads", self.threads.is_some()),
        ];
        flags.into_iter().find(|(_, is_given)| *is_given).map(|(flag, _)| flag)
    }
}
