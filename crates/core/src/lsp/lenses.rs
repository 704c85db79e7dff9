//! Commands beside graphs and scenarios: play scenarios, show a drawing. Neither touches anything outside.

use std::fmt::Write as _;

use ls_types::{CodeLens, Command};
use serde_json::{Value as Json, json};

use super::document::LspDocument;
use super::overlay::Overlay;
use super::reply::RequestFault;
use super::workspace::Workspace;
use crate::app::{DrawError, DrawableGraph, DrawingRequest, FileKind};
use crate::diag::text::render;
use crate::model::name_use::NameKind;
use crate::scenario::{Suite, print};
use crate::source::Sources;

/// Plays the scenarios of a file, or the one that is named.
pub(super) const PLAY: &str = "loopwright.play";

/// Draws a graph as Mermaid text.
pub(super) const DRAW: &str = "loopwright.draw";

impl LspDocument<'_> {
    /// The commands that belong to places of the file.
    pub(super) fn lenses(&self) -> Vec<CodeLens> {
        match self.workspace.kind(&self.name) {
            Some(FileKind::Graph) => self.graph_lenses(),
            Some(FileKind::Scenarios) => self.scenario_lenses(),
            _ => Vec::new(),
        }
    }

    fn graph_lenses(&self) -> Vec<CodeLens> {
        let uses = self.examinations().flat_map(|one| one.names.of_file(&self.name));
        let id = uses.into_iter().find(|one| one.kind == NameKind::Graph && one.is_definition());
        let Some((id, uri)) = id.zip(self.workspace.uri(&self.name)) else { return Vec::new() };
        let range = self.index().range(id.place.start, id.place.end);
        let lens = |title: &str, command: &str, arguments: Vec<Json>| CodeLens {
            range,
            command: Some(Command::new(title.to_owned(), command.to_owned(), Some(arguments))),
            data: None,
        };
        let mut lenses = vec![lens("Show drawing", DRAW, vec![json!(uri)])];
        for file in self.workspace.files_of(FileKind::Scenarios) {
            let is_own = self.workspace.examined(&file).is_some_and(|one| {
                one.names.of_file(&file).iter().any(|one| {
                    one.kind == NameKind::File
                        && one.definition.as_ref().is_some_and(|to| to.file == self.name)
                })
            });
            if let (true, Some(uri)) = (is_own, self.workspace.uri(&file)) {
                lenses.push(lens("Play scenarios", PLAY, vec![json!(uri)]));
            }
        }
        lenses
    }

    fn scenario_lenses(&self) -> Vec<CodeLens> {
        let mut sources = Sources::new();
        let file = sources.add(self.name.as_str(), self.text.as_str());
        let (read, _) = crate::scenario::read(&sources, file);
        let Some(uri) = self.workspace.uri(&self.name) else { return Vec::new() };
        let index = self.index();
        let lens = |name: &crate::source::Spanned<crate::value::Str>| CodeLens {
            range: index.range(name.span.start as usize, name.span.end as usize),
            command: Some(Command::new(
                "Play".to_owned(),
                PLAY.to_owned(),
                Some(vec![json!(uri), json!(name.value.as_str())]),
            )),
            data: None,
        };
        read.scenarios.iter().map(|scenario| lens(&scenario.name)).collect()
    }
}

impl Workspace {
    /// Plays scenarios of a file: how many passed and failed, and the text of `loopwright test`.
    pub(super) fn play(&self, name: &str, only: Option<&str>) -> Result<Json, RequestFault> {
        let mut sources = Sources::new();
        let loaded = Suite::load(&mut sources, &mut self.overlay(), name);
        let Some(suite) = loaded.suite else {
            return Err(RequestFault::failed(render(&loaded.findings, &sources, false)));
        };
        let wanted = suite.file.scenarios.iter().filter(|one| only.is_none_or(|name| one.name.value == name));
        let (mut passed, mut failed, mut text) = (0, 0, String::new());
        for report in wanted.map(|scenario| suite.play(scenario)) {
            if report.passed() {
                passed += 1;
            } else {
                failed += 1;
                text += &print::text(&report, &sources);
            }
        }
        let _ = writeln!(text, "{passed} passed, {failed} failed");
        Ok(json!({"passed": passed, "failed": failed, "text": text}))
    }

    /// The Mermaid text of a graph.
    pub(super) fn draw(&self, name: &str) -> Result<Json, RequestFault> {
        let mut sources = Sources::new();
        match DrawableGraph::read(name, &mut sources, &mut self.overlay()) {
            Ok(graph) => {
                let drawn = graph.draw(&DrawingRequest::default(), None).map_err(RequestFault::failed)?;
                Ok(json!({"mermaid": drawn.text}))
            }
            Err(DrawError::Findings(findings)) => {
                Err(RequestFault::failed(render(&findings, &sources, false)))
            }
            Err(DrawError::Request(why)) => Err(RequestFault::failed(why)),
        }
    }

    fn overlay(&self) -> Overlay<'_> {
        Overlay::new(self.disk(), &self.buffers)
    }
}
