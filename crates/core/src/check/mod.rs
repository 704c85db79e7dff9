//! Judges a graph before it runs.
//!
//! [`check_file`] does everything: it reads the file and all it refers to, types it, and judges the graph.
//! [`check`] judges a model that is there already.
//!
//! # Why
//! - A fault leaves what follows uncertain. A key that is there but cannot be read is not missing, uses of a type that
//!   was lost are not reported, an edge with an unreadable clause is left out, and no null is reported that may only
//!   follow from a fault: one mistake is one finding.
//! - Unreachable nodes, dead edges, a missing otherwise and unused declarations are warnings, since the graph runs;
//!   stuck nodes and dead ends are errors, since a run cannot end there.
//! - A text whose quotes YAML took away and which leaves an unknown name is one error, `yaml-quotes`: it is the most
//!   frequent mistake with YAML.
//! - Dead ends are not reported as endless loops as well, since mending one mends both.

#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

mod amount;
pub(crate) mod blocks;
mod cacheable;
mod constants;
mod delivery;
mod depth;
mod exits;
pub(crate) mod expressions;
mod flows;
pub(crate) mod guard;
mod ignore;
mod nesting;
mod node;
mod paths;
mod repeat;
mod template;
mod termination;
mod unready;
mod unused;
mod uses;

use std::collections::BTreeMap;
use std::sync::Arc;

use rustc_hash::FxHashSet;

use self::exits::Exits;
pub(crate) use self::expressions::{GraphPart, each as each_expression};
pub use self::flows::{
    Cut, CutSet, FlowRule, FlowSource, FlowTarget, Flows, PatternFault, SourcePattern, TargetFlows,
    TargetPattern,
};
pub use self::guard::GuardOverlap;
pub use self::ignore::IgnoredFinding;
use self::ignore::Ignores;
pub use self::termination::{Amount, Bound};
use crate::diag::{Diagnostic, Rule, Severity, rule};
use crate::machine::Beginning;
use crate::model::{Loaded, Loader, Model, load, load_edited, load_named};
use crate::program::graph::Delivery;
use crate::source::{FileId, Sources, Span, Spanned};
use crate::syntax::tree::Tree;

/// Rules after whose findings a graph lacks nodes or edges that its author wrote: its paths are not judged then. A
/// graph has no error nodes: a node or edge that could not be built has no place in it.
const LACKING_PARTS: [Rule; 10] = [
    rule::BAD_START,
    rule::CALL_CYCLE,
    rule::DUPLICATE_NAME,
    rule::KEY_OF_OTHER_KIND,
    rule::MISSING_KEY,
    rule::TOO_DEEP,
    rule::UNKNOWN_ERROR_KIND,
    rule::UNKNOWN_KIND,
    rule::UNKNOWN_NODE,
    rule::UNKNOWN_TRIGGER,
];

/// The result of a check.
#[derive(Debug, Clone, Default)]
pub struct Checked {
    /// The model, where there is one to look at. It can be run if [`Checked::is_sound`].
    pub model: Option<Model>,
    /// All findings: file by file in the order they were read, in order of the text.
    pub findings: Vec<Diagnostic>,
    /// The findings that the graph ignores, with its reasons. They are not among the others.
    pub ignored: Vec<IgnoredFinding>,
    /// The most that a run does, where it surely ends and the graph has no errors.
    pub bound: Option<Bound>,
    /// The trees of all graph files that were read, the one that was asked for first.
    pub trees: Vec<Arc<Tree>>,
    ignores: Ignores,
}

/// The delivery that is declared for a tool of that name outside of the graph; nothing where none is known. It is asked only
/// where that makes a difference.
pub type Declared<'a> = dyn FnMut(&str) -> Option<Delivery> + 'a;

impl Checked {
    /// True if there is a model without errors in it.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        self.model.is_some() && !self.findings.iter().any(is_error)
    }

    /// Judges what depends on how the graph's tools are declared. Nothing more is reported of a graph with errors.
    pub fn judge_tools(&mut self, declared: &mut Declared<'_>) {
        if !self.is_sound() {
            return;
        }
        let mut found = Vec::new();
        for graph in self.model.iter().flat_map(|model| &model.graphs) {
            repeat::judge_declared(graph, declared, &mut found);
            delivery::judge(graph, declared, &mut found);
        }
        self.add(found);
    }

    /// Judges the flows of the graph by rules that deny some. `approved` says of a tool whether a person approves each of its
    /// calls. Nothing is reported of a graph with errors.
    pub fn judge_flows(&mut self, rules: &[FlowRule], approved: &dyn Fn(&str) -> bool) {
        if rules.is_empty() || !self.is_sound() {
            return;
        }
        let denied = self.model.as_ref().map(|model| Flows::of(model).denied(rules, approved));
        self.add(denied.unwrap_or_default());
    }

    /// Adds findings that were made elsewhere, but for those that the graph ignores.
    pub fn add(&mut self, mut found: Vec<Diagnostic>) {
        sort(&mut found);
        self.ignores.take(&mut found, &mut self.ignored);
        self.findings.append(&mut found);
        sort(&mut self.findings);
    }
}

/// Reads and judges the graph at `path`, and every graph it calls.
pub fn check_file(sources: &mut Sources, loader: &mut dyn Loader, path: &str) -> Checked {
    let read = load(sources, loader, path);
    judged(read, sources)
}

/// The same for the graph that a file of another kind names: `link` is where it does.
pub fn check_named(sources: &mut Sources, loader: &mut dyn Loader, link: &Spanned<String>) -> Checked {
    let read = load_named(sources, loader, link);
    judged(read, sources)
}

/// The same with other trees in place of those of some files: see [`load_edited`].
pub fn check_edited(
    sources: &mut Sources,
    loader: &mut dyn Loader,
    link: &Spanned<String>,
    edited: &BTreeMap<FileId, Arc<Tree>>,
) -> Checked {
    let read = load_edited(sources, loader, link, edited);
    judged(read, sources)
}

fn judged(read: Loaded, sources: &Sources) -> Checked {
    let mut findings = read.findings;
    let mut bound = None;
    // Where text could not be read, what seems to be missing from the graph may only not have been read.
    if let Some(model) = read.model.as_ref().filter(|_| !read.unread) {
        let sound = !findings.iter().any(is_error);
        let complete = !findings.iter().any(|f| is_error(f) && LACKING_PARTS.contains(&f.rule));
        let mut judged = Vec::new();
        let exits = judge(model, sources, complete, sound, &mut judged);
        if sound {
            bound = termination::prove(model, None, &mut judged);
            judge_ends(model, exits.as_ref(), &mut judged);
            unused::types(read.trees.iter().map(|tree| &**tree), &mut judged);
        }
        findings.append(&mut judged);
        sort(&mut findings);
        bound = bound.filter(|_| !findings.iter().any(is_error));
    }
    let mut checked = Checked {
        ignores: Ignores::of(&read.trees, &read.variants),
        model: read.model,
        bound,
        trees: read.trees,
        ..Checked::default()
    };
    checked.add(findings);
    if checked.is_sound() && !read.unread {
        let mut graphs = read.variants.iter().filter_map(|files| files.first().copied());
        let root = graphs.next();
        let unused = checked.ignores.unused(&root.into_iter().chain(graphs).collect(), root);
        checked.add(unused);
    }
    checked
}

/// Judges every graph of a model without errors. The findings are in order of the text, file by file.
#[must_use]
pub fn check(model: &Model, sources: &Sources) -> Vec<Diagnostic> {
    let mut findings = Vec::new();
    let exits = judge(model, sources, true, true, &mut findings);
    termination::prove(model, None, &mut findings);
    judge_ends(model, exits.as_ref(), &mut findings);
    sort(&mut findings);
    findings
}

/// Causes without an edge are looked for when nothing else is wrong: what mends an error often adds edges.
fn judge_ends(model: &Model, exits: Option<&Exits>, findings: &mut Vec<Diagnostic>) {
    if let Some(exits) = exits.filter(|_| !findings.iter().any(is_error)) {
        exits.judge_ends(model, findings);
    }
}

/// `complete`: no node or edge is missing. `sound`: no use of a name is missing either. Gives the causes for which nodes
/// can be left, where the graph is complete.
fn judge(
    model: &Model,
    sources: &Sources,
    complete: bool,
    sound: bool,
    findings: &mut Vec<Diagnostic>,
) -> Option<Exits> {
    let guards = guard::Guards::new(model, sources);
    let shared = unused::shared(model);
    for (index, (graph, scope)) in model.graphs.iter().zip(&model.scopes).enumerate() {
        amount::judge(graph, findings);
        node::judge(graph, complete, findings);
        if complete {
            guards.judge(index, sound, findings);
            repeat::judge(graph, findings);
        }
        if sound {
            constants::judge(model, graph, findings);
            cacheable::judge(graph, findings);
            nesting::judge(graph, findings);
            unready::judge(graph, findings);
        }
        template::judge(model, graph, scope, &shared, findings);
        depth::judge(graph, findings);
        if let Some(file) = sources.find(&graph.path).filter(|_| sound) {
            unused::judge(graph, file, &shared, findings);
        }
    }
    let exits = complete.then(|| Exits::of(model));
    if let Some(exits) = &exits {
        exits.judge_edges(model, findings);
    }
    exits
}

/// All pairs of guards of one node that may hold at once, file by file in order of the text. The order of edges has a meaning,
/// so that this is no fault; it is a list for who wants to read the guards one by one.
#[must_use]
pub fn overlaps(model: &Model, sources: &Sources) -> Vec<GuardOverlap> {
    let guards = guard::Guards::new(model, sources);
    let mut found = Vec::new();
    for index in 0..model.graphs.len() {
        guards.overlaps(index, &mut found);
    }
    found
}

/// Pairs of edges of one node that follow each other, and whose order makes no difference: their guards exclude each other, or what
/// they answer to.
#[must_use]
pub fn disjoint_edges(model: &Model, sources: &Sources) -> FxHashSet<(Span, Span)> {
    let guards = guard::Guards::new(model, sources);
    let mut found = FxHashSet::default();
    for index in 0..model.graphs.len() {
        guards.disjoint(index, &mut found);
    }
    found
}

/// The bound of a graph for a run that begins like this, where it surely ends.
#[must_use]
pub fn bound(model: &Model, given: &Beginning) -> Option<Bound> {
    termination::prove(model, Some(given), &mut Vec::new())
}

fn is_error(finding: &Diagnostic) -> bool {
    finding.severity == Severity::Error
}

fn sort(findings: &mut [Diagnostic]) {
    findings.sort_by_key(|f| (f.span().file, f.span().start, f.span().end));
}
