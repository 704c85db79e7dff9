//! Words about the name at a place.

use std::fmt::Write as _;

use ls_types::{Hover, HoverContents, MarkupContent, MarkupKind};

use super::document::LspDocument;
use super::examined_file::ExaminedFile;
use super::keys::keys_at;
use super::name_index::{FileBytes, IndexedUse};
use crate::app::{FileKind, bound_text};
use crate::model::expr::SlotKind;
use crate::model::graph::Graph;
use crate::model::name_use::NameKind;
use crate::model::node::NodeKind;
use crate::model::types::Type;
use crate::model::typing::show;
use crate::program::function::TOPICS;
use crate::syntax::schema;

/// The longest declaration that is shown, in lines.
const MAX_SHOWN_LINES: usize = 12;

impl LspDocument<'_> {
    /// Words about the name or the key at a byte.
    pub(super) fn hover(&self, offset: usize) -> Option<Hover> {
        let (text, place) = match self.use_at(offset) {
            Some((one, examined)) => (self.about(one, examined), one.place.clone()),
            None => self.about_key(offset)?,
        };
        let contents = HoverContents::Markup(MarkupContent { kind: MarkupKind::Markdown, value: text });
        Some(Hover { contents, range: self.workspace.range(&place) })
    }

    /// The file whose name is at a byte.
    pub(super) fn named_file(&self, offset: usize) -> Option<String> {
        let (one, _) = self.use_at(offset).filter(|(one, _)| one.kind == NameKind::File)?;
        one.definition.as_ref().map(|place| place.file.clone())
    }

    fn about(&self, one: &IndexedUse, examined: &ExaminedFile) -> String {
        let ty = one.ty.as_ref().and_then(|ty| shown(ty, examined));
        let declared = one.definition.as_ref().and_then(|place| {
            let uses = examined.names.of_file(&place.file).iter();
            uses.filter(|other| other.place == *place && other.kind == one.kind)
                .find_map(|other| other.ty.as_ref())
        });
        let declared = declared.and_then(|ty| shown(ty, examined));
        let mut text = format!("```loop\n{} {}", one.kind.words(), one.name);
        if let Some(ty) = declared.as_ref().or(ty.as_ref()) {
            let _ = write!(text, ": {ty}");
        }
        text.push_str("\n```\n");
        if let (Some(ty), Some(declared)) = (&ty, &declared)
            && ty != declared
        {
            let null = if declared.ends_with('?') && !ty.ends_with('?') { ", not null" } else { "" };
            let _ = writeln!(text, "\nHere: `{ty}`{null}.");
        }
        if let Some(more) = self.more(one, examined) {
            let _ = write!(text, "\n{}\n", more.trim_end());
        }
        if let Some(comment) = one.definition.as_ref().and_then(|place| self.comment(place)) {
            let _ = write!(text, "\n{comment}\n");
        }
        text
    }

    /// Words that are only about this kind of thing.
    fn more(&self, one: &IndexedUse, examined: &ExaminedFile) -> Option<String> {
        match one.kind {
            NameKind::Function => function(&one.name),
            NameKind::Graph => graph(examined, &one.place.file),
            NameKind::File => {
                let file = &one.definition.as_ref()?.file;
                graph(self.workspace.examined(file).unwrap_or(examined), file)
            }
            NameKind::Node => node(examined, one.definition.as_ref()?),
            NameKind::Input | NameKind::State | NameKind::Local | NameKind::Role | NameKind::Tool => None,
            _ => self.declaration(one.definition.as_ref()?).map(|text| format!("```loop\n{text}\n```")),
        }
    }

    /// The lines of a declaration: the first one and those that are indented further.
    fn declaration(&self, place: &FileBytes) -> Option<String> {
        let text = self.workspace.text(&place.file)?;
        let start = text.get(..place.start)?.rfind('\n').map_or(0, |at| at + 1);
        let depth = |line: &str| line.len() - line.trim_start().len();
        let mut lines = text[start..].lines();
        let first = lines.next()?;
        let inner = lines.take_while(|line| line.trim().is_empty() || depth(line) > depth(first));
        let all: Vec<&str> = std::iter::once(first).chain(inner).collect();
        let cut = |line: &str| line.get(depth(first)..).unwrap_or_default().to_owned();
        let mut shown: Vec<String> = all.iter().take(MAX_SHOWN_LINES).map(|line| cut(line)).collect();
        if all.len() > MAX_SHOWN_LINES {
            shown.push("…".to_owned());
        }
        Some(shown.join("\n").trim_end().to_owned())
    }

    /// The comment above a declaration.
    fn comment(&self, place: &FileBytes) -> Option<String> {
        let text = self.workspace.text(&place.file)?;
        let start = text.get(..place.start)?.rfind('\n')?;
        let above = text[..start].lines().rev().take_while(|line| line.trim_start().starts_with('#'));
        let mut lines: Vec<&str> =
            above.map(|line| line.trim_start().trim_start_matches('#').trim()).collect();
        lines.reverse();
        (!lines.is_empty()).then(|| lines.join("\n"))
    }

    /// Words about the key of the language that the word at a byte is.
    fn about_key(&self, offset: usize) -> Option<(String, FileBytes)> {
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let before = self.text.get(..offset)?;
        let start = before.len() - before.chars().rev().take_while(|c| is_word(*c)).count();
        let end = offset + self.text.get(offset..)?.chars().take_while(|c| is_word(*c)).count();
        let word = self.text.get(start..end)?;
        let place = FileBytes { file: self.name.clone(), start, end };
        if self.kind() != FileKind::Graph {
            let keys = keys_at(self.kind(), &self.name, &self.text, start);
            let key = keys.into_iter().find(|key| key.name == word && !key.is_value)?;
            return Some((format!("```\n{word}\n```\n\n{}\n", key.doc?), place));
        }
        let schema = schema();
        let tables = [
            "/properties",
            "/$defs/node/properties",
            "/$defs/edge/properties",
            "/$defs/budget/anyOf/1/properties",
        ];
        let docs: Vec<&str> = tables
            .iter()
            .filter_map(|table| schema.pointer(table)?.get(word)?.get("description")?.as_str())
            .collect();
        let (first, others) = docs.split_first()?;
        let mut text = format!("```loop\n{word}\n```\n\n{first}\n");
        for other in others.iter().filter(|other| *other != first) {
            let _ = write!(text, "\n{other}\n");
        }
        Some((text, place))
    }
}

/// A type as it is written in the graphs of an examination.
pub(super) fn shown(ty: &Type, examined: &ExaminedFile) -> Option<String> {
    Some(show(ty, &examined.model.as_ref()?.types).to_string())
}

pub(super) fn function(name: &str) -> Option<String> {
    let row = TOPICS.iter().flat_map(|topic| topic.rows).find(|row| row.name == name)?;
    let (example, gives) = row.example;
    Some(format!("```loop\n{}\n```\n\n{}\n\n`{example}` is `{gives}`", row.forms().join("\n"), row.doc))
}

fn graph(examined: &ExaminedFile, file: &str) -> Option<String> {
    let model = examined.model.as_ref()?;
    let graph = model.graphs.iter().find(|graph| graph.path == file)?;
    let mut text = String::new();
    for words in [&graph.title, &graph.doc].into_iter().flatten() {
        let _ = write!(text, "{words}\n\n");
    }
    let ty = |ty: &Type| show(ty, &model.types).to_string();
    for input in graph.slots.iter().filter(|slot| slot.kind == SlotKind::Input) {
        let _ = writeln!(text, "- input `{}: {}`", input.name.value, ty(&input.ty));
    }
    for (name, value) in &graph.output {
        let _ = writeln!(text, "- output `{}: {}`", name.value, ty(&value.ty));
    }
    if let Some(bound) = examined.bound.as_ref().filter(|_| model.root().path == file) {
        let _ = write!(text, "\n```\n{}```\n", bound_text(file, bound));
    }
    Some(text)
}

fn node(examined: &ExaminedFile, place: &FileBytes) -> Option<String> {
    let named = |graph: &Graph| {
        let mut nodes = graph.graph.node_weights();
        let is_it = |span: crate::source::Span| {
            span.start as usize <= place.start
                && place.end <= span.end as usize
                && examined.sources.name(span.file) == place.file
        };
        nodes.find(|node| is_it(node.name.span)).cloned()
    };
    let node = examined.model.as_ref()?.graphs.iter().find_map(named)?;
    let kind = match &node.kind {
        NodeKind::Action => "action",
        NodeKind::Choice => "choice",
        NodeKind::Composite(_) => "composite",
        NodeKind::Model(_) => "model",
        NodeKind::Tool(_) => "tool",
        NodeKind::Human(_) => "human",
        NodeKind::Call(_) => "call",
        NodeKind::Each(_) => "each",
        NodeKind::Parallel(_) => "parallel",
        NodeKind::Wait(_) => "wait",
        NodeKind::Final(_) => "final",
    };
    let mut text = format!("kind `{kind}`");
    for words in [&node.title, &node.doc].into_iter().flatten() {
        let _ = write!(text, "\n\n{words}");
    }
    Some(text)
}
