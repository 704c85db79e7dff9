//! Runs: their list, one of them, and how one begins.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::http::header::{ETAG, LOCATION};
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use utoipa::{IntoParams, ToSchema};

use crate::app::{OpenQuestion, RunReport};
use crate::machine::Start;
use crate::port::{RunFilter, StatusKind};
use crate::serve::web::api::WebApi;
use crate::serve::web::extract::{JsonBody, Parameters};
use crate::serve::web::person::{Person, Role};
use crate::serve::web::problem::Problem;
use crate::serve::web::runner::head;

/// The runs of a page, unless the request says how many.
const PAGE: usize = 50;

/// The most runs of a page.
const MAX_PAGE: usize = 200;

/// The runs that are wanted.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(in crate::serve::web) struct RunParameters {
    /// `running`, `ready`, `waiting`, `ended` or `failed`.
    status: Option<String>,
    /// The id of a graph.
    graph: Option<String>,
    /// The `next` of the page before.
    after: Option<String>,
    /// The greatest number of runs, 50 unless said, 200 at most.
    limit: Option<usize>,
}

/// A page of the list of runs.
#[derive(Serialize, ToSchema)]
pub(in crate::serve::web) struct RunPageBody {
    /// The runs: `run`, `graph`, `status`, `node`, `budgets`, `usd` (of a budget that model calls charge), `questions`, `started`, `at`, `steps`, `events`, `outcome`.
    runs: Vec<Value>,
    /// The cursor of the next page, for `after`; null if there are no more.
    next: Option<String>,
}

/// Runs, the newest first
#[utoipa::path(get, path = "/runs", tag = "runs", params(RunParameters),
    responses((status = 200, description = "A page", body = RunPageBody)))]
pub(in crate::serve::web) async fn list(
    State(api): State<Arc<WebApi>>,
    _: Person,
    Parameters(wanted): Parameters<RunParameters>,
) -> Result<Json<RunPageBody>, Problem> {
    let kind = match wanted.status.as_deref() {
        None => None,
        Some(name) => Some(StatusKind::named(name).ok_or_else(|| {
            let all = StatusKind::ALL.map(StatusKind::name).join("`, `");
            Problem::malformed(format!("`status` is one of `{all}`"))
        })?),
    };
    let filter = RunFilter {
        kind,
        graph: wanted.graph.map(Into::into),
        after: wanted.after.map(Into::into),
        limit: wanted.limit.unwrap_or(PAGE).min(MAX_PAGE),
    };
    let page = api.runner.runs().page(&filter).await?;
    let mut runs = Vec::with_capacity(page.runs.len());
    for run in &page.runs {
        runs.push(api.row(run).await);
    }
    Ok(Json(RunPageBody { runs, next: page.next.map(|next| next.to_string()) }))
}

/// A run that is to begin.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::serve::web) struct BeginBody {
    /// The name of the graph.
    graph: String,
    /// The inputs by name.
    #[serde(default)]
    input: Map<String, Value>,
    /// The seed of its random numbers, 0 unless said.
    #[serde(default)]
    seed: u64,
    /// Its id: at most 64 letters, digits, `_`, `-` and `.`; by default one is made of the time. A request that is sent twice with an id
    /// begins one run.
    #[serde(default)]
    run: String,
}

/// A run that was begun, or changed.
#[derive(Serialize, ToSchema)]
pub(in crate::serve::web) struct RunBody {
    /// The id of the run.
    run: String,
}

/// The reply that names a run and its place.
pub(super) fn placed(status: StatusCode, run: &str) -> Response {
    let place = format!("/api/v1/runs/{run}");
    (status, [(LOCATION, place)], Json(RunBody { run: run.to_owned() })).into_response()
}

/// Begins a run
///
/// The reply comes when the run is stored. It is driven at once, or when it has its turn (`--at-once`). Its tools are those that the
/// operator granted.
#[utoipa::path(post, path = "/runs", tag = "runs", request_body = BeginBody,
    responses(
        (status = 202, description = "It is stored; `Location` has its place", body = RunBody),
        (status = 409, description = "There is a run of that id, or the graph is not run here", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "The inputs do not fit", body = Problem, content_type = "application/problem+json"),
    ))]
pub(in crate::serve::web) async fn begin(
    State(api): State<Arc<WebApi>>,
    person: Person,
    JsonBody(wanted): JsonBody<BeginBody>,
) -> Result<Response, Problem> {
    person.may(Role::Run)?;
    let BeginBody { graph, input, seed, run } = wanted;
    let id = api.begin(&graph, &Value::Object(input), (run, seed), &person.name).await?;
    Ok(placed(StatusCode::ACCEPTED, &id))
}

impl WebApi {
    /// Begins a run of a graph. When it ends the beginning is stored.
    pub(super) async fn begin(
        &self,
        graph: &str,
        input: &Value,
        (run, seed): (String, u64),
        by: &crate::value::Str,
    ) -> Result<crate::value::Str, Problem> {
        let graph = self.graph(graph)?;
        let Some(host) = &graph.host else {
            let detail = format!(
                "the graph `{}` is shown here, and not run; the server has said why when it started",
                graph.name
            );
            return Err(Problem::conflict("not-run", detail));
        };
        let input = host.graph().input(input).map_err(Problem::unfit)?;
        self.runner.begin(host, Start { run: run.into(), input, seed, ..Start::default() }, by).await
    }
}

/// A run: where it is, its state, what it asks, what it cost, who watches it
///
/// `ETag` is that of its head; `POST …/rollback` takes it.
#[utoipa::path(get, path = "/runs/{run}", tag = "runs", params(("run" = String, Path, description = "The id of the run")),
    responses(
        (status = 200, description = "The run", body = Value),
        (status = 404, description = "There is none", body = Problem, content_type = "application/problem+json"),
    ))]
pub(in crate::serve::web) async fn show(
    State(api): State<Arc<WebApi>>,
    _: Person,
    Path(run): Path<String>,
) -> Result<Response, Problem> {
    let (found, state) = api.state(&run).await?;
    let driver = found.store.driver(&run).await?;
    let is_driven = driver.is_some();
    let program = found.by(&state.program).unwrap_or(&found.program);
    let report = RunReport { info: &found.info, driver, program, snapshot: &state, at: None };
    let mut shown = report.json();
    shown["status"] = api.status(&run, &found.info.status, is_driven).into();
    shown["started"] = crate::machine::timestamp(found.info.started).into();
    shown["events"] = state.seq.into();
    shown["asks"] = questions(&state);
    shown["cost"] = api.costs.of(&*found.store, &found.info).await?;
    shown["watchers"] = json!(api.feeds.watchers(&run));
    shown["served_as"] = api.served_as(&program.digest).into();
    Ok(([(ETAG, format!("\"{}\"", head(state.seq)))], Json(shown)).into_response())
}

/// The open questions of a state, each with its tag.
pub(super) fn questions(state: &crate::machine::Snapshot) -> Value {
    let with_tag = |question: OpenQuestion<'_>| {
        let mut json = question.json();
        json["etag"] = format!("\"{}\"", question.tag()).into();
        json
    };
    OpenQuestion::of(state).map(with_tag).collect()
}
