//! The failures of a call that a graph can tell apart.
//!
//! Kinds of error for which the same edges and attempts answer lead to the same place, and so one of them is tried.

use super::answers::tool_type;
use super::uses::ValueUses;
use crate::machine::{Call, Outcome, Request};
use crate::model::node::{EdgeId, NodeId, NodeKind, Trigger};
use crate::model::types::Kind;
use crate::model::{Graph, Model};
use crate::program::error::{ErrorClass, ErrorKind, is_answered_by_error};
use crate::value::{Str, Value};

/// A kind of error that no graph names.
const OTHER_KIND: &str = "other_error";

/// The kinds of error with which the world answers calls of tools and of models.
const TOOL_FAILURES: [ErrorKind; 5] = [
    ErrorKind::ToolFailed,
    ErrorKind::Unavailable,
    ErrorKind::RateLimited,
    ErrorKind::Denied,
    ErrorKind::Timeout,
];
const MODEL_FAILURES: [ErrorKind; 5] = [
    ErrorKind::Unavailable,
    ErrorKind::RateLimited,
    ErrorKind::ContextLimit,
    ErrorKind::Denied,
    ErrorKind::Timeout,
];

/// The kinds and classes of errors that graphs name.
#[derive(Debug)]
pub(super) struct NamedErrors {
    /// In expressions: they show wherever the error comes to.
    read: Vec<Str>,
    /// Those, and the ones that edges and attempts answer to.
    all: Vec<Str>,
}

impl NamedErrors {
    /// Those of a model.
    pub(super) fn of(model: &Model, uses: &ValueUses) -> Self {
        let mut read: Vec<Str> = Vec::new();
        for error in &uses.errors {
            for field in ["kind", "class"] {
                let region = uses.regions.known_field(*error, field);
                let points = region.into_iter().flat_map(|region| &uses.regions.get(region).points);
                read.extend(points.filter_map(Value::as_str).map(Str::from));
            }
        }
        let triggers =
            model.graphs.iter().flat_map(|graph| graph.graph.edge_weights()).flat_map(|edge| &edge.on);
        let answered = triggers.filter_map(|trigger| match trigger {
            Trigger::Kind(name) | Trigger::Class(name) => Some(name.clone()),
            _ => None,
        });
        let retries = model.graphs.iter().flat_map(|graph| graph.graph.node_weights());
        let retries = retries.flat_map(|node| &node.retry).flat_map(|retry| &retry.on);
        let mut all: Vec<Str> =
            read.iter().cloned().chain(answered).chain(retries.map(|word| word.value.clone())).collect();
        for words in [&mut read, &mut all] {
            words.sort_unstable();
            words.dedup();
        }
        Self { read, all }
    }

    /// True if a graph answers to the operator's end of a run.
    pub(super) fn answer_cancel(&self) -> bool {
        self.has(ErrorClass::Cancelled.name())
    }

    fn has(&self, word: &str) -> bool {
        self.all.iter().any(|own| own == word)
    }

    fn is_read(&self, word: &str) -> bool {
        self.read.iter().any(|own| own == word)
    }

    /// The failures of a call of a node that lead to different places, and one of a kind that nobody names.
    pub(super) fn failures(&self, call: &Call, graph: &Graph, node: NodeId) -> Vec<Outcome> {
        let own = &graph.graph[node].kind;
        let mut seen: Vec<FailurePath> = Vec::new();
        let mut all: Vec<Outcome> = Vec::new();
        for kind in self.kinds(call, graph) {
            let path = self.path(&kind, call, graph, node);
            if !seen.contains(&path) {
                seen.push(path);
                all.push(Outcome::failed(kind, ""));
            }
        }
        if let Some(misfit) = misfit(own) {
            all.push(Outcome::answer(misfit));
        }
        if call.is_once() {
            all.push(Outcome::Unknown { message: "".into() });
        }
        all
    }

    /// The kinds of the world that are named, or whose class is, those of the graph, and one that is not named.
    fn kinds(&self, call: &Call, graph: &Graph) -> Vec<Str> {
        let is_tool = matches!(call.request, Request::Tool { .. });
        let world = if is_tool { TOOL_FAILURES } else { MODEL_FAILURES };
        let (mut kinds, mut classes): (Vec<Str>, Vec<&str>) = (Vec::new(), Vec::new());
        for kind in world {
            let class = kind.class().name();
            let is_new_class = self.has(class) && !classes.contains(&class);
            if self.has(kind.name()) || is_new_class {
                classes.push(class);
                kinds.push(kind.into());
            }
        }
        if is_tool {
            // A tool may fail with a kind that the graph declares.
            let own = graph.errors.iter().filter(|(kind, class)| self.has(&kind.value) || self.has(class));
            kinds.extend(own.map(|(kind, _)| kind.value.clone()));
        }
        let unnamed = world.iter().find(|kind| !self.has(kind.name()) && !self.has(kind.class().name()));
        kinds.push(unnamed.map_or_else(|| OTHER_KIND.into(), |kind| (*kind).into()));
        kinds.dedup();
        kinds
    }

    /// All on which it depends where a failure of a kind leads to.
    fn path(&self, kind: &Str, call: &Call, graph: &Graph, node: NodeId) -> FailurePath {
        let class = class_of(kind, graph);
        let mut path = FailurePath {
            edges: Vec::new(),
            names: Vec::new(),
            // Of a call that may have been made it is not known what became of it; its time-out goes by that name.
            is_hidden: call.is_once() && ErrorKind::Timeout.is(kind),
            is_tried_again: graph.graph[node]
                .retry
                .as_ref()
                .is_some_and(|retry| retry.on.iter().any(|word| word.value == *kind || word.value == class)),
        };
        let names: [&str; 2] = [kind, class];
        let chosen = |is_named: &dyn Fn(&str) -> bool| {
            names.into_iter().filter(|name| is_named(name)).map(Str::from).collect()
        };
        let mut ends = false;
        for at in std::iter::once(node).chain(graph.cfg.around(node)) {
            for edge in &graph.graph[at].edges {
                let own = &graph.graph[*edge];
                if own.on.iter().any(|trigger| answers(trigger, kind, class)) {
                    path.edges.push(*edge);
                    // Without a guard the failure goes no further.
                    ends |= own.when.is_none();
                }
            }
            if ends {
                break;
            }
        }
        path.names = if ends { chosen(&|name| self.is_read(name)) } else { chosen(&|name| self.has(name)) };
        path
    }
}

/// The answers that a failure finds.
#[derive(Debug, PartialEq, Eq)]
struct FailurePath {
    /// The edges that answer to it, innermost first.
    edges: Vec<EdgeId>,
    /// Its kind and class, where something else asks for them.
    names: Vec<Str>,
    is_hidden: bool,
    is_tried_again: bool,
}

fn class_of<'g>(kind: &str, graph: &'g Graph) -> &'g str {
    let own = graph.errors.iter().find(|(own, _)| own.value == kind).map(|(_, class)| class.as_str());
    own.or_else(|| ErrorKind::named(kind).map(|kind| kind.class().name())).unwrap_or_default()
}

fn answers(trigger: &Trigger, kind: &str, class: &str) -> bool {
    match trigger {
        Trigger::AnyError => is_answered_by_error(kind),
        Trigger::Kind(own) => own == kind,
        Trigger::Class(own) => own == class,
        Trigger::Done | Trigger::Exhausted(_) | Trigger::Unknown => false,
    }
}

/// An answer that does not fit the type that is wanted; nothing where all fit.
fn misfit(kind: &NodeKind) -> Option<Value> {
    match kind {
        NodeKind::Model(own) if own.reply.is_some() || !matches!(own.output.kind, Kind::String(None)) => {
            Some(Value::from("no answer of the type"))
        }
        NodeKind::Tool(own) => match tool_type(own).kind {
            Kind::Any => None,
            Kind::String(_) | Kind::Enum(_) => Some(Value::Int(0)),
            _ => Some(Value::from("no answer of the type")),
        },
        _ => None,
    }
}
