//! Graphs.

use super::judged::judged_leaves;
use super::{CompileFault, Compiler, index, owned};
use crate::model::expr::SlotKind;
use crate::model::graph::{Budget, Family, Graph, PropertyBody, Slot};
use crate::model::node::{NodeId, Pause, TextSource};
use crate::program::graph::{
    BudgetCode, FamilyCode, GraphCode, LinkedNodeKind, NodeCode, PauseCode, PropertyCode, SlotCode, TextCode,
};
use crate::program::migration::Migration;
use crate::program::op::OpId;
use crate::program::template::Templates;
use crate::syntax::ast::Name;
use crate::syntax::tree::MigrateDecl;
use crate::value::Str;

impl Compiler<'_> {
    pub(super) fn graph(&mut self, graph: &Graph) -> GraphCode {
        let slots: Vec<SlotCode> = graph.slots.iter().map(|slot| self.slot(slot)).collect();
        let budgets: Vec<BudgetCode> =
            (0..).zip(&graph.budgets).map(|(id, budget)| self.budget(graph, id, budget)).collect();
        let families: Vec<FamilyCode> = graph.families.iter().map(|family| self.family(family)).collect();
        let metered = (0..).zip(&budgets).filter(|(_, budget)| budget.charge.is_some());
        let metered = metered.map(|(id, _)| id).collect();
        let lets: Vec<OpId> = graph.lets.iter().map(|entry| self.expr(&entry.body)).collect();
        let let_levels = lets.iter().map(|body| self.tables.levels(*body)).collect();
        let mut code = GraphCode {
            id: owned(&graph.id),
            inputs: index(graph.slots.iter().filter(|slot| slot.kind == SlotKind::Input).count()),
            slots,
            budgets,
            metered,
            families,
            limits: Box::default(),
            lets,
            let_levels,
            let_names: graph.lets.iter().map(|entry| owned(&entry.name)).collect(),
            actions: graph.actions.iter().map(|action| self.block(&action.body)).collect(),
            texts: graph.texts.iter().map(|text| owned(&text.name)).collect(),
            templates: self.templates(graph),
            errors: graph.errors.iter().map(|(kind, class)| (owned(kind), class.clone())).collect(),
            nodes: graph.graph.node_indices().map(|node| self.node(graph, node)).collect(),
            edges: graph.graph.edge_indices().map(|edge| self.edge(graph, edge)).collect(),
            start: index(graph.start.index()),
            pause: graph.pause.as_ref().map(|pause| self.pause(pause)),
            pauses: false,
            output: graph.output.iter().map(|(name, value)| (owned(name), self.expr(value))).collect(),
            properties: graph
                .properties
                .iter()
                .map(|property| (owned(&property.name), self.property(&property.body)))
                .collect(),
            judged: judged_leaves(graph),
            migration: migration(&graph.migrate),
            remembered: std::mem::take(&mut self.remembered),
        };
        let composite =
            |node: &NodeCode| matches!(&node.kind, LinkedNodeKind::Composite(code) if code.pause.is_some());
        code.pauses = code.pause.is_some() || code.nodes.iter().any(composite);
        self.order_limits(graph, &mut code);
        code
    }

    fn slot(&mut self, slot: &Slot) -> SlotCode {
        SlotCode {
            name: owned(&slot.name),
            init: self.optional(slot.init.as_ref()),
            shape: self.shape(&slot.ty, slot.name.span),
            condition: self.optional(slot.condition.as_ref()),
            scope: match slot.kind {
                SlotKind::Inner(node) => Some(index(node.index())),
                SlotKind::Input | SlotKind::State => None,
            },
        }
    }

    fn budget(&mut self, graph: &Graph, id: u32, budget: &Budget) -> BudgetCode {
        let family = budget.family.and_then(|family| {
            let meters = &graph.families.get(family.0 as usize)?.meters;
            Some((family.0, index(meters.iter().position(|meter| meter.0 == id)?)))
        });
        BudgetCode {
            name: owned(&budget.name),
            scope: scope(budget.scope),
            family,
            limit: self.expr(&budget.limit),
            grace: self.optional(budget.grace.as_ref()),
            gate: budget.gate,
            charge: budget.charge,
            unit: budget.unit.clone(),
        }
    }

    fn family(&mut self, family: &Family) -> FamilyCode {
        FamilyCode {
            name: owned(&family.name),
            scope: scope(family.scope),
            each: self.expr(&family.each),
            binding: family.binding.0,
            meters: family.meters.iter().map(|meter| meter.0).collect(),
        }
    }

    fn templates(&mut self, graph: &Graph) -> Templates {
        let texts = graph.texts.iter().map(|text| (text.name.value.clone(), text.body.text.as_str()));
        match Templates::new(texts) {
            Ok(templates) => {
                templates.placed(graph.texts.iter().map(|text| (text.name.value.clone(), &text.body)))
            }
            Err(faults) => {
                for fault in faults {
                    let text = graph.texts.iter().find(|text| text.name.value == fault.text);
                    let span = text.map_or(graph.id.span, |text| text.body.whole());
                    self.fault(CompileFault::Template(fault.to_string()), span);
                }
                Templates::default()
            }
        }
    }

    pub(super) fn text(&mut self, text: &TextSource) -> TextCode {
        match text {
            TextSource::Text(id) => TextCode::Text(id.0),
            TextSource::Expr(expr) => TextCode::Expr(self.expr(expr)),
        }
    }

    pub(super) fn pause(&mut self, pause: &Pause) -> PauseCode {
        PauseCode { when: self.expr(&pause.when), ask: pause.ask.as_ref().map(|ask| self.text(ask)) }
    }

    fn property(&mut self, body: &PropertyBody) -> PropertyCode {
        match body {
            PropertyBody::Never(expr) => PropertyCode::Never(self.expr(expr)),
            PropertyBody::Always(expr) => PropertyCode::Always(self.expr(expr)),
            PropertyBody::Eventually(expr) => PropertyCode::Eventually(self.expr(expr)),
            PropertyBody::Precedes(first, then) => PropertyCode::Precedes(self.expr(first), self.expr(then)),
        }
    }
}

fn migration(decl: &MigrateDecl) -> Migration {
    let text = |text: &String| Str::from(text.as_str());
    let names = |renames: &[(Name, Name)]| {
        renames.iter().map(|(before, now)| (text(&before.value), text(&now.value))).collect()
    };
    Migration {
        graph: decl.graph.as_ref().map(|id| text(&id.value)),
        fields: names(&decl.fields),
        nodes: names(&decl.nodes),
        budgets: names(&decl.budgets),
    }
}

fn scope(node: Option<NodeId>) -> Option<u32> {
    node.map(|node| index(node.index()))
}
