//! Costs of runs, as far as they were read.

use std::sync::{Arc, Mutex, PoisonError};

use rustc_hash::FxHashMap;
use serde_json::Value as Json;

use crate::app::RunCosts;
use crate::machine::Time;
use crate::port::{RunInfo, Store, StoreError};
use crate::value::Str;

/// The most runs whose sum is remembered.
const MAX_RUNS: usize = 20_000;

/// The sums of runs that were asked for. A request reads no more of a journal than what was stored since the one before it.
#[derive(Default)]
pub(super) struct KnownCosts(Mutex<FxHashMap<Str, Arc<KnownSum>>>);

struct KnownSum {
    /// The time at which the run was begun. Another run may have the id of one that was removed.
    started: Time,
    /// Requests for one run wait for each other, so that a long journal is read once.
    costs: tokio::sync::Mutex<RunCosts>,
}

impl KnownCosts {
    /// The costs of a run, as [`RunCosts::json`] has them.
    pub(super) async fn of(&self, store: &dyn Store, info: &RunInfo) -> Result<Json, StoreError> {
        let sum = self.sum(info);
        let mut costs = sum.costs.lock().await;
        costs.read_on(store, &info.run).await?;
        Ok(costs.json())
    }

    fn sum(&self, info: &RunInfo) -> Arc<KnownSum> {
        let mut sums = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(sum) = sums.get(&info.run).filter(|sum| sum.started == info.started) {
            return Arc::clone(sum);
        }
        if sums.len() >= MAX_RUNS {
            sums.clear();
        }
        let sum = Arc::new(KnownSum { started: info.started, costs: tokio::sync::Mutex::default() });
        sums.insert(info.run.clone(), Arc::clone(&sum));
        sum
    }
}
