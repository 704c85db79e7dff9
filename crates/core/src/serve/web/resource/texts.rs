//! Texts in, result out: commands that run nothing.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use serde_json::{Map, Value, json};
use utoipa::ToSchema;

use crate::serve::commands::{CommandReply, TextCommand};
use crate::serve::web::api::WebApi;
use crate::serve::web::extract::JsonBody;
use crate::serve::web::person::Person;
use crate::serve::web::problem::Problem;

/// The files of a call by their names, and what the command takes besides. `loopwright mcp serve` has the same.
#[derive(serde::Deserialize, ToSchema)]
pub(in crate::serve::web) struct TextsBody {
    /// Texts by the names of their files. A file that a text names and that is not here is not there.
    files: BTreeMap<String, String>,
    /// Further arguments of the command.
    #[serde(flatten)]
    more: Map<String, Value>,
}

impl TextsBody {
    fn arguments(self) -> Map<String, Value> {
        let mut arguments = self.more;
        arguments.insert("files".to_owned(), json!(self.files));
        arguments
    }
}

/// Carries a command out in a process of its own, which has neither files nor time nor memory to do harm with.
pub(in crate::serve::web) async fn run(
    api: &WebApi,
    command: TextCommand,
    arguments: Map<String, Value>,
) -> Result<Value, Problem> {
    let CommandReply { text, structured, failed } = api.confined.run(command, arguments).await;
    let detail = || text.trim_start_matches("error: ").trim_end().to_owned();
    match structured {
        Some(structured) if !failed => Ok(structured),
        Some(structured) => {
            Err(Problem::unfit("the texts have errors").with("findings", structured["findings"].clone()))
        }
        None if text.contains("calls wait already") => Err(Problem::busy(detail())),
        None => Err(Problem::new(StatusCode::UNPROCESSABLE_ENTITY, "refused", detail())),
    }
}

/// Checks graphs
///
/// Runs nothing. `files`, and `graphs`: the files that are checked.
#[utoipa::path(post, path = "/check", tag = "texts", request_body = TextsBody,
    responses((status = 200, description = "`ok`, `findings`, `bounds`", body = Value)))]
pub(in crate::serve::web) async fn check(
    State(api): State<Arc<WebApi>>,
    _: Person,
    JsonBody(body): JsonBody<TextsBody>,
) -> Result<Json<Value>, Problem> {
    Ok(Json(run(&api, TextCommand::Check, body.arguments()).await?))
}

/// Draws a graph
///
/// `files`, and `graph`, `as` (`state`, `flow`, `dot`, `svg`), `view`, `depth`, `node`, `flat`, `expand`, `hide_errors`, `merge`,
/// `direction` (`TB`, `LR`).
#[utoipa::path(post, path = "/render", tag = "texts", request_body = TextsBody,
    responses((status = 200, description = "`as`, `text`", body = Value)))]
pub(in crate::serve::web) async fn render(
    State(api): State<Arc<WebApi>>,
    _: Person,
    JsonBody(body): JsonBody<TextsBody>,
) -> Result<Json<Value>, Problem> {
    Ok(Json(run(&api, TextCommand::Render, body.arguments()).await?))
}

/// Compares two versions of a graph
///
/// `files`, and `before` and `after`: the files of the two versions.
#[utoipa::path(post, path = "/diff", tag = "texts", request_body = TextsBody,
    responses((status = 200, description = "The changes", body = Value)))]
pub(in crate::serve::web) async fn diff(
    State(api): State<Arc<WebApi>>,
    _: Person,
    JsonBody(body): JsonBody<TextsBody>,
) -> Result<Json<Value>, Problem> {
    let changes = run(&api, TextCommand::Diff, body.arguments()).await?;
    Ok(Json(if changes.is_array() { json!({"changes": changes}) } else { changes }))
}

/// Plays scenarios
///
/// `files`, and `scenarios`: the files that are played, and `coverage`. No model is asked, and time does not pass.
#[utoipa::path(post, path = "/test", tag = "texts", request_body = TextsBody,
    responses((status = 200, description = "`ok`, `passed`, `failed`, `files`, `coverage`", body = Value)))]
pub(in crate::serve::web) async fn test(
    State(api): State<Arc<WebApi>>,
    _: Person,
    JsonBody(body): JsonBody<TextsBody>,
) -> Result<Json<Value>, Problem> {
    Ok(Json(run(&api, TextCommand::Test, body.arguments()).await?))
}
