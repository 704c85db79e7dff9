//! The graph of a run, with what is to be reported of it.

use crate::cli::args::Reach;
use crate::cli::files::Disk;
use crate::cli::{Exit, screen};
use loopwright_core::app::trust::Configuration;
use loopwright_core::app::{Graph, GraphError, Judged};
use loopwright_core::diag::Diagnostic;
use loopwright_core::machine::Interrupt;
use loopwright_core::source::Sources;

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

/// A graph with its texts, and nothing else that a run needs.
pub(super) fn read(file: &str, reach: &Reach, configuration: &Configuration) -> Result<Graph, Exit> {
    let judged = Judged::load(file, Sources::new(), &mut Disk::new(reach)?);
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
