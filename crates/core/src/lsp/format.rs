//! A file in its usual layout.

use ls_types::TextEdit;

use super::document::LspDocument;
use super::reply::RequestFault;
use crate::app::FileKind;
use crate::source::Sources;
use crate::syntax::{Refusal, Syntax, outline, write};

impl LspDocument<'_> {
    /// The edits that bring the file into its usual layout: only what changes between the first and the last line that
    /// differ. None of a file with errors of syntax, whose findings are shown, and of one that is no graph file.
    pub(super) fn formatted(&self) -> Result<Vec<TextEdit>, RequestFault> {
        let syntax = Syntax::of(&self.name);
        let is_other = self.workspace.kind(&self.name).is_some_and(|kind| kind != FileKind::Graph);
        if is_other || !outline(&self.text, syntax).sections {
            return Ok(Vec::new());
        }
        let mut sources = Sources::new();
        let file = sources.add(self.name.as_str(), self.text.as_str());
        match write(&sources, file, syntax) {
            Ok(new) => Ok(self.difference(&new).into_iter().collect()),
            Err(Refusal::Faults(_)) => Ok(Vec::new()),
            Err(Refusal::Changed(why)) => {
                Err(RequestFault::failed(format!("it cannot be formatted so that it means the same: {why}")))
            }
        }
    }

    /// The one edit that makes another text of this one.
    fn difference(&self, new: &str) -> Option<TextEdit> {
        if self.text == new {
            return None;
        }
        let equal = |pair: &(&str, &str)| pair.0 == pair.1;
        let (old_lines, new_lines) = (self.text.split_inclusive('\n'), new.split_inclusive('\n'));
        let head: usize =
            old_lines.clone().zip(new_lines.clone()).take_while(equal).map(|(line, _)| line.len()).sum();
        let most = self.text.len().min(new.len()) - head;
        let mut tail = 0;
        for (line, _) in old_lines.rev().zip(new_lines.rev()).take_while(equal) {
            if tail + line.len() > most {
                break;
            }
            tail += line.len();
        }
        let range = self.index().range(head, self.text.len() - tail);
        Some(TextEdit { range, new_text: new[head..new.len() - tail].to_owned() })
    }
}
