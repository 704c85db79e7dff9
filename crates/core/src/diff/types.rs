//! Records that runs can meet: their fields, types and defaults.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use super::Version;
use super::change::Draft;
use super::item::{DiffItem, ItemFact, Section, compare as compare_items};
use crate::program::listing::{RecordWords, records_of};
use crate::source::Span;
use crate::syntax::tree::{FieldDecl, TypeBody, TypeDecl};

/// Compares the records that are mentioned somewhere, by name.
pub(super) fn compare(
    before: &Version<'_>,
    after: &Version<'_>,
    mentioned: &[BTreeSet<u32>; 2],
    out: &mut Vec<Draft>,
) {
    let (one, other) = (records(before, &mentioned[0]), records(after, &mentioned[1]));
    let (named, now): (Vec<DiffItem>, Vec<DiffItem>) =
        (one.iter().map(Record::whole).collect(), other.iter().map(Record::whole).collect());
    let section = Section {
        path: "types",
        added: "type-added",
        removed: "type-removed",
        order: Some("order-changed"),
        noun: "types",
    };
    let mut drafts = Vec::new();
    compare_items(&named, &now, section, &mut drafts);
    // Of a record that is in both versions its fields say more than all of it at once.
    drafts.retain(|draft| draft.kind.slug != "field-type-changed");
    out.append(&mut drafts);
    let places: FxHashMap<&str, &Record> = other.iter().map(|r| (r.item.name.as_str(), r)).collect();
    for record in &one {
        let Some(now) = places.get(record.item.name.as_str()) else { continue };
        super::item::facts(&record.item, &record.item.facts, &now.item.facts, out);
        let section = Section {
            path: &record.item.path,
            added: "field-added",
            removed: "field-removed",
            order: Some("field-order-changed"),
            noun: &record.item.owner,
        };
        compare_items(&record.fields, &now.fields, section, out);
    }
}

/// A record as an item with its fields.
struct Record {
    item: DiffItem,
    fields: Vec<DiffItem>,
}

impl Record {
    /// The record as one fact, for those that are in one version only.
    fn whole(&self) -> DiffItem {
        let fields = self.fields.iter().map(|field| {
            let text = field.facts.iter().map(|fact| fact.abridged.meaning.as_str()).collect::<Vec<_>>();
            let name = field.name.rsplit('.').next().unwrap_or_default();
            format!("{name}: {}", text.join(" = "))
        });
        let text = fields.collect::<Vec<_>>().join("\n");
        let fact = ItemFact::plain("", "field-type-changed", text, self.item.span);
        DiffItem { facts: vec![fact], ..self.item.clone() }
    }
}

fn records(version: &Version<'_>, mentioned: &BTreeSet<u32>) -> Vec<Record> {
    let mut decls: FxHashMap<&str, Vec<&TypeDecl>> = FxHashMap::default();
    for decl in version.trees.iter().flat_map(|tree| &tree.types) {
        decls.entry(decl.name.as_str()).or_default().push(decl);
    }
    let all = records_of(version.program, mentioned).into_iter();
    // Names with blanks are those of what graphs give; their outputs are compared as such.
    let declared = all.filter(|record| !record.name.contains(' '));
    declared.map(|words| record(words, &decls, version.model.root().id.span)).collect()
}

fn record(words: RecordWords, decls: &FxHashMap<&str, Vec<&TypeDecl>>, else_at: Span) -> Record {
    let plain = words.name.split('@').next().unwrap_or_default();
    let fields = |decl: &&&TypeDecl| match &decl.body {
        TypeBody::Record { fields, .. } => {
            fields.iter().map(|f| f.name.as_str()).eq(words.fields.iter().map(|(name, ..)| name.as_str()))
        }
        TypeBody::Alias(_) => false,
    };
    let decls = decls.get(plain).map(Vec::as_slice).unwrap_or_default();
    let decl = decls.iter().find(fields).or(decls.first());
    let span = decl.map_or(else_at, |decl| decl.name.span);
    let written: &[FieldDecl] = match decl.map(|decl| &decl.body) {
        Some(TypeBody::Record { fields, .. }) => fields,
        _ => &[],
    };
    let spans: FxHashMap<&str, Span> = written.iter().map(|f| (f.name.as_str(), f.name.span)).collect();
    let path = format!("types.{}", words.name);
    let items = words.fields.iter().map(|(name, ty, default)| {
        let span = spans.get(name.as_str()).copied().unwrap_or(span);
        let mut facts = vec![ItemFact::plain("", "field-type-changed", ty.clone(), span)];
        facts.extend(
            default.iter().map(|d| ItemFact::plain("default", "field-default-changed", d.clone(), span)),
        );
        DiffItem {
            name: name.to_string(),
            path: format!("{path}.{name}"),
            owner: format!("field `{name}` of the type `{}`", words.name),
            span,
            facts,
        }
    });
    let open = if words.open { "open" } else { "closed" };
    Record {
        fields: items.collect(),
        item: DiffItem {
            owner: format!("type `{}`", words.name),
            facts: vec![ItemFact::plain("", "type-openness-changed", open, span)],
            name: words.name,
            path,
            span,
        },
    }
}
