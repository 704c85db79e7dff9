//! The application layer: graphs that are opened with their files, runs that are begun, found by id and gone on with.
//!
//! The command line is a printer over it, and so is whoever embeds the library. Nothing here prints, asks a person or
//! reads an argument: faults are typed, and their words name no flag.
//!
//! - [`Graph`]: read, judged and compiled, with the texts that are stored beside its runs.
//! - [`examine()`]: all that is found in a graph without running it; [`CheckRound`]: in several. [`DrawableGraph`],
//!   [`ComparedGraph`] and [`PlayedFile`]: drawings, versions and scenarios; [`JudgedMutants`]: what scenarios notice; [`SuiteDraft`]: scenarios that are written; [`explain()`]: the page of a rule.
//! - [`Runs`]: the runs of a store. [`Runs::driver`] makes a driver, [`Runs::begin`] a run.
//! - [`OpenRun`]: one of them, with its program compiled from the stored texts. It resumes, goes back, branches off and is
//!   replayed; with an [edited](OpenRun::edited) graph it continues as that one.
//! - [`Ports`]: tools, people and models for a driver, with keys hidden.
//! - [`gather_inputs`], [`settle_inputs`]: the inputs of a run.
//! - [`trust`]: what a configuration, a command and a store may do, and what the user allowed.
//! - [`recording()`]: a run as a scenario; [`Recorder`] writes it to files.
//! - [`JournalCursor`]: the program and the graph of every event of a journal.

mod answer;
mod cancel;
mod check_round;
mod compared;
mod configurations;
mod costs;
mod cursor;
mod deliveries;
mod drawn;
mod driver;
mod edited;
mod environment;
mod examine;
mod exchange;
mod explain;
mod explored;
mod explored_equivalence;
mod extended_suite;
mod flow_list;
mod folder_files;
mod function_tables;
mod graph;
mod host;
mod inputs;
mod judged_mutants;
mod known_programs;
#[cfg(feature = "mcp")]
pub mod mcp;
mod models;
mod on_threads;
mod open_error;
mod person;
mod played;
mod played_suite;
mod ports;
mod read_error;
mod record;
mod recorded;
mod replay;
mod resume;
mod rollback_report;
mod run_report;
mod runs;
mod state_diff;
mod stored;
mod suite_draft;
mod suite_fault;
mod survey;
pub mod trust;

pub use answer::{AnswerError, open_question};
pub use cancel::{current_node, end_cancelled};
pub use check_round::{CheckRound, UnansweredCauses, bound_text, called_files};
pub use compared::ComparedGraph;
pub use configurations::Configurations;
pub use costs::RunCosts;
pub use cursor::JournalCursor;
pub use deliveries::{ApprovedTools, Deliveries, deliveries};
pub use drawn::{DrawError, DrawableGraph, DrawingRequest, DrawnGraph, PictureFormat, drawing_text, picture};
pub use driver::driver_owner;
pub use edited::{EditError, Edited};
pub use environment::{file_with_secret, secret};
pub use examine::{Examined, examine};
pub use explain::{explain, explain_rule, explained_names};
pub use explored::{ExploreOptions, explore};
pub use explored_equivalence::explored_equivalence;
pub use extended_suite::{ExtendedSuite, UncoveredPart};
pub use folder_files::{FileKind, files_below, files_of_kinds};
pub use graph::{Graph, GraphError, Judged};
pub use host::{DriverOfRun, GraphHost, HostedGraph};
pub use inputs::{Inputs, MissingInput, gather_inputs, missing_inputs, settle_inputs};
pub use judged_mutants::JudgedMutants;
#[cfg(feature = "models")]
pub use models::{ModelsError, TestedEntry, test_models};
pub use models::{Unserved, asks_models, unserved};
pub use open_error::OpenError;
pub use person::person_name;
pub use played::{PlayOrder, PlayedFile};
pub use ports::{Ports, ScriptError, beside, call_ledger, command_context, tools, unstored};
pub use read_error::ReadError;
pub use record::{RecordError, RecordPlace, RecordPlaceError, Recorder, recording};
pub use recorded::RecordedCalls;
pub use replay::{Difference, Replay};
pub use rollback_report::rollback_json;
pub use run_report::{BudgetReport, LaneReport, OpenQuestion, RunReport, question_json};
pub use runs::Runs;
pub use state_diff::json_changes;
pub use stored::OpenRun;
pub use suite_draft::SuiteDraft;
pub use suite_fault::SuiteFault;
