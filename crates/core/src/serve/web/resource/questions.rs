//! The inbox: everything that waits for people.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use serde::Deserialize;
use serde_json::{Value, json};
use utoipa::IntoParams;

use super::runs::questions;
use crate::app::RunReport;
use crate::machine::timestamp;
use crate::port::{RunFilter, StatusKind};
use crate::serve::web::api::WebApi;
use crate::serve::web::extract::Parameters;
use crate::serve::web::person::Person;
use crate::serve::web::problem::Problem;

/// The runs that are looked through for a page.
const PAGE: usize = 50;

/// The part of the inbox that is wanted.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(in crate::serve::web) struct QuestionParameters {
    /// The `next` of the page before.
    after: Option<String>,
}

/// Everything that waits for people, of the newest runs first
///
/// Of runs that wait for nothing else, and of those that are being driven while a question is open. Each question has its `schema`, and for
/// an approval the `call` with its arguments; `etag` is what `If-Match` takes with the answer. `watchers` are those who have the events of the
/// run open.
#[utoipa::path(get, path = "/questions", tag = "questions", params(QuestionParameters),
    responses((status = 200, description = "`questions`: `run`, `graph`, `ask`, `node`, `text`, `schema`, `call`, `state`, `etag`, `watchers`; `next`", body = Value)))]
pub(in crate::serve::web) async fn list(
    State(api): State<Arc<WebApi>>,
    _: Person,
    Parameters(wanted): Parameters<QuestionParameters>,
) -> Result<Json<Value>, Problem> {
    // A page is of runs that wait, then of runs that are driven.
    let (kind, after) = match wanted.after.as_deref().and_then(|after| after.split_once(':')) {
        Some(("running", after)) => (StatusKind::Running, after),
        Some(("waiting", after)) => (StatusKind::Waiting, after),
        None if wanted.after.is_none() => (StatusKind::Waiting, ""),
        _ => return Err(Problem::malformed("`after` is none that was given out")),
    };
    let after = Some(after).filter(|after| !after.is_empty()).map(Into::into);
    let filter = RunFilter { kind: Some(kind), after, ..RunFilter::all(PAGE) };
    let page = api.runner.runs().page(&filter).await?;
    let mut all: Vec<Value> = Vec::new();
    for listed in &page.runs {
        // One that has no open question by its row is not read.
        if api.row(listed).await["questions"].as_u64() == Some(0) {
            continue;
        }
        let Ok((found, state)) = api.state(&listed.info.run).await else { continue };
        let program = found.by(&state.program).unwrap_or(&found.program);
        let report = RunReport { info: &found.info, driver: None, program, snapshot: &state, at: None };
        let watchers = api.feeds.watchers(&listed.info.run);
        for mut question in questions(&state).as_array().cloned().unwrap_or_default() {
            let lane = report.lanes().find(|lane| Some(lane.lane.path.as_str()) == question["lane"].as_str());
            question["run"] = listed.info.run.as_str().into();
            question["graph"] = listed.info.graph.as_str().into();
            question["watchers"] = json!(watchers);
            question["at"] = timestamp(state.at).into();
            question["state"] =
                lane.map_or(Value::Null, |lane| crate::value::Value::Map(lane.state()).to_json());
            all.push(question);
        }
    }
    let next = match (page.next, kind) {
        (Some(next), kind) => Some(format!("{}:{next}", kind.name())),
        (None, StatusKind::Waiting) => Some("running:".to_owned()),
        (None, _) => None,
    };
    Ok(Json(json!({"questions": all, "next": next})))
}
