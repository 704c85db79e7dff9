//! A graph file as it is written: every declaration with its place, no name resolved.
//!
//! Both syntaxes read into this one tree. Lists keep the order of the text. An expression that could not be
//! parsed is reported once and stands in the tree as [`None`] or is left out, so that the rest is still judged.

mod node;
mod unread;

pub use self::node::{BranchDecl, CandidateDecl, EdgeDecl, KeyValue, NodeDecl, RetryDecl, TriggerDecl};
pub(crate) use self::node::{CalleeDecl, each_node};
pub use self::unread::Unread;
use std::sync::Arc;

use super::ast::{Block, Expr, Name, TypeExpr};
use crate::diag::Rule;
use crate::source::{FileId, Fragment, Span, Spanned};

/// One file.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Tree {
    /// The file.
    pub file: FileId,
    /// The place in the file of a graph that is written inside of another one.
    pub place: Option<Span>,
    /// `graph`: its id. Absent in files that only serve `use`.
    pub graph: Option<Name>,
    /// `title`, shown in drawings.
    pub title: Option<Spanned<String>>,
    /// `doc`.
    pub doc: Option<Spanned<String>>,
    /// `version`.
    pub version: Option<Spanned<String>>,
    /// `extends`: the file this one is a variant of.
    pub extends: Option<Spanned<String>>,
    /// `use`: files whose types, lets, actions, budgets and texts are merged in.
    pub uses: Vec<Spanned<String>>,
    /// `ignore`.
    pub ignores: Vec<IgnoreDecl>,
    /// `migrate`.
    pub migrate: Option<MigrateDecl>,
    /// `types`.
    pub types: Vec<TypeDecl>,
    /// `errors`: kind and class.
    pub errors: Vec<ErrorDecl>,
    /// `input`.
    pub input: Vec<FieldDecl>,
    /// `state`.
    pub state: Vec<FieldDecl>,
    /// `budgets`.
    pub budgets: Vec<BudgetDecl>,
    /// `let`.
    pub lets: Vec<LetDecl>,
    /// `actions`.
    pub actions: Vec<ActionDecl>,
    /// `roles`.
    pub roles: Vec<RoleDecl>,
    /// `texts`.
    pub texts: Vec<TextDecl>,
    /// `start`: the first node, perhaps with a label for the drawing.
    pub start: Option<StartDecl>,
    /// `pause` of the whole graph.
    pub pause: Option<PauseDecl>,
    /// `nodes`.
    pub nodes: Vec<NodeDecl>,
    /// `output`.
    pub output: Vec<(Name, Expr)>,
    /// `properties`.
    pub properties: Vec<PropertyDecl>,
    /// `views`.
    pub views: Vec<ViewDecl>,
    /// Comments with their places, in order of the text.
    pub comments: Vec<Spanned<String>>,
    /// The parts that could not be read.
    pub unread: Unread,
}

impl Tree {
    /// Calls `seen` for each graph that is written in place inside of this one, in order of the text.
    pub fn each_inner(&self, seen: &mut dyn FnMut(&Arc<Self>)) {
        node::each_inner(&self.nodes, seen);
    }

    /// All that it says: its own text where it is written in place, else the whole file.
    #[must_use]
    pub fn extent(&self) -> Span {
        self.place.unwrap_or(Span { file: self.file, start: 0, end: u32::MAX })
    }
}

/// `Name: {field: type}` or `Name: "enum(a, b)"` (or any other type: an alias).
#[derive(Debug, Clone, PartialEq)]
pub struct TypeDecl {
    /// The name.
    pub name: Name,
    /// The type that the name stands for.
    pub body: TypeBody,
    /// The whole declaration.
    pub span: Span,
}

/// The right side of a type declaration.
#[derive(Debug, Clone, PartialEq)]
pub enum TypeBody {
    /// A record; `open` lets unknown fields through as `any`.
    Record {
        /// `open Name:`
        open: bool,
        /// Its fields.
        fields: Vec<FieldDecl>,
    },
    /// Another type under a new name; enums are declared this way.
    Alias(TypeExpr),
}

/// `name: type`, `name: type = default`, `name: type = default where condition`.
#[derive(Debug, Clone, PartialEq)]
pub struct FieldDecl {
    /// The name.
    pub name: Name,
    /// The type.
    pub ty: TypeExpr,
    /// The default.
    pub default: Option<Expr>,
    /// The condition (input fields only).
    pub condition: Option<Expr>,
    /// The whole declaration.
    pub span: Span,
}

/// An error kind of the graph's own.
#[derive(Debug, Clone, PartialEq)]
pub struct ErrorDecl {
    /// The kind.
    pub name: Name,
    /// `recoverable`, `transient`, `fatal`.
    pub class: Name,
}

/// A budget or a family of budgets.
#[derive(Debug, Clone, PartialEq)]
pub struct BudgetDecl {
    /// The name.
    pub name: Name,
    /// One counter or a family.
    pub body: BudgetBody,
    /// The whole declaration.
    pub span: Span,
}

/// One counter or one set of counters per key.
#[derive(Debug, Clone, PartialEq)]
pub enum BudgetBody {
    /// One counter.
    Counter(MeterDecl),
    /// `{each: keys(contract), as: slot, meters: {explore: {limit: …}}}`.
    Family {
        /// The list of keys.
        each: Expr,
        /// The name of one key inside the limits.
        binding: Option<Name>,
        /// Named counters per key.
        meters: Vec<(Name, MeterDecl)>,
    },
}

/// A counter's limit and ways.
#[derive(Debug, Clone, PartialEq)]
pub struct MeterDecl {
    /// The limit.
    pub limit: Expr,
    /// The amount that may be spent past the limit.
    pub grace: Option<Expr>,
    /// `hard` (default) or `advisory`.
    pub gate: Option<Name>,
    /// `rounds`, `calls`, `tokens`, `usd`, `seconds`.
    pub unit: Option<Name>,
    /// `transitions`, `model.calls`, `model.tokens`, `model.cost`, `tool.calls`, `time`.
    pub charge: Option<Spanned<String>>,
}

/// A named expression.
#[derive(Debug, Clone, PartialEq)]
pub struct LetDecl {
    /// The name.
    pub name: Name,
    /// Its parameters, if any.
    pub params: Vec<Name>,
    /// The expression.
    pub body: Expr,
}

/// A named statement list.
#[derive(Debug, Clone, PartialEq)]
pub struct ActionDecl {
    /// The name.
    pub name: Name,
    /// The statements.
    pub body: Block,
}

/// A model role this graph asks for.
#[derive(Debug, Clone, PartialEq)]
pub struct RoleDecl {
    /// The name.
    pub name: Name,
    /// Its documentation.
    pub doc: Option<Spanned<String>>,
}

/// A prompt template.
#[derive(Debug, Clone, PartialEq)]
pub struct TextDecl {
    /// The name.
    pub name: Name,
    /// Inline or in a file.
    pub body: TextBody,
}

/// The text of a template, or the file that holds it.
#[derive(Debug, Clone, PartialEq)]
pub enum TextBody {
    /// In the graph file.
    Inline(Fragment),
    /// In a file beside it.
    File(Spanned<String>),
}

/// The start transition.
#[derive(Debug, Clone, PartialEq)]
pub struct StartDecl {
    /// The first node.
    pub to: Name,
    /// Its label in drawings.
    pub label: Option<Spanned<String>>,
}

/// `pause when EXPR ask TEXT`.
#[derive(Debug, Clone, PartialEq)]
pub struct PauseDecl {
    /// Tested before each transition.
    pub when: Expr,
    /// The question to the person: the name of a text, or an expression.
    pub ask: Option<Expr>,
    /// The whole declaration.
    pub span: Span,
}

/// A property and its name.
#[derive(Debug, Clone, PartialEq)]
pub struct PropertyDecl {
    /// The name.
    pub name: Name,
    /// The condition and the time at which it must hold.
    pub body: PropertyBody,
}

/// The forms of a property.
#[derive(Debug, Clone, PartialEq)]
pub enum PropertyBody {
    /// `never E`.
    Never(Expr),
    /// `always E`.
    Always(Expr),
    /// `eventually E`.
    Eventually(Expr),
    /// `A precedes B`.
    Precedes(Expr, Expr),
}

/// A rule of `check` whose findings are left out.
#[derive(Debug, Clone, PartialEq)]
pub struct IgnoreDecl {
    /// The rule.
    pub rule: Rule,
    /// The reason.
    pub reason: Spanned<String>,
    /// The rule with its reason.
    pub span: Span,
}

/// The names that parts of an earlier version of the graph had, each with the name it has now.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MigrateDecl {
    /// The id of the graph.
    pub graph: Option<Spanned<String>>,
    /// Inputs and state fields.
    pub fields: Vec<(Name, Name)>,
    /// Nodes.
    pub nodes: Vec<(Name, Name)>,
    /// Budgets and families of budgets.
    pub budgets: Vec<(Name, Name)>,
}

/// A named drawing.
#[derive(Debug, Clone, PartialEq)]
pub struct ViewDecl {
    /// The name.
    pub name: Name,
    /// `as`: `state` or `flow`.
    pub form: Option<Name>,
    /// `open`: composites that are expanded.
    pub open: Vec<Name>,
    /// `flat`.
    pub flat: Option<Spanned<bool>>,
    /// `errors`.
    pub errors: Option<Spanned<bool>>,
    /// `direction`: `TB` or `LR`.
    pub direction: Option<Name>,
}
