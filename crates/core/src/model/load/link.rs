//! Follows calls between graphs: every called graph is read once, and none calls itself.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::inner::{InnerGraph, OuterGraph};
use super::reader::Reader;
use super::unit::Unit;
use crate::diag::{Diagnostic, rule};
use crate::model::graph::GraphId;
use crate::model::typing::each_outputs;
use crate::source::{FileId, Span, Spanned};
use crate::syntax::ast::TypeExpr;
use crate::syntax::tree::{FieldDecl, KeyValue, NodeDecl, Tree, TypeBody};

/// The deepest nesting of called graphs.
const MAX_CALLS: usize = 64;

/// The most graphs in place that one load reads.
const MAX_INNER: usize = 1_000;

/// The graphs that graphs call.
#[derive(Debug, Default)]
pub(in crate::model) struct Links {
    /// By the graph that calls.
    calls: Vec<Calls>,
    /// The order to build in: a graph comes after all it calls.
    pub(in crate::model) order: Vec<GraphId>,
}

impl Links {
    /// The graphs that a graph calls.
    pub(in crate::model) fn of(&self, caller: GraphId) -> &Calls {
        &self.calls[caller.0 as usize]
    }
}

/// The graphs that one graph calls. One that could not be read or is part of a circle is not among them; it was reported.
#[derive(Debug, Default)]
pub(in crate::model) struct Calls {
    /// By the file that writes the path, and the path.
    files: FxHashMap<(FileId, String), GraphId>,
    /// Those that are written in place.
    inner: FxHashMap<Span, GraphId>,
    /// The same by name.
    names: FxHashMap<String, GraphId>,
}

impl Calls {
    /// The graph that is meant.
    pub(in crate::model) fn get(&self, callee: Callee<'_>) -> Option<GraphId> {
        match callee {
            Callee::File(link) => self.files.get(&(link.span.file, link.value.clone())).copied(),
            Callee::Inner(tree) => self.inner.get(&tree.extent()).copied(),
        }
    }

    /// The texts that `outputs('…')` may hold, and the graphs they mean: paths, and names of graphs in place.
    pub(in crate::model) fn outputs(&self) -> impl Iterator<Item = (&str, GraphId)> {
        let files = self.files.iter().map(|((_, path), id)| (path.as_str(), *id));
        files.chain(self.names.iter().map(|(name, id)| (name.as_str(), *id)))
    }

    /// All of them.
    pub(in crate::model) fn graphs(&self) -> impl Iterator<Item = GraphId> {
        self.files.values().chain(self.inner.values()).copied()
    }
}

/// A graph as its caller writes it.
#[derive(Debug, Clone, Copy)]
pub(in crate::model) enum Callee<'t> {
    /// In a file of its own.
    File(&'t Spanned<String>),
    /// In place.
    Inner(&'t Arc<Tree>),
}

impl<'t> Callee<'t> {
    /// The graph that the value of a key means.
    pub(in crate::model) const fn of(value: &'t KeyValue) -> Option<Self> {
        match value {
            KeyValue::File(link) => Some(Self::File(link)),
            KeyValue::Graph(tree) => Some(Self::Inner(tree)),
            _ => None,
        }
    }

    /// Its place, for messages: a graph in place is pointed to where it begins.
    pub(in crate::model) fn span(self) -> Span {
        match self {
            Self::File(link) => link.span,
            Self::Inner(tree) => tree.extent().head(),
        }
    }

    /// The words that name it in messages.
    pub(in crate::model) fn name(self) -> String {
        match self {
            Self::File(link) => format!("`{}`", link.value),
            Self::Inner(_) => "the graph".to_owned(),
        }
    }
}

/// Reads the graph of that file and all it calls. The first unit is the graph itself.
pub(super) fn follow(reader: &mut Reader<'_>, root: FileId) -> (Vec<Unit>, Links) {
    let mut follower = Follower {
        reader,
        units: Vec::new(),
        links: Links::default(),
        known: FxHashMap::default(),
        inner: 0,
    };
    let unit = Unit::read(follower.reader, root);
    follower.visit(unit, Some(root), &mut Vec::new());
    (follower.units, follower.links)
}

struct Follower<'r, 'a> {
    reader: &'r mut Reader<'a>,
    units: Vec<Unit>,
    links: Links,
    known: FxHashMap<FileId, GraphId>,
    /// The graphs in place so far.
    inner: usize,
}

impl Follower<'_, '_> {
    /// `file`: the one that holds the graph, and it alone. `above` holds the files whose calls led here, and nothing for a
    /// graph in place.
    fn visit(&mut self, unit: Unit, file: Option<FileId>, above: &mut Vec<Option<FileId>>) -> GraphId {
        let id = GraphId(u32::try_from(self.units.len()).expect("graphs are limited in number"));
        if let Some(file) = file {
            self.known.insert(file, id);
        }
        let (files, inner) = called(&unit);
        let outer = (!inner.is_empty()).then(|| OuterGraph::new(&unit));
        self.links.calls.push(Calls::default());
        self.units.push(unit);
        above.push(file);
        for link in files {
            if let Some(called) = self.call(&link, above) {
                self.links.calls[id.0 as usize].files.insert((link.span.file, link.value), called);
            }
        }
        for (inner, outer) in inner.iter().zip(outer.iter().cycle()) {
            if let Some(called) = self.call_inner(inner, outer, above) {
                let calls = &mut self.links.calls[id.0 as usize];
                calls.inner.insert(inner.tree.extent(), called);
                calls.names.insert(inner.name.value.clone(), called);
            }
        }
        above.pop();
        self.links.order.push(id);
        id
    }

    fn call_inner(
        &mut self,
        inner: &InnerGraph,
        outer: &OuterGraph,
        above: &mut Vec<Option<FileId>>,
    ) -> Option<GraphId> {
        if self.is_too_deep(above, inner.name.span) {
            return None;
        }
        if self.inner >= MAX_INNER {
            if self.inner == MAX_INNER {
                let message = format!("more than {MAX_INNER} graphs are written in place");
                let fault = Diagnostic::error(rule::TOO_LARGE, inner.name.span, message);
                self.reader
                    .report(fault.help("write one graph that several nodes call into a file of its own"));
            }
            self.inner += 1;
            return None;
        }
        self.inner += 1;
        let unit = inner.read(self.reader, outer);
        Some(self.visit(unit, None, above))
    }

    fn is_too_deep(&mut self, above: &[Option<FileId>], at: Span) -> bool {
        let deep = above.len() >= MAX_CALLS;
        if deep {
            let message = format!("called graphs are nested deeper than {MAX_CALLS} levels");
            self.reader.report(Diagnostic::error(rule::TOO_DEEP, at, message));
        }
        deep
    }

    fn call(&mut self, link: &Spanned<String>, above: &mut Vec<Option<FileId>>) -> Option<GraphId> {
        let file = self.reader.open_graph(link)?;
        if let Some(at) = above.iter().position(|f| *f == Some(file)) {
            let round = self.reader.names(above[at..].iter().flatten().copied().chain([file]));
            let message = format!("graphs call each other in a circle: {round}");
            let fault = Diagnostic::error(rule::CALL_CYCLE, link.span, message);
            self.reader.report(fault.help(
                "a called graph runs to its end before the caller continues: use an edge back instead",
            ));
            return None;
        }
        if let Some(id) = self.known.get(&file) {
            return Some(*id);
        }
        if self.is_too_deep(above, link.span) {
            return None;
        }
        let unit = Unit::read(self.reader, file);
        Some(self.visit(unit, Some(file), above))
    }
}

/// The paths of all graphs that a graph names, each once, and the graphs it holds in place, in order of the text.
fn called(unit: &Unit) -> (Vec<Spanned<String>>, Vec<InnerGraph>) {
    let mut inner = Vec::new();
    let mut found = Vec::new();
    for decl in unit.types() {
        match &decl.body {
            TypeBody::Record { fields, .. } => in_fields(fields, &mut found),
            TypeBody::Alias(ty) => in_type(ty, &mut found),
        }
    }
    in_fields(&unit.tree.input, &mut found);
    in_fields(&unit.tree.state, &mut found);
    in_nodes(&unit.tree.nodes, &mut found, &mut inner);
    found.retain(|link| inner.iter().all(|inner| inner.name.value != link.value));
    let mut seen = rustc_hash::FxHashSet::default();
    found.retain(|link: &Spanned<String>| seen.insert((link.span.file, link.value.clone())));
    (found, inner)
}

fn in_type(ty: &TypeExpr, found: &mut Vec<Spanned<String>>) {
    each_outputs(ty, &mut |link| found.push(link.clone()));
}

fn in_fields(fields: &[FieldDecl], found: &mut Vec<Spanned<String>>) {
    for field in fields {
        in_type(&field.ty, found);
    }
}

fn in_nodes(nodes: &[NodeDecl], found: &mut Vec<Spanned<String>>, inner: &mut Vec<InnerGraph>) {
    for node in nodes {
        in_fields(&node.state, found);
        for callee in node.callees() {
            match callee.graph {
                KeyValue::File(link) => found.push(link.clone()),
                KeyValue::Graph(tree) => inner.push(InnerGraph::new(node, &callee, tree)),
                _ => {}
            }
        }
        for (_, (_, value)) in node.all_keys() {
            if let KeyValue::Type(ty) = value {
                in_type(ty, found);
            }
        }
        in_nodes(&node.nodes, found, inner);
    }
}
