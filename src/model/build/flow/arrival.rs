//! How facts arrive at the entries of nodes.

use super::Flow;
use crate::model::node::NodeId;
use crate::model::typing::Facts;

impl Flow<'_, '_> {
    /// Facts arrive at a target from a source (the start of the graph has none), through every composite on the way.
    pub(super) fn arrive(&mut self, source: Option<NodeId>, target: NodeId, mut facts: Facts) {
        for composite in self.cx.plan.entered(source, target) {
            self.refresh(composite, &mut facts);
            self.meet_entry(composite, &facts);
            if composite != target {
                facts = self.through(composite, facts);
            }
        }
        if self.cx.plan.at(target).children.is_empty() {
            self.meet_entry(target, &facts);
        }
    }

    /// A composite's own state is set afresh when it is entered.
    fn refresh(&self, composite: NodeId, facts: &mut Facts) {
        for (path, is_set) in self.inside.get(&composite).into_iter().flatten() {
            facts.kill(path);
            if *is_set {
                facts.insert(path.clone());
            }
        }
    }

    /// What is known behind a composite's entry statements on one way in.
    fn through(&self, composite: NodeId, facts: Facts) -> Facts {
        let Some(block) = &self.cx.plan.at(composite).decl.entry else { return facts };
        let mut unheard = Vec::new();
        let mut at = self.context(Some(composite), facts, &mut unheard);
        at.block(block);
        at.facts.of_slots()
    }

    fn meet_entry(&mut self, id: NodeId, facts: &Facts) {
        let old = &self.entry[id.index()];
        let met = old.meet(facts);
        let new = self.made[id.index()].is_none();
        if new || met != *old {
            self.entry[id.index()] = met;
            self.queue(id);
        }
    }

    pub(super) fn arrive_inside(&mut self, composite: NodeId, first: NodeId, facts: Facts) {
        if first == composite {
            return;
        }
        if self.cx.plan.at(first).children.is_empty() {
            self.meet_entry(first, &facts);
        } else {
            let mut facts = facts;
            self.refresh(first, &mut facts);
            self.meet_entry(first, &facts);
        }
    }
}
