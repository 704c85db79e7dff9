//! `ignore`: findings that the author of a graph does not want to see, each with the reason.
//!
//! A finding belongs to the smallest element (edge, node, file) that holds its place and ignores its rule. A node of a
//! variant and the node of its base that it patches are one element, and so are a graph and the graphs it extends.

use std::cmp::Reverse;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::diag::{Diagnostic, Label, Rule, Severity, rule};
use crate::source::{FileId, Span, Spanned};
use crate::syntax::tree::{IgnoreDecl, NodeDecl, Tree};

/// Rules whose findings depend on more than the graph, such as the configuration: nobody knows here whether an `ignore`
/// of them leaves something out.
const JUDGED_ELSEWHERE: [Rule; 3] = [rule::LONG_LOOP, rule::RETRIED_ONCE, rule::WEAK_DELIVERY];

/// A finding that is left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IgnoredFinding {
    /// The finding.
    pub finding: Diagnostic,
    /// The reason that the graph gives.
    pub reason: Spanned<String>,
}

/// The findings that the files of a graph ignore.
#[derive(Debug, Clone, Default)]
pub(super) struct Ignores {
    rows: Vec<IgnoreDecl>,
    /// The rows whose rules found something.
    used: FxHashSet<usize>,
    /// The elements that ignore something, and the row, the outer ones before those in them.
    scopes: Vec<(Span, usize)>,
}

impl Ignores {
    /// `variants`: for each graph its file, and those it extends.
    pub(super) fn of(trees: &[std::sync::Arc<Tree>], variants: &[Vec<FileId>]) -> Self {
        let mut all = Self::default();
        let ignoring = |tree: &Tree| !tree.ignores.is_empty() || any_node(&tree.nodes, &mut has_ignores);
        if !trees.iter().any(|tree| ignoring(tree)) {
            return all;
        }
        let files = trees.iter().filter(|tree| tree.place.is_none());
        let by_file: FxHashMap<FileId, &Tree> = files.map(|tree| (tree.file, &**tree)).collect();
        let mut known = FxHashMap::default();
        for tree in trees {
            all.add(&tree.ignores, tree.extent(), &mut known);
            all.add_nodes(&tree.nodes, &mut known);
        }
        for chain in variants.iter().filter(|chain| chain.len() > 1) {
            let chain: Vec<&Tree> = chain.iter().filter_map(|file| by_file.get(file).copied()).collect();
            all.link(&chain, &mut known);
        }
        all.scopes.sort_by_key(|(span, row)| (span.file, span.start, Reverse(span.end), *row));
        all.scopes.dedup();
        all
    }

    fn add(&mut self, ignores: &[IgnoreDecl], scope: Span, known: &mut FxHashMap<Span, usize>) {
        for ignore in ignores {
            let row = *known.entry(ignore.span).or_insert_with(|| {
                self.rows.push(ignore.clone());
                self.rows.len() - 1
            });
            self.scopes.push((scope, row));
        }
    }

    fn add_nodes(&mut self, nodes: &[NodeDecl], known: &mut FxHashMap<Span, usize>) {
        for node in nodes {
            self.add(&node.ignores, node.span, known);
            for edge in node.edges.iter().flatten() {
                self.add(&edge.ignores, edge.span, known);
            }
            self.add_nodes(&node.nodes, known);
        }
    }

    /// Lets what a variant and its bases ignore hold for all of them. A node that replaces another one has nothing to do
    /// with it.
    fn link(&mut self, chain: &[&Tree], known: &mut FxHashMap<Span, usize>) {
        for tree in chain {
            for other in chain {
                self.add(&tree.ignores, other.extent(), known);
            }
        }
        let mut groups: FxHashMap<&str, Vec<&NodeDecl>> = FxHashMap::default();
        let mut replaced: FxHashSet<&str> = FxHashSet::default();
        for tree in chain {
            let mut here = Vec::new();
            collect(&tree.nodes, &mut here);
            for node in &here {
                if !replaced.contains(node.name.as_str()) {
                    groups.entry(node.name.as_str()).or_default().push(node);
                }
            }
            replaced.extend(here.iter().filter(|n| n.kind.is_some()).map(|n| n.name.as_str()));
        }
        for group in groups.into_values().filter(|group| group.len() > 1) {
            for one in &group {
                for other in &group {
                    self.add(&one.ignores, other.span, known);
                }
            }
        }
    }

    /// Takes out of `findings`, which are in order of the text, what is ignored. Errors stay.
    pub(super) fn take(&mut self, findings: &mut Vec<Diagnostic>, ignored: &mut Vec<IgnoredFinding>) {
        if self.rows.is_empty() {
            return;
        }
        let mut open: Vec<(Span, usize)> = Vec::new();
        let mut next = 0;
        findings.retain_mut(|finding| {
            let at = finding.span();
            while let Some((span, row)) =
                self.scopes.get(next).filter(|(span, _)| begins(*span) <= begins(at))
            {
                open.retain(|(outer, _)| holds(*outer, span.head()));
                open.push((*span, *row));
                next += 1;
            }
            let fits =
                |(span, row): &&(Span, usize)| self.rows[*row].rule == finding.rule && holds(*span, at);
            let Some((_, row)) = open.iter().rev().find(fits) else { return true };
            if finding.severity == Severity::Error {
                let text = "errors are not ignored".to_owned();
                finding.labels.push(Label { span: self.rows[*row].span, text });
                self.used.insert(*row);
                return true;
            }
            self.used.insert(*row);
            ignored.push(IgnoredFinding { finding: finding.clone(), reason: self.rows[*row].reason.clone() });
            false
        });
    }

    /// Findings about what was ignored in vain in the files of graphs. A base serves other variants too, and a file for
    /// `use` other graphs. `root` is the graph that was asked for: causes without an edge are looked for from there.
    pub(super) fn unused(&self, graphs: &FxHashSet<FileId>, root: Option<FileId>) -> Vec<Diagnostic> {
        let rows = self.rows.iter().enumerate().filter(|(i, row)| {
            let judged = !JUDGED_ELSEWHERE.contains(&row.rule)
                && (row.rule != rule::UNHANDLED || root == Some(row.span.file));
            judged && !self.used.contains(i) && graphs.contains(&row.span.file)
        });
        let finding = |(_, row): (usize, &IgnoreDecl)| {
            let message = format!("nothing here is found by `{}`, so nothing is ignored", row.rule);
            Diagnostic::warning(rule::UNUSED_IGNORE, row.span, message).help("remove it")
        };
        let mut found: Vec<_> = rows.map(finding).collect();
        found.sort_by_key(|finding| begins(finding.span()));
        found
    }
}

fn has_ignores(node: &NodeDecl) -> bool {
    !node.ignores.is_empty() || node.edges.iter().flatten().any(|edge| !edge.ignores.is_empty())
}

fn any_node(nodes: &[NodeDecl], fits: &mut impl FnMut(&NodeDecl) -> bool) -> bool {
    nodes.iter().any(|node| fits(node) || any_node(&node.nodes, fits))
}

fn collect<'t>(nodes: &'t [NodeDecl], found: &mut Vec<&'t NodeDecl>) {
    for node in nodes {
        found.push(node);
        collect(&node.nodes, found);
    }
}

const fn begins(span: Span) -> (FileId, u32) {
    (span.file, span.start)
}

fn holds(outer: Span, inner: Span) -> bool {
    outer.file == inner.file && outer.start <= inner.start && inner.end <= outer.end
}
