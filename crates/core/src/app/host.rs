//! The host of a graph whose runs others begin: clients of a server, or who leaves them to a worker.

use std::sync::Arc;

use crate::drive::Driver;
use crate::model::Model;
use crate::port::{BoxFuture, Mask, ProgramText, Store};
use crate::program::Program;
use crate::value::Map;

/// A driver for one run, with all ports but people.
pub struct DriverOfRun {
    /// The driver. Its observers are those of the operator.
    pub driver: Driver,
    /// Ends what was started for the run, such as servers and hooks. To be awaited when the run is driven no more.
    pub end: BoxFuture<'static, ()>,
}

/// A graph whose runs others begin, with what the operator has set for its runs.
pub trait GraphHost: Send + Sync {
    /// The model of the graph.
    fn model(&self) -> &Model;

    /// The program that its runs go by.
    fn program(&self) -> &Arc<Program>;

    /// The texts that are stored beside its runs.
    fn text(&self) -> &ProgramText;

    /// The store of its runs.
    fn store(&self) -> &Arc<dyn Store>;

    /// The mask over the keys that the configuration names.
    fn mask(&self) -> &Mask;

    /// The inputs that the operator has set. A client does not see them.
    fn inputs(&self) -> &Map;

    /// A driver for a run.
    ///
    /// # Errors
    /// Its ports cannot be put together. The operator was told why; the client is told that it is so.
    fn driver(&self) -> BoxFuture<'_, Result<DriverOfRun, String>>;

    /// The command line that resumes a run, with further words after it.
    fn resume(&self, run: &str, more: &[&str]) -> String;
}
