//! What is said of a graph before it runs.
//!
//! [`check_file`] does everything: it reads the file and all it refers to, types it, and judges the graph.
//! [`check`] judges a model that is there already.

mod node;

use std::sync::Arc;

use crate::diag::{Diagnostic, Severity};
use crate::model::{Loader, Model, load};
use crate::source::Sources;
use crate::syntax::tree::Tree;

/// What a check gives.
#[derive(Debug, Clone, Default)]
pub struct Checked {
    /// The model, where there is one to look at. It can be run if [`Checked::is_sound`].
    pub model: Option<Model>,
    /// All findings: file by file in the order they were read, in order of the text.
    pub findings: Vec<Diagnostic>,
    /// The trees of all graph files that were read, the one that was asked for first.
    pub trees: Vec<Arc<Tree>>,
}

impl Checked {
    /// Whether there is a model without errors in it.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        self.model.is_some() && self.findings.iter().all(|f| f.severity != Severity::Error)
    }
}

/// Reads and judges the graph at `path`, and every graph it calls.
pub fn check_file(sources: &mut Sources, loader: &mut dyn Loader, path: &str) -> Checked {
    let loaded = load(sources, loader, path);
    let mut findings = loaded.findings;
    // Where text could not be read, what seems to be missing from the graph may only not have been read.
    if let Some(model) = loaded.model.as_ref().filter(|_| !loaded.broken) {
        findings.extend(check(model, sources));
        sort(&mut findings);
    }
    Checked { model: loaded.model, findings, trees: loaded.trees }
}

/// Judges every graph of a model. The findings stand in order of the text, file by file.
#[must_use]
pub fn check(model: &Model, _sources: &Sources) -> Vec<Diagnostic> {
    let mut findings = Vec::new();
    for graph in &model.graphs {
        node::judge(graph, &mut findings);
    }
    sort(&mut findings);
    findings
}

fn sort(findings: &mut [Diagnostic]) {
    findings.sort_by_key(|f| (f.span().file, f.span().start, f.span().end));
}
