//! Opens files through the loader and reads each into its tree, once.

use std::collections::BTreeMap;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::loader::{LoadError, Loader};
use crate::diag::{Diagnostic, rule};
use crate::model::name_use::{NameKind, NameRecorder};
use crate::program::function::Functions;
use crate::source::{FileId, Fragment, Sources, Span, Spanned};
use crate::syntax::{self, Outline, Syntax, outline, tree::Tree};

/// The most files one load reads.
const MAX_FILES: usize = 1_000;

/// The longest text that a file may hold, in bytes. Graph files have a limit of their own.
const MAX_TEXT: usize = 4 << 20;

/// Reads files and keeps what it found.
pub(in crate::model) struct Reader<'a> {
    pub(in crate::model) sources: &'a mut Sources,
    loader: &'a mut dyn Loader,
    pub(in crate::model) findings: Vec<Diagnostic>,
    /// Files by name.
    files: FxHashMap<String, FileId>,
    /// Names by the file that writes a path and the path.
    asked: FxHashMap<(FileId, String), Option<FileId>>,
    trees: FxHashMap<FileId, Arc<Tree>>,
    /// Trees in place of what some files hold.
    edited: Option<&'a BTreeMap<FileId, Arc<Tree>>>,
    /// The order in which trees were read.
    order: Vec<FileId>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(sources: &'a mut Sources, loader: &'a mut dyn Loader) -> Self {
        Self {
            sources,
            loader,
            findings: Vec::new(),
            files: FxHashMap::default(),
            asked: FxHashMap::default(),
            trees: FxHashMap::default(),
            edited: None,
            order: Vec::new(),
        }
    }

    /// With trees in place of what some files hold.
    pub(super) fn with_trees(self, edited: &'a BTreeMap<FileId, Arc<Tree>>) -> Self {
        Self { edited: Some(edited), ..self }
    }

    pub(in crate::model) fn report(&mut self, found: Diagnostic) {
        self.findings.push(found);
    }

    /// The functions that graphs may call.
    pub(in crate::model) fn functions(&self) -> Functions {
        self.loader.functions()
    }

    /// Opens the file the user named. One that cannot be read is reported at its head, as an empty file.
    pub(super) fn root(&mut self, path: &str) -> Option<FileId> {
        match self.loader.load(None, path) {
            // The text of a file that is no graph is not shown.
            Ok((name, text)) if !outline(&text, Syntax::of(&name)).sections => {
                let head = self.head(&name);
                self.report(no_graph(&name, head));
                None
            }
            Ok((name, text)) => Some(self.add(name, text)),
            Err(why) => {
                let head = self.head(path);
                self.report(why.finding(path, head));
                None
            }
        }
    }

    /// The beginning of a file whose text is not shown.
    fn head(&mut self, name: &str) -> Span {
        Span::new(self.sources.add(name, ""), 0, 0)
    }

    /// Opens the graph that another file names.
    pub(super) fn open_graph(&mut self, link: &Spanned<String>) -> Option<FileId> {
        self.open_source(link, |outline| outline.graph || outline.variant)
    }

    /// Opens a file of declarations, or a base, that another one names.
    pub(super) fn open_part(&mut self, link: &Spanned<String>) -> Option<FileId> {
        self.open_source(link, |outline| outline.sections)
    }

    /// Opens a file that is read as a graph file. One that is none is reported where it is named, without a word of its
    /// text.
    fn open_source(&mut self, link: &Spanned<String>, fits: fn(Outline) -> bool) -> Option<FileId> {
        let file = self.open(link)?;
        let fits = fits(outline(self.sources.text(file), Syntax::of(self.sources.name(file))));
        if !fits {
            self.report(no_graph(&link.value, link.span));
        }
        fits.then_some(file)
    }

    /// Hears of each name that is resolved.
    pub(in crate::model) fn recorder(&self) -> NameRecorder {
        self.loader.recorder()
    }

    /// Opens a file that another one names. One that cannot be read is reported where it is named.
    pub(in crate::model) fn open(&mut self, link: &Spanned<String>) -> Option<FileId> {
        if self.recorder().is_probe(&link.value) {
            self.recorder().note(NameKind::File, &link.value, link.span, None, None);
        }
        let found = self.open_once(link)?;
        let head = Span::new(found, 0, 0);
        self.recorder().note(NameKind::File, &link.value, link.span, Some(head), None);
        Some(found)
    }

    fn open_once(&mut self, link: &Spanned<String>) -> Option<FileId> {
        let key = (link.span.file, link.value.clone());
        if let Some(known) = self.asked.get(&key) {
            return *known;
        }
        let from = self.sources.name(link.span.file).to_owned();
        let found = match self.loader.load(Some(&from), link) {
            Ok((name, text)) => match self.files.get(&name) {
                Some(file) => Some(*file),
                None if self.files.len() >= MAX_FILES => {
                    let message = format!("more than {MAX_FILES} files belong to this graph");
                    self.report(Diagnostic::error(rule::TOO_LARGE, link.span, message));
                    None
                }
                None => Some(self.add(name, text)),
            },
            Err(why) => {
                let beside = matches!(why, LoadError::Unreadable(_));
                let found = why.finding(link, link.span);
                self.report(if beside {
                    found.help(format!("paths are relative to the file that names them, here `{from}`"))
                } else {
                    found
                });
                None
            }
        };
        self.asked.insert(key, found);
        found
    }

    fn add(&mut self, name: String, text: String) -> FileId {
        // A file that an earlier load has read keeps its id, so that its findings are equal.
        let known = self.sources.find(&name).filter(|file| self.sources.text(*file) == text);
        let file = known.unwrap_or_else(|| self.sources.add(name.clone(), text));
        self.files.insert(name, file);
        file
    }

    /// The tree of an opened file.
    pub(super) fn tree(&mut self, file: FileId) -> Arc<Tree> {
        if let Some(tree) = self.trees.get(&file) {
            return Arc::clone(tree);
        }
        let edited = self.edited.and_then(|edited| edited.get(&file)).map(Arc::clone);
        let tree = edited.unwrap_or_else(|| {
            let (tree, findings) = syntax::read(self.sources, file);
            self.findings.extend(findings);
            Arc::new(tree)
        });
        self.trees.insert(file, Arc::clone(&tree));
        self.order.push(file);
        tree
    }

    /// The whole text of a template's file.
    pub(in crate::model) fn template(&mut self, link: &Spanned<String>) -> Option<Fragment> {
        let file = self.open(link)?;
        let text = self.sources.text(file);
        if text.len() > MAX_TEXT {
            let message = format!("`{}` is larger than {} MiB", link.value, MAX_TEXT >> 20);
            self.report(Diagnostic::error(rule::TOO_LARGE, link.span, message));
            return None;
        }
        Some(Fragment::verbatim(text, file, 0))
    }

    /// The names of files, as a chain for messages.
    pub(in crate::model) fn names(&self, files: impl Iterator<Item = FileId>) -> String {
        files.map(|file| self.sources.name(file)).collect::<Vec<_>>().join(" -> ")
    }

    /// Everything that was read.
    pub(super) fn finish(self) -> (Vec<Arc<Tree>>, Vec<Diagnostic>) {
        let mut trees = Vec::with_capacity(self.order.len());
        for tree in self.order.iter().filter_map(|file| self.trees.get(file)) {
            trees.push(Arc::clone(tree));
            tree.each_inner(&mut |inner| trees.push(Arc::clone(inner)));
        }
        (trees, self.findings)
    }
}

/// A file that was meant to be a graph.
fn no_graph(path: &str, at: Span) -> Diagnostic {
    let message = format!("`{path}` is not a graph file: no line starts with a section of one");
    Diagnostic::error(rule::NOT_A_GRAPH, at, message)
        .help("a graph starts with `graph: NAME`; a file for `use` has `types`, `let`, `actions`, `budgets` or `texts`")
}
