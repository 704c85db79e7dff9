//! Carries facts to points.

use super::Flow;
use crate::model::cfg::{Point, PointId};
use crate::model::node::NodeId;
use crate::model::typing::Facts;

impl Flow<'_, '_> {
    /// Facts arrive at a target from a source (the start of the graph has none), through every composite on the way.
    pub(super) fn arrive(&mut self, source: Option<NodeId>, target: NodeId, mut facts: Facts) {
        for composite in self.cfg.entered(source, target) {
            self.refresh(composite, &mut facts);
            self.meet_entry(composite, &facts);
            if composite != target {
                facts = self.through(composite, facts);
            }
        }
        if !self.cfg.is_composite(target) {
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

    /// The facts after a composite's entry statements on one way in.
    fn through(&self, composite: NodeId, facts: Facts) -> Facts {
        let Some(block) = &self.cx.plan.at(composite).decl.entry else { return facts };
        let mut unheard = Vec::new();
        let mut at = self.context(Some(composite), facts, &mut unheard);
        at.block(block);
        at.facts.of_slots()
    }

    fn meet_entry(&mut self, id: NodeId, facts: &Facts) {
        if self.meet(self.cfg.node(id), facts) || self.made[id.index()].is_none() {
            self.queue(id);
        }
    }

    /// Facts arrive where a composite is left. It is typed anew, if it was typed before.
    pub(super) fn meet_exit(&mut self, exit: PointId, facts: &Facts) {
        if let Point::Done(composite) | Point::Failed(composite) = self.cfg.point(exit)
            && self.meet(exit, facts)
            && self.made[composite.index()].is_some()
        {
            self.queue(composite);
        }
    }

    /// Keeps what is known on all ways to a point, and says if that changed.
    fn meet(&mut self, point: PointId, facts: &Facts) -> bool {
        let known = &mut self.known[point.index()];
        let met = known.meet(facts);
        let changed = met != *known;
        *known = met;
        changed
    }

    /// Inside the composite already: only composites between it and its start are entered.
    pub(super) fn arrive_inside(&mut self, composite: NodeId, first: NodeId, mut facts: Facts) {
        if first == composite {
            return;
        }
        if self.cfg.is_composite(first) {
            self.refresh(first, &mut facts);
        }
        self.meet_entry(first, &facts);
    }
}
