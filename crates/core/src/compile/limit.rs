//! The order in which budgets get their limits.

use std::collections::BTreeSet;

use rustc_hash::{FxHashMap, FxHashSet};

use super::{CompileFault, Compiler};
use crate::model::graph::Graph;
use crate::program::graph::{GraphCode, LimitStep, LinkedNodeKind};
use crate::program::op::{Op, OpId};

impl Compiler<'_> {
    /// Puts the budgets of the graph and of each composite into an order in which a limit comes after those it reads.
    pub(super) fn order_limits(&mut self, graph: &Graph, code: &mut GraphCode) {
        code.limits = self.ordered(graph, code, None);
        for node in 0..code.nodes.len() {
            let scope = Some(super::index(node));
            let LinkedNodeKind::Composite(composite) = &code.nodes[node].kind else { continue };
            if composite.budgets.is_empty() && composite.families.is_empty() {
                continue;
            }
            let limits = self.ordered(graph, code, scope);
            if let LinkedNodeKind::Composite(composite) = &mut code.nodes[node].kind {
                composite.limits = limits;
            }
        }
    }

    fn ordered(&mut self, graph: &Graph, code: &GraphCode, scope: Option<u32>) -> Box<[LimitStep]> {
        let steps = code.limit_steps(scope);
        let places: FxHashMap<LimitStep, usize> = steps.iter().copied().zip(0..).collect();
        let mut waits: Vec<usize> = Vec::with_capacity(steps.len());
        let mut frees: Vec<Vec<usize>> = vec![Vec::new(); steps.len()];
        for (place, step) in steps.iter().enumerate() {
            let needs: BTreeSet<usize> =
                self.needs(code, *step).iter().filter_map(|need| places.get(need)).copied().collect();
            waits.push(needs.len());
            for need in needs {
                frees[need].push(place);
            }
        }
        let mut ready: BTreeSet<usize> = (0..steps.len()).filter(|place| waits[*place] == 0).collect();
        let mut order = Vec::with_capacity(steps.len());
        while let Some(place) = ready.pop_first() {
            order.push(steps[place]);
            for free in &frees[place] {
                waits[*free] -= 1;
                if waits[*free] == 0 {
                    ready.insert(*free);
                }
            }
        }
        if order.len() < steps.len() {
            self.cycle(
                graph,
                steps.iter().zip(&waits).filter(|(_, waits)| **waits > 0).map(|(step, _)| *step),
            );
        }
        order.into()
    }

    /// The steps that must be done before this one, of whatever scope.
    fn needs(&self, code: &GraphCode, step: LimitStep) -> FxHashSet<LimitStep> {
        let mut needs = FxHashSet::default();
        match step {
            LimitStep::Keys(family) => {
                self.reads(code, code.families[family as usize].each, &mut needs);
            }
            LimitStep::Counter(budget) | LimitStep::Meter(budget) => {
                let budget = &code.budgets[budget as usize];
                needs.extend(budget.family.map(|(family, _)| LimitStep::Keys(family)));
                for expr in [Some(budget.limit), budget.grace].into_iter().flatten() {
                    self.reads(code, expr, &mut needs);
                }
            }
        }
        needs
    }

    /// The budgets an expression reads, itself or through lets.
    fn reads(&self, code: &GraphCode, expr: OpId, needs: &mut FxHashSet<LimitStep>) {
        let (ops, operands) = self.tables.ops();
        let mut seen_lets = FxHashSet::default();
        let mut open = vec![expr];
        while let Some(id) = open.pop() {
            let op = &ops[id.0 as usize];
            match op {
                Op::Let(entry, _) if seen_lets.insert(*entry) => open.push(code.lets[*entry as usize]),
                Op::Budget(_, counter) => {
                    let is_meter = code.budgets[counter.budget as usize].family.is_some();
                    let step = if is_meter { LimitStep::Meter } else { LimitStep::Counter };
                    needs.insert(step(counter.budget));
                }
                Op::InFamily(_, family) => {
                    needs.insert(LimitStep::Keys(*family));
                }
                _ => {}
            }
            op.each_operand(operands, |operand| open.push(operand));
        }
    }

    fn cycle(&mut self, graph: &Graph, stuck: impl Iterator<Item = LimitStep>) {
        let mut names = Vec::new();
        let mut place = None;
        for step in stuck {
            let name = match step {
                LimitStep::Counter(budget) | LimitStep::Meter(budget) => &graph.budgets[budget as usize].name,
                LimitStep::Keys(family) => &graph.families[family as usize].name,
            };
            names.push(name.value.clone());
            place.get_or_insert(name.span);
        }
        self.fault(CompileFault::LimitCycle(names), place.unwrap_or(graph.id.span));
    }
}
