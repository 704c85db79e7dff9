//! Declarations that nothing uses. Those of used files and of bases are left alone: they serve other graphs too.

use rustc_hash::{FxHashMap, FxHashSet};

use super::uses::Uses;
use crate::diag::{Diagnostic, rule};
use crate::model::expr::{ActionId, BudgetId, ExprKind, FamilyId, LetId, SlotId, SlotKind, TextId};
use crate::model::{Graph, Model};
use crate::program::template::scan::{TokenKind, tags};
use crate::source::{FileId, Span, Spanned};
use crate::syntax::ast::{self, TypeExpr, TypeKind};
use crate::syntax::tree::{BudgetBody, FieldDecl, KeyValue, NodeDecl, Tree, TypeBody};
use crate::value::Str;

/// The places of lets and texts that belong to several graphs: graphs in place take over what they name of the graph around
/// them.
pub(super) fn shared(model: &Model) -> FxHashSet<Span> {
    let mut seen = FxHashSet::default();
    let lets = model.graphs.iter().flat_map(|graph| &graph.lets).map(|own| own.name.span);
    let texts = model.graphs.iter().flat_map(|graph| &graph.texts).map(|text| text.name.span);
    lets.chain(texts).filter(|place| !seen.insert(*place)).collect()
}

/// Judges the declarations of a graph that are in `file`, but for those that are `shared`.
pub(super) fn judge(graph: &Graph, file: FileId, shared: &FxHashSet<Span>, findings: &mut Vec<Diagnostic>) {
    let mut uses = Uses::of(graph);
    let words = template_words(graph, &mut uses);
    let mut say = |name: &Spanned<Str>, what: &str, hint: &str| {
        if name.span.file == file && !shared.contains(&name.span) {
            let fault = Diagnostic::warning(
                rule::UNUSED,
                name.span,
                format!("{what} `{}` is never used", name.value),
            );
            findings.push(fault.help(hint.to_owned()));
        }
    };
    for (i, slot) in graph.slots.iter().enumerate() {
        if !uses.slots.contains(&SlotId(index(i))) && !words.contains(&slot.name.value) {
            let what = if slot.kind == SlotKind::Input { "the input" } else { "the state field" };
            say(&slot.name, what, "remove it");
        }
    }
    for (i, family) in graph.families.iter().enumerate() {
        let spent = family.meters.iter().any(|id| uses.budgets.contains(id));
        if !spent && !uses.families.contains(&FamilyId(index(i))) && !words.contains(&family.name.value) {
            say(&family.name, "the family of budgets", "spend one of its meters, or remove it");
        }
    }
    for (i, budget) in graph.budgets.iter().enumerate() {
        let counts = uses.budgets.contains(&BudgetId(index(i))) || budget.charge.is_some();
        if budget.family.is_none() && !counts && !words.contains(&budget.name.value) {
            say(
                &budget.name,
                "the budget",
                &format!("`spend {}` somewhere, or remove it", budget.name.value),
            );
        }
    }
    for (i, own) in graph.lets.iter().enumerate() {
        // Another name of a path or a let is replaced by that where it is used, so its uses cannot be seen.
        if !is_path(&own.body)
            && !uses.lets.contains_key(&LetId(index(i)))
            && !words.contains(&own.name.value)
        {
            say(&own.name, "the let", "remove it");
        }
    }
    for (i, action) in graph.actions.iter().enumerate() {
        if !uses.actions.contains(&ActionId(index(i))) {
            say(&action.name, "the action", &format!("call it as `{}()`, or remove it", action.name.value));
        }
    }
    for (i, text) in graph.texts.iter().enumerate() {
        if !uses.texts.contains_key(&TextId(index(i))) {
            say(&text.name, "the text", "remove it");
        }
    }
    for role in graph.roles.iter().filter(|role| !uses.any_role && !uses.roles.contains(&role.value)) {
        say(role, "the role", "remove it");
    }
    for (kind, _) in graph.errors.iter().filter(|(kind, _)| !uses.kinds.contains(&kind.value)) {
        say(kind, "the error kind", &format!("raise it with `fail {}`, or remove it", kind.value));
    }
}

fn index(i: usize) -> u32 {
    u32::try_from(i).unwrap_or(u32::MAX)
}

fn is_path(expr: &crate::model::expr::Expr) -> bool {
    match &expr.kind {
        ExprKind::Slot(_) | ExprKind::Let(_) | ExprKind::Special(_) => true,
        ExprKind::Field { target, .. } | ExprKind::Index(target, _) => is_path(target),
        _ => false,
    }
}

/// All words of the templates; the texts they include are noted as used.
fn template_words(graph: &Graph, uses: &mut Uses) -> FxHashSet<Str> {
    let mut words = FxHashSet::default();
    let names = graph.texts.iter().enumerate().map(|(i, text)| (text.name.value.as_str(), TextId(index(i))));
    let names: FxHashMap<&str, TextId> = names.collect();
    for text in &graph.texts {
        for token in tags(&text.body.text).flat_map(|tag| tag.tokens) {
            if token.kind == TokenKind::Quoted
                && let Some(id) = names.get(token.word())
            {
                uses.texts.entry(*id).or_default();
            }
            words.insert(token.word().into());
        }
    }
    words
}

/// Judges the types that the trees of graphs declare, against all that the trees write.
pub(super) fn types<'t>(trees: impl Iterator<Item = &'t Tree> + Clone, findings: &mut Vec<Diagnostic>) {
    if trees.clone().all(|tree| tree.types.is_empty()) {
        return;
    }
    let mut names = Names::default();
    for tree in trees.clone() {
        names.tree(tree);
    }
    for decl in trees.filter(|tree| tree.graph.is_some() || tree.place.is_some()).flat_map(|tree| &tree.types)
    {
        if !names.seen.contains(decl.name.as_str()) {
            let message = format!("the type `{}` is never used", decl.name.value);
            findings.push(Diagnostic::warning(rule::UNUSED, decl.name.span, message).help("remove it"));
        }
    }
}

/// Names of types that trees write.
#[derive(Default)]
struct Names<'t> {
    seen: FxHashSet<&'t str>,
}

impl<'t> Names<'t> {
    fn tree(&mut self, tree: &'t Tree) {
        for decl in &tree.types {
            match &decl.body {
                TypeBody::Record { fields, .. } => {
                    // A record that only holds itself is used nowhere.
                    let before = self.seen.contains(decl.name.as_str());
                    self.fields(fields);
                    if !before {
                        self.seen.remove(decl.name.as_str());
                    }
                }
                TypeBody::Alias(ty) => self.ty(ty),
            }
        }
        self.fields(&tree.input);
        self.fields(&tree.state);
        for decl in &tree.budgets {
            match &decl.body {
                BudgetBody::Counter(meter) => self.exprs(meter.grace.iter().chain([&meter.limit])),
                BudgetBody::Family { each, meters, .. } => {
                    self.expr(each);
                    self.exprs(meters.iter().flat_map(|(_, m)| m.grace.iter().chain([&m.limit])));
                }
            }
        }
        self.exprs(tree.lets.iter().map(|decl| &decl.body));
        for action in &tree.actions {
            self.block(&action.body);
        }
        self.nodes(&tree.nodes);
        self.exprs(tree.output.iter().map(|(_, value)| value));
        self.exprs(tree.pause.iter().map(|p| &p.when));
    }

    fn nodes(&mut self, nodes: &'t [NodeDecl]) {
        for node in nodes {
            self.fields(&node.state);
            for block in node.entry.iter().chain(&node.then) {
                self.block(block);
            }
            for (_, value) in node.keys.iter().chain(node.branches.iter().flat_map(|b| &b.keys)) {
                match value {
                    KeyValue::Type(ty) => self.ty(ty),
                    KeyValue::Expr(expr) => self.expr(expr),
                    KeyValue::Fields(fields) => self.exprs(fields.iter().map(|(_, value)| value)),
                    _ => {}
                }
            }
            for edge in node.edges.iter().flatten() {
                self.exprs(edge.when.iter());
                edge.action.iter().for_each(|block| self.block(block));
            }
            self.nodes(&node.nodes);
        }
    }

    fn fields(&mut self, fields: &'t [FieldDecl]) {
        for field in fields {
            self.ty(&field.ty);
            self.exprs(field.default.iter().chain(&field.condition));
        }
    }

    fn ty(&mut self, ty: &'t TypeExpr) {
        match &ty.kind {
            TypeKind::Name(name) => {
                self.seen.insert(name);
            }
            TypeKind::List(inner, _) | TypeKind::Map(inner) => self.ty(inner),
            _ => {}
        }
    }

    fn block(&mut self, block: &'t ast::Block) {
        let mut open = vec![block];
        while let Some(block) = open.pop() {
            for statement in &block.statements {
                match &statement.kind {
                    ast::StatementKind::Assign { value, .. } | ast::StatementKind::Let(_, value) => {
                        self.expr(value);
                    }
                    ast::StatementKind::Spend(_, amount) => self.exprs(amount.iter()),
                    ast::StatementKind::Emit(_, value) | ast::StatementKind::Fail(_, value) => {
                        self.exprs(value.iter());
                    }
                    ast::StatementKind::If(arms, otherwise) => {
                        self.exprs(arms.iter().map(|(condition, _)| condition));
                        open.extend(arms.iter().map(|(_, body)| body).chain(otherwise));
                    }
                    ast::StatementKind::For(_, list, body) => {
                        self.expr(list);
                        open.push(body);
                    }
                    ast::StatementKind::Call(_) => {}
                }
            }
        }
    }

    fn exprs(&mut self, exprs: impl Iterator<Item = &'t ast::Expr>) {
        for expr in exprs {
            self.expr(expr);
        }
    }

    fn expr(&mut self, expr: &'t ast::Expr) {
        let mut open = vec![expr];
        while let Some(expr) = open.pop() {
            match &expr.kind {
                ast::ExprKind::Is(_, ty) => self.ty(ty),
                ast::ExprKind::Record(name, _) => {
                    self.seen.insert(name);
                }
                _ => {}
            }
            expr.for_each_child(&mut |child| open.push(child));
        }
    }
}
