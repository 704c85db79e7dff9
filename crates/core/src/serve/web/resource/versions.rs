//! A run by the version of the graph that it goes by: its drawing, and the run as a scenario of it.

use std::path::Path as FilePath;
use std::sync::Arc;

use axum::extract::{Path, State};
use axum::http::HeaderName;
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};

use super::graphs::{DrawingParameters, TextsOf, draw};
use crate::app::{OpenRun, RecordError, recording};
use crate::port::RunStatus;
use crate::serve::web::api::WebApi;
use crate::serve::web::extract::Parameters;
use crate::serve::web::person::Person;
use crate::serve::web::problem::Problem;
use crate::serve::web::program_files::ProgramFiles;

/// A drawing of the graph of a run, in the version that the run goes by
///
/// It is made of the texts that are stored with the run, so that it is there when the graph was edited since or is not served.
#[utoipa::path(get, path = "/runs/{run}/drawing", tag = "looks",
    params(("run" = String, Path, description = "The id of the run"), DrawingParameters),
    responses((status = 200, description = "The drawing as text", body = String, content_type = "text/plain")))]
pub(in crate::serve::web) async fn drawing(
    State(api): State<Arc<WebApi>>,
    _: Person,
    Path(run): Path<String>,
    Parameters(wanted): Parameters<DrawingParameters>,
) -> Result<Response, Problem> {
    let found = api.runner.runs().find(&run).await?;
    let ProgramFiles { main, files, .. } = ProgramFiles::of(&found.main, found.sources.texts());
    // No graph has a name with a blank.
    let key = format!("the program {}", found.program.digest);
    draw(&api, TextsOf { key: &key, main: &main, files: &files }, wanted).await
}

/// A run as a scenario file
///
/// Of a run that ended or waits for a person: its answers and its results, as `loopwright run --record` writes them. It was played before it is given out. It names the
/// graph's file without a folder, and belongs beside it.
#[utoipa::path(get, path = "/runs/{run}/scenario", tag = "looks", params(("run" = String, Path, description = "The id of the run")),
    responses(
        (status = 200, description = "The file", body = String, content_type = "application/yaml"),
        (status = 409, description = "No scenario can say what happened in the run; `lost` lists why", body = Problem, content_type = "application/problem+json"),
    ))]
pub(in crate::serve::web) async fn scenario(
    State(api): State<Arc<WebApi>>,
    _: Person,
    Path(run): Path<String>,
) -> Result<Response, Problem> {
    let found = api.runner.runs().find_whole(&run).await?;
    if !matches!(found.info.status, RunStatus::Waiting | RunStatus::Done { .. }) {
        return Err(not_recorded("it goes on; a run is recorded where it ended or waits for a person"));
    }
    let text = recorded(&api, found).await?;
    let headers: [(HeaderName, String); 2] = [
        (CONTENT_TYPE, "application/yaml; charset=utf-8".to_owned()),
        (CONTENT_DISPOSITION, format!("attachment; filename=\"{run}.scenarios.yaml\"")),
    ];
    Ok((headers, text).into_response())
}

async fn recorded(api: &WebApi, run: OpenRun) -> Result<String, Problem> {
    let (entries, state) = (run.entries().await?, run.state(None).await?);
    let file = FilePath::new(&run.main).file_name().unwrap_or_default().to_string_lossy().into_owned();
    let is_served = api.served_as(&run.program.digest).is_some();
    let lost = (!is_served).then(|| format!("{file} is not the graph any more that the run began with"));
    // It is compiled, and played again up to four times.
    let made = tokio::task::spawn_blocking(move || {
        recording(&run.model, &entries, &state, &file, lost.into_iter().collect())
    });
    let made = made.await.map_err(|_| Problem::failed("the run could not be written down"))?;
    match made {
        Ok(recording) if recording.lost.is_empty() => Ok(recording.scenario),
        Ok(recording) => {
            let why = recording.lost.join("; ");
            let detail = format!("the run cannot be written as a scenario: {why}");
            Err(Problem::conflict("not-recorded", detail).with("lost", recording.lost))
        }
        Err(RecordError::Moved) => Err(not_recorded(&RecordError::Moved.to_string())),
        Err(error) => Err(Problem::failed(format!("the run is not recorded: {error}"))),
    }
}

fn not_recorded(why: &str) -> Problem {
    let detail = format!("the run cannot be written as a scenario: {why}");
    Problem::conflict("not-recorded", detail).with("lost", vec![why.to_owned()])
}
