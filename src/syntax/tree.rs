//! A graph file as it is written: every declaration with its place, no name resolved.
//!
//! Both syntaxes read into this one tree. Lists keep the order of the text. An expression that could not be
//! parsed is reported once and stands in the tree as [`None`] or is left out, so that the rest is still judged.

use super::ast::{Block, Expr, Name, TypeExpr};
use crate::source::{FileId, Fragment, Span, Spanned};

/// One file.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Tree {
    /// The file.
    pub file: FileId,
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
    /// The text could not be read to its end: what seems missing may only not have been read.
    pub broken: bool,
    /// Sections that are there, but could not be read in full or are misspelt: nobody misses them.
    pub spoilt: Vec<String>,
    /// Names whose declarations could not be read, which was reported: nobody misses them.
    pub lost: Vec<String>,
    /// Declarations could not be read, and their names are not known either.
    pub partial: bool,
}

/// `Name: {field: type}` or `Name: "enum(a, b)"` (or any other type: an alias).
#[derive(Debug, Clone, PartialEq)]
pub struct TypeDecl {
    /// The name.
    pub name: Name,
    /// What it stands for.
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
    /// What may be spent past the limit.
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
    /// What it is for.
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

/// Where a template's text stands.
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
    /// What the person is asked: the name of a text, or an expression.
    pub ask: Option<Expr>,
    /// The whole declaration.
    pub span: Span,
}

/// A node with its edges.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct NodeDecl {
    /// The name.
    pub name: Name,
    /// `kind`, when written. A node with `nodes` is a composite without saying so.
    pub kind: Option<Name>,
    /// `title`, shown in drawings.
    pub title: Option<Spanned<String>>,
    /// `doc`.
    pub doc: Option<Spanned<String>>,
    /// `as: end` draws a final as `[*]` alone; on an `each` node it is the item's name.
    pub alias: Option<Name>,
    /// Entry statements.
    pub entry: Option<Block>,
    /// Statements after the effect, on success only.
    pub then: Option<Block>,
    /// Keys other than those with a field of their own.
    pub keys: Vec<(Name, KeyValue)>,
    /// `start` of a composite.
    pub start: Option<StartDecl>,
    /// `state` of a composite.
    pub state: Vec<FieldDecl>,
    /// `budgets` of a composite.
    pub budgets: Vec<BudgetDecl>,
    /// `pause` of a composite.
    pub pause: Option<PauseDecl>,
    /// Inner nodes of a composite.
    pub nodes: Vec<NodeDecl>,
    /// Branches of a `parallel` node.
    pub branches: Vec<BranchDecl>,
    /// Outgoing edges in order. [`None`]: no `next` was written (it matters to `extends`).
    pub edges: Option<Vec<EdgeDecl>>,
    /// Keys that are there, but could not be read in full or are misspelt: nobody misses them. With `kind` among
    /// them the node's kind is in doubt.
    pub spoilt: Vec<String>,
    /// The whole declaration.
    pub span: Span,
}

/// The value of a node's own key. Which form a key takes is decided by the syntax (see `lower`).
#[derive(Debug, Clone, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "a graph has few keys, and they are short-lived")]
pub enum KeyValue {
    /// An expression: `role_of`, `tool_of`, `over`, `delay`, `outcome`, `ok`, `timeout`, `limit`, `at_once`, `args`…
    Expr(Expr),
    /// A map of expressions: `args`, `with` given as a mapping.
    Fields(Vec<(Name, Expr)>),
    /// A plain name: `role`, `tool`, `prompt`, `system`, `ask`, `stream`, `merge`, `on_error`, `delivery`.
    Name(Name),
    /// A list of names: `allow`, `options`.
    Names(Vec<Name>),
    /// A place to write to: `into`.
    Place(super::ast::Place),
    /// A type: `output` of a model node, `answer` of a human node.
    Type(TypeExpr),
    /// A file: `graph` of a call.
    File(Spanned<String>),
    /// A flag: `cache`.
    Bool(Spanned<bool>),
    /// `retry`.
    Retry(RetryDecl),
}

/// `retry {attempts: 3, on: [transient], first: 1s, factor: 2, max: 1m, jitter: 0}`.
#[derive(Debug, Clone, PartialEq)]
pub struct RetryDecl {
    /// How often the call is made at most.
    pub attempts: Option<Expr>,
    /// Error kinds or classes that are tried again.
    pub on: Vec<Name>,
    /// The first wait.
    pub first: Option<Expr>,
    /// Each wait is the last times this.
    pub factor: Option<Expr>,
    /// No wait is longer.
    pub max: Option<Expr>,
    /// Share of each wait that is random, 0 to 1.
    pub jitter: Option<Expr>,
    /// The whole declaration.
    pub span: Span,
}

/// A branch of a `parallel` node.
#[derive(Debug, Clone, PartialEq)]
pub struct BranchDecl {
    /// The name.
    pub name: Name,
    /// Its keys: `graph`, `with`, `into`.
    pub keys: Vec<(Name, KeyValue)>,
    /// Keys that are there, but could not be read or are misspelt: nobody misses them.
    pub spoilt: Vec<String>,
}

/// An edge.
#[derive(Debug, Clone, PartialEq)]
pub struct EdgeDecl {
    /// The target.
    pub to: Name,
    /// `label`.
    pub label: Option<Spanned<String>>,
    /// `outer`: the label when the edge is drawn collapsed.
    pub outer: Option<Spanned<String>>,
    /// `on`: the triggers; empty means `done`.
    pub on: Vec<TriggerDecl>,
    /// `when`.
    pub when: Option<Expr>,
    /// `do`.
    pub action: Option<Block>,
    /// The whole declaration.
    pub span: Span,
}

/// One trigger of an edge: `done`, `error`, `error(kind)`, `timeout`, `exhausted(budget)`, `unknown`.
#[derive(Debug, Clone, PartialEq)]
pub struct TriggerDecl {
    /// The word.
    pub name: Name,
    /// What stands in the parentheses: a kind, a class, a budget (`family[key].meter` has an expression).
    pub arg: Option<Expr>,
}

/// A property and its name.
#[derive(Debug, Clone, PartialEq)]
pub struct PropertyDecl {
    /// The name.
    pub name: Name,
    /// What must hold.
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
}
