//! Changes that mend findings.

use std::collections::HashMap;

use ls_types::{CodeAction, CodeActionKind, CodeActionOrCommand, Range, TextEdit, Uri, WorkspaceEdit};

use super::document::LspDocument;
use super::file_names::FileNames;
use super::placed_suggestion::PlacedSuggestion;
use super::workspace::Workspace;
use crate::source::display::line;

impl PlacedSuggestion {
    /// The same for a client.
    fn action(&self, workspace: &Workspace) -> Option<CodeAction> {
        let mut changes: HashMap<Uri, Vec<TextEdit>> = HashMap::new();
        for (place, new) in &self.edits {
            let (uri, range) = (workspace.uri(&place.file)?, workspace.range(place)?);
            changes.entry(uri).or_default().push(TextEdit { range, new_text: new.clone() });
        }
        Some(CodeAction {
            title: line(&self.title).into_owned(),
            kind: Some(CodeActionKind::QUICKFIX),
            edit: Some(WorkspaceEdit { changes: Some(changes), ..WorkspaceEdit::default() }),
            ..CodeAction::default()
        })
    }
}

impl LspDocument<'_> {
    /// The changes that mend findings in a range.
    pub(super) fn actions(
        &self,
        range: Range,
        names: &FileNames,
        with_related: bool,
    ) -> Vec<CodeActionOrCommand> {
        let meets = |own: Range| own.start <= range.end && range.start <= own.end;
        let mut all = Vec::new();
        for examined in self.examinations() {
            for (finding, suggestions) in examined.findings.iter().zip(&examined.suggestions) {
                if finding.place().file != self.name || !meets(finding.place().range) {
                    continue;
                }
                for action in suggestions.iter().filter_map(|one| one.action(self.workspace)) {
                    let diagnostics = Some(vec![finding.diagnostic(names, with_related)]);
                    let action = CodeAction { diagnostics, ..action };
                    if !all.contains(&action) {
                        all.push(action);
                    }
                }
            }
        }
        let mut seen = Vec::new();
        all.retain(|action| {
            let is_new = !seen.contains(&action.edit);
            seen.push(action.edit.clone());
            is_new
        });
        all.into_iter().map(CodeActionOrCommand::CodeAction).collect()
    }
}
