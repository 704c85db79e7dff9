//! The states after statements and steps.

use super::class::whole;
use super::set::GuardSet;
use super::subject::SubjectKey;
use super::term::{Head, TermId};
use crate::decide::{Diagram, TooLarge};
use crate::model::Graph;
use crate::model::expr::{
    Block, BudgetId, BudgetRef, Expr, ExprKind, Place, PlaceStep, SlotId, Statement, StatementKind,
};
use crate::model::node::{Composite, NodeId, NodeKind};
use crate::program::op::BudgetQuery;
use crate::value::{Str, Value};

/// Lists that nest deeper than this, actions among them, may write anything.
const MAX_DEPTH: u32 = 24;

/// Something that is written.
#[derive(Debug, Clone)]
enum Written {
    /// A place: a variable and the fields on the way down, as far as they are known.
    Place(SlotId, Vec<Str>),
    Budget(BudgetId),
    /// All that a step can change by itself.
    Step,
    Everything,
}

impl Written {
    fn place(place: &Place) -> Self {
        let fields = place.steps.iter().map_while(|step| match step {
            PlaceStep::Field(name, _) => Some(name.clone()),
            PlaceStep::Index(index) => match &index.kind {
                ExprKind::Const(Value::Str(name)) => Some(name.clone()),
                _ => None,
            },
        });
        Self::Place(place.slot, fields.collect())
    }
}

impl GuardSet<'_> {
    /// The states in which a list of statements leaves the run that begins it in one of these and comes to its end.
    ///
    /// # Errors
    /// They are too many, here and in the functions below.
    pub(in crate::check) fn after(&mut self, states: Diagram, block: &Block) -> Result<Diagram, TooLarge> {
        self.after_list(states, block, 0)
    }

    /// The states after a step from one node to another: what no statement writes may be anything.
    pub(in crate::check) fn after_step(&mut self, states: Diagram) -> Result<Diagram, TooLarge> {
        self.forget(states, &[Written::Step])
    }

    /// The states after the effect of a node: what the answers are written to may be anything.
    pub(in crate::check) fn after_effect(
        &mut self,
        states: Diagram,
        node: NodeId,
    ) -> Result<Diagram, TooLarge> {
        let mut written = vec![Written::Step];
        let kind = &self.graph.graph[node].kind;
        written.extend(kind.places().map(Written::place));
        // The graphs that are run may use budgets of this one.
        if kind.called().next().is_some() {
            written.extend((0..).zip(&self.graph.budgets).map(|(id, _)| Written::Budget(BudgetId(id))));
        }
        self.forget(states, &written)
    }

    /// The states after a composite was entered, its own statements among what is done.
    pub(in crate::check) fn after_entry(
        &mut self,
        states: Diagram,
        composite: NodeId,
    ) -> Result<Diagram, TooLarge> {
        let graph = self.graph;
        let node = &graph.graph[composite];
        let NodeKind::Composite(own) = &node.kind else { return Ok(states) };
        let mut states = self.forget(states, &begun(graph, own))?;
        for slot in &own.slots {
            let init = graph.slots[slot.0 as usize].init.as_ref();
            if let Some(value) = init.map_or(Some(&Value::Null), constant) {
                states = self.learn(states, *slot, &[], value)?;
            }
        }
        for budget in &own.budgets {
            states = self.used_between(states, *budget, 0, 0)?;
        }
        self.after(states, &node.entry)
    }

    /// The states after a part of these lists, in which the work of a node or the begin of composites may have been
    /// undone or cut short: what they write may be anything.
    pub(in crate::check) fn after_some<'b>(
        &mut self,
        states: Diagram,
        lists: impl IntoIterator<Item = &'b Block>,
        entered: &[NodeId],
    ) -> Result<Diagram, TooLarge> {
        let graph = self.graph;
        let mut written = vec![Written::Step];
        for list in lists {
            self.collect(list, 0, &mut written)?;
        }
        for composite in entered {
            let node = &graph.graph[*composite];
            self.collect(&node.entry, 0, &mut written)?;
            if let NodeKind::Composite(own) = &node.kind {
                written.extend(begun(graph, own));
            }
        }
        self.forget(states, &written)
    }

    fn after_list(&mut self, states: Diagram, block: &Block, depth: u32) -> Result<Diagram, TooLarge> {
        if depth > MAX_DEPTH {
            return self.forget(states, &[Written::Everything]);
        }
        let mut states = states;
        for statement in &block.statements {
            states = self.after_statement(states, statement, depth)?;
        }
        Ok(states)
    }

    fn after_statement(
        &mut self,
        states: Diagram,
        statement: &Statement,
        depth: u32,
    ) -> Result<Diagram, TooLarge> {
        self.work()?;
        match &statement.kind {
            StatementKind::Assign { place, add, value } => {
                let written = Written::place(place);
                let states = self.forget(states, std::slice::from_ref(&written))?;
                match (constant(value), &written) {
                    (Some(value), Written::Place(slot, fields))
                        if !add && fields.len() == place.steps.len() =>
                    {
                        self.learn(states, *slot, fields, value)
                    }
                    _ => Ok(states),
                }
            }
            StatementKind::Spend(BudgetRef::Counter(id), amount) => {
                let states = self.forget(states, &[Written::Budget(*id)])?;
                match amount.as_ref().map_or(Some(1), |amount| constant(amount).and_then(whole)) {
                    Some(amount) if amount > 0 => self.used_between(states, *id, amount, i64::MAX),
                    _ => Ok(states),
                }
            }
            StatementKind::Spend(BudgetRef::Meter(id, _), _) => self.forget(states, &[Written::Budget(*id)]),
            StatementKind::Let(..) | StatementKind::Emit(..) => Ok(states),
            StatementKind::Fail(..) => Ok(Diagram::NONE),
            StatementKind::If(arms, otherwise) => {
                let mut any = if otherwise.is_none() { states } else { Diagram::NONE };
                for block in arms.iter().map(|(_, block)| block).chain(otherwise) {
                    let after = self.after_list(states, block, depth + 1)?;
                    any = self.diagrams.or(any, after)?;
                }
                Ok(any)
            }
            StatementKind::Call(action) => {
                let graph = self.graph;
                match graph.actions.get(action.0 as usize) {
                    Some(action) => self.after_list(states, &action.body, depth + 1),
                    None => self.forget(states, &[Written::Everything]),
                }
            }
            StatementKind::For(_, _, body) => {
                let mut written = Vec::new();
                self.collect(body, depth, &mut written)?;
                self.forget(states, &written)
            }
        }
    }

    /// All that a list may write.
    fn collect(&mut self, block: &Block, depth: u32, written: &mut Vec<Written>) -> Result<(), TooLarge> {
        if depth > MAX_DEPTH {
            written.push(Written::Everything);
            return Ok(());
        }
        for statement in &block.statements {
            self.work()?;
            match &statement.kind {
                StatementKind::Assign { place, .. } => written.push(Written::place(place)),
                StatementKind::Spend(BudgetRef::Counter(id) | BudgetRef::Meter(id, _), _) => {
                    written.push(Written::Budget(*id));
                }
                StatementKind::If(arms, otherwise) => {
                    for block in arms.iter().map(|(_, block)| block).chain(otherwise) {
                        self.collect(block, depth + 1, written)?;
                    }
                }
                StatementKind::For(_, _, body) => self.collect(body, depth + 1, written)?,
                StatementKind::Call(action) => {
                    let graph = self.graph;
                    match graph.actions.get(action.0 as usize) {
                        Some(action) => self.collect(&action.body, depth + 1, written)?,
                        None => written.push(Written::Everything),
                    }
                }
                StatementKind::Let(..) | StatementKind::Emit(..) | StatementKind::Fail(..) => {}
            }
        }
        Ok(())
    }

    /// Forgets what was written.
    fn forget(&mut self, states: Diagram, written: &[Written]) -> Result<Diagram, TooLarge> {
        if states.is_none() || written.is_empty() || self.subjects.is_empty() {
            return Ok(states);
        }
        let mut states = states;
        for place in 0..self.subjects.len() {
            if written.iter().any(|written| self.touches(place, written)) {
                let variable = self.subjects[place].variable;
                states = self.diagrams.exists(states, variable)?;
            }
        }
        let all = self.all();
        self.diagrams.and(states, all)
    }

    fn touches(&self, place: usize, written: &Written) -> bool {
        let reads = &self.reads[place];
        match written {
            Written::Everything => true,
            Written::Step => {
                let charged = |id: &BudgetId| self.graph.budgets[id.0 as usize].charge.is_some();
                reads.changes || reads.budgets.iter().any(charged)
            }
            Written::Budget(id) => reads.budgets.contains(id),
            Written::Place(slot, fields) => {
                if !reads.slots.contains(slot) {
                    return false;
                }
                let SubjectKey::One(id) = self.subjects[place].key else { return true };
                // Another field of the same record is not touched.
                self.terms
                    .path(id)
                    .is_none_or(|(_, own)| own.iter().zip(fields).all(|(own, written)| own == written))
            }
        }
    }

    /// Notes that a variable, or a field of it, has this value.
    fn learn(
        &mut self,
        states: Diagram,
        slot: SlotId,
        fields: &[Str],
        value: &Value,
    ) -> Result<Diagram, TooLarge> {
        let is_it = |id: TermId| {
            self.terms.path(id).is_some_and(|(root, own)| root == Head::Slot(slot) && own == fields)
        };
        let found = self.subjects.iter().find(|subject| match subject.key {
            SubjectKey::One(id) => is_it(id),
            SubjectKey::Pair(..) => false,
        });
        let Some(subject) = found else { return Ok(states) };
        let fits: Vec<bool> = subject
            .classes()
            .iter()
            .map(|class| {
                let named =
                    |value: &Value| subject.classes().iter().any(|own| own.is_one && own.may_have(value));
                class.may_have(value) && (class.is_one || class.range.is_some() || !named(value))
            })
            .collect();
        // A value of another type is converted where it is written.
        if !fits.contains(&true) {
            return Ok(states);
        }
        let own = self.diagrams.among(subject.variable, |class| fits[class])?;
        self.diagrams.and(states, own)
    }

    /// Notes that an amount between these was spent of a budget.
    fn used_between(
        &mut self,
        states: Diagram,
        budget: BudgetId,
        least: i64,
        most: i64,
    ) -> Result<Diagram, TooLarge> {
        let found = self.subjects.iter().find(|subject| match subject.key {
            SubjectKey::One(id) => {
                let term = self.terms.get(id);
                *term.head == Head::Budget(BudgetQuery::Used, budget) && term.parts.is_empty()
            }
            SubjectKey::Pair(..) => false,
        });
        let Some(subject) = found else { return Ok(states) };
        let fits: Vec<bool> = subject
            .classes()
            .iter()
            .map(|class| class.range.is_none_or(|(low, high)| low <= most && least <= high))
            .collect();
        let own = self.diagrams.among(subject.variable, |class| fits[class])?;
        self.diagrams.and(states, own)
    }
}

/// The state and budgets that begin afresh where a composite is entered.
fn begun(graph: &Graph, composite: &Composite) -> Vec<Written> {
    let slots = composite.slots.iter().map(|slot| Written::Place(*slot, Vec::new()));
    let families = composite.families.iter().flat_map(|family| &graph.families[family.0 as usize].meters);
    let budgets = composite.budgets.iter().chain(families).map(|id| Written::Budget(*id));
    slots.chain(budgets).collect()
}

/// The value of an expression that is a constant, a conversion of one among them.
fn constant(expr: &Expr) -> Option<&Value> {
    match &expr.kind {
        ExprKind::Const(value) => Some(value),
        ExprKind::Coerce(inner, _) => constant(inner),
        _ => None,
    }
}
