//! The own keys of a node: which belong to its kind, which are missing, and the form each one takes.

use crate::diag::{Diagnostic, rule};
use crate::model::load::Callee;
use crate::model::typing::Cx;
use crate::source::{Span, Spanned};
use crate::syntax::KindName;
use crate::syntax::ast::{Block, Expr, Name, TypeExpr};
use crate::syntax::tree::{BranchDecl, CandidateDecl, KeyValue, NodeDecl, RetryDecl, Unread};

/// The kind of a node: as written, or by what it holds. [`None`] for a word that the reader has reported.
pub(super) fn kind_of(decl: &NodeDecl) -> Option<KindName> {
    match &decl.kind {
        _ if decl.unread.has_key("kind") => None,
        Some(word) => KindName::named(word.as_str()),
        None if decl.nodes.is_empty() => Some(KindName::Action),
        None => Some(KindName::Composite),
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

    /// Reports the keys of a node that belong to other kinds. The reader has reported those of one file; a variant may give
    /// keys to a node whose kind its base says.
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
            ("as", decl.alias.as_ref().map(|alias| alias.span)),
            ("branches", decl.branches.first().map(|branch| branch.name.span)),
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
        Self { of, what: KindName::Parallel, given, unread, branch: true }
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

    /// The graph that is to run: the path of a file, or the graph itself.
    pub(super) fn callee(&self, cx: &mut Cx<'_>) -> Option<Callee<'t>> {
        let callee = Callee::of(self.value("graph")?);
        if callee.is_none() {
            self.wrong("graph", "the path of a file, or a graph", cx);
        }
        callee
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
    flag Bool Spanned<bool>, "`true` or `false`";
    graphs Graphs Vec<CandidateDecl>, "paths, or graphs by name";
    retry Retry RetryDecl, "a mapping with `attempts` and the waits";
}

fn check_owner(name: &str, span: Span, kind: KindName, sink: &mut Vec<Diagnostic>) {
    let owners = KindName::owners(name);
    if !owners.is_empty() && !owners.contains(&kind.word()) {
        let message = format!("a node of kind `{}` has no key `{name}`", kind.word());
        let fault = Diagnostic::error(rule::KEY_OF_OTHER_KIND, span, message);
        sink.push(fault.help(format!("the key belongs to: {}", owners.join(", "))));
    }
}
