//! Collects what a graph's expressions, statements and keys use.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::model::Graph;
use crate::model::expr::{
    ActionId, Block, BudgetId, BudgetRef, Expr, ExprKind, FamilyId, LetId, Place as Written, PlaceStep,
    SlotId, StatementKind, TextId,
};
use crate::model::node::{Edge, NameSource, Node, NodeKind, Pause, TextSource, Trigger, Typed};
use crate::program::kind::{Field, KindParts};
use crate::source::Span;
use crate::value::Str;

/// A place in an expression.
#[derive(Debug, Clone, Copy)]
pub(super) struct UsePlace {
    /// Its level, as [`Expr::each_level`] counts.
    pub(super) level: u32,
    pub(super) span: Span,
}

/// The declarations that are used somewhere in a graph.
#[derive(Debug, Default)]
pub(super) struct Uses {
    pub(super) slots: FxHashSet<SlotId>,
    pub(super) budgets: FxHashSet<BudgetId>,
    pub(super) families: FxHashSet<FamilyId>,
    /// Each with the place where it is nested deepest.
    pub(super) lets: FxHashMap<LetId, UsePlace>,
    pub(super) actions: FxHashSet<ActionId>,
    /// The same, where an expression names it.
    pub(super) texts: FxHashMap<TextId, Option<UsePlace>>,
    /// Error kinds that are raised or answered to.
    pub(super) kinds: FxHashSet<Str>,
    pub(super) roles: FxHashSet<Str>,
    /// A role is computed, so any may be meant.
    pub(super) any_role: bool,
}

impl Uses {
    /// Walks a whole graph.
    pub(super) fn of(graph: &Graph) -> Self {
        let mut uses = Self::outside_of_lets(graph);
        uses.exprs(graph.lets.iter().map(|own| &own.body));
        uses
    }

    /// The slots that an edge reads or writes by itself.
    pub(super) fn of_edge(edge: &Edge) -> FxHashSet<SlotId> {
        let mut uses = Self::default();
        uses.edge(edge);
        uses.slots
    }

    /// Walks a graph without its lets.
    pub(super) fn outside_of_lets(graph: &Graph) -> Self {
        let mut uses = Self::default();
        for slot in &graph.slots {
            uses.exprs(slot.init.iter());
            // A condition alone is a use of what it reads beside the slot: the slot is judged, too.
            uses.exprs(slot.condition.iter());
        }
        for budget in &graph.budgets {
            uses.exprs(budget.grace.iter().chain([&budget.limit]));
        }
        uses.exprs(graph.families.iter().map(|family| &family.each));
        for action in &graph.actions {
            uses.block(&action.body);
        }
        for node in graph.graph.node_weights() {
            uses.node(node);
        }
        for edge in graph.graph.edge_weights() {
            uses.edge(edge);
        }
        uses.pause(graph.pause.as_ref());
        uses.exprs(graph.output.iter().map(|(_, value)| value));
        for property in &graph.properties {
            uses.exprs(property.body.conditions());
        }
        uses
    }

    fn exprs<'e>(&mut self, exprs: impl Iterator<Item = &'e Expr>) {
        for expr in exprs {
            self.expr(expr);
        }
    }

    fn expr(&mut self, expr: &Expr) {
        expr.each_level(&mut |e, level| match &e.kind {
            ExprKind::Slot(id) => {
                self.slots.insert(*id);
            }
            ExprKind::Let(id) => {
                let place = UsePlace { level, span: e.span };
                let deepest = self.lets.entry(*id).or_insert(place);
                if deepest.level < level {
                    *deepest = place;
                }
            }
            ExprKind::Budget(_, BudgetRef::Counter(id) | BudgetRef::Meter(id, _)) => {
                self.budgets.insert(*id);
            }
            ExprKind::InFamily(_, id) => {
                self.families.insert(*id);
            }
            ExprKind::Render(id) => {
                let place = UsePlace { level, span: e.span };
                let deepest = self.texts.entry(*id).or_default().get_or_insert(place);
                if deepest.level < level {
                    *deepest = place;
                }
            }
            _ => {}
        });
    }

    fn budget(&mut self, budget: &BudgetRef) {
        match budget {
            BudgetRef::Counter(id) => {
                self.budgets.insert(*id);
            }
            BudgetRef::Meter(id, key) => {
                self.budgets.insert(*id);
                self.expr(key);
            }
        }
    }

    fn place(&mut self, place: &Written) {
        self.slots.insert(place.slot);
        for step in &place.steps {
            if let PlaceStep::Index(index) = step {
                self.expr(index);
            }
        }
    }

    fn block(&mut self, block: &Block) {
        for statement in &block.statements {
            match &statement.kind {
                StatementKind::Assign { place, value, .. } => {
                    self.place(place);
                    self.expr(value);
                }
                StatementKind::Let(_, value) => self.expr(value),
                StatementKind::Spend(budget, amount) => {
                    self.budget(budget);
                    self.exprs(amount.iter());
                }
                StatementKind::Emit(_, payload) => self.exprs(payload.iter()),
                StatementKind::If(arms, otherwise) => {
                    self.exprs(arms.iter().map(|(condition, _)| condition));
                    arms.iter().map(|(_, body)| body).chain(otherwise).for_each(|body| self.block(body));
                }
                StatementKind::Call(id) => {
                    self.actions.insert(*id);
                }
                StatementKind::For(_, list, body) => {
                    self.expr(list);
                    self.block(body);
                }
                StatementKind::Fail(kind, message) => {
                    self.kinds.insert(kind.clone());
                    self.exprs(message.iter());
                }
            }
        }
    }

    fn text(&mut self, source: Option<&TextSource>) {
        match source {
            Some(TextSource::Text(id)) => {
                self.texts.entry(*id).or_default();
            }
            Some(TextSource::Expr(expr)) => self.expr(expr),
            None => {}
        }
    }

    fn name(&mut self, source: &NameSource) {
        if let NameSource::Computed(expr) = source {
            self.expr(expr);
        }
    }

    fn pause(&mut self, pause: Option<&Pause>) {
        if let Some(pause) = pause {
            self.expr(&pause.when);
            self.text(pause.ask.as_ref());
        }
    }

    fn edge(&mut self, edge: &Edge) {
        self.exprs(edge.when.iter());
        self.block(&edge.action);
        for trigger in &edge.on {
            match trigger {
                Trigger::Exhausted(budget) => self.budget(budget),
                Trigger::Kind(kind) => {
                    self.kinds.insert(kind.clone());
                }
                _ => {}
            }
        }
    }

    fn node(&mut self, node: &Node) {
        self.block(&node.entry);
        self.block(&node.then);
        self.exprs(node.timeout.iter());
        if let Some(retry) = &node.retry {
            self.kinds.extend(retry.on.iter().map(|kind| kind.value.clone()));
            let waits = [&retry.first, &retry.factor, &retry.max, &retry.jitter];
            self.exprs(waits.into_iter().flatten().chain([&retry.attempts]));
        }
        self.kind(&node.kind);
    }

    fn kind(&mut self, kind: &NodeKind) {
        match kind {
            NodeKind::Composite(own) => self.pause(own.pause.as_deref()),
            NodeKind::Model(own) => match &own.role {
                NameSource::Fixed(name) => {
                    self.roles.insert(name.value.clone());
                }
                NameSource::Computed(_) => self.any_role = true,
            },
            _ => {}
        }
        self.parts(kind.parts());
    }

    fn parts(&mut self, parts: KindParts<'_, Typed>) {
        for (_, field) in parts {
            match field {
                Field::Expr(expr) | Field::Items(expr, _) => self.expr(expr),
                Field::Text(text) => self.text(Some(text)),
                Field::Name(name) => self.name(name),
                Field::Place(place) | Field::Merge(place, _) => self.place(place),
                Field::Called(_, with) => self.exprs(with.iter().flatten()),
                Field::Candidates(among) => {
                    for candidate in among {
                        self.exprs(candidate.callable.with.iter().flatten());
                    }
                }
                Field::Branch(_, parts) => self.parts(parts),
                Field::Word(_) | Field::Words(_) | Field::Answer(_) | Field::Flag | Field::Choice(_) => {}
            }
        }
    }
}
