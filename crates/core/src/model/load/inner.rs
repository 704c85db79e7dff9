//! Graphs in place: what they see of the graph around them.
//!
//! # Why
//! A graph in place is called like any other: it has its own state, and what it works on is handed to it. So of the graph
//! around it it sees what means the same everywhere: types, texts, and lets that read no state. Only those that it names are
//! taken over, so that a change of the others does not make it another graph.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::reader::Reader;
use super::unit::Unit;
use crate::syntax::ast::{Expr, ExprKind, Name, TypeExpr, TypeKind};
use crate::syntax::tree::{
    CalleeDecl, KeyValue, LetDecl, NodeDecl, TextBody, TextDecl, Tree, TypeBody, TypeDecl,
};

/// A graph that is written in place.
#[derive(Debug, Clone)]
pub(super) struct InnerGraph {
    /// The name, at the place of the key.
    pub(super) name: Name,
    pub(super) tree: Arc<Tree>,
}

impl InnerGraph {
    pub(super) fn new(node: &NodeDecl, callee: &CalleeDecl<'_>, tree: &Arc<Tree>) -> Self {
        let at = callee.candidate.unwrap_or(callee.key).span;
        Self { name: Name::new(name(node, callee), at), tree: Arc::clone(tree) }
    }

    /// Its files. What is wrong is reported by the reader.
    pub(super) fn read(&self, reader: &mut Reader<'_>, outer: &OuterGraph) -> Unit {
        let mut tree = Tree::clone(&self.tree);
        if tree.graph.is_none() {
            tree.graph = Some(Name::new(format!("{}.{}", outer.id, self.name.value), self.name.span));
        }
        let mut unit = Unit::of_tree(reader, Arc::new(tree));
        let visible = self.visible(reader, &unit, outer);
        unit.add_outer(visible, Arc::clone(&outer.hidden));
        unit
    }

    /// The declarations of the graph around it that it names, as a file that it uses. Its own of the same name hide them.
    fn visible(&self, reader: &mut Reader<'_>, own: &Unit, outer: &OuterGraph) -> Tree {
        let mut visible = Tree { file: self.tree.file, ..Tree::default() };
        let mut words = NamedWords::default();
        words.add(reader.sources.slice(self.tree.extent()));
        // What is taken over may name others: lets only lets, texts texts and lets, and all of them types.
        let known: FxHashSet<&str> = own.texts().map(|decl| decl.name.as_str()).collect();
        visible.texts = words.take(&outer.texts, &known, reader, |decl, reader| match &decl.body {
            TextBody::Inline(fragment) => Some(fragment.text.clone()),
            TextBody::File(link) => reader.template(link).map(|text| text.text),
        });
        let known: FxHashSet<&str> = own.lets().map(|decl| decl.name.as_str()).collect();
        visible.lets = words.take(&outer.lets, &known, reader, |decl, reader| {
            Some(reader.sources.slice(decl.body.span).to_owned())
        });
        let known: FxHashSet<&str> = own.types().map(|decl| decl.name.as_str()).collect();
        visible.types = words.take(&outer.types, &known, reader, |decl, reader| {
            Some(reader.sources.slice(decl.span).to_owned())
        });
        visible
    }
}

/// A graph that holds others in place, as they see it.
#[derive(Debug)]
pub(super) struct OuterGraph {
    id: String,
    types: NamedDecls<TypeDecl>,
    lets: NamedDecls<LetDecl>,
    texts: NamedDecls<TextDecl>,
    /// The names that mean something of its own run, so that no graph in place sees them.
    hidden: Arc<FxHashSet<String>>,
}

/// Declarations by name.
type NamedDecls<T> = FxHashMap<String, T>;

impl OuterGraph {
    pub(super) fn new(unit: &Unit) -> Self {
        let lets = stateless(unit);
        let seen: FxHashSet<&str> = lets.iter().map(|decl| decl.name.as_str()).collect();
        let fields = unit.tree.input.iter().chain(&unit.tree.state).map(|decl| &decl.name);
        let others = unit.lets().map(|decl| &decl.name).filter(|name| !seen.contains(name.as_str()));
        let budgets = unit.budgets().map(|decl| &decl.name);
        let hidden = fields.chain(others).chain(budgets).map(|name| name.value.clone()).collect();
        let types = types_of_files(unit).into_iter().map(|decl| (decl.name.value.clone(), decl.clone()));
        Self {
            id: unit.tree.graph.as_ref().map_or_else(|| "graph".to_owned(), |id| id.value.clone()),
            types: types.collect(),
            lets: lets.into_iter().map(|decl| (decl.name.value.clone(), decl.clone())).collect(),
            texts: unit.texts().map(|decl| (decl.name.value.clone(), decl.clone())).collect(),
            hidden: Arc::new(hidden),
        }
    }
}

/// The types of a graph that are not made of what its graphs in place give: those are built before it.
fn types_of_files(unit: &Unit) -> Vec<&TypeDecl> {
    let mut inner = FxHashSet::default();
    inner_names(&unit.tree.nodes, &mut inner);
    let mut missing: FxHashSet<&str> = FxHashSet::default();
    let mut types: Vec<&TypeDecl> = unit.types().collect();
    loop {
        let (fitting, others): (Vec<_>, Vec<_>) = types.into_iter().partition(|decl| match &decl.body {
            TypeBody::Alias(ty) => !is_made_of(ty, &inner, &missing),
            TypeBody::Record { fields, .. } => !fields.iter().any(|f| is_made_of(&f.ty, &inner, &missing)),
        });
        if others.is_empty() {
            return fitting;
        }
        missing.extend(others.iter().map(|decl| decl.name.as_str()));
        types = fitting;
    }
}

fn is_made_of(mut ty: &TypeExpr, inner: &FxHashSet<String>, types: &FxHashSet<&str>) -> bool {
    loop {
        ty = match &ty.kind {
            TypeKind::List(item, _) | TypeKind::Map(item) => item,
            TypeKind::Name(name) => return types.contains(name.as_str()),
            TypeKind::Outputs(link) => return inner.contains(&link.value),
            _ => return false,
        };
    }
}

fn inner_names(nodes: &[NodeDecl], names: &mut FxHashSet<String>) {
    for node in nodes {
        for callee in node.callees() {
            if matches!(callee.graph, KeyValue::Graph(_)) {
                names.insert(name(node, &callee));
            }
        }
        inner_names(&node.nodes, names);
    }
}

/// The name of a graph in place: that of the node that runs it, with the branch after a dot, and its own name among those
/// of which one is chosen after another.
fn name(node: &NodeDecl, callee: &CalleeDecl<'_>) -> String {
    let branch = callee.branch.map(|branch| branch.name.as_str());
    let parts = [Some(node.name.as_str()), branch, callee.candidate.map(|name| name.as_str())];
    parts.into_iter().flatten().collect::<Vec<_>>().join(".")
}

/// The words that occur in parts of a graph, in the order in which they were met.
#[derive(Default)]
struct NamedWords {
    seen: FxHashSet<String>,
    order: Vec<String>,
}

impl NamedWords {
    fn add(&mut self, text: &str) {
        for word in text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')) {
            if !self.seen.contains(word) {
                self.seen.insert(word.to_owned());
                self.order.push(word.to_owned());
            }
        }
    }

    /// The declarations that the words name, but for those that are `known`. Their own words are added.
    fn take<T: Clone>(
        &mut self,
        decls: &NamedDecls<T>,
        known: &FxHashSet<&str>,
        reader: &mut Reader<'_>,
        text: impl Fn(&T, &mut Reader<'_>) -> Option<String>,
    ) -> Vec<T> {
        let (mut taken, mut at) = (Vec::new(), 0);
        while at < self.order.len() {
            let word = self.order[at].as_str();
            at += 1;
            let Some(decl) = decls.get(word).filter(|_| !known.contains(word)) else { continue };
            if let Some(text) = text(decl, reader) {
                self.add(&text);
            }
            taken.push(decl.clone());
        }
        taken
    }
}

/// The lets of a graph that read neither its state nor a text, which would: constants, and functions of their parameters.
fn stateless(unit: &Unit) -> Vec<&LetDecl> {
    let mut stateful: FxHashSet<&str> = unit.texts().map(|decl| decl.name.as_str()).collect();
    stateful.extend(unit.budgets().map(|decl| decl.name.as_str()));
    let fields = unit.tree.input.iter().chain(&unit.tree.state);
    stateful.extend(fields.map(|decl| decl.name.as_str()));
    add_nodes(&unit.tree.nodes, &mut stateful);
    let mut lets: Vec<&LetDecl> = unit.lets().collect();
    loop {
        let (fitting, others): (Vec<_>, Vec<_>) =
            lets.into_iter().partition(|decl| !names_any(&decl.body, &decl.params, &stateful));
        if others.is_empty() {
            return fitting;
        }
        stateful.extend(others.iter().map(|decl| decl.name.as_str()));
        lets = fitting;
    }
}

fn add_nodes<'t>(nodes: &'t [NodeDecl], names: &mut FxHashSet<&'t str>) {
    for node in nodes {
        names.insert(node.name.as_str());
        names.extend(node.state.iter().map(|decl| decl.name.as_str()));
        names.extend(node.budgets.iter().map(|decl| decl.name.as_str()));
        add_nodes(&node.nodes, names);
    }
}

fn names_any(expr: &Expr, params: &[Name], names: &FxHashSet<&str>) -> bool {
    let mut open = vec![expr];
    while let Some(expr) = open.pop() {
        let name = match &expr.kind {
            ExprKind::Name(name) => Some(name),
            ExprKind::Call { receiver: None, name, .. } => Some(&name.value),
            _ => None,
        };
        let own = |name: &String| params.iter().any(|param| param.value == *name);
        if name.is_some_and(|name| names.contains(name.as_str()) && !own(name)) {
            return true;
        }
        expr.for_each_child(&mut |child| open.push(child));
    }
    false
}
