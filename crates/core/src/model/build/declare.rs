//! Declares the names of a graph in its scope: types, nodes, error kinds, texts, lets, actions.

use std::borrow::Cow;

use rustc_hash::FxHashMap;

use super::amounts::one_of;
use super::context::{Built, named};
use super::plan::Plan;
use crate::diag::{Diagnostic, rule};
use crate::model::expr::TextId;
use crate::model::graph::{Action, Let, Text};
use crate::model::load::{Calls, Reader, Unit};
use crate::model::node::{NodeId, NodeKind};
use crate::model::record::TypeTable;
use crate::model::typing::{Builtins, Scope, TypeNames, declare_types};
use crate::program::error::{ErrorClass, ErrorKind, UNKNOWN};
use crate::source::{Fragment, Span, Spanned};
use crate::syntax::tree::TextBody;
use crate::value::Str;

/// A scope with the graph's types in it.
pub(super) fn types(
    unit: &Unit,
    calls: &Calls,
    built: &Built,
    builtins: &Builtins,
    types: &mut TypeTable,
    sink: &mut Vec<Diagnostic>,
) -> Scope {
    let mut names = TypeNames::new();
    for (path, id) in calls.outputs() {
        let outputs = built.interface(id).map(|i| i.result.outputs.clone());
        names.set_outputs(
            path,
            outputs.unwrap_or(crate::model::types::Type::of(crate::model::types::Kind::Error)),
        );
    }
    declare_types(&owned(unit.types(), &unit.tree.types), &mut names, types, builtins, sink);
    Scope::new(builtins.clone(), names)
}

/// The declarations in one list: the tree's own where nothing is used.
fn owned<'u, T: Clone>(all: impl Iterator<Item = &'u T>, own: &'u [T]) -> Cow<'u, [T]> {
    let all: Vec<&T> = all.collect();
    if all.len() == own.len() { Cow::Borrowed(own) } else { Cow::Owned(all.into_iter().cloned().collect()) }
}

/// Nodes by name, and which composite lies in which.
pub(super) fn nodes(plan: &Plan<'_>, scope: &mut Scope) {
    for id in plan.ids() {
        let node = plan.at(id);
        scope.add_node(&node.decl.name, id);
        if let Some(outer) = node.parent
            && !node.children.is_empty()
        {
            scope.add_composite(id, outer);
        }
    }
}

/// Error kinds: the graph's own, and those of the graphs it calls, which arrive as they are.
pub(super) fn errors(
    unit: &Unit,
    calls: &Calls,
    built: &Built,
    scope: &mut Scope,
    sink: &mut Vec<Diagnostic>,
) {
    let mut called: Vec<_> = calls.graphs().collect();
    called.sort_unstable();
    called.dedup();
    for id in called {
        for (kind, class) in built.interface(id).into_iter().flat_map(|i| &i.errors) {
            scope.add_kind(kind, class);
        }
    }
    let mut first: FxHashMap<&str, Span> = FxHashMap::default();
    for decl in &unit.tree.errors {
        let name = decl.name.as_str();
        let taken = ErrorKind::named(name).is_some() || ErrorClass::named(name).is_some();
        if taken || matches!(name, "done" | "error" | "exhausted" | UNKNOWN) {
            let message = format!("`{name}` is already a trigger of edges");
            let fault = Diagnostic::error(rule::DUPLICATE_NAME, decl.name.span, message);
            sink.push(fault.help("choose another name for this error kind"));
        } else if let Some(first) = first.insert(name, decl.name.span) {
            let message = format!("there are two error kinds `{name}`");
            sink.push(
                Diagnostic::error(rule::DUPLICATE_NAME, decl.name.span, message)
                    .also(first, "declared here first"),
            );
        } else {
            const CLASSES: [(&str, ()); 3] = [("recoverable", ()), ("transient", ()), ("fatal", ())];
            one_of(&decl.class, decl.class.span, name, &CLASSES, sink);
            scope.add_kind(&named(&decl.name), &decl.class);
        }
    }
}

/// The graph's own error kinds as the model holds them.
pub(super) fn own_errors(unit: &Unit) -> Vec<(Spanned<Str>, Str)> {
    unit.tree.errors.iter().map(|decl| (named(&decl.name), decl.class.as_str().into())).collect()
}

/// Texts, with those in files read.
pub(super) fn texts(
    reader: &mut Reader<'_>,
    unit: &Unit,
    scope: &mut Scope,
    sink: &mut Vec<Diagnostic>,
) -> Vec<Text> {
    let mut texts = Vec::new();
    let mut first: FxHashMap<&str, Span> = FxHashMap::default();
    for decl in unit.texts() {
        if let Some(first) = first.insert(&decl.name, decl.name.span) {
            let message = format!("there are two texts `{}`", decl.name.value);
            sink.push(
                Diagnostic::error(rule::DUPLICATE_NAME, decl.name.span, message)
                    .also(first, "declared here first"),
            );
            continue;
        }
        let body = match &decl.body {
            TextBody::Inline(fragment) => Some(fragment.clone()),
            TextBody::File(link) => reader.template(link),
        };
        let id = TextId(u32::try_from(texts.len()).expect("texts are limited by the file's size"));
        scope.add_text(&decl.name, id);
        let body = body
            .unwrap_or_else(|| Fragment::verbatim("", decl.name.span.file, decl.name.span.start as usize));
        texts.push(Text { name: named(&decl.name), body });
    }
    texts
}

/// Lets, in the order of their ids.
pub(super) fn lets(
    unit: &Unit,
    scope: &mut Scope,
    types: &TypeTable,
    sink: &mut Vec<Diagnostic>,
) -> Vec<Let> {
    scope.add_lets(&owned(unit.lets(), &unit.tree.lets), types, sink)
}

/// Actions, in the order of their ids.
pub(super) fn actions(
    unit: &Unit,
    scope: &mut Scope,
    types: &TypeTable,
    sink: &mut Vec<Diagnostic>,
) -> Vec<Action> {
    scope.add_actions(&owned(unit.actions(), &unit.tree.actions), types, sink)
}

/// The roles that nodes ask for by name.
pub(super) fn roles_used<'g>(
    nodes: impl Iterator<Item = (NodeId, &'g NodeKind)>,
) -> impl Iterator<Item = &'g Spanned<Str>> {
    nodes.filter_map(|(_, kind)| match kind {
        NodeKind::Model(model) => match &model.role {
            crate::model::node::NameSource::Fixed(name) if !name.value.is_empty() => Some(name),
            _ => None,
        },
        _ => None,
    })
}
