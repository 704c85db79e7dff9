//! A call of a run: what was asked, and what came of it.

use rustc_hash::FxHashMap;
use serde_json::{Value as Json, json};

use super::cursor::JournalCursor;
use super::read_error::ReadError;
use super::stored::OpenRun;
use crate::machine::{CallId, EventKind, Outcome, Usage, event_json};
use crate::value::{Str, usd};

impl OpenRun {
    /// A call by its id, as JSON: what a model was shown or a tool was given in `called`, and what it said in `resolved`, if it has
    /// come back. A call that was made again after a rollback is the last one of its id. The run must be
    /// [found whole](super::Runs::find_whole).
    ///
    /// # Errors
    /// The store cannot read the journal.
    pub async fn exchange(&self, call: &str) -> Result<Option<Json>, ReadError> {
        let mut cursor = JournalCursor::new(self);
        let mut found: Option<Json> = None;
        for entry in self.entries().await? {
            cursor.enter(&entry.cause);
            for event in &entry.events {
                cursor.pass(event);
                let part = match &event.kind {
                    EventKind::Called(own) if own.id.0 == call => "called",
                    EventKind::Resolved { call: own, .. } | EventKind::Late { call: own, .. }
                        if own.0 == call =>
                    {
                        "resolved"
                    }
                    _ => continue,
                };
                let json = event_json(cursor.program(), |frame| cursor.graph(frame), event);
                if part == "called" {
                    found = Some(json!({"call": call}));
                }
                if let Some(found) = &mut found {
                    found[part] = json;
                }
            }
        }
        Ok(found)
    }

    /// What the calls of models cost, all together and by node: tokens, dollars and calls. What lies on branches that were left counts
    /// as well.
    ///
    /// # Errors
    /// The store cannot read the journal.
    pub async fn costs(&self) -> Result<Json, ReadError> {
        let mut nodes: Vec<(Str, u64, Usage)> = Vec::new();
        let mut open: FxHashMap<CallId, Str> = FxHashMap::default();
        for event in self.store.events(&self.info.run).await? {
            match event.kind {
                EventKind::Called(call) if call.request.called().0 == "model" => {
                    open.insert(call.id, call.node);
                }
                EventKind::Resolved { call, outcome } | EventKind::Late { call, outcome } => {
                    let Some(node) = open.remove(&call) else { continue };
                    let place = nodes.iter().position(|(own, ..)| *own == node).unwrap_or_else(|| {
                        nodes.push((node, 0, Usage::default()));
                        nodes.len() - 1
                    });
                    let (_, calls, usage) = &mut nodes[place];
                    *calls += 1;
                    if let Outcome::Answer { usage: own, .. } | Outcome::Failed { usage: own, .. } = &*outcome
                    {
                        *usage = usage.plus(*own);
                    }
                }
                _ => {}
            }
        }
        let cost = |usage: &Usage| usd::text(i64::try_from(usage.cost).unwrap_or(i64::MAX));
        let mut all = Usage::default();
        let by_node: Vec<Json> = nodes
            .iter()
            .map(|(node, calls, usage)| {
                all = all.plus(*usage);
                json!({"node": node.as_str(), "calls": calls, "usd": cost(usage)})
            })
            .collect();
        Ok(
            json!({"usd": cost(&all), "calls": nodes.iter().map(|(_, calls, _)| calls).sum::<u64>(), "by_node": by_node}),
        )
    }
}
