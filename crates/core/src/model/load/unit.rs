//! The files of one graph: its own tree, with what it extends already laid under it, and the files it uses.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::reader::Reader;
use super::variant;
use crate::diag::{Diagnostic, rule};
use crate::source::{FileId, Span, Spanned};
use crate::syntax::tree::{ActionDecl, BudgetDecl, LetDecl, TextDecl, Tree, TypeDecl, Unread};

/// The longest chain of `extends`.
const MAX_VARIANTS: usize = 32;

/// One graph's declarations.
#[derive(Debug, Clone)]
pub(in crate::model) struct Unit {
    /// The file that was asked for, or that the graph is written in place in.
    pub(in crate::model) file: FileId,
    /// The place in its file of a graph in place.
    place: Option<Span>,
    /// The graph itself.
    pub(in crate::model) tree: Arc<Tree>,
    /// The file that was asked for, and those it extends, one after the other.
    variants: Vec<FileId>,
    /// Files merged in by `use`, each once.
    used: Vec<Arc<Tree>>,
    /// Names of used declarations that a variant replaced.
    replaced: FxHashSet<(Section, String)>,
    /// The parts that could not be read of any of its files.
    unread: Unread,
    /// The names of the graph around a graph in place that this one does not see.
    hidden: Arc<FxHashSet<String>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Section {
    Types,
    Lets,
    Actions,
    Budgets,
    Texts,
}

macro_rules! merged {
    ($name:ident, $field:ident, $item:ty, $section:ident, $doc:literal) => {
        #[doc = $doc]
        pub(in crate::model) fn $name(&self) -> impl Iterator<Item = &$item> {
            let used = self.used.iter().flat_map(|tree| &tree.$field);
            self.tree.$field.iter().chain(used.filter(|item| {
                self.replaced.is_empty()
                    || !self.replaced.contains(&(Section::$section, item.name.value.clone()))
            }))
        }
    };
}

impl Unit {
    /// Reads a graph file with all it extends and uses. What is wrong is reported by the reader.
    pub(super) fn read(reader: &mut Reader<'_>, file: FileId) -> Self {
        let tree = reader.tree(file);
        Self::of_tree(reader, tree)
    }

    /// The same of a graph that was read.
    pub(super) fn of_tree(reader: &mut Reader<'_>, tree: Arc<Tree>) -> Self {
        let (file, place) = (tree.file, tree.place);
        let Extended { tree, replaced, mut files, complete } = extended(reader, tree);
        let variants = files.clone();
        let mut used = Vec::new();
        let all = use_files(reader, &tree, &mut files, &mut used);
        let mut unread = tree.unread.clone();
        for tree in &used {
            unread.extend(tree.unread.clone());
        }
        if !(complete && all) || used.iter().any(|tree| tree.unread.has_rest()) {
            unread.add_unnamed();
        }
        Self { file, place, tree, variants, used, replaced, unread, hidden: Arc::default() }
    }

    /// The parts that could not be read of any of its files. A file that could not be opened, or not read to its end, has
    /// declarations whose names are not known.
    pub(super) const fn unread(&self) -> &Unread {
        &self.unread
    }

    /// The file that was asked for, and those it extends, one after the other.
    pub(super) fn variants(&self) -> &[FileId] {
        &self.variants
    }

    /// The place in its file of a graph in place.
    pub(super) const fn place(&self) -> Option<Span> {
        self.place
    }

    /// The names of the graph around a graph in place that this one does not see.
    pub(super) fn hidden(&self) -> &FxHashSet<String> {
        &self.hidden
    }

    /// Adds what a graph in place sees of the graph around it, and the names it does not see.
    pub(super) fn add_outer(&mut self, visible: Tree, hidden: Arc<FxHashSet<String>>) {
        self.used.push(Arc::new(visible));
        self.hidden = hidden;
    }

    /// The beginning of the graph.
    pub(in crate::model) fn head(&self) -> Span {
        self.place.map_or(Span::new(self.file, 0, 0), Span::head)
    }

    merged!(types, types, TypeDecl, Types, "Own and used types.");
    merged!(lets, lets, LetDecl, Lets, "Own and used lets.");
    merged!(actions, actions, ActionDecl, Actions, "Own and used actions.");
    merged!(budgets, budgets, BudgetDecl, Budgets, "Own and used budgets.");
    merged!(texts, texts, TextDecl, Texts, "Own and used texts.");
}

/// A file with those it extends laid under it.
struct Extended {
    tree: Arc<Tree>,
    /// The names that variants on the way declared.
    replaced: FxHashSet<(Section, String)>,
    /// The files that took part.
    files: Vec<FileId>,
    /// True if all of them could be opened.
    complete: bool,
}

fn extended(reader: &mut Reader<'_>, tree: Arc<Tree>) -> Extended {
    let mut complete = false;
    let mut chain: Vec<(FileId, Arc<Tree>)> = vec![(tree.file, tree)];
    loop {
        let Some(link) = chain.last().and_then(|(_, tree)| tree.extends.clone()) else {
            complete = true;
            break;
        };
        let Some(base) = reader.open_part(&link) else { break };
        if let Some(at) = chain.iter().position(|(id, _)| *id == base) {
            let round = chain[at..].iter().map(|(id, _)| *id).chain([base]);
            let names = reader.names(round);
            let message = format!("`extends` forms a cycle: {names}");
            reader.report(
                Diagnostic::error(rule::EXTENDS_CYCLE, link.span, message)
                    .help("make one of them independent of the others"),
            );
            break;
        }
        if chain.len() > MAX_VARIANTS {
            let message = format!("more than {MAX_VARIANTS} graphs extend each other");
            reader.report(
                Diagnostic::error(rule::TOO_LARGE, link.span, message)
                    .help("copy what is needed into one base"),
            );
            break;
        }
        chain.push((base, reader.tree(base)));
    }
    let mut replaced = FxHashSet::default();
    for (_, variant) in &chain[..chain.len() - 1] {
        note_names(variant, &mut replaced);
    }
    let files = chain.iter().map(|(file, _)| *file).collect();
    let mut found = Vec::new();
    let names = reader.recorder();
    let merged = chain.into_iter().map(|(_, tree)| tree).rev().reduce(|base, variant| {
        let (base, variant) = (Arc::unwrap_or_clone(base), Arc::unwrap_or_clone(variant));
        Arc::new(variant::merge(base, variant, &names, &mut found))
    });
    for finding in found {
        reader.report(finding);
    }
    let tree = merged.expect("the chain holds at least the file itself");
    Extended { tree, replaced, files, complete }
}

fn note_names(tree: &Tree, replaced: &mut FxHashSet<(Section, String)>) {
    let types = tree.types.iter().map(|d| (Section::Types, &d.name));
    let lets = tree.lets.iter().map(|d| (Section::Lets, &d.name));
    let actions = tree.actions.iter().map(|d| (Section::Actions, &d.name));
    let budgets = tree.budgets.iter().map(|d| (Section::Budgets, &d.name));
    let texts = tree.texts.iter().map(|d| (Section::Texts, &d.name));
    let all = types.chain(lets).chain(actions).chain(budgets).chain(texts);
    replaced.extend(all.map(|(section, name)| (section, name.value.clone())));
}

/// Reads the files a tree uses, and those they use. A file that is reached twice is merged once. Gives whether all of
/// them could be opened.
fn use_files(
    reader: &mut Reader<'_>,
    tree: &Arc<Tree>,
    seen: &mut Vec<FileId>,
    used: &mut Vec<Arc<Tree>>,
) -> bool {
    let mut all = true;
    let mut open: Vec<Spanned<String>> = tree.uses.iter().rev().cloned().collect();
    while let Some(link) = open.pop() {
        let Some(file) = reader.open_part(&link) else {
            all = false;
            continue;
        };
        if seen.contains(&file) {
            continue;
        }
        let tree = reader.tree(file);
        let Extended { tree, files, complete, .. } = extended(reader, tree);
        all &= complete;
        seen.extend(files);
        open.extend(tree.uses.iter().rev().cloned());
        used.push(tree);
    }
    all
}
