//! Uses in texts.

use super::{RegionId, SampledUse, UseBuilder};
use crate::explore::template::text_may_fail;
use crate::model::expr::TextId;
use crate::value::Str;

impl UseBuilder<'_> {
    /// The region of a text of the graph: it is made of all that it takes in.
    pub(super) fn text(&mut self, id: TextId) -> RegionId {
        let key = (self.graph, id);
        if let Some(region) = self.texts.get(&key) {
            return *region;
        }
        let made = self.regions().add();
        self.texts.insert(key, made);
        let text = &self.own().texts[id.0 as usize];
        let span = text.name.span;
        let fails = text_may_fail(self.own(), self.templates[self.graph].as_ref(), &text.name.value);
        for variable in self.variables(&text.name.value) {
            let Some(region) = self.variable(&variable) else { continue };
            let used = SampledUse { why: "part of a text", span };
            if fails {
                self.regions().sample(region, SampledUse { why: "computed with in a text", span });
            } else {
                self.regions().derive(made, region, true, used);
            }
        }
        made
    }

    fn variables(&self, name: &str) -> Vec<Str> {
        self.templates[self.graph].as_ref().map_or_else(Vec::new, |texts| texts.variables(name).to_vec())
    }

    fn variable(&mut self, name: &str) -> Option<RegionId> {
        let graph = self.own();
        if let Some(slot) = graph.slots.iter().position(|slot| slot.name.value == name) {
            return Some(self.uses.slots[self.graph][slot]);
        }
        if let Some(own) = graph.lets.iter().position(|own| own.name.value == name) {
            let body = &graph.lets[own].body;
            let value = self.apart(|builder| builder.read(body));
            return Some(value.region);
        }
        match name {
            "error" => Some(self.uses.errors[self.graph]),
            "result" => self.result,
            _ => None,
        }
    }
}
