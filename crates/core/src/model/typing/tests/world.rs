//! A small graph in code: some types, state, budgets, lets, nodes.

use crate::diag::Diagnostic;
use crate::model::expr::{Block, BudgetId, Expr, FamilyId, SlotId, SlotKind, TextId};
use crate::model::graph::Action;
use crate::model::node::NodeId;
use crate::model::record::TypeTable;
use crate::model::types::{Kind, Type};
use crate::model::typing::{Builtins, Cx, ErrorScope, Facts, Here, Scope, TypeNames, declare_types, show};
use crate::source::{FileId, Fragment, Span, Spanned};
use crate::syntax::ast::Name;
use crate::syntax::expr;
use crate::syntax::tree::{ActionDecl, FieldDecl, LetDecl, TypeBody, TypeDecl};

/// The types of the world.
const RECORDS: &[(&str, &[&str])] = &[
    ("Call", &["id: string", "params: map<any>", "note: string?"]),
    ("Decision", &["action: Action", "call: Call?", "score: float = 0.5", "tags: list<string> = []"]),
    ("Pair", &["id: string", "params: map<any>", "note: string?"]),
    ("Tree", &["name: string", "children: list<Tree> = []"]),
    ("Twig", &["name: string", "children: list<Twig> = []"]),
    ("Both", &["id: string", "inner: Pair = Pair{id: 'x', params: {}}"]),
];
const ALIASES: &[(&str, &str)] = &[
    ("Action", "enum(go, stop, wait)"),
    ("Some", "enum(go, stop)"),
    ("Other", "enum(red, green)"),
    ("Id", "string(8)"),
];
const SLOTS: &[&str] = &[
    "question: string",
    "most: int",
    "count: int",
    "digit: int(0..9)",
    "rate: float",
    "cost: usd",
    "span: duration",
    "text: string",
    "maybe: string?",
    "number: int?",
    "flag: bool",
    "doubt: bool?",
    "json: any",
    "answer: Decision?",
    "last: Decision",
    "act: Action",
    "some: Some",
    "other: Other",
    "names: list<string>",
    "holes: list<string?>",
    "few: list<int>(3)",
    "calls: list<Call>",
    "ages: map<int>",
    "tree: Tree",
    "id: Id",
    "acts: list<Action>",
    "prices: list<usd>",
];
/// The number of slots that are inputs.
const INPUTS: usize = 2;

pub(super) struct World {
    pub(super) scope: Scope,
    pub(super) types: TypeTable,
    pub(super) faults: Vec<Diagnostic>,
    pub(super) actions: Vec<Action>,
}

pub(super) fn name(text: &str) -> Name {
    Spanned::new(text.to_owned(), Span::default())
}

pub(super) fn fragment(text: &str) -> Fragment {
    Fragment::verbatim(text, FileId(0), 0)
}

pub(super) fn field(line: &str) -> FieldDecl {
    let (own, rest) = line.split_once(':').expect("a field has a name");
    let mut faults = Vec::new();
    let read = expr::field_line(&fragment(rest), &mut faults);
    let (ty, default, condition) = read.unwrap_or_else(|| panic!("{line}: {faults:?}"));
    FieldDecl { name: name(own), ty, default, condition, span: Span::default() }
}

pub(super) fn record(own: &str, fields: &[&str]) -> TypeDecl {
    let fields = fields.iter().map(|f| field(f)).collect();
    TypeDecl { name: name(own), body: TypeBody::Record { open: false, fields }, span: Span::default() }
}

pub(super) fn alias(own: &str, ty: &str) -> TypeDecl {
    let ty = expr::type_expr(&fragment(ty), &mut Vec::new()).expect("the type is well written");
    TypeDecl { name: name(own), body: TypeBody::Alias(ty), span: Span::default() }
}

fn parse(text: &str) -> crate::syntax::ast::Expr {
    let mut faults = Vec::new();
    expr::expression(&fragment(text), &mut faults).unwrap_or_else(|| panic!("{text}: {faults:?}"))
}

pub(super) fn lets(heads: &[(&str, &str)]) -> Vec<LetDecl> {
    heads
        .iter()
        .map(|(head, body)| {
            let (name, params) =
                expr::let_head(&fragment(head), &mut Vec::new()).expect("the head is well written");
            LetDecl { name, params, body: parse(body) }
        })
        .collect()
}

impl World {
    pub(super) fn new() -> Self {
        Self::with(&[], &[])
    }

    pub(super) fn with(heads: &[(&str, &str)], actions: &[(&str, &str)]) -> Self {
        let (mut types, mut names, mut faults) = (TypeTable::default(), TypeNames::new(), Vec::new());
        let builtins = Builtins::declare(&mut types);
        let mut decls: Vec<TypeDecl> = RECORDS.iter().map(|(own, fields)| record(own, fields)).collect();
        decls.extend(ALIASES.iter().map(|(own, ty)| alias(own, ty)));
        declare_types(&decls, &mut names, &mut types, &builtins, &mut faults);
        let mut scope = Scope::new(builtins, names);
        for (at, line) in SLOTS.iter().enumerate() {
            let decl = field(line);
            let ty = scope.types.resolve(&decl.ty, &mut faults);
            let kind = if at < INPUTS { SlotKind::Input } else { SlotKind::State };
            scope.add_slot(&decl.name, SlotId(at.try_into().expect("few")), ty, kind, &mut faults);
        }
        let inner = NodeId::new(7);
        let kind = SlotKind::Inner(inner);
        scope.add_slot(&name("tries"), SlotId(99), Type::of(Kind::Int(None)), kind, &mut faults);
        scope.add_budget(&name("rounds"), BudgetId(0), None, Type::of(Kind::Int(None)), &mut faults);
        scope.add_budget(&name("money"), BudgetId(1), None, Type::of(Kind::Usd), &mut faults);
        let meters = [("explore", 2), ("render", 3)];
        let meters = meters.map(|(n, id)| (n.into(), BudgetId(id), Type::of(Kind::Int(None))));
        scope.add_family(&name("stage"), FamilyId(0), None, meters, &mut faults);
        scope.add_node(&name("decide"), NodeId::new(1));
        scope.add_text(&name("prompt"), TextId(0));
        scope.add_kind(&Spanned::new("lost".into(), Span::default()), "recoverable");
        scope.add_lets(&lets(heads), &types, &mut faults);
        let actions: Vec<ActionDecl> = actions
            .iter()
            .map(|(own, body)| ActionDecl {
                name: name(own),
                body: expr::block(&fragment(body), &mut Vec::new()),
            })
            .collect();
        let actions = scope.add_actions(&actions, &types, &mut faults);
        Self { scope, types, faults, actions }
    }

    pub(super) fn infer(&self, text: &str) -> (Expr, Vec<Diagnostic>) {
        self.infer_in(
            text,
            Here { result: Some(Type::of(Kind::Any)), error: ErrorScope::Present, ..Here::default() },
        )
    }

    pub(super) fn infer_in(&self, text: &str, here: Here) -> (Expr, Vec<Diagnostic>) {
        let mut faults = Vec::new();
        let typed = Cx::new(&self.scope, &self.types, here, &mut faults).infer(&parse(text));
        (typed, faults)
    }

    /// The type of an expression, or its first fault as `rule: message`.
    pub(super) fn ty(&self, text: &str) -> String {
        let (typed, faults) = self.infer(text);
        self.outcome(&typed, &faults)
    }

    /// Like [`Self::ty`], where a type is wanted.
    pub(super) fn fits(&self, text: &str, want: &str) -> String {
        let mut faults = Vec::new();
        let want = expr::type_expr(&fragment(want), &mut faults).expect("the type is well written");
        let want = self.scope.types.resolve(&want, &mut faults);
        let typed =
            Cx::new(&self.scope, &self.types, Here::default(), &mut faults).check(&parse(text), &want);
        self.outcome(&typed, &faults)
    }

    fn outcome(&self, typed: &Expr, faults: &[Diagnostic]) -> String {
        match faults {
            [] => show(&typed.ty, &self.types).to_string(),
            faults => faults.iter().map(rendered).collect::<Vec<_>>().join(" | "),
        }
    }

    /// The faults of a statement list, and what is known after it.
    pub(super) fn block(&self, text: &str) -> (Block, Vec<String>, Facts) {
        let mut faults = Vec::new();
        let block = expr::block(&fragment(text), &mut faults);
        assert!(faults.is_empty(), "{text}: {faults:?}");
        let mut cx = Cx::new(&self.scope, &self.types, Here::default(), &mut faults);
        let typed = cx.block(&block);
        let facts = cx.facts.clone();
        (typed, faults.iter().map(rendered).collect(), facts)
    }
}

pub(super) fn rendered(fault: &Diagnostic) -> String {
    format!("{}: {}", fault.rule, fault.message)
}
