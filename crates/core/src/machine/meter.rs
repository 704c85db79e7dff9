//! Charges that the runtime makes by itself. A charge debits the lane's own budgets and those of every graph that called it.

use smallvec::SmallVec;

use super::call::{ModelAttempt, Outcome, Usage};
use super::event::{EventKind, Spend};
use super::snapshot::NodeExit;
use super::step::Machine;
use crate::program::graph::{Charge, Gate, GraphCode};

impl Machine<'_> {
    /// Returns true if every hard budget that meters `charge` admits one more; the refusal otherwise. A budget of tokens,
    /// money or time is known only after the call: it refuses once it is used up.
    #[inline]
    pub(super) fn may_charge(&mut self, lane: u32, charge: Charge) -> Result<(), NodeExit> {
        if self.unmetered(lane) {
            return Ok(());
        }
        let admitted = self.admits(lane, charge);
        if admitted.is_err() {
            // No statement was refused: an earlier refusal does not explain this.
            self.origins.forget();
        }
        admitted
    }

    /// Returns true if no charge of this lane concerns any budget: a root graph that meters nothing.
    #[inline]
    pub(super) fn unmetered(&self, lane: u32) -> bool {
        self.lane(lane).parent.is_none() && self.graph(lane).metered.is_empty()
    }

    fn admits(&self, lane: u32, charge: Charge) -> Result<(), NodeExit> {
        for owner in self.ancestry(lane) {
            let graph = self.graph(owner);
            for budget in self.metered(owner, graph) {
                let code = &graph.budgets[budget as usize];
                let Some(meter) = code.charge else { continue };
                if code.gate != Gate::Hard || !concerns(meter, charge) {
                    continue;
                }
                let need = i64::from(meter == charge);
                for (key, counters) in self.counters(owner, graph, budget) {
                    let refused = if need == 1 {
                        !counters.admits(1)
                    } else {
                        counters.used >= counters.limit.saturating_add(counters.grace)
                    };
                    if refused {
                        return Err(NodeExit::Exhausted { lane: owner, budget, key });
                    }
                }
            }
        }
        Ok(())
    }

    /// Debits `amount` everywhere, past the limit if need be.
    #[inline]
    pub(super) fn charge(&mut self, lane: u32, charge: Charge, amount: i64) {
        if amount > 0 && !self.unmetered(lane) {
            self.debit_all(lane, charge, amount);
        }
    }

    fn debit_all(&mut self, lane: u32, charge: Charge, amount: i64) {
        let mut next = Some(lane);
        while let Some(owner) = next {
            self.debit(owner, charge, amount);
            next = self.lane(owner).parent.map(|(parent, _)| parent);
        }
    }

    /// Debits one lane's own budgets.
    fn debit(&mut self, owner: u32, charge: Charge, amount: i64) {
        let graph = self.graph(owner);
        if graph.metered.is_empty() {
            return;
        }
        let budgets: SmallVec<[u32; 4]> = self.metered(owner, graph).collect();
        for budget in budgets {
            if graph.budgets[budget as usize].charge != Some(charge) {
                continue;
            }
            let keys: SmallVec<[_; 1]> = self.counters(owner, graph, budget).map(|(key, _)| key).collect();
            for key in keys {
                let frame = &mut self.lane_mut(owner).frame;
                if let Some(counters) = frame.counter_mut(graph, budget, key.as_ref()) {
                    counters.used = counters.used.saturating_add(amount);
                }
                self.record(owner, || EventKind::Charged(Spend { budget, key: key.map(Box::new), amount }));
            }
        }
        self.scratch.forget();
    }

    /// Bills what a call cost.
    pub(super) fn bill(&mut self, lane: u32, usage: Usage) {
        let tokens = usage.input_tokens.saturating_add(usage.output_tokens);
        self.charge(lane, Charge::ModelTokens, i64::try_from(tokens).unwrap_or(i64::MAX));
        self.charge(lane, Charge::ModelCost, i64::try_from(usage.cost).unwrap_or(i64::MAX));
    }

    /// Bills time to every lane that is alive: each has its own clock.
    pub(super) fn pass_time(&mut self, nanoseconds: i64) {
        for index in 0..self.snap.lanes.len() {
            if self.snap.lanes[index].is_some() {
                self.debit(
                    u32::try_from(index).expect("lanes are counted in u32"),
                    Charge::Time,
                    nanoseconds,
                );
            }
        }
    }

    /// The lane and the lanes that called it, innermost first.
    fn ancestry(&self, lane: u32) -> impl Iterator<Item = u32> {
        std::iter::successors(Some(lane), |lane| self.lane(*lane).parent.map(|(parent, _)| parent))
    }

    /// The budgets that are charged by the runtime and whose composite is active.
    fn metered<'g>(&self, lane: u32, graph: &'g GraphCode) -> impl Iterator<Item = u32> + use<'g> {
        let here = self.lane(lane).frame.node;
        let chain = graph.nodes.get(here as usize).map_or(&[][..], |n| &n.chain);
        let active = move |index: &u32| {
            let scope = graph.budgets[*index as usize].scope;
            scope.is_none_or(|scope| scope == here || chain.contains(&scope))
        };
        graph.metered.iter().copied().filter(active)
    }

    fn counters(
        &self,
        lane: u32,
        graph: &GraphCode,
        budget: u32,
    ) -> impl Iterator<Item = (Option<crate::value::Str>, crate::program::frame::Counters)> {
        let frame = &self.lane(lane).frame;
        let found: SmallVec<[_; 1]> = match graph.budgets[budget as usize].family {
            None => frame.counters.get(budget as usize).map(|c| (None, *c)).into_iter().collect(),
            Some((family, meter)) => {
                frame.families.get(family as usize).map_or_else(SmallVec::new, |family| {
                    let rows = family.keys.iter().zip(&family.rows);
                    rows.filter_map(|(k, row)| row.get(meter as usize).map(|c| (Some(k.clone()), *c)))
                        .collect()
                })
            }
        };
        found.into_iter()
    }
}

/// Returns true if a budget that meters `meter` has a say in a call that charges `charge`.
const fn concerns(meter: Charge, charge: Charge) -> bool {
    match charge {
        Charge::ModelCalls => {
            matches!(meter, Charge::ModelCalls | Charge::ModelTokens | Charge::ModelCost | Charge::Time)
        }
        Charge::ToolCalls => matches!(meter, Charge::ToolCalls | Charge::Time),
        Charge::Transitions => matches!(meter, Charge::Transitions),
        _ => false,
    }
}

impl Outcome {
    /// The cost of the call, as far as it is known.
    #[must_use]
    pub fn usage(&self) -> Usage {
        match self {
            Self::Answer { usage, .. } | Self::Failed { usage, .. } => *usage,
            Self::Unknown { .. } => Usage::default(),
        }
    }

    /// The attempts of models that led to it, in order.
    #[must_use]
    pub fn attempts(&self) -> &[ModelAttempt] {
        match self {
            Self::Answer { attempts, .. } | Self::Failed { attempts, .. } => attempts,
            Self::Unknown { .. } => &[],
        }
    }
}
