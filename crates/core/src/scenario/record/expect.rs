//! Expectations of a recorded run.

use crate::program::Program;
use crate::program::graph::Charge;
use crate::scenario::facts::{RunFacts, names};
use crate::value::{List, Map, Str, Value};

/// The expectations of a recorded scenario: the facts of the run that the played scenario repeats.
#[derive(Debug, Default)]
pub(super) struct Expected {
    /// The keys of `expect`, in order.
    pub(super) keys: Vec<(&'static str, Value)>,
    /// The facts that come out otherwise.
    pub(super) left_out: Vec<String>,
    /// True if it is to be said that nothing else is expected.
    pub(super) is_stated: bool,
}

impl Expected {
    /// Holds what came of the run against what came of the scenario.
    pub(super) fn of(program: &Program, then: &RunFacts, now: &RunFacts) -> Self {
        let mut expected = Self::default();
        expected.whole("path", names(&then.path), &names(&now.path));
        if then.leaf_path != then.path {
            expected.whole("leaf_path", names(&then.leaf_path), &names(&now.leaf_path));
        }
        if let Some(outcome) = then.outcome.as_ref().filter(|outcome| !outcome.is_empty()) {
            expected.keys.push(("outcome", Value::Str(outcome.clone())));
        }
        if let Some(ok) = then.ok {
            expected.keys.push(("ok", Value::Bool(ok)));
        }
        if let Some(node) = then.waiting.first() {
            expected.keys.push(("waiting", Value::Str(node.clone())));
        }
        expected.fields("error", &then.error, &now.error);
        if then.outcome.is_none() {
            expected.fields("state", &Value::Map(then.state.clone()), &Value::Map(now.state.clone()));
        }
        let budgets = Value::Map(counted(program, &then.budgets));
        expected.fields("budgets", &budgets, &Value::Map(now.budgets.clone()));
        expected.fields("output", &then.output, &now.output);
        expected.calls("tool_calls", &then.tool_calls, &now.tool_calls, &["tool", "args", "node"]);
        expected.calls("questions", &then.questions, &now.questions, &["node", "text"]);
        if !now.violates.is_empty() {
            let mut broken: Vec<Str> = now.violates.iter().map(|broken| broken.name.clone()).collect();
            broken.dedup();
            expected.keys.push(("violates", names(&broken)));
        }
        expected
    }

    fn whole(&mut self, key: &'static str, then: Value, now: &Value) {
        if then == *now {
            self.keys.push((key, then));
        } else {
            self.left_out.push(key.to_owned());
        }
    }

    /// The fields that come out the same.
    fn fields(&mut self, key: &'static str, then: &Value, now: &Value) {
        let (Value::Map(then), now) = (then, now.as_map().cloned().unwrap_or_default()) else { return };
        let mut same = Map::new();
        for (name, value) in then {
            if now.get(name) == Some(value) {
                same.insert(name.clone(), value.clone());
            } else {
                self.left_out.push(format!("{key}.{name}"));
            }
        }
        if !same.is_empty() {
            self.keys.push((key, Value::Map(same)));
        }
    }

    /// The things done or asked, with these fields of each.
    fn calls(&mut self, key: &'static str, then: &[Value], now: &[Value], fields: &[&str]) {
        let cut = |items: &[Value]| -> List {
            let cut = |item: &Value| {
                let item = item.as_map();
                fields.iter().filter_map(|f| Some((*f, item?.get(f)?.clone()))).collect::<Map>()
            };
            items.iter().map(|item| Value::Map(cut(item))).collect()
        };
        let (then, now) = (cut(then), cut(now));
        if then != now {
            self.left_out.push(key.to_owned());
        } else if !then.is_empty() {
            self.keys.push((key, Value::List(then)));
        }
    }
}

/// Counters without those of time: what took long then takes no time when it is played.
fn counted(program: &Program, budgets: &Map) -> Map {
    let timed = |name: &Str| {
        let own = |budget: &&crate::program::graph::BudgetCode| budget.charge == Some(Charge::Time);
        program.graphs[0].budgets.iter().filter(own).any(|budget| budget.name == *name)
    };
    budgets.iter().filter(|(name, _)| !timed(name)).map(|(name, used)| (name.clone(), used.clone())).collect()
}
