//! The graphs of a folder, as they are served.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::ServeArgs;
use super::edited_folder::EditedFolder;
use super::names::PortableNames;
use crate::cli::files::{self, Disk, FileKind};
use crate::cli::run::{RunStorage, ServedGraph};
use crate::cli::{Exit, screen};
use loopwright_core::app::{GraphHost, Judged};
use loopwright_core::config::WebhookConfig;
use loopwright_core::port::Store;
use loopwright_core::scenario::Suite;
use loopwright_core::serve::web::{WebGraph, WebListener};
use loopwright_core::source::Sources;
use loopwright_core::syntax;
use loopwright_core::value::Str;

/// The graphs of a folder, and what their runs are driven with.
pub(super) struct FolderGraphs {
    args: ServeArgs,
    store: Arc<dyn Store>,
    listener: WebListener,
    /// The folder, if people may save texts in it.
    edited: Option<EditedFolder>,
}

/// A graph of the folder.
pub(super) struct FolderGraph {
    /// The name under which it is served.
    pub(super) name: String,
    /// Its file, as the folder was named.
    pub(super) file: String,
    /// The texts it is made of.
    texts: GraphTexts,
    /// The graph, if it can be run.
    pub(super) served: Option<Arc<ServedGraph>>,
    /// The last version that could be run.
    pub(super) last: Option<Arc<ServedGraph>>,
}

/// The texts of a graph, and what is in them.
struct GraphTexts {
    id: String,
    digest: Option<Str>,
    main: String,
    scenarios: Option<String>,
    files: BTreeMap<String, String>,
    /// The files of which people may save texts, each with its path below the folder.
    editable: BTreeMap<String, PathBuf>,
}

impl FolderGraph {
    /// The graph as the server lists it.
    pub(super) fn listed(&self) -> WebGraph {
        let GraphTexts { id, digest, main, scenarios, files, editable } = &self.texts;
        WebGraph {
            name: self.name.clone(),
            id: id.clone(),
            main: main.clone(),
            files: files.clone(),
            scenarios: scenarios.clone(),
            editable: editable.keys().cloned().collect(),
            digest: digest.clone(),
            host: self.served.clone().map(|served| served as Arc<dyn GraphHost>),
        }
    }

    /// The path below the folder of a file of which people may save texts.
    pub(super) fn editable(&self, file: &str) -> Option<&Path> {
        self.texts.editable.get(file).map(PathBuf::as_path)
    }

    /// True if it is made of the file at a path below the folder.
    pub(super) fn is_made_of(&self, path: &Path) -> bool {
        self.texts.editable.values().any(|own| own == path)
    }
}

impl FolderGraphs {
    /// The graphs of the folder that the command line names.
    pub(super) fn new(
        args: &ServeArgs,
        store: &Arc<dyn Store>,
        listener: &WebListener,
    ) -> Result<Self, Exit> {
        let edited = args.edit.then(|| EditedFolder::open(Path::new(&args.folder))).transpose()?;
        Ok(Self { args: args.clone(), store: Arc::clone(store), listener: listener.clone(), edited })
    }

    /// The folder, if people may save texts in it.
    pub(super) const fn edited(&self) -> Option<&EditedFolder> {
        self.edited.as_ref()
    }

    /// Reads all graphs of the folder, and prepares those that can be run. Also gives the webhooks of their configuration.
    pub(super) async fn find(&self) -> Result<(Vec<FolderGraph>, Vec<WebhookConfig>), Exit> {
        let mut disk = Disk::new(&self.args.host.reach)?;
        let found = files::find(std::slice::from_ref(&self.args.folder), FileKind::Graph, &mut disk);
        let found = found.map_err(|why| screen::refuse(&screen::line(&why)))?;
        let (mut graphs, mut webhooks) = (Vec::<FolderGraph>::new(), Vec::new());
        for file in found {
            let mut graph = self.read(&file, None).await?;
            if let Some(served) = graph.served.as_ref().filter(|_| webhooks.is_empty()) {
                webhooks = served.webhooks().to_vec();
            }
            if graphs.iter().any(|other| other.name == graph.name) {
                graph.name = format!("{}@{}", graph.name, graph.texts.main.replace('/', ":"));
            }
            graphs.push(graph);
        }
        Ok((graphs, webhooks))
    }

    /// Reads a graph, and prepares it if it can be run. `earlier` is the version of it before.
    pub(super) async fn read(
        &self,
        file: &str,
        earlier: Option<Arc<ServedGraph>>,
    ) -> Result<FolderGraph, Exit> {
        let texts = self.texts(file)?;
        let served = if texts.digest.is_some() {
            self.prepare(file, earlier.as_deref()).await
        } else {
            screen::say(&format!("note: {} has errors; it is shown, and not run\n", screen::line(file)));
            None
        };
        let stem = || Path::new(file).file_stem().map(|stem| stem.to_string_lossy().into_owned());
        let name = if texts.id.is_empty() { stem().unwrap_or_default() } else { texts.id.clone() };
        Ok(FolderGraph { name, file: file.to_owned(), texts, last: served.clone().or(earlier), served })
    }

    async fn prepare(&self, file: &str, earlier: Option<&ServedGraph>) -> Option<Arc<ServedGraph>> {
        let storage = RunStorage::Shared(Arc::clone(&self.store));
        let ports = self.args.host.ports(&self.args.db);
        // Where it cannot be run, it has said why.
        let Ok(served) = ServedGraph::prepare(ports, file, &self.args.command(), storage).await else {
            screen::say(&format!("note: {} is shown, and not run\n", screen::line(file)));
            return None;
        };
        let listener = self.listener.of_graph(served.graph().mask.clone());
        let served = served.listener(listener);
        Some(Arc::new(match earlier {
            Some(earlier) => served.counting_on(earlier),
            None => served,
        }))
    }

    /// Reads the texts of a graph and of its scenarios.
    fn texts(&self, file: &str) -> Result<GraphTexts, Exit> {
        let reach = &self.args.host.reach;
        let judged = Judged::load(file, Sources::new(), &mut Disk::new(reach)?);
        let mut texts: Vec<(String, String)> =
            judged.sources.texts().map(|(name, text)| (name.to_owned(), text.to_owned())).collect();
        let id = texts.first().and_then(|(name, text)| graph_id(name, text)).unwrap_or_default();
        let digest = judged.without_tools().ok().map(|graph| graph.program.digest.clone());
        let beside = scenarios_beside(file);
        if let Some(scenarios) = &beside {
            let mut sources = Sources::new();
            Suite::load(&mut sources, &mut Disk::new(reach)?, scenarios);
            for (name, text) in sources.texts() {
                if !texts.iter().any(|(own, _)| own == name) {
                    texts.push((name.to_owned(), text.to_owned()));
                }
            }
        }
        let names = PortableNames::of(texts.iter().map(|(name, _)| name.as_str()));
        let editable = |(name, text): &(String, String)| {
            let path = self.edited.as_ref()?.editable(name, text)?;
            Some((names.portable(name), path))
        };
        Ok(GraphTexts {
            id,
            digest,
            main: names.portable(file),
            scenarios: beside.map(|scenarios| names.portable(&scenarios)),
            editable: texts.iter().filter_map(editable).collect(),
            files: texts.iter().map(|(name, text)| (names.portable(name), text.clone())).collect(),
        })
    }
}

/// The id of the graph in a text, whether or not it can be run.
fn graph_id(name: &str, text: &str) -> Option<String> {
    let mut sources = Sources::new();
    let file = sources.add(name, text);
    syntax::read(&sources, file).0.graph.map(|id| id.value)
}

/// The file of the scenarios of a graph, if it is there.
fn scenarios_beside(file: &str) -> Option<String> {
    let path = Path::new(file).with_extension("");
    let endings = [".scenarios.yaml", ".scenarios.yml"];
    let all = endings.map(|ending| format!("{}{ending}", path.display()));
    all.into_iter().find(|path| Path::new(path).is_file())
}
