//! Looks at a run: its state at a step, what changed between two, what a model was shown.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use serde::Deserialize;
use serde_json::{Value, json};
use utoipa::IntoParams;

use crate::app::{OpenRun, RunReport, json_changes};
use crate::serve::web::api::WebApi;
use crate::serve::web::extract::Parameters;
use crate::serve::web::person::Person;
use crate::serve::web::problem::Problem;

/// The step of a state.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(in crate::serve::web) struct StateParameters {
    /// The step: the number of transitions that the graph had made; by default where it is now.
    step: Option<u64>,
}

/// The state of a run at a step
#[utoipa::path(get, path = "/runs/{run}/state", tag = "looks", params(("run" = String, Path, description = "The id of the run"), StateParameters),
    responses(
        (status = 200, description = "`step`, `at`, `lanes`, `asks`", body = Value),
        (status = 404, description = "The run has not come so far", body = Problem, content_type = "application/problem+json"),
    ))]
pub(in crate::serve::web) async fn show(
    State(api): State<Arc<WebApi>>,
    _: Person,
    Path(run): Path<String>,
    Parameters(StateParameters { step }): Parameters<StateParameters>,
) -> Result<Json<Value>, Problem> {
    let found = api.runner.runs().find_whole(&run).await?;
    Ok(Json(at_step(&found, step).await?))
}

async fn at_step(run: &OpenRun, step: Option<u64>) -> Result<Value, Problem> {
    let snapshot = run.state(step).await?;
    let program = run.by(&snapshot.program).unwrap_or(&run.program);
    let report = RunReport {
        info: &run.info,
        driver: None,
        program,
        snapshot: &snapshot,
        at: Some(step.unwrap_or(0)),
    };
    Ok(report.json())
}

/// Two steps.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(in crate::serve::web) struct DiffParameters {
    /// The first.
    from: u64,
    /// The second; by default where the run is now.
    to: Option<u64>,
}

/// Shows what changed between two steps
///
/// Path by path: each a JSON pointer into the lanes as `/state` has them, with the value before and after.
#[utoipa::path(get, path = "/runs/{run}/diff", tag = "looks", params(("run" = String, Path, description = "The id of the run"), DiffParameters),
    responses((status = 200, description = "`from`, `to`, `changes`", body = Value)))]
pub(in crate::serve::web) async fn diff(
    State(api): State<Arc<WebApi>>,
    _: Person,
    Path(run): Path<String>,
    Parameters(DiffParameters { from, to }): Parameters<DiffParameters>,
) -> Result<Json<Value>, Problem> {
    let found = api.runner.runs().find_whole(&run).await?;
    let before = at_step(&found, Some(from)).await?;
    let after = at_step(&found, to).await?;
    let changes = json_changes(&by_lane(&before), &by_lane(&after));
    Ok(Json(json!({"from": before["step"], "to": after["step"], "changes": changes})))
}

/// The lanes of a report by their paths: a lane that ends moves no other.
fn by_lane(report: &Value) -> Value {
    let lanes = report["lanes"].as_array().into_iter().flatten();
    let named = lanes.map(|lane| {
        let path = lane["lane"].as_str().filter(|path| !path.is_empty()).unwrap_or("root");
        (path.to_owned(), lane.clone())
    });
    Value::Object(named.collect())
}

/// Shows what a model was shown and said
///
/// Of a call of a tool: its arguments and its result.
#[utoipa::path(get, path = "/runs/{run}/prompts/{call}", tag = "looks",
    params(("run" = String, Path, description = "The id of the run"), ("call" = String, Path, description = "The id of the call, percent-encoded")),
    responses(
        (status = 200, description = "`called` and, if it has come back, `resolved`", body = Value),
        (status = 404, description = "There is no such call", body = Problem, content_type = "application/problem+json"),
    ))]
pub(in crate::serve::web) async fn prompt(
    State(api): State<Arc<WebApi>>,
    _: Person,
    Path((run, call)): Path<(String, String)>,
) -> Result<Json<Value>, Problem> {
    let found = api.runner.runs().find_whole(&run).await?;
    let exchange = found.exchange(&call).await?;
    exchange.map(Json).ok_or_else(|| Problem::not_found(format!("the run `{run}` has made no such call")))
}
