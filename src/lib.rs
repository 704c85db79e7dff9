//! Agent loops as data.
//!
//! An agent loop is a *graph file*: nodes that think, act and end, edges with guards, typed state, and budgets that
//! say when the loop must stop. This crate reads such a file, judges it, and runs it.
//!
//! # Run a graph
//!
//! ```
//! # #[cfg(feature = "runtime")]
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use loopwright::{Driver, Files, Finished, Graph, Start};
//!
//! let mut files = Files::new().with(
//!     "count.yaml",
//!     "graph: count\nbudgets: {rounds: 3}\nstart: again\nnodes:\n  again:\n    do: spend rounds\n    next: [{to: again}, {to: done, on: exhausted(rounds)}]\n  done: {kind: final}\n",
//! );
//! // A graph that may go on for ever, or that can fail where its author did not say so, is refused here.
//! let graph = Graph::load("count.yaml", &mut files)?;
//! let driver = Driver::new(graph.program);
//! let finished = tokio::runtime::Runtime::new()?.block_on(async {
//!     driver.start(Start::default()).await?.drive().await
//! })?;
//! let Finished::Done(done) = finished else { return Err("nothing waits for a person".into()) };
//! assert_eq!(done.outcome, "done");
//! # Ok(())
//! # }
//! # #[cfg(not(feature = "runtime"))]
//! # fn main() {}
//! ```
//!
//! [`Graph::open`] reads a file with those that it names. A [`Driver`] takes what the graph needs from the world: a
//! [`ModelClient`], [`Tools`] made of Rust functions, a [`Human`], an [`Observer`]. [`Runs`] stores runs: a run that was stopped or
//! waits for a person is found by its id and [resumed](OpenRun::resume). The programs in `examples/` show each of these.
//!
//! # Features
//!
//! | feature | what it brings |
//! |---|---|
//! | `cli` (default) | the command line; brings `models` |
//! | `runtime` | what drives a run: a driver, tools, stores. Needs an async runtime |
//! | `models` | models behind HTTP; brings `runtime` |
//! | `otel` | traces over OTLP; brings `models` |
//! | `unstable` | every module of the crate as it is inside, which may change with each version |
//!
//! Embedding programs take `default-features = false, features = ["runtime"]`.
//!
//! # Inside
//!
//! The modules are in the order of the data; each sees only those before it. `source` holds texts, `syntax` reads them into a
//! tree, `model` resolves names and types, `check` judges, `render` draws, `compile` makes a flat `program`, and
//! `machine::step` interprets it, without clock, file or socket. `port` has the traits to the world, `llm`, `tool` and `store`
//! implement them, `drive` drives a run, and `app` composes them.

#![cfg_attr(
    not(feature = "unstable"),
    expect(
        dead_code,
        unreachable_pub,
        unused_imports,
        reason = "the modules are public inside their layer; outside only the names below are"
    )
)]

#[cfg(all(feature = "runtime", not(feature = "unstable")))]
mod app;
#[cfg(all(feature = "runtime", feature = "unstable"))]
pub mod app;
#[cfg(not(feature = "unstable"))]
mod check;
#[cfg(feature = "unstable")]
pub mod check;
#[cfg(all(feature = "cli", not(feature = "unstable")))]
mod cli;
#[cfg(all(feature = "cli", feature = "unstable"))]
pub mod cli;
#[cfg(not(feature = "unstable"))]
mod compile;
#[cfg(feature = "unstable")]
pub mod compile;
#[cfg(all(feature = "runtime", not(feature = "unstable")))]
mod config;
#[cfg(all(feature = "runtime", feature = "unstable"))]
pub mod config;
#[cfg(not(feature = "unstable"))]
mod decide;
#[cfg(feature = "unstable")]
pub mod decide;
#[cfg(not(feature = "unstable"))]
mod diag;
#[cfg(feature = "unstable")]
pub mod diag;
#[cfg(not(feature = "unstable"))]
mod diff;
#[cfg(feature = "unstable")]
pub mod diff;
#[cfg(all(feature = "runtime", not(feature = "unstable")))]
mod drive;
#[cfg(all(feature = "runtime", feature = "unstable"))]
pub mod drive;
#[cfg(all(feature = "runtime", not(feature = "unstable")))]
mod folder;
#[cfg(all(feature = "runtime", feature = "unstable"))]
pub mod folder;
#[cfg(all(feature = "runtime", not(feature = "unstable")))]
mod llm;
#[cfg(all(feature = "runtime", feature = "unstable"))]
pub mod llm;
#[cfg(not(feature = "unstable"))]
mod machine;
#[cfg(feature = "unstable")]
pub mod machine;
#[cfg(not(feature = "unstable"))]
mod model;
#[cfg(feature = "unstable")]
pub mod model;
#[cfg(all(feature = "runtime", not(feature = "unstable")))]
mod port;
#[cfg(all(feature = "runtime", feature = "unstable"))]
pub mod port;
#[cfg(feature = "runtime")]
mod proc;
#[cfg(not(feature = "unstable"))]
mod program;
#[cfg(feature = "unstable")]
pub mod program;
#[cfg(not(feature = "unstable"))]
mod render;
#[cfg(feature = "unstable")]
pub mod render;
#[cfg(not(feature = "unstable"))]
mod scenario;
#[cfg(feature = "unstable")]
pub mod scenario;
#[cfg(not(feature = "unstable"))]
mod source;
#[cfg(feature = "unstable")]
pub mod source;
#[cfg(all(feature = "runtime", not(feature = "unstable")))]
mod store;
#[cfg(all(feature = "runtime", feature = "unstable"))]
pub mod store;
#[cfg(not(feature = "unstable"))]
mod syntax;
#[cfg(feature = "unstable")]
pub mod syntax;
#[cfg(all(feature = "runtime", not(feature = "unstable")))]
mod telemetry;
#[cfg(all(feature = "runtime", feature = "unstable"))]
pub mod telemetry;
#[cfg(all(feature = "runtime", not(feature = "unstable")))]
mod tool;
#[cfg(all(feature = "runtime", feature = "unstable"))]
pub mod tool;
#[cfg(not(feature = "unstable"))]
mod value;
#[cfg(feature = "unstable")]
pub mod value;
#[cfg(feature = "runtime")]
mod wire;

pub use check::Bound;
pub use diag::{Diagnostic, Rule, Severity};
pub use machine::{
    Call, CallId, CallProgress, Done, Event, EventKind, Outcome, Question, QuestionId, QuestionReason,
    Request, Snapshot, Start, Usage,
};
pub use model::{Files, FunctionError, LoadError, Loader};
pub use program::function::{Functions, OwnFunction, TypePattern};
pub use program::graph::Delivery;
pub use source::{Sources, Span};
pub use value::{List, Map, Str, TypedFault, Value};

#[cfg(feature = "runtime")]
pub use app::{
    AnswerError, EditError, Edited, Graph, GraphError, ListedRun, OpenError, OpenRun, ReadError, Replay,
    Runs, open_question,
};
#[cfg(feature = "runtime")]
pub use drive::{DriveError, Driver, EventStream, Finished, Handle, RecordedEvent, RollbackPlan, Run};
#[cfg(feature = "runtime")]
pub use llm::Scripted;
#[cfg(feature = "runtime")]
pub use port::{
    BoxFuture, Clock, Human, HumanReply, Listener, ModelClient, Observer, ProgramText, RunView, StoreError,
    ToolHost, ToolInfo,
};
#[cfg(feature = "runtime")]
pub use store::Memory;
#[cfg(feature = "runtime")]
pub use tool::{SchemaError, Tools};

/// Runs the command line with the arguments of this process, and gives its exit code.
#[cfg(feature = "cli")]
#[must_use]
pub fn main() -> std::process::ExitCode {
    // Each command of a run is started through this program: what comes first is short.
    tool::guard::serve().unwrap_or_else(cli::main)
}
