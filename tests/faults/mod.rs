//! Real models that fail in every way: what the client takes for an answer, and how loops end.

mod plan;
mod sockets;
mod world;

use std::collections::BTreeMap;

use loopwright::machine::Time;

use self::world::{Fate, Told, World};
use crate::rebuilt::fewer;

/// No run takes longer than its rounds, with all waits of their tries.
const LONGEST: Time = 24 * 3600 * 1_000_000_000;

#[tokio::test(start_paused = true)]
async fn whatever_a_provider_does_the_loop_ends_by_answer_or_budget() {
    let mut fates: BTreeMap<Fate, u32> = BTreeMap::new();
    let mut kinds: BTreeMap<&str, u32> = BTreeMap::new();
    for seed in 0..fewer(2_000) {
        let told = World::new(seed).run().await;
        judge(seed, &told);
        *fates.entry(told.fate).or_default() += 1;
        for kind in told.kinds {
            *kinds.entry(kind).or_default() += 1;
        }
    }
    // Every fault has been met many times, and runs end in each way.
    for name in plan::names() {
        assert!(kinds.get(name).copied().unwrap_or_default() >= 10, "{name}: {kinds:?}");
    }
    assert!(
        fates.get(&Fate::Answer) > Some(&100) && fates.get(&Fate::Budget) > Some(&100),
        "{fates:?} {kinds:?}"
    );
}

/// What holds of every run.
fn judge(seed: u64, told: &Told) {
    // Whatever was called stood in an answer that was taken, and each answer made one call.
    assert!(told.called.iter().all(|token| told.good.contains(token)), "seed {seed}: {told:#?}");
    let mut once = told.called.clone();
    once.sort();
    once.dedup();
    assert_eq!(once.len(), told.called.len(), "seed {seed}: {told:#?}");
    // Rounds are paid for, and a refused reply does not forge any.
    assert!(told.rounds <= 12, "seed {seed}: {told:#?}");
    let unpaid = i64::from(told.fate == Fate::Budget && told.spent >= 100_000);
    assert!((0..=unpaid).contains(&(told.rounds - told.calls)), "seed {seed}: {told:#?}");
    assert!(told.spent_at_least <= told.spent, "seed {seed}: {told:#?}");
    assert!(told.took < LONGEST, "seed {seed}: {told:#?}");
}
