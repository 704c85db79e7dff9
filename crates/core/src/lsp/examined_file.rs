//! One file, examined with those that it names.

use std::collections::{BTreeMap, BTreeSet};

use super::buffer::Buffer;
use super::overlay::Overlay;
use super::placed_finding::{FindingPlaces, PlacedFinding};
use super::text_index::ColumnUnit;
use crate::app::trust::Consent;
use crate::app::{CheckRound, Configurations, FileKind, called_files};
use crate::check::check_file;
use crate::config::Config;
use crate::diag::Diagnostic;
use crate::drive::Disk;
use crate::llm::read_script;
use crate::model::{Loader, Model};
use crate::scenario::Suite;
use crate::source::Sources;

/// The files that are there, and how they are read.
pub(super) struct ReadableFiles<'a> {
    pub(super) disk: &'a Disk,
    pub(super) consent: &'a Consent,
    pub(super) buffers: &'a BTreeMap<String, Buffer>,
    pub(super) unit: ColumnUnit,
}

/// All that is known of one file and those that it names.
#[derive(Debug)]
pub(super) struct ExaminedFile {
    /// The findings. Those of graphs may lie in files that they name.
    pub(super) findings: Vec<PlacedFinding>,
    /// The files of the graphs that it calls.
    pub(super) called: Vec<String>,
    /// The files that were asked for.
    pub(super) asked: BTreeSet<String>,
    /// The texts, as they were read.
    pub(super) sources: Sources,
    /// The model, where there is one.
    pub(super) model: Option<Model>,
}

impl ExaminedFile {
    /// Examines a file of a kind.
    pub(super) fn of(kind: FileKind, name: &str, files: &ReadableFiles<'_>) -> Self {
        let mut loader = Overlay::new(files.disk, files.buffers);
        let (sources, findings, model) = match kind {
            FileKind::Graph | FileKind::Source => graph(name, &mut loader, files.consent),
            FileKind::Scenarios => scenarios(name, &mut loader),
            FileKind::Script => script(name, &mut loader),
            FileKind::Configuration => configuration(name, &mut loader),
        };
        let mut places = FindingPlaces::new(&sources, files.unit);
        let findings = findings.iter().map(|finding| places.placed(finding)).collect();
        Self {
            findings,
            called: model.iter().flat_map(called_files).collect(),
            asked: loader.asked,
            sources,
            model,
        }
    }
}

type Examination = (Sources, Vec<Diagnostic>, Option<Model>);

fn graph(name: &str, loader: &mut Overlay<'_>, consent: &Consent) -> Examination {
    let mut configurations = Configurations::new(consent.clone(), |_| {});
    let mut round = CheckRound::new(false);
    let examined = round.examine(name, loader, &mut configurations);
    let model = round.settle(name, examined.checked, Vec::new(), &mut configurations);
    let findings = round.findings().to_vec();
    (round.sources, findings, model)
}

/// The findings about the graph are with the graph.
fn scenarios(name: &str, loader: &mut Overlay<'_>) -> Examination {
    let mut sources = Sources::new();
    let loaded = Suite::load(&mut sources, loader, name);
    let own = |finding: &Diagnostic| sources.name(finding.span().file) == name;
    let findings = loaded.findings.into_iter().filter(own).collect();
    (sources, findings, loaded.suite.map(|suite| suite.model))
}

fn script(name: &str, loader: &mut Overlay<'_>) -> Examination {
    let mut sources = Sources::new();
    let Ok((_, text)) = loader.load(None, name) else { return (sources, Vec::new(), None) };
    let model = graph_of_script(name, loader, &mut sources);
    let file = sources.add(name, text);
    let findings = match &model {
        Some(model) => read_script(&sources, file, model).err().unwrap_or_default(),
        None => crate::scenario::read_answers(&sources, file).1,
    };
    (sources, findings, model)
}

/// The graph that a script is for, by its name: `sum.more.script.yaml` is for `sum.more`, else for `sum`. None where it has
/// errors.
fn graph_of_script(name: &str, loader: &mut Overlay<'_>, sources: &mut Sources) -> Option<Model> {
    let mut stem = name.rsplit_once(".script.").map(|(stem, _)| stem);
    while let Some(of) = stem {
        for ending in ["yaml", "yml", "loop"] {
            let graph = format!("{of}.{ending}");
            if loader.load(None, &graph).is_ok() {
                let checked = check_file(sources, loader, &graph);
                return checked.is_sound().then_some(checked.model).flatten();
            }
        }
        stem = of.rsplit_once('.').map(|(shorter, _)| shorter).filter(|shorter| !shorter.ends_with('/'));
    }
    None
}

fn configuration(name: &str, loader: &mut Overlay<'_>) -> Examination {
    let mut sources = Sources::new();
    let Ok((_, text)) = loader.load(None, name) else { return (sources, Vec::new(), None) };
    let file = sources.add(name, text);
    let findings = Config::read(sources.text(file), file).err().unwrap_or_default();
    (sources, findings, None)
}
