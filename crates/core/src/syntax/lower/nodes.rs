//! Nodes: the keys all of them have, and those of each kind.

use std::sync::Arc;

use super::Lower;
use super::form::{Form, Key, of};
use super::texts::is_text_here;
use crate::diag::{Diagnostic, nearest, rule};
use crate::syntax::ast::Name;
use crate::syntax::tree::{BranchDecl, KeyValue, NodeDecl, Unread};
use crate::syntax::yaml::{Entry, Node, NodeKind, Scalar};

macro_rules! kinds {
    ($($kind:ident $word:literal $doc:literal;)*) => {
        /// A kind of node, without its keys.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) enum KindName {
            $(#[doc = $doc] $kind,)*
        }

        impl KindName {
            const ALL: &[Self] = &[$(Self::$kind),*];
        }

        /// The kinds of node by their words, with what each does.
        pub(in crate::syntax) const NODE_KINDS: &[(&str, &str)] = &[$(($word, $doc)),*];
        const KIND_NAMES: &[&str] = &[$($word),*];
    };
}

// The name in code, the word in a file, what it does.
kinds! {
    Action "action" "Runs its `do`. The default.";
    Choice "choice" "Does nothing: a pure branch.";
    Composite "composite" "Holds nodes and its own start.";
    Model "model" "Asks a language model for one typed answer.";
    Tool "tool" "Calls one tool.";
    Human "human" "Waits for a person.";
    Call "call" "Runs another graph to completion.";
    Each "each" "Runs a graph for every item of a list.";
    Parallel "parallel" "Runs named branches, each a graph.";
    Wait "wait" "Sleeps.";
    Final "final" "Ends this graph or composite.";
}

impl KindName {
    /// The kind that a word names.
    pub(crate) fn named(word: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|kind| kind.word() == word)
    }

    /// The word as it is written.
    pub(crate) const fn word(self) -> &'static str {
        KIND_NAMES[self as usize]
    }

    /// The words of the kinds that a key belongs to; none for a key that all of them have.
    pub(crate) fn owners(key: &str) -> &'static [&'static str] {
        NODE_KEYS.iter().find(|row| row.name == key).map_or(&[], |row| row.kinds)
    }
}

/// The ways to continue when a lane fails.
pub(in crate::syntax) const ON_ERROR: &[&str] = &["stop", "collect"];
/// The number of times that a call may reach a tool.
pub(in crate::syntax) const DELIVERIES: &[&str] = &["pure", "idempotent", "at_least_once", "at_most_once"];

/// Kinds that run statements on entry: all but `choice`.
const ENTRY: &[&str] =
    &["action", "composite", "model", "tool", "human", "call", "each", "parallel", "wait", "final"];
/// Kinds with an effect.
const EFFECT: &[&str] = &["model", "tool", "human", "call", "each", "parallel", "wait"];
/// Kinds with edges: all but `final`.
const EDGES: &[&str] =
    &["action", "choice", "composite", "model", "tool", "human", "call", "each", "parallel", "wait"];
const COMPOSITE: &[&str] = &["composite"];

/// The keys of nodes.
pub(in crate::syntax) const NODE_KEYS: &[Key<NodeDecl>] = &[
    // `kind` was read before all others.
    Key::new(
        "kind",
        Form::Word(KIND_NAMES),
        "The kind; `action` by default, `composite` with `nodes`.",
        |_, _, _, _| {},
    ),
    Key::new("title", Form::Text, "Shown in drawings in place of the name.", |l, _, e, n| {
        n.title = l.label(&e.value);
    }),
    Key::new("doc", Form::Text, "The purpose of the graph.", |l, _, e, n| n.doc = l.text(&e.value)),
    Key::new(
        "new",
        Form::Bool,
        "True for a node that a variant adds to the graph it extends.",
        |l, _, e, n| {
            n.new = l.flag(&e.value);
        },
    ),
    Key::new(
        "ignore",
        Form::Ignores,
        "Rules of `check` whose findings here are left out, each with the reason.",
        |l, _, e, n| {
            n.ignores = l.ignores(&e.value);
        },
    ),
    of(
        ENTRY,
        Key::new("do", Form::Statements, "Statements that run on entry.", |l, _, e, n| {
            n.entry = l.statements(&e.value);
        }),
    ),
    of(
        EFFECT,
        Key::new(
            "then",
            Form::Statements,
            "Statements that run after the effect, on success only.",
            |l, _, e, n| {
                n.then = l.statements(&e.value);
            },
        ),
    ),
    of(
        EDGES,
        Key::new("next", Form::Edges, "Its outgoing edges, in order.", |l, _, e, n| {
            n.edges = Some(l.edges(&e.value));
        }),
    ),
    of(
        COMPOSITE,
        Key::new("start", Form::Start, "The first inner node.", |l, _, e, n| n.start = l.start(&e.value)),
    ),
    of(COMPOSITE, Key::new("nodes", Form::Nodes, "Inner nodes.", |l, _, e, n| n.nodes = l.nodes(&e.value))),
    of(
        COMPOSITE,
        Key::new("state", Form::FieldDecls, "Fields that are reset at every entry.", |l, _, e, n| {
            n.state = l.fields(&e.value, "`state`");
        }),
    ),
    of(
        COMPOSITE,
        Key::new("budgets", Form::Budgets, "Budgets that are reset at every entry.", |l, _, e, n| {
            n.budgets = l.budgets(&e.value);
        }),
    ),
    of(
        COMPOSITE,
        Key::new(
            "pause",
            Form::Pause,
            "A condition under which a person is asked before the run continues.",
            |l, _, e, n| {
                n.pause = l.pause(e).map(Box::new);
            },
        ),
    ),
    of(&["model"], Key::new("role", Form::Name, "The model role that is asked.", own)),
    of(&["model"], Key::new("role_of", Form::Expr, "The model role as an expression.", own)),
    of(
        &["model"],
        Key::new(
            "system",
            Form::TextName,
            "The system text: the name of a text, a text that stands here, or an expression.",
            own,
        ),
    ),
    of(
        &["model"],
        Key::new(
            "prompt",
            Form::TextName,
            "The prompt: the name of a text, a text that stands here, or an expression.",
            own,
        ),
    ),
    of(
        &["model"],
        Key::new("messages", Form::Expr, "The messages of a conversation, in place of `prompt`.", own),
    ),
    of(&["model"], Key::new("offer", Form::ToolNames, "The tools that the model may ask to call.", own)),
    of(&["model"], Key::new("offer_of", Form::Expr, "The names of these tools as an expression.", own)),
    of(
        &["model"],
        Key::new(
            "output",
            Form::Type,
            "The type of the answer; `string` is the raw text, `Reply` the text with calls of tools.",
            own,
        ),
    ),
    of(
        &["model"],
        Key::new(
            "limits",
            Form::Fields,
            "What fields of the answer may be in this request: lists of texts, or JSON Schemas.",
            own,
        ),
    ),
    of(
        &["model"],
        Key::new("stream", Form::Name, "The field of the answer that is streamed to observers.", own),
    ),
    of(
        &["model"],
        Key::new("cache", Form::Bool, "True allows an answer from the cache for an equal request.", own),
    ),
    of(&["tool"], Key::new("tool", Form::ToolName, "The tool that is called.", own)),
    of(&["tool"], Key::new("tool_of", Form::Expr, "The tool as an expression.", own)),
    of(&["tool"], Key::new("args", Form::Fields, "The arguments.", own)),
    of(&["tool"], Key::new("allow", Form::ToolNames, "The only tools that may be called.", own)),
    of(
        &["tool"],
        Key::new("delivery", Form::Word(DELIVERIES), "Stricter delivery than the tool's own.", own),
    ),
    of(
        &["human"],
        Key::new(
            "ask",
            Form::TextName,
            "The question: the name of a text, a text that stands here, or an expression.",
            own,
        ),
    ),
    of(&["human"], Key::new("options", Form::Names, "The answers to choose from.", own)),
    of(&["human"], Key::new("answer", Form::Type, "The type of the answer.", own)),
    of(
        &["call", "each"],
        Key::new("graph", Form::Graph, "The file of the graph that runs, or the graph in place.", own),
    ),
    of(
        &["call", "each"],
        Key::new("graph_of", Form::Expr, "The name of one of `graphs` as an expression.", own),
    ),
    of(
        &["call", "each"],
        Key::new("graphs", Form::Graphs, "The graphs to choose from: paths, or graphs by name.", own),
    ),
    of(&["call", "each"], Key::new("with", Form::Fields, "Its inputs.", own)),
    of(
        &["call"],
        Key::new("merge", Form::Name, "The map that the output of the same name is merged into.", own),
    ),
    of(&["each"], Key::new("over", Form::Expr, "The list.", own)),
    of(
        &["each", "final"],
        Key::new(
            "as",
            Form::Name,
            "`each`: the item's name. `final`: `end` draws it as a bullet alone.",
            |l, _, e, n| {
                n.alias = l.name(&e.value, "an item");
            },
        ),
    ),
    of(&["each"], Key::new("at_once", Form::Expr, "The greatest number of lanes at a time.", own)),
    of(&["each"], Key::new("limit", Form::Expr, "The greatest number of items.", own)),
    of(
        &["each", "parallel"],
        Key::new("on_error", Form::Word(ON_ERROR), "`stop` (default) or `collect`.", own),
    ),
    of(
        &["parallel"],
        Key::new("branches", Form::Branches, "The branches by name.", |l, _, e, n| {
            n.branches = l.branches(&e.value);
        }),
    ),
    of(
        &["model", "tool", "human", "call", "each"],
        Key::new("into", Form::Place, "The state field for the answer.", own),
    ),
    of(
        &["model", "tool", "human"],
        Key::new("timeout", Form::Expr, "The longest time that the effect may take.", own),
    ),
    of(&["model", "tool"], Key::new("retry", Form::Retry, "The rules for repeating a failed call.", own)),
    of(&["wait"], Key::new("delay", Form::Expr, "The time to sleep.", own)),
    of(&["final"], Key::new("outcome", Form::Expr, "The outcome; the node's name by default.", own)),
    of(&["final"], Key::new("ok", Form::Expr, "False makes the run a failure.", own)),
];

/// The keys of a branch.
pub(in crate::syntax) const BRANCH_KEYS: &[Key<BranchDecl>] = &[
    Key::new("graph", Form::Graph, "The file of the graph that runs, or the graph in place.", branch),
    Key::new("graph_of", Form::Expr, "The name of one of `graphs` as an expression.", branch),
    Key::new("graphs", Form::Graphs, "The graphs to choose from: paths, or graphs by name.", branch),
    Key::new("with", Form::Fields, "Its inputs.", branch),
    Key::new("into", Form::Place, "The state field for its result.", branch),
];

/// Reads a key that has no field of its own in [`NodeDecl`].
fn own(lower: &mut Lower<'_>, key: &Key<NodeDecl>, entry: &Entry<'_>, node: &mut NodeDecl) {
    match lower.key_value(key.form, entry) {
        Some(value) => node.keys.push((lower.key_name(entry), value)),
        None => node.unread.add_key(key.name),
    }
}

fn branch(lower: &mut Lower<'_>, key: &Key<BranchDecl>, entry: &Entry<'_>, branch: &mut BranchDecl) {
    match lower.key_value(key.form, entry) {
        Some(value) => branch.keys.push((lower.key_name(entry), value)),
        None => branch.unread.add_key(key.name),
    }
}

impl Lower<'_> {
    /// Nodes by name.
    pub(super) fn nodes(&mut self, node: &Node<'_>) -> Vec<NodeDecl> {
        let entries = self.entries(node, "`nodes`");
        let mut nodes = Vec::with_capacity(entries.len());
        for entry in entries {
            // What is left when a file has had enough findings would only cost memory.
            if self.is_full() {
                break;
            }
            nodes.extend(self.node(entry));
        }
        nodes
    }

    fn node(&mut self, entry: &Entry<'_>) -> Option<NodeDecl> {
        let name = self.declared(entry, "a node");
        let entries = self.entries(&entry.value, "a node");
        let before = self.out.len();
        let (kind, effective) = self.kind(entries);
        let written = kind.is_some();
        let mut node = NodeDecl { kind, span: entry.span(), ..NodeDecl::default() };
        if self.out.len() > before {
            node.unread.add_key("kind");
        }
        let mut foreign: Vec<(&Entry<'_>, &[&str])> = Vec::new();
        let outer = std::mem::replace(&mut self.owner, entry.name().to_string());
        for item in entries {
            let Some(key) = NODE_KEYS.iter().find(|key| key.name == item.name()) else {
                if !self.is_full() {
                    let meant = self.unknown_key(item, "a node", NODE_KEYS, effective);
                    node.unread.add_keys(meant);
                }
                continue;
            };
            if effective.is_some_and(|kind| !key.kinds.is_empty() && !key.kinds.contains(&kind)) {
                foreign.push((item, key.kinds));
            }
            let before = self.out.len();
            (key.read)(self, key, item, &mut node);
            if self.spoils(before, &item.value) {
                node.unread.add_key(key.name);
            }
        }
        self.owner = outer;
        if let Some(kind) = effective.filter(|_| !foreign.is_empty()) {
            self.keys_of_other_kinds(entry.name(), kind, written, &foreign);
            node.unread.add_key("kind");
        }
        if self.is_reported(entry.span()) {
            // What was left out there may be anything a node has.
            node.unread.add_keys(["kind", "do", "next"]);
        }
        node.name = name?;
        Some(node)
    }

    /// The kind as written, and the kind the node has; neither when the word is unknown.
    fn kind(&mut self, entries: &[Entry<'_>]) -> (Option<Name>, Option<&'static str>) {
        let has = |name: &str| entries.iter().any(|e| e.name() == name);
        let Some(written) = entries.iter().find(|e| e.name() == "kind") else {
            // In a variant such a node patches one of its base, whose kind is not known here.
            let kind = if has("nodes") { "composite" } else { "action" };
            return (None, (!self.variant).then_some(kind));
        };
        let Some(kind) = self.reference(&written.value, "a kind of node") else { return (None, None) };
        if let Some(known) = KIND_NAMES.iter().find(|k| **k == kind.value) {
            return (Some(kind), Some(known));
        }
        let found = Diagnostic::error(
            rule::UNKNOWN_KIND,
            kind.span,
            format!("there is no kind of node `{}`", kind.value),
        );
        let all = format!("the kinds are {}", KIND_NAMES.join(", "));
        let near = kind_elsewhere(&kind.value).or_else(|| nearest(&kind.value, KIND_NAMES.iter().copied()));
        self.report(found.meant_or(near, all));
        (Some(kind), None)
    }

    fn key_name(&self, entry: &Entry<'_>) -> Name {
        Name::new(entry.name().to_string(), entry.key.whole(self.text))
    }

    pub(super) fn key_value(&mut self, form: Form, entry: &Entry<'_>) -> Option<KeyValue> {
        let node = &entry.value;
        Some(match form {
            Form::Name => KeyValue::Name(self.name(node, named(entry.name()))?),
            Form::ToolName => KeyValue::Name(self.tool_name(node)?),
            Form::Word(words) => KeyValue::Name(self.word(node, words)?),
            Form::Names => KeyValue::Names(self.names(node, named(entry.name()))?),
            Form::ToolNames => KeyValue::Names(self.one_or_more(node, Self::tool_name)?),
            Form::TextName if is_text_here(node) => KeyValue::Name(self.text_here(entry)?),
            Form::TextName => match node.scalar() {
                Some(s) if crate::syntax::names::is_identifier(&s.text) => {
                    KeyValue::Name(self.name(node, "a text")?)
                }
                // No expression of type string has a minus: the name of a text is meant, and was refused there.
                Some(s) if is_dashed(&s.text) => KeyValue::Name(self.reference(node, "a text")?),
                _ if node.scalar().is_none_or(Scalar::is_empty) => {
                    self.wrong_form(node, "the name of a text or an expression", "one name");
                    return None;
                }
                _ => KeyValue::Expr(self.expr(node)?),
            },
            Form::Type => KeyValue::Type(self.type_expr(node)?),
            Form::Place => KeyValue::Place(self.place(node)?),
            Form::Graph if matches!(node.kind, NodeKind::Mapping(_)) => {
                KeyValue::Graph(Arc::new(self.inner_graph(node)))
            }
            Form::Path | Form::Graph => KeyValue::File(self.text(node)?),
            Form::Graphs => KeyValue::Graphs(self.candidates(node)?),
            Form::Bool => KeyValue::Bool(self.flag(node)?),
            Form::Retry => KeyValue::Retry(self.retry(entry)?),
            Form::Fields => match &node.kind {
                NodeKind::Mapping(entries) => KeyValue::Fields(self.all(entries, |lower, e| {
                    let name = lower.name_in(&e.key, "an argument", false);
                    let value = lower.expr(&e.value);
                    Some((name?, value?))
                })?),
                NodeKind::Sequence(_) => {
                    self.wrong_form(node, "a mapping of expressions by name", "`{name: value}`");
                    return None;
                }
                _ => KeyValue::Expr(self.expr(node)?),
            },
            _ => KeyValue::Expr(self.expr(node)?),
        })
    }

    fn branches(&mut self, node: &Node<'_>) -> Vec<BranchDecl> {
        let mut branches = Vec::new();
        for entry in self.entries(node, "`branches`") {
            let Some(name) = self.declared(entry, "a branch") else { continue };
            let mut branch = BranchDecl { name, keys: Vec::new(), unread: Unread::default() };
            let known = self.mapping(&entry.value, "a branch", BRANCH_KEYS, &mut branch);
            if !known {
                branch.unread.add_keys(BRANCH_KEYS.iter().map(|key| key.name));
            }
            branches.push(branch);
        }
        branches
    }
}

/// Returns true if a text is a name but for dashes in it.
fn is_dashed(text: &str) -> bool {
    text.contains('-') && crate::syntax::names::is_identifier(&text.replace('-', "_"))
}

/// The kind of node for what is called otherwise elsewhere.
fn kind_elsewhere(word: &str) -> Option<&'static str> {
    Some(match word {
        "end" | "exit" | "stop" | "terminal" => "final",
        "llm" | "agent" | "prompt" => "model",
        "if" | "switch" | "branch" | "router" => "choice",
        "task" | "step" => "action",
        "map" | "foreach" | "for" => "each",
        "subgraph" | "graph" => "call",
        "user" | "person" | "approval" => "human",
        _ => return None,
    })
}

/// The kind of thing that the value of a key of names names.
fn named(key: &str) -> &'static str {
    match key {
        "role" => "a role",
        "stream" | "merge" => "a field",
        "options" => "an answer",
        _ => "a thing",
    }
}
