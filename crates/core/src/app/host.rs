//! The host of a graph whose runs others begin: clients of a server, or who leaves them to a worker.

use std::sync::Arc;

use serde_json::Value as Json;

use super::graph::Graph;
use super::inputs::missing_inputs;
use super::stored::OpenRun;
use crate::config::inputs_of_map;
use crate::drive::Driver;
use crate::model::Model;
use crate::port::{BoxFuture, Mask, ProgramText, Store};
use crate::program::Program;
use crate::source::Sources;
use crate::value::{Map, Value};

/// A driver for one run, with all ports but people.
pub struct DriverOfRun {
    /// The driver. Its observers are those of the operator.
    pub driver: Driver,
    /// Ends what was started for the run, such as servers and hooks. To be awaited when the run is driven no more.
    pub end: BoxFuture<'static, ()>,
}

/// A graph whose runs others begin, with what the operator has set for its runs.
pub struct HostedGraph {
    /// The model of the graph.
    pub model: Arc<Model>,
    /// The program that its runs go by.
    pub program: Arc<Program>,
    /// The texts that are stored beside its runs.
    pub text: ProgramText,
    /// The texts of the graph, to point at.
    pub sources: Sources,
    /// The store of its runs.
    pub store: Arc<dyn Store>,
    /// The mask over the keys that the configuration names.
    pub mask: Mask,
    /// The inputs that the operator has set. A client does not see them.
    pub inputs: Map,
}

impl HostedGraph {
    /// A graph for whose runs the operator has set nothing.
    #[must_use]
    pub fn new(graph: Graph, store: Arc<dyn Store>) -> Self {
        let Graph { model, program, text, sources, .. } = graph;
        Self { model, program, text, sources, store, mask: Mask::default(), inputs: Map::new() }
    }

    /// The inputs of a run that a client gives as JSON, with those that the operator has set.
    ///
    /// # Errors
    /// The faults in them, in words for the client.
    pub fn input(&self, given: &Json) -> Result<Map, String> {
        let Value::Map(given) = Value::from_json(given) else {
            return Err("the inputs are an object of values by name".to_owned());
        };
        if let Some((name, _)) = given.iter().find(|(name, _)| self.inputs.contains_key(name.as_str())) {
            return Err(format!("the operator has set the input `{name}`"));
        }
        let mut input = inputs_of_map(&self.program, &given).map_err(|faults| {
            let all: Vec<String> = faults.iter().map(|fault| format!("{fault}; {}", fault.help)).collect();
            all.join("; ")
        })?;
        for (name, value) in &self.inputs {
            input.insert(name.clone(), value.clone());
        }
        let missing = missing_inputs(&self.program, &input);
        if missing.is_empty() {
            return Ok(self.mask.map(input));
        }
        let names: Vec<String> =
            missing.iter().map(|input| format!("`{}` ({})", input.name, input.wanted)).collect();
        Err(format!("the graph lacks inputs: {}", names.join(", ")))
    }
}

/// Makes the drivers of a graph whose runs others begin.
pub trait GraphHost: Send + Sync {
    /// The graph.
    fn graph(&self) -> &HostedGraph;

    /// A driver for a run that begins, by the graph's program.
    ///
    /// # Errors
    /// Its ports cannot be put together. The operator was told why; the client is told that it is so.
    fn driver(&self) -> BoxFuture<'_, Result<DriverOfRun, String>>;

    /// A driver for a stored run of this graph, by the program and after the programs that it goes by.
    ///
    /// # Errors
    /// As [`GraphHost::driver`].
    fn driver_of<'a>(&'a self, run: &'a OpenRun) -> BoxFuture<'a, Result<DriverOfRun, String>>;

    /// The command line that resumes a run, with further words after it.
    fn resume(&self, run: &str, more: &[&str]) -> String;
}
