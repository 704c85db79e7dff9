//! The graphs of a folder, as they are served.

use std::collections::BTreeMap;
use std::env;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use super::ServeArgs;
use crate::cli::files::{self, Disk, FileKind};
use crate::cli::run::{RunStorage, ServedGraph};
use crate::cli::{Exit, screen};
use loopwright_core::app::{GraphHost, Judged};
use loopwright_core::config::WebhookConfig;
use loopwright_core::port::Store;
use loopwright_core::scenario::Suite;
use loopwright_core::serve::web::{WebGraph, WebListener};
use loopwright_core::source::Sources;

/// Reads all graphs of the folder, and prepares those that can be run. Also gives the webhooks of their configuration.
pub(super) async fn find(
    args: &ServeArgs,
    store: &Arc<dyn Store>,
    listener: &WebListener,
) -> Result<(Vec<WebGraph>, Vec<WebhookConfig>), Exit> {
    let mut disk = Disk::new(&args.host.reach)?;
    let found = files::find(std::slice::from_ref(&args.folder), FileKind::Graph, &mut disk);
    let found = found.map_err(|why| screen::refuse(&screen::line(&why)))?;
    let (mut graphs, mut webhooks) = (Vec::<WebGraph>::new(), Vec::new());
    for file in found {
        let mut graph = read(&file, args)?;
        if graph.digest.is_some() {
            let storage = RunStorage::Shared(Arc::clone(store));
            let ports = args.host.ports(&args.db);
            match ServedGraph::prepare(ports, &file, &args.command(), storage).await {
                Ok(served) => {
                    if webhooks.is_empty() {
                        webhooks = served.webhooks().to_vec();
                    }
                    let listener = listener.of_graph(served.graph().mask.clone());
                    let served = served.listener(listener);
                    graph.host = Some(Arc::new(served) as Arc<dyn GraphHost>);
                }
                // It has said why.
                Err(_) => screen::say(&format!("note: {} is shown, and not run\n", screen::line(&file))),
            }
        } else {
            let file = screen::line(&file);
            screen::say(&format!("note: {file} has errors; it is shown, and not run\n"));
        }
        if graphs.iter().any(|other| other.name == graph.name) {
            graph.name = format!("{}@{}", graph.name, graph.main.replace('/', ":"));
        }
        graphs.push(graph);
    }
    Ok((graphs, webhooks))
}

/// Reads the texts of a graph and of its scenarios.
fn read(file: &str, args: &ServeArgs) -> Result<WebGraph, Exit> {
    let judged = Judged::load(file, Sources::new(), &mut Disk::new(&args.host.reach)?);
    let mut texts: Vec<(String, String)> =
        judged.sources.texts().map(|(name, text)| (name.to_owned(), text.to_owned())).collect();
    let (id, digest) = match judged.without_tools() {
        Ok(graph) => (graph.program.graphs[0].id.to_string(), Some(graph.program.digest.clone())),
        Err(_) => (String::new(), None),
    };
    let beside = scenarios_beside(file);
    if let Some(scenarios) = &beside {
        let mut sources = Sources::new();
        Suite::load(&mut sources, &mut Disk::new(&args.host.reach)?, scenarios);
        for (name, text) in sources.texts() {
            if !texts.iter().any(|(own, _)| own == name) {
                texts.push((name.to_owned(), text.to_owned()));
            }
        }
    }
    let names = PortableNames::of(texts.iter().map(|(name, _)| name.as_str()));
    let stem =
        Path::new(file).file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    Ok(WebGraph {
        name: if id.is_empty() { stem } else { id.clone() },
        id,
        main: names.portable(file),
        scenarios: beside.map(|scenarios| names.portable(&scenarios)),
        files: texts
            .iter()
            .map(|(name, text)| (names.portable(name), text.clone()))
            .collect::<BTreeMap<_, _>>(),
        digest,
        host: None,
    })
}

/// The file of the scenarios of a graph, if it is there.
fn scenarios_beside(file: &str) -> Option<String> {
    let path = Path::new(file).with_extension("");
    let endings = [".scenarios.yaml", ".scenarios.yml"];
    let all = endings.map(|ending| format!("{}{ending}", path.display()));
    all.into_iter().find(|path| Path::new(path).is_file())
}

/// Names of files from a folder that holds them all, without `..` and without the way to it.
struct PortableNames {
    base: PathBuf,
}

impl PortableNames {
    fn of<'n>(names: impl Iterator<Item = &'n str>) -> Self {
        let here = env::current_dir().unwrap_or_default();
        let folders: Vec<PathBuf> = names
            .map(|name| clean(&here.join(name)).parent().map(Path::to_owned).unwrap_or_default())
            .collect();
        if folders.iter().all(|folder| folder.starts_with(&here)) {
            return Self { base: here };
        }
        let mut base = folders.first().cloned().unwrap_or_default();
        while !folders.iter().all(|folder| folder.starts_with(&base)) && base.pop() {}
        Self { base }
    }

    fn portable(&self, name: &str) -> String {
        let here = env::current_dir().unwrap_or_default();
        let path = clean(&here.join(name));
        path.strip_prefix(&self.base).unwrap_or(&path).to_string_lossy().into_owned()
    }
}

/// A path without `.` and `..`.
fn clean(path: &Path) -> PathBuf {
    let mut clean = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                clean.pop();
            }
            part => clean.push(part),
        }
    }
    clean
}
