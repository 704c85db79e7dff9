//! From a path to a [`Model`]: reads the graph, what it extends and uses, and every graph it calls.

mod bare_text;
mod follow;
mod inner;
mod link;
mod loader;
mod reader;
mod unit;
mod variant;

use std::collections::BTreeMap;
use std::sync::Arc;

pub(in crate::model) use link::{Callee, Calls, Links};
pub use loader::{Files, LoadError, Loader, beside};
pub(in crate::model) use reader::Reader;
pub(in crate::model) use unit::Unit;

use super::graph::Model;
use crate::diag::{Diagnostic, Severity, rule};
use crate::source::{FileId, Sources, Spanned};
use crate::syntax::tree::Tree;

/// The result of a load.
#[derive(Debug, Clone, Default)]
pub struct Loaded {
    /// The model. Where there are errors it may be there all the same, with holes in it: it can be looked at
    /// but not run.
    pub model: Option<Model>,
    /// Everything that is wrong, file by file in the order they were read, in order of the text.
    pub findings: Vec<Diagnostic>,
    /// The trees of all graph files that were read, the one that was asked for first. After each of them come the graphs
    /// that are written in place in it.
    pub trees: Vec<Arc<Tree>>,
    /// For each graph in a file of its own the file, and those it extends, one after the other.
    pub variants: Vec<Vec<FileId>>,
    /// True if a file could not be read as it is written: what seems missing may only not have been read.
    pub unread: bool,
}

impl Loaded {
    /// True if an error was found.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        self.findings.iter().any(|f| f.severity == Severity::Error)
    }
}

/// The most findings that are listed.
const MAX_FINDINGS: usize = 500;

/// Keeps the first findings and says that there were more.
fn cap(findings: &mut Vec<Diagnostic>) {
    if findings.len() > MAX_FINDINGS {
        let at = findings[MAX_FINDINGS].span();
        findings.truncate(MAX_FINDINGS);
        let message = format!("there are more than {MAX_FINDINGS} findings; the others are not listed");
        findings.push(
            Diagnostic::error(rule::TOO_MANY_FINDINGS, at, message)
                .help("fix the first ones and check again"),
        );
    }
}

/// Reads the graph at `path` and every graph it calls.
pub fn load(sources: &mut Sources, loader: &mut dyn Loader, path: &str) -> Loaded {
    read(Reader::new(sources, loader), |reader| reader.root(path))
}

/// Reads the graph that a file of another kind names, and every graph it calls.
pub fn load_named(sources: &mut Sources, loader: &mut dyn Loader, link: &Spanned<String>) -> Loaded {
    read(Reader::new(sources, loader), |reader| reader.open_graph(link))
}

/// The same with other trees in place of those of some files. The files are in `sources` already, and their trees have
/// these ids.
pub fn load_edited(
    sources: &mut Sources,
    loader: &mut dyn Loader,
    link: &Spanned<String>,
    edited: &BTreeMap<FileId, Arc<Tree>>,
) -> Loaded {
    read(Reader::new(sources, loader).with_trees(edited), |reader| reader.open_graph(link))
}

fn read(mut reader: Reader<'_>, root: impl FnOnce(&mut Reader<'_>) -> Option<FileId>) -> Loaded {
    let Some(root) = root(&mut reader) else {
        let (trees, findings) = reader.finish();
        return Loaded { model: None, findings, trees, variants: Vec::new(), unread: true };
    };
    let (units, links) = link::follow(&mut reader, root);
    let unread = reader.findings.iter().any(|f| f.severity == Severity::Error);
    let read = reader.findings.len();
    let model = super::build::build(&mut reader, &units, &links);
    if units.iter().any(|unit| unit.tree.unread.has_rest()) {
        // What a name refers to may be in the part that was not read.
        reader.findings.truncate(read);
    }
    let mut built = reader.findings.split_off(read);
    follow::drop_unread(&mut built, &units, reader.sources);
    follow::explain_hidden(&mut built, &units, reader.sources);
    bare_text::quote(&mut built, reader.sources);
    reader.findings.append(&mut built);
    let own = units.iter().filter(|unit| unit.place().is_none());
    let variants = own.map(|unit| unit.variants().to_vec()).collect();
    let (trees, mut findings) = reader.finish();
    findings.sort_by_key(|f| (f.span().file, f.span().start, f.span().end));
    follow::merge(&mut findings);
    cap(&mut findings);
    Loaded { model, findings, trees, variants, unread }
}
