//! The own keys of a node: which belong to its kind, which are missing, and the form each one takes.

use crate::diag::{Diagnostic, nearest, rule};
use crate::model::typing::Cx;
use crate::source::{Span, Spanned};
use crate::syntax::ast::{Block, Expr, Name, TypeExpr};
use crate::syntax::tree::{BranchDecl, KeyValue, NodeDecl, RetryDecl, Unread};

/// The kind of a node, without its keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum KindName {
    Action,
    Choice,
    Composite,
    Model,
    Tool,
    Human,
    Call,
    Each,
    Parallel,
    Wait,
    Final,
}

use KindName as K;

/// The kinds by name.
const KINDS: [(&str, KindName); 11] = [
    ("action", K::Action),
    ("choice", K::Choice),
    ("composite", K::Composite),
    ("model", K::Model),
    ("tool", K::Tool),
    ("human", K::Human),
    ("call", K::Call),
    ("each", K::Each),
    ("parallel", K::Parallel),
    ("wait", K::Wait),
    ("final", K::Final),
];

/// The kinds that each key belongs to.
const OWNERS: &[(&str, &[KindName])] = &[
    (
        "do",
        &[
            K::Action,
            K::Composite,
            K::Model,
            K::Tool,
            K::Human,
            K::Call,
            K::Each,
            K::Parallel,
            K::Wait,
            K::Final,
        ],
    ),
    ("then", &[K::Model, K::Tool, K::Human, K::Call, K::Each, K::Parallel, K::Wait]),
    (
        "next",
        &[
            K::Action,
            K::Choice,
            K::Composite,
            K::Model,
            K::Tool,
            K::Human,
            K::Call,
            K::Each,
            K::Parallel,
            K::Wait,
        ],
    ),
    ("nodes", &[K::Composite]),
    ("start", &[K::Composite]),
    ("state", &[K::Composite]),
    ("budgets", &[K::Composite]),
    ("pause", &[K::Composite]),
    ("role", &[K::Model]),
    ("role_of", &[K::Model]),
    ("system", &[K::Model]),
    ("prompt", &[K::Model]),
    ("output", &[K::Model]),
    ("stream", &[K::Model]),
    ("cache", &[K::Model]),
    ("tool", &[K::Tool]),
    ("tool_of", &[K::Tool]),
    ("args", &[K::Tool]),
    ("allow", &[K::Tool]),
    ("delivery", &[K::Tool]),
    ("ask", &[K::Human]),
    ("options", &[K::Human]),
    ("answer", &[K::Human]),
    ("graph", &[K::Call, K::Each]),
    ("with", &[K::Call, K::Each]),
    ("merge", &[K::Call]),
    ("over", &[K::Each]),
    ("at_once", &[K::Each]),
    ("limit", &[K::Each]),
    ("on_error", &[K::Each, K::Parallel]),
    ("into", &[K::Model, K::Tool, K::Human, K::Call, K::Each]),
    ("timeout", &[K::Model, K::Tool, K::Human]),
    ("retry", &[K::Model, K::Tool]),
    ("outcome", &[K::Final]),
    ("ok", &[K::Final]),
    ("delay", &[K::Wait]),
];

impl KindName {
    /// The kind of a node: as written, or by what it holds. An unknown word is reported.
    pub(super) fn of(decl: &NodeDecl, sink: &mut Vec<Diagnostic>) -> Option<Self> {
        if decl.unread.has_key("kind") {
            return None;
        }
        let Some(word) = &decl.kind else {
            return Some(if decl.nodes.is_empty() { K::Action } else { K::Composite });
        };
        let known = KINDS.iter().find(|(name, _)| *name == word.value);
        if known.is_none() {
            let fault = Diagnostic::error(
                rule::UNKNOWN_KIND,
                word.span,
                format!("there is no kind of node `{}`", word.value),
            );
            let names = KINDS.map(|(name, _)| name);
            sink.push(fault.meant_or(nearest(word, names), format!("the kinds are {}", names.join(", "))));
        }
        known.map(|(_, kind)| *kind)
    }

    /// The name as it is written.
    pub(super) fn word(self) -> &'static str {
        KINDS.iter().find(|(_, kind)| *kind == self).map_or("", |(name, _)| name)
    }
}

/// The own keys of a node or branch, each taken once.
pub(super) struct Keys<'t> {
    of: &'t Name,
    what: KindName,
    given: &'t [(Name, KeyValue)],
    unread: &'t Unread,
    branch: bool,
}

impl<'t> Keys<'t> {
    /// The keys of a node. Those of other kinds are reported.
    pub(super) fn of_node(decl: &'t NodeDecl, kind: KindName) -> Self {
        Self { of: &decl.name, what: kind, given: &decl.keys, unread: &decl.unread, branch: false }
    }

    /// Reports the keys of a node that belong to other kinds.
    pub(super) fn check_owners(decl: &NodeDecl, kind: KindName, sink: &mut Vec<Diagnostic>) {
        for (name, _) in &decl.keys {
            check_owner(name, name.span, kind, sink);
        }
        let first = |block: &Option<Block>| {
            block.as_ref().map(|b| b.statements.first().map_or(decl.name.span, |statement| statement.span))
        };
        let edges = decl.edges.as_ref().map(|all| all.first().map_or(decl.name.span, |edge| edge.span));
        let fields = [
            ("do", first(&decl.entry)),
            ("then", first(&decl.then)),
            ("next", edges),
            ("nodes", decl.nodes.first().map(|node| node.name.span)),
            ("start", decl.start.as_ref().map(|start| start.to.span)),
            ("state", decl.state.first().map(|field| field.span)),
            ("budgets", decl.budgets.first().map(|budget| budget.span)),
            ("pause", decl.pause.as_ref().map(|pause| pause.span)),
        ];
        for (name, span) in fields {
            if let Some(span) = span {
                check_owner(name, span, kind, sink);
            }
        }
    }

    /// The keys of a branch.
    pub(super) fn of_branch(branch: &'t BranchDecl) -> Self {
        let (of, given, unread) = (&branch.name, &branch.keys, &branch.unread);
        Self { of, what: K::Parallel, given, unread, branch: true }
    }

    /// The place of the owner's name.
    pub(super) const fn span(&self) -> Span {
        self.of.span
    }

    fn find(&self, key: &str) -> Option<(&'t Name, &'t KeyValue)> {
        self.given.iter().find(|(name, _)| name.value == key).map(|(name, value)| (name, value))
    }

    /// True if the key is given, be it in a form that could not be read.
    pub(super) fn has(&self, key: &str) -> bool {
        self.find(key).is_some() || self.unread.has_key(key)
    }

    /// The place of the key.
    pub(super) fn span_of(&self, key: &str) -> Option<Span> {
        self.find(key).map(|(name, _)| name.span)
    }

    /// The key's value, in any form.
    pub(super) fn value(&self, key: &str) -> Option<&'t KeyValue> {
        self.find(key).map(|(_, value)| value)
    }

    /// Reports that one of these keys is needed.
    pub(super) fn missing(&self, keys: &str, example: &str, cx: &mut Cx<'_>) {
        let what = if self.branch {
            "a branch".to_owned()
        } else {
            format!("a node of kind `{}`", self.what.word())
        };
        let message = format!("`{}` is {what} and needs {keys}", self.of.value);
        cx.report(
            Diagnostic::error(rule::MISSING_KEY, self.of.span, message).help(format!("add `{example}`")),
        );
    }

    fn wrong(&self, key: &str, wanted: &str, cx: &mut Cx<'_>) {
        if let Some((name, _)) = self.find(key) {
            cx.report(Diagnostic::error(rule::WRONG_FORM, name.span, format!("`{key}` takes {wanted}")));
        }
    }
}

macro_rules! forms {
    ($($method:ident $form:ident $out:ty, $wanted:literal;)*) => {
        impl<'t> Keys<'t> {
            $(
                #[doc = concat!("The value of a key that takes ", $wanted, ".")]
                pub(super) fn $method(&self, key: &str, cx: &mut Cx<'_>) -> Option<&'t $out> {
                    match self.value(key)? {
                        KeyValue::$form(value) => Some(value),
                        _ => {
                            self.wrong(key, $wanted, cx);
                            None
                        }
                    }
                }
            )*
        }
    };
}

forms! {
    expr Expr Expr, "an expression";
    name Name Name, "a name";
    names Names Vec<Name>, "a list of names";
    ty Type TypeExpr, "a type";
    file File Spanned<String>, "the path of a file";
    flag Bool Spanned<bool>, "`true` or `false`";
    retry Retry RetryDecl, "a mapping with `attempts` and the waits";
}

fn check_owner(name: &str, span: Span, kind: KindName, sink: &mut Vec<Diagnostic>) {
    let Some((_, owners)) = OWNERS.iter().find(|(key, _)| *key == name) else {
        let fault = Diagnostic::error(rule::UNKNOWN_KEY, span, format!("a node has no key `{name}`"));
        let known = OWNERS.iter().filter(|(_, owners)| owners.contains(&kind)).map(|(key, _)| *key);
        sink.push(fault.meant(nearest(name, known)));
        return;
    };
    if !owners.contains(&kind) {
        let message = format!("a node of kind `{}` has no key `{name}`", kind.word());
        let owners: Vec<&str> = owners.iter().map(|k| k.word()).collect();
        let fault = Diagnostic::error(rule::KEY_OF_OTHER_KIND, span, message);
        sink.push(fault.help(format!("the key belongs to: {}", owners.join(", "))));
    }
}
