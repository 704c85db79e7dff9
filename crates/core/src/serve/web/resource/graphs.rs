//! The graphs of the folder.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError};

use axum::Json;
use axum::extract::{Path, State};
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use utoipa::IntoParams;

use super::graph_texts::text_tag;
use super::texts;
use crate::serve::commands::TextCommand;
use crate::serve::graphs::input_schema;
use crate::serve::web::api::WebApi;
use crate::serve::web::extract::Parameters;
use crate::serve::web::known_graphs::KnownGraph;
use crate::serve::web::person::Person;
use crate::serve::web::problem::Problem;
use crate::serve::web::web_graph::WebGraph;

/// The replies that are remembered. Runs may be of many versions of a graph.
const MAX_REPLIES: usize = 2_000;

/// The graphs of the folder
///
/// They are those that were there when the server was started, each in the version that was saved last.
#[utoipa::path(get, path = "/graphs", tag = "graphs",
    responses((status = 200, description = "`graphs`: `name`, `title`, `file`, `runnable`", body = Value)))]
pub(in crate::serve::web) async fn list(State(api): State<Arc<WebApi>>, _: Person) -> Json<Value> {
    let graphs: Vec<Value> = api.graphs.list().iter().map(|graph| summary(graph)).collect();
    Json(json!({"graphs": graphs}))
}

fn summary(graph: &WebGraph) -> Value {
    let title = graph.host.as_ref().and_then(|host| host.graph().model.root().title.as_deref());
    json!({
        "name": graph.name,
        "id": graph.id,
        "title": title,
        "file": graph.main,
        "program": graph.digest.as_deref(),
        "runnable": graph.host.is_some(),
    })
}

/// A graph with its findings, bound, views, inputs and scenarios
#[utoipa::path(get, path = "/graphs/{name}", tag = "graphs", params(("name" = String, Path, description = "The name of the graph")),
    responses(
        (status = 200, description = "The graph: `findings`, `bounds`, `views`, `input`, `scenarios` with `coverage`, `texts`, and `editable`: the tags of the texts that can be saved", body = Value),
        (status = 404, description = "There is none", body = Problem, content_type = "application/problem+json"),
    ))]
pub(in crate::serve::web) async fn show(
    State(api): State<Arc<WebApi>>,
    _: Person,
    Path(name): Path<String>,
) -> Result<Json<Value>, Problem> {
    let graph = api.graph(&name)?;
    let mut shown = summary(&graph);
    let checked = api.checked(&graph).await?;
    shown["findings"] = checked["findings"].clone();
    shown["bounds"] = checked["bounds"].clone();
    shown["texts"] = json!(graph.files);
    let tags =
        graph.editable.iter().filter_map(|file| Some((file.clone(), text_tag(graph.files.get(file)?))));
    shown["editable"] = tags.collect();
    if let Some(host) = &graph.host {
        let hosted = host.graph();
        shown["doc"] = hosted.model.root().doc.as_deref().into();
        shown["views"] = hosted.model.root().views.iter().map(|view| view.name.as_str()).collect();
        shown["input"] = input_schema(&hosted.program, &hosted.inputs);
    }
    if let Some(scenarios) = &graph.scenarios {
        let arguments = [("scenarios", json!([scenarios])), ("coverage", true.into())];
        shown["scenarios"] = match reply(&api, TextsOf::graph(&graph), TextCommand::Test, &arguments).await {
            Ok(played) => played,
            Err(problem) => json!({"failed": problem.detail()}),
        };
    }
    Ok(Json(shown))
}

/// The drawing that is wanted.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(in crate::serve::web) struct DrawingParameters {
    /// A view that the graph declares.
    view: Option<String>,
    /// `svg` (a picture), `mermaid` (a state diagram, the default), `flowchart` or `dot`.
    #[serde(rename = "as")]
    form: Option<String>,
    /// One composite or called graph, alone.
    node: Option<String>,
}

/// A drawing of a graph
#[utoipa::path(get, path = "/graphs/{name}/drawing", tag = "graphs",
    params(("name" = String, Path, description = "The name of the graph"), DrawingParameters),
    responses((status = 200, description = "The drawing as text", body = String, content_type = "text/plain")))]
pub(in crate::serve::web) async fn drawing(
    State(api): State<Arc<WebApi>>,
    _: Person,
    Path(name): Path<String>,
    Parameters(wanted): Parameters<DrawingParameters>,
) -> Result<Response, Problem> {
    let graph = api.graph(&name)?;
    draw(&api, TextsOf::graph(&graph), wanted).await
}

/// The texts of a graph, and a key that tells them from other texts.
#[derive(Clone, Copy)]
pub(super) struct TextsOf<'t> {
    pub(super) key: &'t str,
    pub(super) main: &'t str,
    pub(super) files: &'t BTreeMap<String, String>,
}

impl<'t> TextsOf<'t> {
    /// Those of a graph that is served.
    fn graph(graph: &'t KnownGraph) -> Self {
        Self { key: graph.revision(), main: &graph.main, files: &graph.files }
    }
}

/// Draws texts.
pub(super) async fn draw(
    api: &WebApi,
    texts: TextsOf<'_>,
    wanted: DrawingParameters,
) -> Result<Response, Problem> {
    let (form, kind) = match wanted.form.as_deref() {
        None => (None, "text/vnd.mermaid"),
        Some("mermaid") => (Some("state"), "text/vnd.mermaid"),
        Some("flowchart") => (Some("flow"), "text/vnd.mermaid"),
        Some("dot") => (Some("dot"), "text/vnd.graphviz"),
        Some("svg") => (Some("svg"), "image/svg+xml"),
        Some(_) => return Err(Problem::malformed("`as` is `svg`, `mermaid`, `flowchart` or `dot`")),
    };
    let mut arguments = vec![("graph", json!(texts.main))];
    arguments.extend(form.map(|form| ("as", form.into())));
    arguments.extend(wanted.view.map(|view| ("view", view.into())));
    arguments.extend(wanted.node.map(|node| ("node", node.into())));
    let drawn = reply(api, texts, TextCommand::Render, &arguments).await?;
    let text = drawn["text"].as_str().unwrap_or_default().to_owned();
    Ok(([(CONTENT_TYPE, format!("{kind}; charset=utf-8"))], text).into_response())
}

impl WebApi {
    /// The reply of `check` to a graph.
    pub(super) async fn checked(&self, graph: &KnownGraph) -> Result<Value, Problem> {
        reply(self, TextsOf::graph(graph), TextCommand::Check, &[("graphs", json!([graph.main]))]).await
    }
}

/// The reply of a command over the texts of a graph. It is the same each time, and is made once.
async fn reply(
    api: &WebApi,
    texts: TextsOf<'_>,
    command: TextCommand,
    arguments: &[(&str, Value)],
) -> Result<Value, Problem> {
    let mut given = Map::new();
    for (name, value) in arguments {
        given.insert((*name).to_owned(), value.clone());
    }
    let key = format!("{} {} {}", texts.key, command.name(), Value::Object(given.clone()));
    let known = api.replies.lock().unwrap_or_else(PoisonError::into_inner).get(&key).cloned();
    if let Some(known) = known {
        return Ok(known);
    }
    given.insert("files".to_owned(), json!(texts.files));
    let reply = texts::run(api, command, given).await?;
    // Names of views and nodes come from the request, but one that the graph does not have gives no reply.
    let mut replies = api.replies.lock().unwrap_or_else(PoisonError::into_inner);
    if replies.len() >= MAX_REPLIES {
        replies.clear();
    }
    replies.insert(key, reply.clone());
    Ok(reply)
}
