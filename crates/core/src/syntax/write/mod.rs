//! Graph files written anew: in their canonical form, or in the other syntax.
//!
//! The text comes from the document that both readers make, so nothing of it is interpreted. The order of declarations
//! and keys stays the author's, and so do comments; blanks, line ends and quotes are ours. What the author wrote
//! on one line stays on one line where it fits.
//!
//! # Why
//! - Comments between the tokens of an expression keep its lines as they are: there is no other place for them. A line
//!   that is too long ends before its weakest operator, else inside its longest brackets.
//! - Standard input has no name: it is YAML if its first word has a colon after it, else `.loop`.

mod code;
mod comments;
mod dsl;
mod gather;
mod invalid_names;
mod item;
mod lines;
mod same;
mod yaml;

pub(crate) use yaml::{block as yaml_block, text as yaml_text};

use super::language::Syntax;
use super::read;
use super::read::read_document;
use super::tree::Tree;
use crate::diag::{Diagnostic, Severity};
use crate::source::{FileId, Sources};

/// The largest number of characters of a line that can be broken.
const MAX_LINE_CHARS: usize = 100;

/// An error that keeps a file from being rewritten.
#[derive(Debug, Clone, PartialEq)]
pub enum Refusal {
    /// The file has faults of syntax: what could not be read cannot be written. Or it refers to something by what is no
    /// name, which the loop DSL cannot hold.
    Faults(Vec<Diagnostic>),
    /// The new text would not mean the same as the old one, with a reason: what fits into many values of one syntax may
    /// be too long for the one expression it is in the other.
    Changed(String),
}

/// Writes a file in its canonical form, in one of the two syntaxes. Writing what was written gives the same text.
///
/// Line ends are those of the file: where its first line ends in CR LF, all lines do.
///
/// # Errors
/// See [`Refusal`].
pub fn write(sources: &Sources, file: FileId, to: Syntax) -> Result<String, Refusal> {
    // What a large file was read to takes many times its space: it is gone before the new text is read.
    let (mut out, no_name, tree) = rewritten(sources, file, to)?;
    means(&out, to, tree).map_err(|refusal| no_name.map_or(refusal, |fault| Refusal::Faults(vec![fault])))?;
    let text = sources.text(file);
    if text.split('\n').next().is_some_and(|line| line.len() < text.len() && line.ends_with('\r')) {
        out = out.replace('\n', "\r\n");
    }
    Ok(out)
}

/// The text of a file in one of the two syntaxes, the first reference in it that is no name, and what the file says.
fn rewritten(
    sources: &Sources,
    file: FileId,
    to: Syntax,
) -> Result<(String, Option<Diagnostic>, Tree), Refusal> {
    let (document, tree, mut faults) = read_document(sources, file);
    faults.retain(|fault| fault.severity == Severity::Error);
    if tree.unread.has_rest() || !faults.is_empty() {
        return Err(Refusal::Faults(faults));
    }
    let text = sources.text(file);
    let from = Syntax::of(sources.name(file));
    let variant = tree.extends.is_some();
    let mut items = gather::sections(&document, text, from);
    let rest = comments::attach(&mut items, &document.comments, text, from);
    drop(document);
    let out = match to {
        Syntax::Yaml => yaml::write(&items, &rest, from, variant),
        Syntax::Loop => dsl::write(&items, &rest, from, variant),
    };
    Ok((out, invalid_names::no_name(&items, file), tree))
}

/// Holds that a text means what a tree says.
fn means(text: &str, syntax: Syntax, tree: Tree) -> Result<(), Refusal> {
    let name = match syntax {
        Syntax::Yaml => "written.yaml",
        Syntax::Loop => "written.loop",
    };
    let mut sources = Sources::new();
    let file = sources.add(name, text);
    let (written, faults) = read(&sources, file);
    if let Some(fault) = faults.iter().find(|f| f.severity == Severity::Error) {
        return Err(Refusal::Changed(fault.message.clone()));
    }
    same::difference(tree, written).map_or(Ok(()), |difference| Err(Refusal::Changed(difference)))
}
