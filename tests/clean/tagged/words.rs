//! The texts that stand in a graph: its constants, and the members of its enums.

use std::collections::BTreeSet;

use loopwright::model::Model;
use loopwright::model::node::NodeKind;
use loopwright::model::types::{Kind, Type};
use loopwright::program::Program;
use loopwright::value::Value;

/// All texts that a value which is cut may be.
pub(super) struct GraphWords(BTreeSet<String>);

impl GraphWords {
    pub(super) fn of(program: &Program, model: &Model) -> Self {
        let mut words = Self(BTreeSet::new());
        program.constants.iter().for_each(|value| words.add(value));
        for graph in &model.graphs {
            graph.slots.iter().for_each(|slot| words.add_type(&slot.ty));
            for node in graph.graph.node_weights() {
                words.0.insert(node.name.value.to_string());
                match &node.kind {
                    NodeKind::Model(own) => words.add_type(&own.output),
                    NodeKind::Human(own) => words.add_type(&own.answer),
                    _ => {}
                }
            }
        }
        let fields = model.types.records.iter().flat_map(|record| record.fields.iter());
        fields.for_each(|field| words.add_type(&field.ty));
        words
    }

    fn add(&mut self, value: &Value) {
        match value {
            Value::Str(text) => drop(self.0.insert(text.to_string())),
            Value::List(items) => items.iter().for_each(|item| self.add(item)),
            Value::Map(map) => map.values().for_each(|item| self.add(item)),
            _ => {}
        }
    }

    fn add_type(&mut self, ty: &Type) {
        match &ty.kind {
            Kind::Enum(own) => self.0.extend(own.members.iter().map(ToString::to_string)),
            Kind::List(item, _) | Kind::Map(item) => self.add_type(item),
            _ => {}
        }
    }

    /// True if all texts in a value stand in the graph.
    pub(super) fn are_all_of(&self, value: &Value) -> bool {
        match value {
            Value::Str(text) => self.0.contains(text.as_str()),
            Value::List(items) => items.iter().all(|item| self.are_all_of(item)),
            Value::Map(map) => map.values().all(|item| self.are_all_of(item)),
            _ => true,
        }
    }
}
