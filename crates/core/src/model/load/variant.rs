//! `extends`: a variant's declarations laid over those of the graph it is a variant of.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::diag::{Diagnostic, nearest, rule};
use crate::model::name_use::{NameKind, NameRecorder};
use crate::syntax::ast::Name;
use crate::syntax::is_identifier;
use crate::syntax::tree::{NodeDecl, Tree};

/// The base with everything the variant gives replaced.
///
/// Declarations replace those of the same name and keep their position; new ones come last. A node without
/// `kind` patches the node of its name, wherever that is nested; one with `kind` takes its place. Whoever adds a node says
/// so: else a misspelt name would add one.
pub(super) fn merge(base: Tree, variant: Tree, names: &NameRecorder, found: &mut Vec<Diagnostic>) -> Tree {
    let mut out = base;
    let names = ReplacedNames(names);
    out.file = variant.file;
    take(&mut out.graph, variant.graph);
    take(&mut out.title, variant.title);
    take(&mut out.doc, variant.doc);
    take(&mut out.version, variant.version);
    out.extends = variant.extends;
    out.uses.extend(variant.uses);
    names.replace(NameKind::Type, &mut out.types, variant.types, |d| &d.name);
    names.replace(NameKind::Error, &mut out.errors, variant.errors, |d| &d.name);
    names.replace(NameKind::Input, &mut out.input, variant.input, |d| &d.name);
    names.replace(NameKind::State, &mut out.state, variant.state, |d| &d.name);
    names.replace(NameKind::Budget, &mut out.budgets, variant.budgets, |d| &d.name);
    names.replace(NameKind::Let, &mut out.lets, variant.lets, |d| &d.name);
    names.replace(NameKind::Action, &mut out.actions, variant.actions, |d| &d.name);
    names.replace(NameKind::Role, &mut out.roles, variant.roles, |d| &d.name);
    names.replace(NameKind::Text, &mut out.texts, variant.texts, |d| &d.name);
    take(&mut out.start, variant.start);
    take(&mut out.pause, variant.pause);
    take(&mut out.migrate, variant.migrate);
    lay_nodes(&mut out.nodes, variant.nodes, &names, found);
    names.replace(NameKind::Field, &mut out.output, variant.output, |d| &d.0);
    replace(&mut out.properties, variant.properties, |d| &d.name);
    replace(&mut out.views, variant.views, |d| &d.name);
    out.comments = variant.comments;
    out.unread.extend(variant.unread);
    out
}

fn take<T>(base: &mut Option<T>, given: Option<T>) {
    if given.is_some() {
        *base = given;
    }
}

/// Replaces by name in place. A name that is given twice is replaced once and occurs twice: whoever reads the
/// list reports it.
fn replace<T>(base: &mut Vec<T>, given: Vec<T>, name: impl Fn(&T) -> &Name) {
    replace_noting(base, given, name, |_, _| {});
}

/// The same; hears of each name with the one that it replaces.
fn replace_noting<T>(
    base: &mut Vec<T>,
    given: Vec<T>,
    name: impl Fn(&T) -> &Name,
    note: impl Fn(&Name, &Name),
) {
    if given.is_empty() {
        return;
    }
    let mut places: FxHashMap<String, usize> = FxHashMap::default();
    for (i, item) in base.iter().enumerate() {
        places.entry(name(item).value.clone()).or_insert(i);
    }
    for item in given {
        match places.remove(name(&item).as_str()) {
            Some(i) => {
                note(name(&item), name(&base[i]));
                base[i] = item;
            }
            None => base.push(item),
        }
    }
}

/// Notes that a name of the variant is that of the declaration which it replaces.
struct ReplacedNames<'r>(&'r NameRecorder);

impl ReplacedNames<'_> {
    fn replace<T>(&self, kind: NameKind, base: &mut Vec<T>, given: Vec<T>, name: impl Fn(&T) -> &Name) {
        replace_noting(base, given, name, |given, base| self.note(kind, given, base));
    }

    fn note(&self, kind: NameKind, given: &Name, base: &Name) {
        // Texts that stand where they are used have no name in the file.
        if is_identifier(&given.value) {
            self.0.note(kind, &given.value, given.span, Some(base.span), None);
        }
    }
}

/// Lays the variant's nodes over the base's.
fn lay_nodes(
    base: &mut Vec<NodeDecl>,
    given: Vec<NodeDecl>,
    names: &ReplacedNames<'_>,
    found: &mut Vec<Diagnostic>,
) {
    let mut whole = FxHashSet::default();
    collect_whole(&given, &mut whole);
    let mut known = FxHashSet::default();
    collect_names(base, &whole, &mut known);
    judge_new(&given, &known, found);
    let mut laid = FxHashMap::default();
    let new = sort_out(given, &known, &mut laid);
    apply(base, &mut laid, names);
    base.extend(new);
}

/// Reports nodes that are new and do not say so, and the other way round. All nodes inside of a new one are new.
fn judge_new(given: &[NodeDecl], known: &FxHashSet<String>, found: &mut Vec<Diagnostic>) {
    for node in given {
        let name = &node.name.value;
        let marked = node.new.as_ref().filter(|new| new.value);
        match (known.contains(name.as_str()), marked) {
            (false, None) => {
                let message = format!("`{name}` replaces no node of the graph that is extended");
                let fault = Diagnostic::warning(rule::NEW_NODE, node.name.span, message);
                let fault = fault.meant(nearest(name, known.iter().map(String::as_str)));
                found.push(fault.help("a node that is added says `new: true`"));
            }
            (true, Some(new)) => {
                let message =
                    format!("`{name}` is not new: the graph that is extended has a node of this name");
                found.push(Diagnostic::warning(rule::NEW_NODE, new.span, message).help("remove `new`"));
            }
            _ => {}
        }
        if node.kind.is_none() && known.contains(name.as_str()) {
            judge_new(&node.nodes, known, found);
        }
    }
}

/// Names of the variant's nodes that replace as a whole, also those inside patches.
fn collect_whole(given: &[NodeDecl], whole: &mut FxHashSet<String>) {
    for node in given {
        if node.kind.is_some() {
            whole.insert(node.name.value.clone());
        } else {
            collect_whole(&node.nodes, whole);
        }
    }
}

/// Names of the base's nodes that a variant can reach: those inside a node that is replaced are gone.
fn collect_names(base: &[NodeDecl], whole: &FxHashSet<String>, known: &mut FxHashSet<String>) {
    for node in base {
        known.insert(node.name.value.clone());
        if !whole.contains(node.name.as_str()) {
            collect_names(&node.nodes, whole, known);
        }
    }
}

/// Puts nodes that the base knows into `laid`, wherever the variant writes them; gives back the new ones.
fn sort_out(
    given: Vec<NodeDecl>,
    known: &FxHashSet<String>,
    laid: &mut FxHashMap<String, NodeDecl>,
) -> Vec<NodeDecl> {
    let mut new = Vec::new();
    for mut node in given {
        if !known.contains(node.name.as_str()) || laid.contains_key(node.name.as_str()) {
            new.push(node);
            continue;
        }
        if node.kind.is_none() {
            node.nodes = sort_out(std::mem::take(&mut node.nodes), known, laid);
        }
        laid.insert(node.name.value.clone(), node);
    }
    new
}

fn apply(base: &mut [NodeDecl], laid: &mut FxHashMap<String, NodeDecl>, names: &ReplacedNames<'_>) {
    for node in base {
        if let Some(given) = laid.get(node.name.as_str()) {
            names.note(NameKind::Node, &given.name, &node.name);
        }
        match laid.remove(node.name.as_str()) {
            Some(given) if given.kind.is_some() => *node = given,
            given => {
                apply(&mut node.nodes, laid, names);
                if let Some(given) = given {
                    patch(node, given, names);
                }
            }
        }
    }
}

fn patch(node: &mut NodeDecl, given: NodeDecl, names: &ReplacedNames<'_>) {
    take(&mut node.title, given.title);
    take(&mut node.doc, given.doc);
    take(&mut node.alias, given.alias);
    take(&mut node.entry, given.entry);
    take(&mut node.then, given.then);
    replace(&mut node.keys, given.keys, |k| &k.0);
    take(&mut node.start, given.start);
    names.replace(NameKind::State, &mut node.state, given.state, |d| &d.name);
    names.replace(NameKind::Budget, &mut node.budgets, given.budgets, |d| &d.name);
    take(&mut node.pause, given.pause);
    replace(&mut node.branches, given.branches, |b| &b.name);
    node.nodes.extend(given.nodes);
    take(&mut node.edges, given.edges);
    node.unread.extend(given.unread);
}
