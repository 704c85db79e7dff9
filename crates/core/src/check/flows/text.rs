//! Follows values into texts.

use super::builder::{Destination, FlowBuilder, FlowPlace};
use super::network::VertexId;
use super::path::FieldPath;
use crate::model::expr::{BudgetId, LetId, SlotId, TextId};
use crate::source::Span;
use crate::value::Str;

impl FlowBuilder<'_> {
    /// Lets everything that a text uses flow into it.
    pub(super) fn fill_text(&mut self, at: FlowPlace, id: TextId, vertex: VertexId) {
        let instance = self.of(at.instance);
        let (uses, span) = (instance.text_uses.clone(), instance.graph.texts[id.0 as usize].name.span);
        let to = Destination::of(vertex).whole();
        for path in uses.of_text(id) {
            self.variable(at, path, &to, span);
        }
    }

    fn variable(&mut self, at: FlowPlace, path: &str, to: &Destination, span: Span) {
        let instance = self.of(at.instance);
        let (graph, failure, answers) = (instance.graph, instance.failure, instance.answers);
        let mut words = path.split('.');
        let name = words.next().unwrap_or_default();
        let slot = (0..).map(SlotId).zip(&graph.slots).find(|(_, slot)| slot.name.value == name);
        let own = (0..).map(LetId).zip(&graph.lets).find(|(_, own)| own.name.value == name);
        let vertex = match (slot, own, name) {
            (Some((slot, _)), ..) => self.slot(at.instance, slot, at.component),
            (_, Some((own, _)), _) => self.let_value(at, own),
            (_, _, "tools") => self.catalogue(),
            (_, _, "error") => at.error.unwrap_or(failure),
            (_, _, "result") => at.result.unwrap_or(answers),
            (_, _, "budgets") => {
                for (budget, _) in (0..).map(BudgetId).zip(&graph.budgets) {
                    self.carry(self.budget(at.instance, budget), to, span);
                }
                return;
            }
            _ => return,
        };
        let read: FieldPath = words.map(|field| self.network.names.step(&Str::from(field))).collect();
        self.carry_at(vertex, read, to, span);
    }
}
