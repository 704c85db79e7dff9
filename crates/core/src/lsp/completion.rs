//! Names that fit at a place.
//!
//! # Why
//! The text is examined with a name at the place that nothing has. Whoever resolves names meets it there and offers what may
//! stand in its place: so no second reader has to guess the context of a text that is half written.

use std::collections::BTreeSet;
use std::path::Path;

use ls_types::{
    CompletionItem, CompletionItemKind, CompletionTextEdit, Documentation, InsertTextFormat, MarkupContent,
    MarkupKind, TextEdit,
};

use super::document::LspDocument;
use super::examined_file::ExaminedFile;
use super::hover::{function, shown};
use super::keys::keys_at;
use crate::app::FileKind;
use crate::model::name_use::{NameCandidate, NameKind};

/// The name that nothing has.
const PROBE: &str = "zz_cursor_zz";

/// Texts around the probe, tried until it is read as a name.
const FRAMES: [(&str, &str); 4] = [("", ""), ("", "()"), ("", ": null"), ("", " = null")];

impl LspDocument<'_> {
    /// The names and keys that fit at a byte.
    pub(super) fn completions(&self, offset: usize) -> Vec<CompletionItem> {
        let (start, end) = self.word(offset);
        let edit = |new: &str| {
            CompletionTextEdit::Edit(TextEdit {
                range: self.index().range(start, end),
                new_text: new.to_owned(),
            })
        };
        let keys = keys_at(self.kind(), &self.name, &self.text, start);
        let mut items: Vec<CompletionItem> = keys
            .into_iter()
            .map(|key| CompletionItem {
                text_edit: Some(edit(&key.insert)),
                label: key.name,
                kind: Some(if key.is_value {
                    CompletionItemKind::ENUM_MEMBER
                } else {
                    CompletionItemKind::KEYWORD
                }),
                documentation: key.doc.map(Documentation::String),
                ..CompletionItem::default()
            })
            .collect();
        if let Some(examined) = self.probed(start, end) {
            let outside = self.outside(&examined);
            let names = examined.candidates.iter().chain(&outside).map(|candidate| {
                let is_function = candidate.kind == NameKind::Function;
                let new =
                    if is_function { format!("{}($0)", candidate.name) } else { candidate.name.to_string() };
                CompletionItem {
                    label: candidate.name.to_string(),
                    kind: Some(item_kind(candidate.kind)),
                    detail: Some(self.detail(candidate, &examined)),
                    documentation: is_function.then(|| function(&candidate.name)).flatten().map(markdown),
                    text_edit: Some(edit(&new)),
                    insert_text_format: is_function.then_some(InsertTextFormat::SNIPPET),
                    ..CompletionItem::default()
                }
            });
            items.extend(names.collect::<Vec<_>>());
        }
        items
    }

    fn detail(&self, candidate: &NameCandidate, examined: &ExaminedFile) -> String {
        let ty = candidate.ty.as_ref().and_then(|ty| {
            // A probe may leave a graph without a model; then the last examination has the types.
            shown(ty, examined).or_else(|| self.examinations().find_map(|one| shown(ty, one)))
        });
        let words = candidate.kind.words();
        ty.map_or_else(|| words.to_owned(), |ty| format!("{words} {ty}"))
    }

    /// The word at a byte.
    fn word(&self, offset: usize) -> (usize, usize) {
        let is_word = |c: &char| c.is_alphanumeric() || *c == '_';
        let (before, after) = self.text.split_at(offset);
        let start = offset - before.chars().rev().take_while(is_word).map(char::len_utf8).sum::<usize>();
        (start, offset + after.chars().take_while(is_word).map(char::len_utf8).sum::<usize>())
    }

    /// The examination of the text with the probe in place of a word, in the first frame in which something meets it.
    fn probed(&self, start: usize, end: usize) -> Option<ExaminedFile> {
        FRAMES.iter().find_map(|(before, after)| {
            let (head, tail) = (&self.text[..start], &self.text[end..]);
            let text = format!("{head}{before}{PROBE}{after}{tail}");
            let examined = self.workspace.probed(&self.name, &text, PROBE)?;
            let is_met = !examined.candidates.is_empty() || examined.names.all().any(|one| one.name == PROBE);
            is_met.then_some(examined)
        })
    }

    /// The names that are declared outside of graphs: tools and roles of configurations, files of the folder.
    fn outside(&self, examined: &ExaminedFile) -> Vec<NameCandidate> {
        let mut found: BTreeSet<(NameKind, String)> = BTreeSet::new();
        for kind in examined.names.all().filter(|one| one.name == PROBE).map(|one| one.kind) {
            match kind {
                NameKind::Tool | NameKind::Role => {
                    let known = self.workspace.all_examinations().flat_map(|one| one.names.all());
                    found
                        .extend(known.filter(|one| one.kind == kind).map(|one| (kind, one.name.to_string())));
                    let configured = self.workspace.configured_names(kind).into_iter();
                    found.extend(configured.filter(|(key, _)| key != "*").map(|(key, _)| (kind, key)));
                }
                NameKind::File => {
                    let folder = Path::new(&self.name).parent().unwrap_or(Path::new(""));
                    let files = self.workspace.files_of(FileKind::Graph).filter(|file| *file != self.name);
                    let below = files.filter_map(|file| {
                        Some(Path::new(&file).strip_prefix(folder).ok()?.to_str()?.to_owned())
                    });
                    found.extend(below.map(|file| (kind, file)));
                }
                _ => {}
            }
        }
        found.into_iter().map(|(kind, name)| NameCandidate { kind, name: name.into(), ty: None }).collect()
    }
}

fn markdown(value: String) -> Documentation {
    Documentation::MarkupContent(MarkupContent { kind: MarkupKind::Markdown, value })
}

const fn item_kind(kind: NameKind) -> CompletionItemKind {
    match kind {
        NameKind::Graph | NameKind::File => CompletionItemKind::FILE,
        NameKind::Input | NameKind::State | NameKind::Local => CompletionItemKind::VARIABLE,
        NameKind::Let => CompletionItemKind::CONSTANT,
        NameKind::Action | NameKind::Function | NameKind::Tool => CompletionItemKind::FUNCTION,
        NameKind::Budget | NameKind::Meter => CompletionItemKind::UNIT,
        NameKind::Node => CompletionItemKind::MODULE,
        NameKind::Text => CompletionItemKind::TEXT,
        NameKind::Type => CompletionItemKind::STRUCT,
        NameKind::Field => CompletionItemKind::FIELD,
        NameKind::Member => CompletionItemKind::ENUM_MEMBER,
        NameKind::Error => CompletionItemKind::EVENT,
        NameKind::Role => CompletionItemKind::INTERFACE,
        NameKind::Supplied => CompletionItemKind::KEYWORD,
    }
}
