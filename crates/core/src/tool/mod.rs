//! Tools: the built-in ones, declared commands, closures.
//!
//! [`Tools`] holds them and is the [`ToolHost`](crate::port::ToolHost) of a run. Arguments are checked against the
//! tool's JSON Schema before a tool sees them.
//!
//! ```
//! use loopwright::port::ToolHost;
//! use loopwright::tool::{Calculator, Tools};
//!
//! let tools = Tools::new().with(Calculator::new());
//! assert_eq!(tools.catalogue()[0].name, "calculator");
//! ```
//!
//! # Why
//! - A command that is ended gets a signal to end, two seconds, then the one that nobody can ignore; a call that was
//!   given up gets the last one at once. Nothing in its process group outlives it.
//! - Arguments that begin with `-` are refused unless `--` is before them or the operator allows them: a model must not
//!   reach a program's options.
//! - A command sees `PATH`, the variables that its declaration names, and `IDEMPOTENCY_KEY`, and nothing else of the
//!   environment.
//! - A program that a signal ended has no exit code and stays `tool_failed`, even with `ok_exit = "any"`: a null there would
//!   read as if nothing had been done.

mod arithmetic;
mod arithmetic_fault;
mod calculator;
mod clock;
mod closure;
mod command;
mod files;
mod group;
pub mod guard;
mod hook;
#[cfg(feature = "mcp")]
pub mod mcp;
mod number;
mod output;
mod program_end;
mod registry;
mod schema;
mod typed;

pub use arithmetic::evaluate;
pub use arithmetic_fault::ArithmeticFault;
pub use calculator::Calculator;
pub use clock::ClockTool;
pub use command::{CommandContext, CommandTool, Lookup};
pub use files::{FileTool, MessageFolder};
pub use hook::{HOOK_GRACE, Hooks, HooksEnd};
pub use registry::Tools;
pub use typed::{SchemaError, SchemaFault};

use crate::machine::{CallId, Outcome};
use crate::port::{BoxFuture, Claim, Leftovers, ToolInfo};
use crate::value::Map;

/// One tool.
pub trait Tool: Send + Sync {
    /// The description of the tool.
    fn info(&self) -> &ToolInfo;

    /// Returns true if the operator must grant it before it is called.
    fn needs_grant(&self) -> bool {
        false
    }

    /// Makes one call. `args` fit the tool's schema; `id` is the idempotency key. A future that is dropped has been
    /// given up: whatever it started must end.
    fn call(&self, id: &CallId, args: Map) -> BoxFuture<'static, Outcome>;

    /// As [`Tool::call`], for a driver that may lose the run while the call is on its way: nothing begins after the end of
    /// `claim`. For tools that do something between their being called and the beginning of their work.
    fn call_within(&self, id: &CallId, args: Map, _claim: &Claim) -> BoxFuture<'static, Outcome> {
        self.call(id, args)
    }

    /// Ends what an earlier maker of a call left at work; see [`ToolHost::remains`](crate::port::ToolHost::remains).
    fn remains(&self, _id: &CallId) -> Option<BoxFuture<'static, Leftovers>> {
        None
    }
}
