//! The graph of a run, with what is to be reported of it.

use crate::cli::args::{Ports, Reach};
use crate::cli::files::Disk;
use crate::cli::{Exit, screen, trust};
use loopwright_core::app::trust::Configuration;
use loopwright_core::app::{ApprovedTools, Graph, GraphError, Judged, OpenRun};
use loopwright_core::check::Flows;
use loopwright_core::diag::Diagnostic;
use loopwright_core::machine::{Interrupt, Snapshot};
use loopwright_core::source::Sources;
use loopwright_core::value::Value;

/// Says what is wrong, and gives the graph if it can be run. Warnings do not keep it from running.
pub(super) fn settle(judged: Judged, file: &str, configuration: &Configuration) -> Result<Graph, Exit> {
    match judged.settle(&configuration.config) {
        Ok(graph) => {
            if !graph.findings.is_empty() {
                say(&graph.findings, &graph.sources);
            }
            Ok(graph)
        }
        Err(error) => {
            let GraphError { findings, sources, is_empty, .. } = &*error;
            let exit = (!findings.is_empty()).then(|| say(findings, sources));
            Err(exit.filter(|_| !is_empty).unwrap_or_else(|| screen::refuse(&format!("{file}: {error}"))))
        }
    }
}

/// Judges the flows of a graph by the policies that count for it.
pub(super) fn judge_flows(
    judged: &mut Judged,
    ports: &Ports,
    file: &str,
    configuration: &Configuration,
) -> Result<(), Exit> {
    let policy = trust::policy(ports, file, &mut judged.sources)?;
    let approved = ApprovedTools::of(&configuration.config);
    judged.judge_flows(&policy.deny, &|tool| approved.contain(tool));
    Ok(())
}

/// Refuses a stored run whose graph lets something flow that the policies deny. Approvals are those that the run began with.
pub(super) fn refuse_flows(ports: &Ports, run: &OpenRun, stood: &Snapshot) -> Result<(), Exit> {
    let mut sources = run.sources.clone();
    let policy = trust::policy(ports, &run.main, &mut sources)?;
    if policy.deny.is_empty() {
        return Ok(());
    }
    let is_approved = |tool: &Value, name: &str| {
        let field = |key| tool.as_map().and_then(|tool| tool.get(key));
        field("name").and_then(Value::as_str).is_some_and(|own| own == name)
            && field("approval") == Some(&Value::Bool(true))
    };
    let approved = |name: &str| stood.tools.iter().any(|tool| is_approved(tool, name));
    let denied = Flows::of(&run.model).denied(&policy.deny, &approved);
    if denied.is_empty() { Ok(()) } else { Err(say(&denied, &sources)) }
}

/// A graph with its texts, and nothing else that a run needs.
pub(super) fn read(
    file: &str,
    reach: &Reach,
    ports: &Ports,
    configuration: &Configuration,
) -> Result<Graph, Exit> {
    let mut judged = Judged::load(file, Sources::new(), &mut Disk::new(reach)?);
    judge_flows(&mut judged, ports, file, configuration)?;
    settle(judged, file, configuration)
}

/// Compiles a graph with an operator's pause, and says what is wrong with its condition.
pub(super) fn pausing(graph: Graph, interrupt: &Interrupt) -> Result<Graph, Exit> {
    graph.pausing(interrupt).map_err(|error| unfit_pause(&error))
}

/// Says what is wrong with the condition of a pause.
pub(super) fn unfit_pause(error: &GraphError) -> Exit {
    screen::findings(&error.findings, &error.sources);
    Exit::Usage
}

/// Says findings, and gives what the command ends with.
pub(super) fn say(findings: &[Diagnostic], sources: &Sources) -> Exit {
    screen::findings(findings, sources);
    Exit::of(findings).worse(Exit::Findings)
}
