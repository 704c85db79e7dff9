//! Scripted worlds for graphs: scenario files, the run in them, what came of it against what was expected.
//!
//! ```text
//! text ─read─▶ ScenarioFile ─bind─▶ Bound ─play─▶ Run ─▶ Facts ─compare─▶ Report
//! ```
//!
//! [`Suite::load`] does the first half, [`Suite::play`] the second. Everything here is pure: the clock jumps from one
//! awaited time to the next, models, tools and people answer what the file says. The same [`Script`] answers in a real
//! run that was given scripted models.
//!
//! # Why
//! - A recorded scenario is played before it is written. What it cannot say it says in words, instead of a wrong scenario.
//! - A way is nodes, not numbers: an edge is known by the nodes it joins, so a renumbered graph still matches.
//! - A script that runs dry fails the call with `denied`, which is fatal, so that no retry hides it.

#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

mod align;
mod append;
mod bind;
mod check;
mod compare;
mod coverage;
mod data;
mod facts;
mod failed_run;
mod failure;
mod file;
mod play;
pub mod print;
mod program_part;
mod read;
mod record;
mod report;
mod run_path;
mod script;
mod suite;
pub mod trace;

pub use append::{ListRefusal, append};
pub use bind::{BoundExpressions, NoValue, bind};
pub use check::{check, check_answers};
pub use coverage::{Coverage, CoverageItem, CoveragePart, Keys};
pub use data::{Data, DataPiece, Expression};
pub use facts::{BrokenProperty, RunFacts};
pub use facts::{amount, state};
pub use failed_run::failed_run;
pub use failure::{FieldDifference, ScenarioFailure, ScenarioFault};
pub use file::{
    Expect, NamedValues, Scenario, ScenarioFile, ScenarioStart, ScriptedAnswer, ScriptedAnswers,
    ScriptedReply,
};
pub(crate) use play::with_tools;
pub use play::{PlayEnd, PlayedRun, play, play_rebuilding, play_with, with_named_tools};
pub(crate) use program_part::taken_at;
pub use program_part::{NamedPart, ProgramPart, each_taken, program_parts};
pub use read::{file_schema, is_script, json, plain_tool, read, read_answers, script_schema};
pub use record::{
    History, InheritedDefaults, Recording, ScenarioHead, ScenarioItem, record, scenario_file_opening,
    write_scenario, write_scenario_item,
};
pub use report::Report;
pub use run_path::{PathMark, PathReader, PathSign};
pub(crate) use script::encoded;
pub use script::{GivenAnswer, MissingAnswer, Script, UnfitAnswer};
pub use suite::{Loaded, Suite};
