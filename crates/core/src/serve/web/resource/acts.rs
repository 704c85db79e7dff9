//! Acts of people.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::header::IF_MATCH;
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use serde::Deserialize;
use serde_json::Value;
use utoipa::{IntoParams, ToSchema};

use super::runs::{RunBody, placed};
use crate::app::rollback_json;
use crate::serve::web::api::WebApi;
use crate::serve::web::extract::{JsonBody, Parameters};
use crate::serve::web::person::{Person, Role};
use crate::serve::web::problem::Problem;
use crate::serve::web::runner::RollbackRequest;

/// The reason of whoever gives none.
const NO_REASON: &str = "a person cancelled the run";

/// The longest reason, in characters.
const MAX_REASON_CHARS: usize = 1_000;

/// An answer.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::serve::web) struct AnswerBody {
    /// The answer, as the `schema` of the question wants it. To approve a call: `{"approve": HASH}` with the `approve` of the question, and
    /// with `args` for changed arguments; or `"deny"`.
    answer: Value,
}

/// The tag that a request must match.
pub(super) fn tag(headers: &HeaderMap, what: &str) -> Result<String, Problem> {
    let Some(value) = headers.get(IF_MATCH) else {
        let detail =
            format!("say with `If-Match` which {what} you saw: its `etag`, or `*` for whichever it is");
        return Err(Problem::new(StatusCode::PRECONDITION_REQUIRED, "if-match", detail));
    };
    let value = value.to_str().unwrap_or_default().trim();
    let tag = value.strip_prefix('"').and_then(|value| value.strip_suffix('"'));
    match tag {
        Some(tag) => Ok(tag.to_owned()),
        None if value == "*" => Ok(value.to_owned()),
        None => Err(Problem::malformed("`If-Match` has one tag, in quotation marks, or `*`")),
    }
}

/// Answers a question
///
/// `If-Match` has the `etag` of the question: it stays while the question does, whatever other lanes of the run do. When the reply comes the
/// answer is stored. Of two people who answer at once one is told that the other did.
#[utoipa::path(post, path = "/runs/{run}/answers/{ask}", tag = "acts", request_body = AnswerBody,
    params(
        ("run" = String, Path, description = "The id of the run"),
        ("ask" = String, Path, description = "The id of the question, percent-encoded"),
        ("If-Match" = String, Header, description = "The `etag` of the question, or `*`"),
    ),
    responses(
        (status = 202, description = "The answer is stored, and the run goes on", body = RunBody),
        (status = 409, description = "Somebody has answered: `answered` says who and when", body = Problem, content_type = "application/problem+json"),
        (status = 412, description = "The question is another one by now", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "The answer does not fit; the question stays open", body = Problem, content_type = "application/problem+json"),
        (status = 428, description = "`If-Match` is missing", body = Problem, content_type = "application/problem+json"),
    ))]
pub(in crate::serve::web) async fn answer(
    State(api): State<Arc<WebApi>>,
    person: Person,
    Path((run, ask)): Path<(String, String)>,
    headers: HeaderMap,
    JsonBody(AnswerBody { answer }): JsonBody<AnswerBody>,
) -> Result<Response, Problem> {
    person.may(Role::Answer)?;
    let tag = tag(&headers, "question")?;
    let answer = crate::value::Value::from_json(&answer);
    let answer = api.masked(&run, answer).await?;
    api.runner.answer(&run, &ask, &answer, (&tag, &person.name)).await?;
    Ok(placed(StatusCode::ACCEPTED, &run))
}

/// The reason for which a run is to end.
#[derive(Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::serve::web) struct ReasonBody {
    /// The reason, for the graph's `error(cancelled)` and for the journal.
    reason: Option<String>,
}

fn reason(body: ReasonBody) -> Result<crate::value::Str, Problem> {
    let reason = body.reason.unwrap_or_else(|| NO_REASON.to_owned());
    if reason.chars().count() > MAX_REASON_CHARS {
        return Err(Problem::unfit(format!("a reason has at most {MAX_REASON_CHARS} characters")));
    }
    Ok(reason.into())
}

/// Tells a run that it is cancelled
///
/// The node that it is at leaves by `error(cancelled)`, which the graph may answer.
#[utoipa::path(post, path = "/runs/{run}/abort", tag = "acts", request_body = ReasonBody,
    params(("run" = String, Path, description = "The id of the run")),
    responses((status = 202, description = "It is told", body = RunBody)))]
pub(in crate::serve::web) async fn abort(
    State(api): State<Arc<WebApi>>,
    person: Person,
    Path(run): Path<String>,
    JsonBody(body): JsonBody<ReasonBody>,
) -> Result<Response, Problem> {
    person.may(Role::Run)?;
    api.runner.abort(&run, reason(body)?, &person.name).await?;
    Ok(placed(StatusCode::ACCEPTED, &run))
}

/// Ends a run for good
///
/// Its graph may answer for a minute, as long as that needs no person.
#[utoipa::path(post, path = "/runs/{run}/cancel", tag = "acts", request_body = ReasonBody,
    params(("run" = String, Path, description = "The id of the run")),
    responses((status = 202, description = "It ends", body = RunBody)))]
pub(in crate::serve::web) async fn cancel(
    State(api): State<Arc<WebApi>>,
    person: Person,
    Path(run): Path<String>,
    JsonBody(body): JsonBody<ReasonBody>,
) -> Result<Response, Problem> {
    person.may(Role::Run)?;
    api.runner.cancel(&run, reason(body)?, &person.name).await?;
    Ok(placed(StatusCode::ACCEPTED, &run))
}

/// Lets a run go on
///
/// One that was interrupted, or that a rollback or a fork has put where it is.
#[utoipa::path(post, path = "/runs/{run}/resume", tag = "acts",
    params(("run" = String, Path, description = "The id of the run")),
    responses((status = 202, description = "It goes on, or has its turn later", body = RunBody)))]
pub(in crate::serve::web) async fn resume(
    State(api): State<Arc<WebApi>>,
    person: Person,
    Path(run): Path<String>,
) -> Result<Response, Problem> {
    person.may(Role::Run)?;
    api.runner.resume(&run, &person.name).await?;
    Ok(placed(StatusCode::ACCEPTED, &run))
}

/// The step of a way back.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(in crate::serve::web) struct StepParameters {
    /// The step: the number of transitions that the graph had made.
    to: u64,
}

/// Shows what a rollback would do
///
/// The calls made since that step, the last first: what undoes each, and what cannot be undone.
#[utoipa::path(get, path = "/runs/{run}/rollback", tag = "acts", params(("run" = String, Path, description = "The id of the run"), StepParameters),
    responses((status = 200, description = "`from`, `to`, `left`", body = Value)))]
pub(in crate::serve::web) async fn look_back(
    State(api): State<Arc<WebApi>>,
    person: Person,
    Path(run): Path<String>,
    Parameters(StepParameters { to }): Parameters<StepParameters>,
) -> Result<Json<Value>, Problem> {
    person.may(Role::Watch)?;
    let plan = api.runner.rollback_plan(&run, to).await?;
    Ok(Json(rollback_json(&run, &plan, true)))
}

/// A way back.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::serve::web) struct RollbackBody {
    /// The step.
    to: u64,
    /// False leaves the calls made since then as they are.
    #[serde(default = "yes")]
    undo: bool,
    /// Calls whose undoing was interrupted, and that were undone.
    #[serde(default)]
    undone: Vec<String>,
    /// Calls whose undoing was interrupted, and that were not; they are undone now.
    #[serde(default)]
    not_undone: Vec<String>,
}

const fn yes() -> bool {
    true
}

/// Sends a run back to a step
///
/// Calls made since then are undone where a tool is declared for it. The run stays there until it is resumed. `If-Match` has the `ETag` of the
/// run.
#[utoipa::path(post, path = "/runs/{run}/rollback", tag = "acts", request_body = RollbackBody,
    params(("run" = String, Path, description = "The id of the run"), ("If-Match" = String, Header, description = "The `ETag` of the run, or `*`")),
    responses(
        (status = 200, description = "`from`, `to`, `left`", body = Value),
        (status = 412, description = "The run went on", body = Problem, content_type = "application/problem+json"),
    ))]
pub(in crate::serve::web) async fn roll_back(
    State(api): State<Arc<WebApi>>,
    person: Person,
    Path(run): Path<String>,
    headers: HeaderMap,
    JsonBody(body): JsonBody<RollbackBody>,
) -> Result<Json<Value>, Problem> {
    person.may(Role::Run)?;
    let head = tag(&headers, "state of the run")?;
    let RollbackBody { to, undo, undone, not_undone } = body;
    let request = RollbackRequest { step: to, undo, undone, not_undone, head };
    let plan = api.runner.roll_back(&run, &request, &person.name).await?;
    Ok(Json(rollback_json(&run, &plan, undo)))
}

/// A branch.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::serve::web) struct ForkBody {
    /// The step.
    at: u64,
    /// The id of the new run; by default one is made of the time.
    #[serde(default)]
    run: String,
}

/// Begins a run where another was at a step
///
/// The new run stays there until it is resumed.
#[utoipa::path(post, path = "/runs/{run}/fork", tag = "acts", request_body = ForkBody,
    params(("run" = String, Path, description = "The id of the run")),
    responses((status = 201, description = "The new run; `Location` has its place", body = RunBody)))]
pub(in crate::serve::web) async fn fork(
    State(api): State<Arc<WebApi>>,
    person: Person,
    Path(run): Path<String>,
    JsonBody(ForkBody { at, run: id }): JsonBody<ForkBody>,
) -> Result<Response, Problem> {
    person.may(Role::Run)?;
    let id = api.runner.fork(&run, at, &id, &person.name).await?;
    Ok(placed(StatusCode::CREATED, &id))
}

impl WebApi {
    /// An answer without the keys that the configuration of the run's graph names.
    async fn masked(&self, run: &str, answer: crate::value::Value) -> Result<crate::value::Value, Problem> {
        let found = self.runner.runs().find(run).await?;
        Ok(match self.runner.host_of(&found.program.digest) {
            Some(host) => host.graph().mask.value(answer),
            None => answer,
        })
    }
}
