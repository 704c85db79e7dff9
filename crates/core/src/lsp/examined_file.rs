//! One file, examined with those that it names.

use std::collections::{BTreeMap, BTreeSet};

use super::buffer::Buffer;
use super::name_index::NameIndex;
use super::overlay::Overlay;
use super::placed_finding::{FindingPlaces, PlacedFinding};
use super::placed_suggestion::PlacedSuggestion;
use super::text_index::ColumnUnit;
use crate::app::trust::Consent;
use crate::app::{CheckRound, Configurations, FileKind, called_files};
use crate::check::{Bound, check_file};
use crate::config::Config;
use crate::diag::Diagnostic;
use crate::drive::Disk;
use crate::llm::read_script;
use crate::model::name_use::NameCandidate;
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
    /// The changes that mend each of them.
    pub(super) suggestions: Vec<Vec<PlacedSuggestion>>,
    /// The files of the graphs that it calls.
    pub(super) called: Vec<String>,
    /// The files that were asked for.
    pub(super) asked: BTreeSet<String>,
    /// The texts, as they were read.
    pub(super) sources: Sources,
    /// The model, where there is one.
    pub(super) model: Option<Model>,
    /// The most that a run of it does, where it surely ends.
    pub(super) bound: Option<Bound>,
    /// The names that may stand in the place of a probe.
    pub(super) candidates: Vec<NameCandidate>,
    /// The uses of names in it and in the files that it names.
    pub(super) names: NameIndex,
}

impl ExaminedFile {
    /// Examines a file of a kind.
    pub(super) fn of(kind: FileKind, name: &str, files: &ReadableFiles<'_>) -> Self {
        Self::with(kind, name, files, Overlay::new(files.disk, files.buffers))
    }

    /// The same with the files of an overlay.
    pub(super) fn with(
        kind: FileKind,
        name: &str,
        files: &ReadableFiles<'_>,
        mut loader: Overlay<'_>,
    ) -> Self {
        let Examination { sources, findings, model, bound } = match kind {
            FileKind::Graph | FileKind::Source => graph(name, &mut loader, files.consent),
            FileKind::Scenarios => scenarios(name, &mut loader),
            FileKind::Script => script(name, &mut loader),
            FileKind::Configuration => configuration(name, &mut loader),
        };
        let changes_of = |found: &Diagnostic| {
            found.suggestions.iter().map(|one| PlacedSuggestion::of(one, &sources)).collect()
        };
        let suggestions = findings.iter().map(changes_of).collect();
        let mut places = FindingPlaces::new(&sources, files.unit);
        let findings = findings.iter().map(|finding| places.placed(finding)).collect();
        Self {
            findings,
            suggestions,
            called: model.iter().flat_map(called_files).collect(),
            asked: loader.asked,
            names: NameIndex::new(loader.names.take(), &sources),
            candidates: loader.names.take_candidates(),
            bound,
            sources,
            model,
        }
    }
}

#[derive(Default)]
struct Examination {
    sources: Sources,
    findings: Vec<Diagnostic>,
    model: Option<Model>,
    bound: Option<Bound>,
}

fn graph(name: &str, loader: &mut Overlay<'_>, consent: &Consent) -> Examination {
    let mut configurations = Configurations::new(consent.clone(), |_| {});
    let mut round = CheckRound::new(false);
    let found = round.examine(name, loader, &mut configurations);
    let model = round.settle(name, found.checked, Vec::new(), &mut configurations);
    let findings = round.findings().to_vec();
    let bound = round.bounds().first().map(|(_, bound)| bound.clone());
    Examination { sources: round.sources, findings, model, bound }
}

/// The findings about the graph are with the graph.
fn scenarios(name: &str, loader: &mut Overlay<'_>) -> Examination {
    let mut sources = Sources::new();
    let read = Suite::load(&mut sources, loader, name);
    let own = |finding: &Diagnostic| sources.name(finding.span().file) == name;
    let findings = read.findings.into_iter().filter(own).collect();
    let model = read.suite.map(|suite| suite.model);
    Examination { sources, findings, model, bound: None }
}

fn script(name: &str, loader: &mut Overlay<'_>) -> Examination {
    let mut sources = Sources::new();
    let Ok((_, text)) = loader.load(None, name) else { return Examination::default() };
    let model = graph_of_script(name, loader, &mut sources);
    let file = sources.add(name, text);
    let findings = match &model {
        Some(model) => read_script(&sources, file, model).err().unwrap_or_default(),
        None => crate::scenario::read_answers(&sources, file).1,
    };
    Examination { sources, findings, model, bound: None }
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
    let Ok((_, text)) = loader.load(None, name) else { return Examination::default() };
    let file = sources.add(name, text);
    let findings = Config::read(sources.text(file), file).err().unwrap_or_default();
    Examination { sources, findings, ..Examination::default() }
}
