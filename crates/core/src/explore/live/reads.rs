//! Variables that expressions, texts and nodes read.

use std::cell::RefCell;

use rustc_hash::FxHashMap;

use super::of_type::{is_list, is_map, is_unbounded_list, is_unbounded_text};
use super::{SlotParts, SlotSet};
use crate::explore::template::template_texts;
use crate::model::Graph;
use crate::model::expr::{
    BudgetRef, Expr, ExprKind, LetId, Place, PlaceStep, SlotId, Statement, StatementKind, TextId,
};
use crate::model::graph::Slot;
use crate::model::node::{
    Edge, GraphSource, NameSource, Node, NodeId, NodeKind, Offer, Pause, TextSource, Trigger,
};
use crate::program::function::Function;
use crate::program::template::TemplateTexts;
use crate::value::Value;

/// The variables that each part of a graph reads.
pub(in crate::explore) struct GraphReads<'m> {
    pub(super) graph: &'m Graph,
    lets: RefCell<FxHashMap<LetId, SlotSet>>,
    pub(super) texts: Option<TemplateTexts>,
    /// Variables that pauses read at any time.
    pub(super) always: SlotSet,
}

impl<'m> GraphReads<'m> {
    pub(in crate::explore) fn new(graph: &'m Graph) -> Self {
        let mut reads = Self {
            graph,
            lets: RefCell::default(),
            texts: template_texts(graph),
            always: SlotSet::default(),
        };
        let mut always = SlotSet::default();
        let inner = graph.graph.node_weights().filter_map(|node| match &node.kind {
            NodeKind::Composite(own) => own.pause.as_deref(),
            _ => None,
        });
        for pause in graph.pause.iter().chain(inner) {
            always = always.with(&reads.of_pause(pause));
        }
        reads.always = always;
        reads
    }

    /// The variables that an expression reads.
    pub(super) fn of(&self, expr: &Expr) -> SlotSet {
        let mut found = SlotSet::default();
        // A field is seen right before the variable that has it, and so is `size`.
        let mut is_in_part = false;
        expr.walk(&mut |part| match &part.kind {
            ExprKind::Field { target, name, .. } => {
                if let ExprKind::Slot(slot) = target.kind {
                    found.insert_field(slot, name);
                    is_in_part = true;
                }
            }
            ExprKind::Call(Function::SIZE, args) => {
                if let [Expr { kind: ExprKind::Slot(slot), ty, .. }] = args.as_slice()
                    && is_list(ty)
                {
                    found.insert_size(*slot);
                    is_in_part = true;
                }
            }
            ExprKind::Slot(_) if std::mem::take(&mut is_in_part) => {}
            ExprKind::Slot(slot) => found.insert(*slot),
            ExprKind::Let(id) => found = std::mem::take(&mut found).with(&self.of_let(*id)),
            ExprKind::Render(text) => found = std::mem::take(&mut found).with(&self.of_text(*text)),
            ExprKind::InFamily(_, family) => {
                let keys = self.of(&self.graph.families[family.0 as usize].each);
                found = std::mem::take(&mut found).with(&keys);
            }
            _ => {}
        });
        found
    }

    fn of_let(&self, id: LetId) -> SlotSet {
        if let Some(known) = self.lets.borrow().get(&id) {
            return known.clone();
        }
        let found = self.of(&self.graph.lets[id.0 as usize].body);
        self.lets.borrow_mut().insert(id, found.clone());
        found
    }

    fn of_text(&self, id: TextId) -> SlotSet {
        let name = &self.graph.texts[id.0 as usize].name.value;
        let variables = self.texts.as_ref().map_or(&[][..], |texts| texts.variables(name));
        let mut found = SlotSet::default();
        for variable in variables {
            let slot = self.graph.slots.iter().position(|slot| slot.name.value == *variable);
            if let Some(slot) = slot.and_then(|at| u32::try_from(at).ok()) {
                found.insert(SlotId(slot));
            }
            let own = self.graph.lets.iter().position(|own| own.name.value == *variable);
            if let Some(own) = own.and_then(|at| u32::try_from(at).ok()) {
                found = found.with(&self.of_let(LetId(own)));
            }
        }
        found
    }

    fn some(&self, exprs: impl IntoIterator<Item = Option<&'m Expr>>) -> SlotSet {
        exprs.into_iter().flatten().fold(SlotSet::default(), |all, expr| all.with(&self.of(expr)))
    }

    /// The variables that an expression reads whose value goes to the world: none, if there is one for all values.
    pub(super) fn of_sent(&self, expr: &Expr) -> SlotSet {
        if self.is_total(expr) { SlotSet::default() } else { self.of(expr) }
    }

    fn of_sent_text(&self, text: Option<&TextSource>) -> SlotSet {
        match text {
            Some(text) if self.is_total_source(text) => SlotSet::default(),
            Some(TextSource::Text(id)) => self.of_text(*id),
            Some(TextSource::Expr(expr)) => self.of(expr),
            None => SlotSet::default(),
        }
    }

    /// The variables on which it depends whether a value can be put at a place, and where.
    pub(super) fn of_place(&self, place: &Place) -> SlotSet {
        let mut all = place.steps.iter().fold(SlotSet::default(), |all, step| match step {
            PlaceStep::Field(..) => all,
            PlaceStep::Index(key) => all.with(&self.of(key)),
        });
        if !self.takes_any(place, false) {
            all.insert(place.slot);
        }
        all
    }

    /// The variables on which it depends whether the results of a node can be put where they go, and where.
    pub(super) fn of_results(&self, kind: &NodeKind) -> SlotSet {
        let mut all = kind.places().fold(SlotSet::default(), |all, place| all.with(&self.of_place(place)));
        if let NodeKind::Call(call) = kind
            && let Some((place, _)) = &call.merge
        {
            // What is there stays, and is held against the type with what comes.
            all.insert(place.slot);
        }
        all
    }

    /// True if a value of its type can be put at a place, or added to what is there, whatever the variable holds: nothing on the way
    /// may be missing or null, no sum too large, and no list full.
    fn takes_any(&self, place: &Place, add: bool) -> bool {
        let ty = &self.slot(place).ty;
        match (&place.steps[..], add) {
            ([], false) => true,
            ([], true) => is_unbounded_list(ty) || is_unbounded_text(ty),
            (
                [
                    PlaceStep::Field(..)
                    | PlaceStep::Index(Expr { kind: ExprKind::Const(Value::Str(_)), .. }),
                ],
                false,
            ) => is_map(ty),
            _ => false,
        }
    }

    /// True if nothing looks into what is put at a place, and whether it can be put there depends on nothing. The size of a list tells
    /// nothing of what is appended to it.
    pub(in crate::explore) fn is_unread(&self, after: &SlotSet, place: &Place, add: bool) -> bool {
        let is_appended = add && place.steps.is_empty() && is_unbounded_list(&self.slot(place).ty);
        match after.parts(place.slot) {
            None => self.takes_any(place, add),
            Some(SlotParts::Size) => is_appended,
            Some(_) => false,
        }
    }

    /// The variable that a place is in.
    pub(in crate::explore) fn slot(&self, place: &Place) -> &'m Slot {
        &self.graph.slots[place.slot.0 as usize]
    }

    pub(super) fn of_statement(&self, statement: &'m Statement) -> SlotSet {
        match &statement.kind {
            StatementKind::Let(_, value) => self.of(value),
            StatementKind::Spend(budget, amount) => self.some([key(budget), amount.as_ref()]),
            StatementKind::Fail(_, message) => self.some([message.as_ref()]),
            _ => SlotSet::default(),
        }
    }

    pub(super) fn of_edge(&self, edge: &'m Edge) -> SlotSet {
        let keys = edge.on.iter().map(|trigger| match trigger {
            Trigger::Exhausted(budget) => key(budget),
            _ => None,
        });
        self.some(keys.chain([edge.when.as_ref()]))
    }

    fn of_pause(&self, pause: &'m Pause) -> SlotSet {
        self.of(&pause.when).with(&self.of_sent_text(pause.ask.as_ref()))
    }

    /// The variables that the limits of a composite's budgets read.
    pub(super) fn of_limits(&self, composite: NodeId) -> SlotSet {
        let budgets = self.graph.budgets.iter().filter(|budget| budget.scope == Some(composite));
        let families = self.graph.families.iter().filter(|family| family.scope == Some(composite));
        self.some(
            budgets
                .flat_map(|budget| [Some(&budget.limit), budget.grace.as_ref()])
                .chain(families.map(|family| Some(&family.each))),
        )
    }

    /// The variables that the end of the graph reads: what it gives goes to a caller, or only out.
    pub(super) fn at_end(&self, is_called: bool) -> SlotSet {
        let of = |value: &Expr| if is_called { self.of(value) } else { self.of_sent(value) };
        let values = self.graph.output.iter().map(|(_, value)| of(value));
        values.fold(self.always.clone(), |all, own| all.with(&own))
    }

    /// The variables that a node may read again while it waits.
    pub(super) fn of_wait(&self, node: &'m Node) -> SlotSet {
        let retry = node.retry.as_deref();
        self.some(retry.into_iter().flat_map(|retry| {
            [
                Some(&retry.attempts),
                retry.first.as_ref(),
                retry.factor.as_ref(),
                retry.max.as_ref(),
                retry.jitter.as_ref(),
            ]
        }))
        .with(&self.of_lanes(node))
    }

    /// The variables that lanes read which begin later.
    fn of_lanes(&self, node: &'m Node) -> SlotSet {
        match &node.kind {
            NodeKind::Each(own) => self.some([own.at_once.as_ref(), own.limit.as_ref()]),
            _ => SlotSet::default(),
        }
    }

    /// The variables that the work of a leaf reads.
    pub(super) fn of_work(&self, node: &'m Node) -> SlotSet {
        let own = match &node.kind {
            NodeKind::Action | NodeKind::Choice | NodeKind::Composite(_) => SlotSet::default(),
            NodeKind::Model(own) => {
                let mut all = self.of_name(&own.role);
                all = all.with(&self.of_sent_text(own.system.as_ref()));
                all = all.with(&self.of_sent_text(own.prompt.as_ref()));
                all = own.messages.iter().fold(all, |all, messages| all.with(&self.of_sent(messages)));
                if let Offer::Computed(names) = &own.offer {
                    all = all.with(&self.of(names));
                }
                own.limits.iter().fold(all, |all, limits| all.with(&self.of(limits)))
            }
            NodeKind::Tool(own) => {
                let args = own.args.as_ref().map(|args| self.of_sent(args)).unwrap_or_default();
                args.with(&self.of_name(&own.tool))
            }
            NodeKind::Human(own) => self.of_sent_text(own.ask.as_ref()),
            NodeKind::Call(own) => self.of_source(&own.graph),
            NodeKind::Each(own) => self.of(&own.over).with(&self.of_source(&own.graph)),
            NodeKind::Parallel(own) => {
                own.branches.iter().fold(SlotSet::default(), |all, one| all.with(&self.of_source(&one.graph)))
            }
            NodeKind::Wait(delay) => self.of(delay),
            NodeKind::Final(own) => self.some([own.outcome.as_ref(), own.ok.as_ref()]),
        };
        own.with(&self.some([node.timeout.as_ref()])).with(&self.of_wait(node))
    }

    fn of_name(&self, name: &NameSource) -> SlotSet {
        match name {
            NameSource::Fixed(_) => SlotSet::default(),
            NameSource::Computed(expr) => self.of(expr),
        }
    }

    fn of_source(&self, source: &'m GraphSource) -> SlotSet {
        let named = match source {
            GraphSource::Fixed(_) => SlotSet::default(),
            GraphSource::Computed { name, .. } => self.of(name),
        };
        source.callables().fold(named, |all, one| all.with(&self.some(one.with.iter().map(Option::as_ref))))
    }
}

/// The key of a meter.
fn key(budget: &BudgetRef) -> Option<&Expr> {
    match budget {
        BudgetRef::Counter(_) => None,
        BudgetRef::Meter(_, key) => Some(key),
    }
}
