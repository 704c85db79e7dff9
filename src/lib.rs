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
//! | `mcp` | tools of MCP servers; brings `models` |
//! | `serve` | graphs and the harmless commands as an MCP server; brings `mcp` |
//! | `lsp` | the language server for editors; brings `runtime` |
//! | `otel` | traces over OTLP; brings `models` |
//! | `postgres` | runs in a Postgres database; brings `models` |
//! | `restate` | runs that a Restate server drives; brings `models` |
//! | `unstable` | every module of the crate as it is inside, which may change with each version |
//!
//! Embedding programs take `default-features = false, features = ["runtime"]`.
//!
//! # Inside
//!
//! The command line is in this package, what it stands on in `loopwright-core`.

#[cfg(feature = "cli")]
mod cli;

#[cfg(all(feature = "lsp", feature = "unstable"))]
#[doc(inline)]
pub use loopwright_core::lsp;
#[cfg(all(feature = "serve", feature = "unstable"))]
#[doc(inline)]
pub use loopwright_core::serve;
#[cfg(all(feature = "runtime", feature = "unstable"))]
#[doc(inline)]
pub use loopwright_core::{app, config, drive, folder, llm, port, store, telemetry, tool, worker};
#[cfg(feature = "unstable")]
#[doc(inline)]
pub use loopwright_core::{
    check, compile, decide, diag, diff, explore, machine, model, mutate, program, reference, render,
    scenario, source, syntax, value,
};

#[doc(inline)]
pub use loopwright_core::check::Bound;
#[doc(inline)]
pub use loopwright_core::diag::{Diagnostic, Rule, Severity};
#[doc(inline)]
pub use loopwright_core::machine::{
    Call, CallId, CallProgress, Done, Event, EventKind, Outcome, Question, QuestionId, QuestionReason,
    Request, Snapshot, Start, Usage,
};
#[doc(inline)]
pub use loopwright_core::model::{Files, FunctionError, LoadError, Loader};
#[doc(inline)]
pub use loopwright_core::program::function::{Functions, OwnFunction, TypePattern};
#[doc(inline)]
pub use loopwright_core::program::graph::Delivery;
#[doc(inline)]
pub use loopwright_core::source::{Sources, Span};
#[doc(inline)]
pub use loopwright_core::value::{List, Map, Str, TypedFault, Value};

#[cfg(feature = "runtime")]
#[doc(inline)]
pub use loopwright_core::app::{
    AnswerError, EditError, Edited, Graph, GraphError, OpenError, OpenRun, ReadError, Replay, Runs,
    open_question,
};
#[cfg(feature = "runtime")]
#[doc(inline)]
pub use loopwright_core::drive::{
    DriveError, Driver, EventStream, Finished, Handle, RecordedEvent, RollbackPlan, Run,
};
#[cfg(feature = "runtime")]
#[doc(inline)]
pub use loopwright_core::llm::Scripted;
#[cfg(feature = "runtime")]
#[doc(inline)]
pub use loopwright_core::port::{
    BoxFuture, Clock, Human, HumanReply, ListedRun, Listener, ModelClient, Observer, ProgramText, RunView,
    StoreError, ToolHost, ToolInfo,
};
#[cfg(feature = "runtime")]
#[doc(inline)]
pub use loopwright_core::store::{Memory, StoreAddress};
#[cfg(feature = "runtime")]
#[doc(inline)]
pub use loopwright_core::tool::{SchemaError, Tools};

/// Runs the command line with the arguments of this process, and gives its exit code.
#[cfg(feature = "cli")]
#[must_use]
pub fn main() -> std::process::ExitCode {
    // Each command of a run is started through this program, and so is each call of a harmless command: what comes first is
    // short.
    let started = loopwright_core::tool::guard::serve().or_else(loopwright_core::serve::confined::serve);
    started.unwrap_or_else(cli::main)
}
