//! Types that nobody wrote, beside the names that have them, and what a spend adds to the bound.

use ls_types::{InlayHint, InlayHintKind, InlayHintLabel, Range};

use super::document::LspDocument;
use super::examined_file::ExaminedFile;
use super::hover::shown;
use super::name_index::IndexedUse;
use crate::model::name_use::NameKind;
use crate::model::types::{Kind, Type};

impl LspDocument<'_> {
    /// The hints in a range: types of lets and locals that are declared there, and the bound at spends.
    pub(super) fn hints(&self, range: Range) -> Vec<InlayHint> {
        let Some(examined) = self.examinations().next() else { return Vec::new() };
        let index = self.index();
        let (from, to) = (index.offset(range.start), index.offset(range.end));
        let uses = examined.names.of_file(&self.name).iter();
        let inside = uses.filter(|one| from <= one.place.end && one.place.start <= to);
        let hint = |one: &IndexedUse| {
            let (label, kind) = if one.is_definition() {
                (declared(one, examined)?, Some(InlayHintKind::TYPE))
            } else {
                (self.spent(one, examined)?, None)
            };
            Some(InlayHint {
                position: index.position(one.place.end),
                label: InlayHintLabel::String(label),
                kind,
                text_edits: None,
                tooltip: None,
                padding_left: kind.is_none().then_some(true),
                padding_right: None,
                data: None,
            })
        };
        inside.filter_map(hint).collect()
    }

    /// What each unit that is spent adds to the bound of the graph.
    fn spent(&self, one: &IndexedUse, examined: &ExaminedFile) -> Option<String> {
        let is_spent =
            one.kind == NameKind::Budget && self.text[..one.place.start].trim_end().ends_with("spend");
        let is_root = examined.model.as_ref().is_some_and(|model| model.root().path == self.name);
        let bound = examined.bound.as_ref().filter(|_| is_spent && is_root)?;
        let parts =
            bound.amounts().into_iter().filter_map(|(name, amount)| match amount.per_unit_of(&one.name) {
                0 => None,
                1 => Some(format!("1 {}", name.trim_end_matches('s'))),
                many => Some(format!("{many} {name}")),
            });
        let parts: Vec<String> = parts.collect();
        (!parts.is_empty()).then(|| format!("at most {} each", parts.join(", ")))
    }
}

/// The type of a let or a local at its declaration.
fn declared(one: &IndexedUse, examined: &ExaminedFile) -> Option<String> {
    let ty = match one.kind {
        NameKind::Local => one.ty.as_ref(),
        NameKind::Let => type_of_let(one, examined),
        _ => None,
    }?;
    if matches!(ty.kind, Kind::Error) {
        return None;
    }
    Some(format!(": {}", shown(ty, examined)?))
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
