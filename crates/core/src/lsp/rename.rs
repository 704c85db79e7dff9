//! Another name for a thing, wherever it is used.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use ls_types::{Range as LspRange, TextEdit, Uri, WorkspaceEdit};

use super::document::LspDocument;
use super::examined_file::ExaminedFile;
use super::name_index::NameIdentity;
use super::placed_finding::PlacedFinding;
use super::reply::RequestFault;
use super::text_index::TextIndex;
use super::workspace::Workspace;
use crate::model::name_use::NameKind;
use crate::syntax::is_identifier;

/// The places of a name in each file, in order of the text.
type NamePlaces<'u> = BTreeMap<&'u str, BTreeSet<(usize, usize)>>;

impl LspDocument<'_> {
    /// The place of the name at a byte, if it can be given another one.
    pub(super) fn renamable(&self, offset: usize) -> Result<LspRange, RequestFault> {
        let Some((one, _)) = self.use_at(offset) else {
            return Err(RequestFault::failed("there is no name here that can be changed"));
        };
        match (one.kind, one.identity()) {
            // What the language or the operator declares has the name that they give it.
            (NameKind::File | NameKind::Tool, _) | (_, NameIdentity::Global(..))
                if one.kind != NameKind::Role =>
            {
                let words = one.kind.words();
                Err(RequestFault::failed(format!("`{}` ({words}) cannot be renamed here", one.name)))
            }
            _ => self
                .workspace
                .range(&one.place)
                .filter(|_| one.is_literal)
                .ok_or_else(|| RequestFault::failed(format!("`{}` is not written out here", one.name))),
        }
    }

    /// The edits that give the name at a byte another one, wherever it is used.
    pub(super) fn rename(&self, offset: usize, new: &str) -> Result<WorkspaceEdit, RequestFault> {
        self.renamable(offset)?;
        if !is_identifier(new) {
            return Err(RequestFault::failed(format!("`{}` is not a valid name", new.escape_debug())));
        }
        let Some((one, _)) = self.use_at(offset) else { return Ok(WorkspaceEdit::default()) };
        let uses = self.workspace.uses(one);
        if let Some(hidden) = uses.iter().find(|one| !one.is_literal) {
            let file = &hidden.place.file;
            return Err(RequestFault::failed(format!("`{}` is not written out in {file}", one.name)));
        }
        let mut places = NamePlaces::new();
        for one in &uses {
            places.entry(&one.place.file).or_default().insert((one.place.start, one.place.end));
        }
        if let Some(finding) = self.workspace.finding_after(&places, new) {
            return Err(RequestFault::failed(format!(
                "`{}` cannot be renamed to `{new}`: then {}:{}: {}",
                one.name,
                finding.place().file,
                finding.place().range.start.line + 1,
                finding.message
            )));
        }
        Ok(self.workspace.edits(places, new))
    }
}

impl Workspace {
    /// The edits that write a name at some places.
    fn edits(&self, places: NamePlaces<'_>, new: &str) -> WorkspaceEdit {
        let mut changes: HashMap<Uri, Vec<TextEdit>> = HashMap::new();
        for (file, places) in places {
            let text = self.text(file).zip(self.uri(file));
            let Some((text, uri)) = text else { continue };
            let index = TextIndex::new(&text, self.unit);
            let edits = places
                .into_iter()
                .map(|(start, end)| TextEdit { range: index.range(start, end), new_text: new.to_owned() });
            changes.insert(uri, edits.collect());
        }
        WorkspaceEdit { changes: Some(changes), ..WorkspaceEdit::default() }
    }

    /// A finding that there would be with a name at some places, and that there is not now. Such a name is the same as another one by
    /// what it is used for, and not by a declaration: a field that is compared with that of another type, a member of an enum
    /// that is declared twice.
    fn finding_after(&self, places: &NamePlaces<'_>, new: &str) -> Option<PlacedFinding> {
        let mut texts = BTreeMap::new();
        for (file, places) in places {
            let mut text = self.text(file)?;
            for (start, end) in places.iter().rev() {
                text.replace_range(*start..*end, new);
            }
            texts.insert((*file).to_owned(), text);
        }
        self.examined_with(&texts).find_map(|(before, after)| added(before, after))
    }
}

/// The first finding of which there are more than there were, by file and rule.
fn added(before: &ExaminedFile, after: ExaminedFile) -> Option<PlacedFinding> {
    let kind = |finding: &PlacedFinding| (finding.place().file.clone(), finding.rule.slug());
    let mut known: HashMap<_, usize> = HashMap::new();
    for finding in &before.findings {
        *known.entry(kind(finding)).or_default() += 1;
    }
    after.findings.into_iter().find(|finding| match known.get_mut(&kind(finding)) {
        Some(left) if *left > 0 => {
            *left -= 1;
            false
        }
        _ => true,
    })
}
