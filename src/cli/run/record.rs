//! `--record`: a run as a scenario file, and a script beside it.

use crate::cli::args::{Ports, Reach};
use crate::cli::{Exit, files, screen};
use loopwright_core::app::{RecordPlace, RecordPlaceError, Recorder};
use loopwright_core::machine::Snapshot;
use loopwright_core::model::{LoadError, Model};
use loopwright_core::port::Store;
use loopwright_core::scenario::Recording;

/// The recorder that is asked for, if the files may be written. `digest` is that of the program that runs.
pub(super) fn recorder(ports: &Ports, graph: &str, digest: &str) -> Result<Option<Recorder>, Exit> {
    let Some(file) = &ports.record else { return Ok(None) };
    let shown = file.display();
    let refuse = |why: &str| screen::refuse(&format!("--record {shown}: {why}"));
    if graph == files::STDIN {
        return Err(refuse("a scenario names the file of its graph; this graph is read from standard input"));
    }
    let place = RecordPlace::new(file, ports.force).map_err(|error| match error {
        RecordPlaceError::Taken(path) => refuse(&format!(
            "{} exists and was not written by `--record`, or was changed since; `--force` overwrites it",
            path.display()
        )),
        error => refuse(&error.to_string()),
    })?;
    Ok(Some(place.recorder(graph, digest, &mut files::Disk::new(&ports.reach)?)))
}

/// Writes a run that ended or waits, and says so.
pub(super) async fn write(
    recorder: &Recorder,
    store: &dyn Store,
    model: &Model,
    run: &str,
    snapshot: &Snapshot,
) -> Exit {
    match recorder.write(store, model, run, snapshot).await {
        Ok(recording) => {
            screen::say(&summary(recorder, &recording));
            Exit::Ok
        }
        Err(why) => {
            let scenario = recorder.scenario.to_string_lossy();
            screen::refuse(&format!("the run is not recorded in {scenario}: {why}"))
        }
    }
}

/// The words for a graph that lies outside of what a scenario at this place may name; none where it does not.
fn out_of_reach(recorder: &Recorder) -> String {
    let (scenario, graph) = (recorder.scenario.to_string_lossy(), recorder.graph_from_there());
    let disk = files::Disk::new(&Reach::default()).ok();
    match disk.map(|mut disk| disk.place(Some(&scenario), &graph)) {
        Some(Err(LoadError::Forbidden { why, help })) => {
            let [graph, why, help] = [&graph, &why, &help].map(|text| screen::line(text));
            format!("there `loopwright test` will not read `{graph}`: {why}\nhelp: {help}\n")
        }
        _ => String::new(),
    }
}

/// The message after the file was written.
fn summary(recorder: &Recorder, recording: &Recording) -> String {
    let [scenario, script] = [&recorder.scenario, &recorder.script].map(|file| screen::path(file));
    if recording.lost.is_empty() {
        let text = format!("recorded: {scenario} and {script}\n{}", out_of_reach(recorder));
        if recording.left_out.is_empty() {
            return text;
        }
        let list = screen::line(&recording.left_out.join(", "));
        return format!("{text}not expected there, since it differs when the scenario is played: {list}\n");
    }
    let head =
        format!("recorded: {script}; the run cannot be written as a scenario, which {scenario} says:\n");
    recording.lost.iter().fold(head, |text, why| text + "- " + &screen::line(why) + "\n")
}
