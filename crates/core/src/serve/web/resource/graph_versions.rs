//! The versions of a graph: the one that is served, and those that its runs went by.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::{IntoParams, ToSchema};

use super::texts;
use crate::machine::timestamp;
use crate::port::{RunFilter, RunInfo};
use crate::serve::commands::TextCommand;
use crate::serve::web::api::WebApi;
use crate::serve::web::extract::Parameters;
use crate::serve::web::person::Person;
use crate::serve::web::problem::Problem;
use crate::serve::web::program_files::ProgramFiles;
use crate::serve::web::web_graph::WebGraph;
use crate::value::Str;

/// The most runs that are looked at, the newest ones.
const MAX_RUNS: usize = RunFilter::MAX_RUNS;

/// A version of a graph.
#[derive(Debug, Serialize, ToSchema)]
pub(in crate::serve::web) struct VersionBody {
    /// The digest of its program.
    digest: String,
    /// True of the version that new runs go by.
    served: bool,
    /// The number of runs that began with it, among those that were looked at.
    runs: usize,
    /// The time when the first of these runs began; null if there are none.
    first: Option<String>,
    /// The time when the last of them began.
    last: Option<String>,
}

/// The known versions of a graph.
#[derive(Debug, Serialize, ToSchema)]
pub(in crate::serve::web) struct VersionsBody {
    /// The versions: the served one first, the others by their last run, the newest first.
    versions: Vec<VersionBody>,
    /// The number of runs that were looked at.
    runs: usize,
    /// True if there are older runs, which were not looked at.
    more: bool,
}

/// The versions of a graph
///
/// They are the one that is served, and those that the newest runs of the store began with: 1,000 runs of the graph are looked at, at most. The store
/// has the texts of each of them.
#[utoipa::path(get, path = "/graphs/{name}/versions", tag = "graphs", params(("name" = String, Path, description = "The name of the graph")),
    responses(
        (status = 200, description = "The versions", body = VersionsBody),
        (status = 404, description = "There is no such graph", body = Problem, content_type = "application/problem+json"),
    ))]
pub(in crate::serve::web) async fn versions(
    State(api): State<Arc<WebApi>>,
    _: Person,
    Path(name): Path<String>,
) -> Result<Json<VersionsBody>, Problem> {
    let graph = api.graph(&name)?;
    let filter = RunFilter { graph: Some(graph.id.as_str().into()), ..RunFilter::all(MAX_RUNS) };
    let page = api.runner.runs().store().page(&filter).await?;
    let mut found = BTreeMap::<Str, Vec<&RunInfo>>::new();
    if let Some(digest) = &graph.digest {
        found.insert(digest.clone(), Vec::new());
    }
    for run in &page.runs {
        found.entry(run.info.program.clone()).or_default().push(&run.info);
    }
    let version = |(digest, runs): (Str, Vec<&RunInfo>)| VersionBody {
        served: graph.digest.as_ref() == Some(&digest),
        digest: digest.to_string(),
        runs: runs.len(),
        // A page begins with the newest run.
        first: runs.last().map(|run| timestamp(run.started)),
        last: runs.first().map(|run| timestamp(run.started)),
    };
    let mut versions: Vec<VersionBody> = found.into_iter().map(version).collect();
    versions.sort_by(|one, other| (other.served, &other.last).cmp(&(one.served, &one.last)));
    Ok(Json(VersionsBody { versions, runs: page.runs.len(), more: page.next.is_some() }))
}

/// The versions that are compared.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(in crate::serve::web) struct ComparedParameters {
    /// The digest of the earlier version.
    from: String,
    /// The digest of the later version.
    to: String,
}

/// Compares two versions of a graph
///
/// The reply is the JSON of `loopwright diff`, described in docs/diff.md.
#[utoipa::path(get, path = "/graphs/{name}/diff", tag = "graphs",
    params(("name" = String, Path, description = "The name of the graph"), ComparedParameters),
    responses(
        (status = 200, description = "The changes", body = Value),
        (status = 404, description = "There is no such graph or version", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "A version has errors: `findings`", body = Problem, content_type = "application/problem+json"),
    ))]
pub(in crate::serve::web) async fn compare(
    State(api): State<Arc<WebApi>>,
    _: Person,
    Path(name): Path<String>,
    Parameters(wanted): Parameters<ComparedParameters>,
) -> Result<Json<Value>, Problem> {
    let graph = api.graph(&name)?;
    // In one map of files each version has a folder of its own.
    let before = api.version(&graph, &wanted.from).await?.below("before");
    let after = api.version(&graph, &wanted.to).await?.below("after");
    let names: BTreeMap<String, String> = before.names.into_iter().chain(after.names).collect();
    let mut arguments = Map::new();
    arguments.insert("before".to_owned(), before.main.into());
    arguments.insert("after".to_owned(), after.main.into());
    arguments.insert("files".to_owned(), before.files.into_iter().chain(after.files).collect());
    let compared = texts::run(&api, TextCommand::Diff, arguments).await;
    let mut changes = compared.map_err(|problem| problem.each_field(|json| rename(json, &names)))?;
    rename(&mut changes, &names);
    Ok(Json(changes))
}

/// Gives files the names that they had in their version.
fn rename(json: &mut Value, names: &BTreeMap<String, String>) {
    match json {
        Value::Object(fields) => {
            for (key, value) in fields {
                match value.as_str().and_then(|file| names.get(file)) {
                    Some(name) if key == "file" => *value = name.as_str().into(),
                    _ => rename(value, names),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| rename(item, names)),
        _ => {}
    }
}

impl WebApi {
    /// The texts of a version of a graph: the one that is served, or one that a run of the store went by.
    async fn version(&self, graph: &WebGraph, digest: &str) -> Result<ProgramFiles, Problem> {
        if graph.digest.as_deref() == Some(digest) {
            // Scenarios are no part of a version.
            let own = graph.files.iter().filter(|(name, _)| graph.scenarios.as_ref() != Some(name));
            return Ok(ProgramFiles::of(&graph.main, own.map(|(name, text)| (name.as_str(), text.as_str()))));
        }
        let stored = self.runner.runs().store().program(digest).await?;
        let stored = stored.ok_or_else(|| {
            let digest = crate::source::display::line(digest);
            Problem::not_found(format!("no run of this store went by a version with the digest `{digest}`"))
        })?;
        // A condition of the operator is among the texts of a program, under the name of its flag.
        let own = stored.files.iter().filter(|(name, _)| !name.starts_with("--"));
        Ok(ProgramFiles::of(&stored.main, own.map(|(name, text)| (name.as_str(), text.as_str()))))
    }
}
