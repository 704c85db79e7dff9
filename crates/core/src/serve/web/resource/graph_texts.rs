//! The texts of a graph, and how one is saved.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::header::{CONTENT_TYPE, ETAG};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use tokio::task::spawn_blocking;
use utoipa::ToSchema;

use super::acts::tag;
use super::texts;
use crate::diag;
use crate::serve::commands::{MAX_TEXT_BYTES, TextCommand, is_scenarios};
use crate::serve::web::api::WebApi;
use crate::serve::web::extract::JsonBody;
use crate::serve::web::graph_files::GraphFiles;
use crate::serve::web::person::{Person, Role};
use crate::serve::web::problem::Problem;
use crate::serve::web::web_graph::WebGraph;
use crate::source::Sources;
use crate::source::display::line;
use crate::syntax;

/// The tag of a text, in quotation marks as `ETag` has it.
pub(super) fn text_tag(text: &str) -> String {
    format!("\"{}\"", &blake3::hash(text.as_bytes()).to_hex()[..32])
}

/// A text of a graph
///
/// With `--edit` it is the text that the file has now. `ETag` is its tag; `PUT` takes it.
#[utoipa::path(get, path = "/graphs/{name}/texts/{file}", tag = "graphs",
    params(
        ("name" = String, Path, description = "The name of the graph"),
        ("file" = String, Path, description = "The name of the file, percent-encoded"),
    ),
    responses(
        (status = 200, description = "The text", body = String, content_type = "text/plain"),
        (status = 404, description = "There is no such graph or file", body = Problem, content_type = "application/problem+json"),
    ))]
pub(in crate::serve::web) async fn text(
    State(api): State<Arc<WebApi>>,
    _: Person,
    Path((name, file)): Path<(String, String)>,
) -> Result<Response, Problem> {
    let graph = api.graph(&name)?;
    let served = graph.files.get(&file).ok_or_else(|| no_file(&graph, &file))?;
    let text = match &api.editor {
        Some(files) if graph.editable.contains(&file) => current(files, &name, &file).await?,
        _ => served.clone(),
    };
    Ok(([(ETAG, text_tag(&text)), (CONTENT_TYPE, "text/plain; charset=utf-8".to_owned())], text)
        .into_response())
}

/// A text that is to be saved.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::serve::web) struct SaveBody {
    /// The whole text.
    text: String,
}

/// A text that was saved.
#[derive(Serialize, ToSchema)]
pub(in crate::serve::web) struct SavedBody {
    /// The tag that the text has now.
    etag: String,
    /// The digest of the graph's program; null of a graph with errors.
    program: Option<String>,
    /// True if new runs go by this version.
    runnable: bool,
    /// The graphs that are made of the file. All of them were read anew.
    graphs: Vec<String>,
    /// The findings in the graph.
    findings: Value,
}

/// Saves a text of a graph
///
/// The server must have been started with `--edit`. When the reply comes the file is written, and new runs go by the new version; open runs go on by theirs.
/// A text is refused that cannot be read, or that is of another graph. Findings do not keep it from being saved: with errors the graph is shown, and not run.
#[utoipa::path(put, path = "/graphs/{name}/texts/{file}", tag = "graphs", request_body = SaveBody,
    params(
        ("name" = String, Path, description = "The name of the graph"),
        ("file" = String, Path, description = "The name of a graph file or scenario file, percent-encoded"),
        ("If-Match" = String, Header, description = "The tag of the text that is replaced, or `*`"),
    ),
    responses(
        (status = 200, description = "It is saved", body = SavedBody),
        (status = 403, description = "Texts are not saved here, or not those of this file", body = Problem, content_type = "application/problem+json"),
        (status = 404, description = "There is no such graph or file", body = Problem, content_type = "application/problem+json"),
        (status = 409, description = "The file cannot be written", body = Problem, content_type = "application/problem+json"),
        (status = 412, description = "The file has another text by now: `etag`", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "The text cannot be read: `findings`", body = Problem, content_type = "application/problem+json"),
        (status = 428, description = "`If-Match` is missing", body = Problem, content_type = "application/problem+json"),
    ))]
pub(in crate::serve::web) async fn save(
    State(api): State<Arc<WebApi>>,
    person: Person,
    Path((name, file)): Path<(String, String)>,
    headers: HeaderMap,
    JsonBody(SaveBody { text }): JsonBody<SaveBody>,
) -> Result<Response, Problem> {
    person.may(Role::Run)?;
    let Some(files) = &api.editor else {
        let detail = "texts are not saved by this server; start it with `--edit` to allow that";
        return Err(Problem::new(StatusCode::FORBIDDEN, "edit", detail));
    };
    let tag = tag(&headers, "text")?;
    // Whoever saves next is to see what this one leaves.
    let alone = Arc::clone(&api.saving).lock_owned().await;
    let graph = api.graph(&name)?;
    if !graph.editable.contains(&file) {
        let is_there = graph.files.contains_key(&file);
        return Err(if is_there { not_editable(&file) } else { no_file(&graph, &file) });
    }
    let old = current(files, &name, &file).await?;
    if tag != "*" && format!("\"{tag}\"") != text_tag(&old) {
        let detail = format!("`{}` has another text by now; look at it again", line(&file));
        let problem = Problem::new(StatusCode::PRECONDITION_FAILED, "stale", detail);
        return Err(problem.with("etag", text_tag(&old)));
    }
    if text.len() > MAX_TEXT_BYTES {
        return Err(Problem::too_large());
    }
    api.judge(&graph, &file, (&old, &text)).await?;
    let etag = text_tag(&text);
    let (own, files, place) = (Arc::clone(&api), Arc::clone(files), (name.clone(), file));
    // What was begun is carried out, also where nobody waits for the reply any more.
    let saving = tokio::spawn(async move {
        let graphs = own.store(files, place, text, &person).await;
        drop(alone);
        graphs
    });
    let graphs = saving.await.map_err(|error| Problem::failed(error.to_string()))??;
    let graph = api.graph(&name)?;
    let saved = SavedBody {
        etag: etag.clone(),
        program: graph.digest.as_deref().map(str::to_owned),
        runnable: graph.host.is_some(),
        graphs,
        findings: api.checked(&graph).await?["findings"].clone(),
    };
    Ok(([(ETAG, etag)], Json(saved)).into_response())
}

/// The text that a file has now.
async fn current(files: &Arc<dyn GraphFiles>, graph: &str, file: &str) -> Result<String, Problem> {
    let (own, place) = (Arc::clone(files), (graph.to_owned(), file.to_owned()));
    let read = spawn_blocking(move || own.text(&place.0, &place.1)).await;
    read.map_err(|error| Problem::failed(error.to_string()))?.map_err(|why| not_saved(file, &why))
}

fn not_saved(file: &str, why: &str) -> Problem {
    Problem::conflict("not-saved", format!("`{}` cannot be read or written: {}", line(file), line(why)))
}

fn no_file(graph: &WebGraph, file: &str) -> Problem {
    Problem::not_found(format!("the graph `{}` is not made of a file `{}`", graph.name, line(file)))
}

fn not_editable(file: &str) -> Problem {
    let detail = format!(
        "`{}` is not saved here: only graph files and scenario files in the served folder are",
        line(file)
    );
    Problem::new(StatusCode::FORBIDDEN, "edit", detail)
}

impl WebApi {
    /// Refuses a text that cannot be read as what the file holds, or not within the bounds of a check.
    async fn judge(&self, graph: &WebGraph, file: &str, (old, new): (&str, &str)) -> Result<(), Problem> {
        let mut files = graph.files.clone();
        files.insert(file.to_owned(), new.to_owned());
        let mut arguments = Map::new();
        arguments.insert("files".to_owned(), json!(files));
        if is_scenarios(file) {
            arguments.insert("scenarios".to_owned(), json!([file]));
            let played = texts::run(self, TextCommand::Test, arguments).await?;
            return refuse_errors(&played["files"][0]["findings"], file);
        }
        let (before, _) = read(file, old);
        let (after, findings) = read(file, new);
        refuse_errors(&findings, file)?;
        match (before, after) {
            (Some(before), Some(after)) if before == after => {}
            (None, None) if file != graph.main => {}
            (None, Some(_)) if file == graph.main => {}
            (Some(before), after) => {
                let after =
                    after.map_or("no graph".to_owned(), |after| format!("the graph `{}`", line(&after)));
                let detail = format!(
                    "the file holds the graph `{before}`, and the text is of {after}; stored runs are found by the name, so it stays"
                );
                return Err(Problem::unfit(detail));
            }
            (None, _) => {
                let detail = format!("the file `{}` holds no graph, and the text is of one", line(file));
                return Err(Problem::unfit(detail));
            }
        }
        arguments.insert("graphs".to_owned(), json!([graph.main]));
        texts::run(self, TextCommand::Check, arguments).await.map(drop)
    }

    /// Writes a text, and serves the graphs that are made of it anew. Gives their names.
    async fn store(
        &self,
        files: Arc<dyn GraphFiles>,
        place: (String, String),
        text: String,
        person: &Person,
    ) -> Result<Vec<String>, Problem> {
        let (own, (name, file), by) = (Arc::clone(&files), place.clone(), person.name.to_string());
        let saved = spawn_blocking(move || own.save(&name, &file, &text, &by)).await;
        let saved = saved.map_err(|error| Problem::failed(error.to_string()))?;
        saved.map_err(|why| not_saved(&place.1, &why))?;
        Ok(self.replace(files.prepare(&place.0, &place.1).await))
    }

    /// Serves graphs in the place of those that have their names. Gives the names.
    fn replace(&self, graphs: Vec<WebGraph>) -> Vec<String> {
        let names = graphs.iter().map(|graph| graph.name.clone()).collect();
        for host in graphs.iter().filter_map(|graph| graph.host.as_ref()) {
            self.runner.host(host);
        }
        self.graphs.replace(graphs);
        names
    }
}

/// Reads a text alone: the id of the graph in it, and what is wrong with how it is written.
fn read(file: &str, text: &str) -> (Option<String>, Value) {
    let mut sources = Sources::new();
    let id = sources.add(file, text);
    let (tree, findings) = syntax::read(&sources, id);
    (tree.graph.map(|id| id.value), diag::json::render(&findings, &sources))
}

/// Refuses a text with errors among the findings in it.
fn refuse_errors(findings: &Value, file: &str) -> Result<(), Problem> {
    let is_error = |finding: &&Value| finding["severity"] == "error" && finding["file"] == file;
    let errors: Vec<Value> = findings.as_array().into_iter().flatten().filter(is_error).cloned().collect();
    if errors.is_empty() {
        return Ok(());
    }
    let detail = format!("the text cannot be read as that of `{}`; it is not saved", line(file));
    Err(Problem::unfit(detail).with("findings", errors))
}
