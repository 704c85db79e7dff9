//! Witnesses as the beginning of a run: what a scenario gives so that a node is stuck at once.

use serde_json::{Value as Json, json};

use super::confirm::Confirmation;
use super::names::name;
use super::node_guards::NodeGuards;
use super::term::{Head, TermId};
use super::witness::Chosen;
use crate::machine::{MidwayStart, Start};
use crate::model::expr::SlotKind;
use crate::model::node::NodeKind;
use crate::program::frame::Frame;
use crate::program::op::BudgetQuery;
use crate::source::Sources;
use crate::value::{Map, Value};

/// A state in which no edge of a node is taken.
pub(super) struct Witness {
    /// The values of what the guards ask about.
    values: Json,
    input: Json,
    /// The `given` of a scenario.
    given: Json,
    /// True if a run that begins there is stuck at once.
    pub(super) is_definite: bool,
}

impl Witness {
    pub(super) fn of(
        confirmation: &Confirmation<'_>,
        sources: &Sources,
        (index, guards): (usize, &NodeGuards<'_>),
        (chosen, frame): &(Chosen, Frame),
    ) -> Self {
        let set = &guards.set;
        let (mut state, mut budgets) = (json!({}), json!({}));
        let mut values = json!({});
        for (id, value) in chosen {
            values[name(sources, set, *id)] = value.to_json();
            if let Head::Budget(BudgetQuery::Used, budget) = &set.terms.get(*id).head {
                budgets[set.graph.budgets[budget.0 as usize].name.value.as_str()] = value.to_json();
            } else if let Some((Head::Slot(slot), _)) = set.terms.path(*id) {
                let own = &set.graph.slots[slot.0 as usize];
                if own.kind != SlotKind::Input {
                    state[own.name.value.as_str()] = frame.slots[slot.0 as usize].to_json();
                }
            }
        }
        let input = inputs(confirmation, (index, guards), chosen, frame);
        let given = json!({"at": guards.node.name.value.as_str(), "state": state, "budgets": budgets});
        let mut witness = Self { values, input, given, is_definite: false };
        // What others answer is not in the hand of a witness.
        let acts_alone = matches!(guards.node.kind, NodeKind::Action | NodeKind::Choice);
        witness.is_definite = acts_alone && confirmation.gets_stuck(index, witness.start());
        witness
    }

    /// The first input of such a run.
    fn start(&self) -> Start {
        let map = |json: &Json| match Value::from_json(json) {
            Value::Map(map) => map,
            _ => Map::new(),
        };
        let at = self.given["at"].as_str().map(Into::into);
        let given =
            MidwayStart { at, state: map(&self.given["state"]), budgets: map(&self.given["budgets"]) };
        Start {
            run: "witness".into(),
            input: map(&self.input),
            seed: 0,
            tools: crate::value::List::new(),
            given: Some(given),
            interrupt: None,
        }
    }

    pub(super) fn to_json(&self) -> Json {
        json!({
            "values": self.values,
            "input": self.input,
            "given": self.given,
            "definite": self.is_definite,
        })
    }
}

/// The inputs that the witness reads, and those without which no run begins.
fn inputs(
    confirmation: &Confirmation<'_>,
    (index, guards): (usize, &NodeGuards<'_>),
    chosen: &[(TermId, Value)],
    frame: &Frame,
) -> Json {
    let set = &guards.set;
    let is_chosen = |slot: usize| {
        let mut roots = chosen.iter().filter_map(|(id, _)| set.terms.path(*id));
        roots.any(|(root, _)| matches!(root, Head::Slot(own) if own.0 as usize == slot))
    };
    let mut frame = frame.clone();
    let mut input = json!({});
    for (slot, own) in set.graph.slots.iter().enumerate().filter(|(_, own)| own.kind == SlotKind::Input) {
        if !is_chosen(slot) {
            if own.init.is_some() || own.ty.nullable {
                continue;
            }
            // It may be anything that meets its condition.
            let mut usual = set.usual(&own.ty).into_iter();
            while !confirmation.fits(index, slot, &frame) {
                let Some(value) = usual.next() else { break };
                frame.slots[slot] = value;
            }
        }
        input[own.name.value.as_str()] = frame.slots[slot].to_json();
    }
    input
}
