//! Types that nobody wrote, beside the names that have them.

use ls_types::{InlayHint, InlayHintKind, InlayHintLabel, Range};

use super::document::LspDocument;
use super::examined_file::ExaminedFile;
use super::hover::shown;
use super::name_index::IndexedUse;
use crate::model::name_use::NameKind;
use crate::model::types::{Kind, Type};

impl LspDocument<'_> {
    /// The types of lets and locals that are declared in a range.
    pub(super) fn hints(&self, range: Range) -> Vec<InlayHint> {
        let Some(examined) = self.examinations().next() else { return Vec::new() };
        let index = self.index();
        let (from, to) = (index.offset(range.start), index.offset(range.end));
        let uses = examined.names.of_file(&self.name).iter();
        let declared =
            uses.filter(|one| one.is_definition() && from <= one.place.end && one.place.start <= to);
        let hint = |one: &IndexedUse| {
            let ty = match one.kind {
                NameKind::Local => one.ty.as_ref(),
                NameKind::Let => type_of_let(one, examined),
                _ => None,
            }?;
            if matches!(ty.kind, Kind::Error) {
                return None;
            }
            Some(InlayHint {
                position: index.position(one.place.end),
                label: InlayHintLabel::String(format!(": {}", shown(ty, examined)?)),
                kind: Some(InlayHintKind::TYPE),
                text_edits: None,
                tooltip: None,
                padding_left: None,
                padding_right: None,
                data: None,
            })
        };
        declared.filter_map(hint).collect()
    }
}

fn type_of_let<'e>(one: &IndexedUse, examined: &'e ExaminedFile) -> Option<&'e Type> {
    let lets = examined.model.as_ref()?.graphs.iter().flat_map(|graph| &graph.lets);
    let mut own = lets.filter(|own| {
        let span = own.name.span;
        own.name.value == one.name
            && span.start as usize == one.place.start
            && examined.sources.name(span.file) == one.place.file
    });
    own.next().map(|own| &own.body.ty)
}
