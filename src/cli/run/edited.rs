//! `resume --with`: the run continues with an edited graph.

use std::fmt::Write;

use super::graph;
use crate::cli::args::Ports;
use crate::cli::{Exit, screen};
use loopwright_core::app::trust::Configuration;
use loopwright_core::app::{EditError, Edited, OpenRun};
use loopwright_core::machine::{Snapshot, TransferError};

/// Reads an edited graph as `run` does, and has it take the place of the one the run goes by.
pub(super) fn read(
    file: &str,
    ports: &Ports,
    configuration: &Configuration,
    stood: &Snapshot,
    run: OpenRun,
) -> Result<(OpenRun, Edited), Exit> {
    let graph = graph::read(file, &ports.reach, ports, configuration)?;
    let id = run.info.run.clone();
    run.edited(graph, stood).map_err(|error| match error {
        EditError::Pause(error) => graph::unfit_pause(&error),
        EditError::Unfit(unfit) => refuse(file, &id, &unfit),
        other => screen::refuse(&other.to_string()),
    })
}

fn refuse(file: &str, run: &str, unfit: &[TransferError]) -> Exit {
    let (run, file) = (screen::line(run), screen::line(file));
    let mut text = format!("the run `{run}` cannot continue with {file}; nothing was changed");
    for unfit in unfit {
        let _ = write!(text, "\n  {}", screen::line(&unfit.to_string()));
    }
    text.push_str(
        "\nhelp: what has another name now stands under `migrate` in the graph, with its earlier name",
    );
    screen::refuse_lines(&text)
}

/// Says what became of the run.
pub(super) fn say(edited: &Edited, file: &str, run: &str) {
    let (run, file) = (screen::line(run), screen::line(file));
    let text = match &edited.moved {
        None => format!("{file} is already the graph of the run {run}\n"),
        Some(moved) => {
            let retained = match moved.retained {
                1 => "1 field kept".to_owned(),
                many => format!("{many} fields kept"),
            };
            let added = moved.added.join(", ");
            let added = if added.is_empty() { "none is new".to_owned() } else { format!("new: {added}") };
            let meaning = edited.before.map_or_else(String::new, |before| {
                let now = edited.now;
                format!("from here on it uses version {now} of the semantics, before version {before}\n")
            });
            format!("the run {run} continues with {file}: {retained}, {added}\n{meaning}")
        }
    };
    screen::say(&text);
}
