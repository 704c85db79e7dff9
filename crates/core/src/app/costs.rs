//! Costs of the calls of models of a run.

use rustc_hash::FxHashMap;
use serde_json::{Value as Json, json};

use crate::machine::{CallId, Event, EventKind, Outcome, Usage};
use crate::port::{Store, StoreError};
use crate::value::{Str, usd};

/// The most entries that are read at once.
const MAX_ENTRIES: u32 = 256;

/// The sum of what the calls of models of a run cost, up to the last entry of its journal that was read.
///
/// A journal only grows: also a rollback is an entry. So a sum that reads on is that of the whole journal.
#[derive(Debug, Clone, Default)]
pub struct RunCosts {
    /// The number of entries that were read.
    entries: u64,
    /// In the order in which the first call of each came back.
    nodes: Vec<NodeCosts>,
    /// The nodes of calls that have not come back.
    pending: FxHashMap<CallId, Str>,
}

#[derive(Debug, Clone)]
struct NodeCosts {
    node: Str,
    calls: u64,
    usage: Usage,
}

impl RunCosts {
    /// Reads the entries that were stored since it read last. What fails is read again the next time.
    ///
    /// # Errors
    /// The store cannot read the journal.
    pub async fn read_on(&mut self, store: &dyn Store, run: &str) -> Result<(), StoreError> {
        loop {
            let entries = store.entries_from(run, self.entries, MAX_ENTRIES).await?;
            if entries.is_empty() {
                return Ok(());
            }
            for entry in entries {
                for event in entry.events {
                    self.take(event);
                }
                self.entries += 1;
            }
        }
    }

    fn take(&mut self, event: Event) {
        match event.kind {
            EventKind::Called(call) if call.request.called().0 == "model" => {
                self.pending.insert(call.id, call.node);
            }
            EventKind::Resolved { call, outcome } | EventKind::Late { call, outcome } => {
                if let Some(node) = self.pending.remove(&call) {
                    self.add(node, &outcome);
                }
            }
            _ => {}
        }
    }

    fn add(&mut self, node: Str, outcome: &Outcome) {
        let place = self.nodes.iter().position(|own| own.node == node).unwrap_or_else(|| {
            self.nodes.push(NodeCosts { node, calls: 0, usage: Usage::default() });
            self.nodes.len() - 1
        });
        let costs = &mut self.nodes[place];
        costs.calls += 1;
        if let Outcome::Answer { usage, .. } | Outcome::Failed { usage, .. } = outcome {
            costs.usage = costs.usage.plus(*usage);
        }
    }

    /// Dollars and calls, all together and by node. What lies on branches that were left counts as well.
    #[must_use]
    pub fn json(&self) -> Json {
        let dollars = |usage: &Usage| usd::text(i64::try_from(usage.cost).unwrap_or(i64::MAX));
        let all = self.nodes.iter().fold(Usage::default(), |all, costs| all.plus(costs.usage));
        let calls: u64 = self.nodes.iter().map(|costs| costs.calls).sum();
        let by_node = self.nodes.iter().map(|NodeCosts { node, calls, usage }| {
            json!({"node": node.as_str(), "calls": calls, "usd": dollars(usage)})
        });
        json!({"usd": dollars(&all), "calls": calls, "by_node": by_node.collect::<Vec<_>>()})
    }
}
