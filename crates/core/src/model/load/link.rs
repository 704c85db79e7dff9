//! Follows calls between graphs: every called graph is read once, and none calls itself.

use rustc_hash::FxHashMap;

use super::reader::Reader;
use super::unit::Unit;
use crate::diag::{Diagnostic, rule};
use crate::model::graph::GraphId;
use crate::model::typing::each_outputs;
use crate::source::{FileId, Spanned};
use crate::syntax::ast::TypeExpr;
use crate::syntax::tree::{FieldDecl, KeyValue, NodeDecl, TypeBody};

/// The deepest nesting of called graphs.
const MAX_CALLS: usize = 64;

/// The graph that is meant where a file writes a path.
#[derive(Debug, Default)]
pub(in crate::model) struct Links {
    /// By the file that writes the path, and the path.
    graphs: FxHashMap<(FileId, String), GraphId>,
    /// The order to build in: a graph comes after all it calls.
    pub(in crate::model) order: Vec<GraphId>,
}

impl Links {
    /// The graph a path means; [`None`] where it could not be read or is part of a circle, which was reported.
    pub(in crate::model) fn get(&self, link: &Spanned<String>) -> Option<GraphId> {
        self.graphs.get(&(link.span.file, link.value.clone())).copied()
    }

    /// The paths that these files write, and the graphs they mean.
    pub(in crate::model) fn of_files(&self, files: &[FileId]) -> impl Iterator<Item = (&str, GraphId)> {
        let asked = self.graphs.iter().filter(|((file, _), _)| files.contains(file));
        asked.map(|((_, path), id)| (path.as_str(), *id))
    }
}

/// Reads the graph of that file and all it calls. The first unit is the graph itself.
pub(super) fn follow(reader: &mut Reader<'_>, root: FileId) -> (Vec<Unit>, Links) {
    let mut follower =
        Follower { reader, units: Vec::new(), links: Links::default(), known: FxHashMap::default() };
    follower.visit(root, &mut Vec::new());
    (follower.units, follower.links)
}

struct Follower<'r, 'a> {
    reader: &'r mut Reader<'a>,
    units: Vec<Unit>,
    links: Links,
    known: FxHashMap<FileId, GraphId>,
}

impl Follower<'_, '_> {
    /// `above` holds the files whose calls led here.
    fn visit(&mut self, file: FileId, above: &mut Vec<FileId>) -> GraphId {
        let id = GraphId(u32::try_from(self.units.len()).expect("files are limited in number"));
        self.known.insert(file, id);
        let unit = Unit::read(self.reader, file);
        let called = called(&unit);
        self.units.push(unit);
        above.push(file);
        for link in called {
            if let Some(id) = self.call(&link, above) {
                self.links.graphs.insert((link.span.file, link.value), id);
            }
        }
        above.pop();
        self.links.order.push(id);
        id
    }

    fn call(&mut self, link: &Spanned<String>, above: &mut Vec<FileId>) -> Option<GraphId> {
        let file = self.reader.open_graph(link)?;
        if let Some(at) = above.iter().position(|f| *f == file) {
            let round = self.reader.names(above[at..].iter().copied().chain([file]));
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
        if above.len() >= MAX_CALLS {
            let message = format!("called graphs are nested deeper than {MAX_CALLS} levels");
            self.reader.report(Diagnostic::error(rule::TOO_DEEP, link.span, message));
            return None;
        }
        Some(self.visit(file, above))
    }
}

/// The paths of all graphs that a graph names, each once, in order of the text.
fn called(unit: &Unit) -> Vec<Spanned<String>> {
    let mut found = Vec::new();
    for decl in unit.types() {
        match &decl.body {
            TypeBody::Record { fields, .. } => in_fields(fields, &mut found),
            TypeBody::Alias(ty) => in_type(ty, &mut found),
        }
    }
    in_fields(&unit.tree.input, &mut found);
    in_fields(&unit.tree.state, &mut found);
    in_nodes(&unit.tree.nodes, &mut found);
    let mut seen = rustc_hash::FxHashSet::default();
    found.retain(|link: &Spanned<String>| seen.insert((link.span.file, link.value.clone())));
    found
}

fn in_type(ty: &TypeExpr, found: &mut Vec<Spanned<String>>) {
    each_outputs(ty, &mut |link| found.push(link.clone()));
}

fn in_fields(fields: &[FieldDecl], found: &mut Vec<Spanned<String>>) {
    for field in fields {
        in_type(&field.ty, found);
    }
}

fn in_nodes(nodes: &[NodeDecl], found: &mut Vec<Spanned<String>>) {
    for node in nodes {
        in_fields(&node.state, found);
        let branches = node.branches.iter().flat_map(|b| &b.keys);
        for (name, value) in node.keys.iter().chain(branches) {
            match value {
                KeyValue::File(link) if name.value == "graph" => found.push(link.clone()),
                KeyValue::Type(ty) => in_type(ty, found),
                _ => {}
            }
        }
        in_nodes(&node.nodes, found);
    }
}
