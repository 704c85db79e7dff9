//! Questions of an expression to the run: counters, where it is, rendered texts.

use super::{Eval, Evaluated, Fault, trouble};
use crate::program::frame::{Counters, Frame};
use crate::program::graph::{Charge, GraphCode};
use crate::program::level::{LEVELS_OF_A_TEXT, LEVELS_TO_A_VARIABLE};
use crate::program::op::{BudgetQuery, Counter, OpId};
use crate::value::{Map, Str, Value};

impl Eval<'_> {
    pub(super) fn budget(&mut self, id: OpId, query: BudgetQuery, counter: Counter) -> Evaluated<Value> {
        let key = self.key(counter)?;
        let counters = self
            .frame
            .counter(self.graph, counter.budget, key.as_ref())
            .ok_or_else(|| trouble(self.unknown_key(counter.budget, key.as_ref()), id))?;
        Ok(self.answer(query, counter.budget, counters))
    }

    /// A query of a plain budget.
    #[inline]
    pub(super) fn counter(&self, query: BudgetQuery, budget: u32) -> Value {
        let counters = self.frame.counters.get(budget as usize).copied();
        self.answer(query, budget, counters.expect("a frame has a counter for every budget of its graph"))
    }

    #[inline]
    fn answer(&self, query: BudgetQuery, budget: u32, counters: Counters) -> Value {
        let amount = |n| amount(self.graph.budgets[budget as usize].charge, n);
        match query {
            BudgetQuery::Used => amount(counters.used),
            BudgetQuery::Limit => amount(counters.limit),
            BudgetQuery::Left => amount(counters.left()),
            BudgetQuery::Exhausted => Value::Bool(counters.exhausted()),
        }
    }

    /// The key of a meter's family, evaluated; [`None`] for a plain budget.
    ///
    /// # Errors
    /// As [`Eval::eval`], and when the key is no string.
    pub fn key(&mut self, counter: Counter) -> Evaluated<Option<Str>> {
        let Some(op) = counter.key else { return Ok(None) };
        match self.eval(op)? {
            Value::Str(key) => Ok(Some(key)),
            other => {
                let message = format!("found {} where a budget's key is wanted: a string", other.type_name());
                Err(trouble(Fault::evaluation(message), op))
            }
        }
    }

    pub(super) fn unknown_key(&self, budget: u32, key: Option<&Str>) -> Fault {
        let name = &self.graph.budgets[budget as usize].name;
        Fault::evaluation(format!("the budget {name} has no key '{}'", key.map_or("", Str::as_str)))
    }

    pub(super) fn in_family(&mut self, key: OpId, family: u32) -> Evaluated<Value> {
        let key = self.eval(key)?;
        let keys = self.frame.families.get(family as usize).map_or(&[][..], |f| &f.keys);
        Ok(Value::Bool(key.as_str().is_some_and(|key| keys.iter().any(|k| k == key))))
    }

    pub(super) fn in_state(&self, node: u32) -> bool {
        let here = self.frame.node;
        here == node || self.graph.nodes.get(here as usize).is_some_and(|n| n.chain.contains(&node))
    }

    /// A text of the graph, rendered over the state; `level` as in [`Op::Render`](crate::program::op::Op::Render).
    ///
    /// # Errors
    /// As [`Eval::eval`], with the template's own place in the message.
    pub(super) fn render(&mut self, id: OpId, text: u32, level: u32) -> Evaluated<Str> {
        let graph = self.graph;
        let above = self.descend(id, level, LEVELS_OF_A_TEXT)?;
        let text = &graph.texts[text as usize];
        let reads_slices = self.program.semantics.reads_slices();
        let result = graph.templates.render(text, &mut |name| {
            if reads_slices || !graph.templates.only_slices(text, name) {
                self.variable(name)
            } else {
                Ok(None)
            }
        });
        self.ascend(above);
        result.map_err(|fault| trouble(fault, id))
    }

    /// A template's variable; [`None`] when there is none of that name.
    fn variable(&mut self, name: &str) -> Result<Option<Value>, Fault> {
        if let Some(slot) = self.graph.slots.iter().position(|s| s.name == name) {
            self.scratch.note_slot(self.frame.graph, u32::try_from(slot).unwrap_or(u32::MAX));
            return Ok(self.frame.slots.get(slot).cloned());
        }
        if let Some(index) = self.graph.let_names.iter().position(|n| n == name) {
            let index = u32::try_from(index).unwrap_or(u32::MAX);
            return self.memoised(index, LEVELS_TO_A_VARIABLE).map(Some).map_err(|trouble| trouble.fault);
        }
        Ok(match name {
            "tools" => Some(Value::List(self.world.tools.clone())),
            "error" | "result" => {
                self.scratch.note_special(self.frame.graph);
                let frame = self.frame;
                Some(if name == "error" { frame.error.clone() } else { frame.result.clone() })
            }
            "budgets" => Some(Value::Map(self.frame.budgets(self.graph))),
            _ => None,
        })
    }
}

impl Frame {
    /// The counters of a budget, or of a meter for one key.
    #[must_use]
    pub fn counter(&self, graph: &GraphCode, budget: u32, key: Option<&Str>) -> Option<Counters> {
        match (graph.budgets.get(budget as usize)?.family, key) {
            (Some((family, meter)), Some(key)) => {
                let family = self.families.get(family as usize)?;
                let row = family.keys.iter().position(|k| k == key)?;
                family.rows.get(row)?.get(meter as usize).copied()
            }
            (None, _) => self.counters.get(budget as usize).copied(),
            (Some(_), None) => None,
        }
    }

    /// The same, to change it.
    pub fn counter_mut(
        &mut self,
        graph: &GraphCode,
        budget: u32,
        key: Option<&Str>,
    ) -> Option<&mut Counters> {
        match (graph.budgets.get(budget as usize)?.family, key) {
            (Some((family, meter)), Some(key)) => {
                let family = self.families.get_mut(family as usize)?;
                let row = family.keys.iter().position(|k| k == key)?;
                family.rows.get_mut(row)?.get_mut(meter as usize)
            }
            (None, _) => self.counters.get_mut(budget as usize),
            (Some(_), None) => None,
        }
    }

    /// All budgets as templates and people see them: `{name: {used, limit, left}}`, a family by key and meter.
    #[must_use]
    pub fn budgets(&self, graph: &GraphCode) -> Map {
        let mut all = Map::new();
        for (i, budget) in graph.budgets.iter().enumerate().filter(|(_, b)| b.family.is_none()) {
            let counters = self.counters.get(i).copied().unwrap_or_default();
            all.set(budget.name.clone(), counters.to_map(budget.charge));
        }
        for (i, family) in graph.families.iter().enumerate() {
            let mut by_key = Map::new();
            let counters = self.families.get(i);
            for (key, row) in counters.iter().flat_map(|c| c.keys.iter().zip(&c.rows)) {
                let mut meters = Map::new();
                for (meter, counters) in family.meters.iter().zip(row) {
                    let code = &graph.budgets[*meter as usize];
                    let short = code.name.rsplit('.').next().unwrap_or(&code.name);
                    meters.set(short, counters.to_map(code.charge));
                }
                by_key.set(key.clone(), meters);
            }
            all.set(family.name.clone(), by_key);
        }
        all
    }
}

impl Counters {
    fn to_map(self, charge: Option<Charge>) -> Map {
        let mut map = Map::new();
        map.set("used", amount(charge, self.used));
        map.set("limit", amount(charge, self.limit));
        map.set("left", amount(charge, self.left()));
        map
    }
}

/// A counter's number as the language sees it: money and time have types of their own.
const fn amount(charge: Option<Charge>, n: i64) -> Value {
    match charge {
        Some(Charge::ModelCost) => Value::Usd(n),
        Some(Charge::Time) => Value::Duration(n),
        _ => Value::Int(n),
    }
}

impl Eval<'_> {
    /// A text of the graph, rendered; the place of a fault is the text's own.
    ///
    /// # Errors
    /// As [`Eval::eval`], with the template's own place in the message.
    pub fn render_text(&mut self, text: u32) -> Evaluated<Str> {
        self.render(OpId(0), text, 0)
    }
}
