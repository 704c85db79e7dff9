//! What a run begins with.

use serde::{Deserialize, Serialize};

use crate::app::{DriverOfRun, GraphHost, missing_inputs};
use crate::config::inputs_of_map;
use crate::drive::RunPorts;
use crate::machine::Time;
use crate::port::ProgramText;
use crate::value::{List, Map};
use crate::worker::restate::service::fresh_number;

/// The beginning of a run, as the worker has it: all of it follows from files and from the operator's configuration, which may change
/// while it begins. So it is journaled.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Origin {
    /// The time.
    pub(super) at: Time,
    /// The catalogue of tools.
    pub(super) tools: List,
    /// The inputs, with those that the operator has set, and without keys.
    pub(super) input: Map,
    /// The texts of the program.
    pub(super) text: ProgramText,
    /// A number that nobody else has who wants a run to begin.
    pub(super) token: u64,
}

impl Origin {
    /// That of a run with these inputs, or why they are refused.
    ///
    /// # Errors
    /// The run cannot begin now.
    pub(super) async fn of(host: &dyn GraphHost, given: &Map) -> Result<Result<Self, String>, String> {
        let input = match input_of(host, given) {
            Ok(input) => input,
            Err(why) => return Ok(Err(why)),
        };
        let DriverOfRun { driver, end } = host.driver().await?;
        let ports = RunPorts::of(driver);
        let missing = ports.missing_grants();
        let (at, tools) = (ports.clock().now(), ports.catalogue());
        drop(ports);
        end.await;
        if !missing.is_empty() {
            return Err(format!("the worker lacks a grant of {}", missing.join(", ")));
        }
        Ok(Ok(Self { at, tools, input, text: host.graph().text.clone(), token: fresh_number() }))
    }
}

/// The inputs of a run, with those that the operator has set.
fn input_of(host: &dyn GraphHost, given: &Map) -> Result<Map, String> {
    let (program, set) = (&host.graph().program, &host.graph().inputs);
    let mut input = inputs_of_map(program, given).map_err(|faults| {
        let all: Vec<String> = faults.iter().map(|fault| format!("{fault}; {}", fault.help)).collect();
        all.join("; ")
    })?;
    for (name, value) in set {
        if !input.contains_key(name.as_str()) {
            input.insert(name.clone(), value.clone());
        }
    }
    let missing = missing_inputs(program, &input);
    if missing.is_empty() {
        return Ok(host.graph().mask.map(input));
    }
    let names: Vec<String> =
        missing.iter().map(|input| format!("`{}` ({})", input.name, input.wanted)).collect();
    Err(format!("the graph lacks inputs: {}", names.join(", ")))
}
