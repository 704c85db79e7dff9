//! A graph explored, on as many threads as are given.

use std::num::NonZeroUsize;

use super::on_threads::on_threads;
use crate::explore::{SearchLimits, StateSearch, StateSpace, TakenCounts};

/// Random walks that are made at once.
const WALKS_AT_ONCE: u64 = 64;

/// The settings of an exploration.
#[derive(Debug, Clone, Copy)]
pub struct ExploreOptions {
    /// The limits of the search.
    pub limits: SearchLimits,
    /// The random walks after a search that does not reach everything.
    pub walks: u64,
    /// The seed of the walks.
    pub seed: u64,
    /// The threads. Any number of them finds the same.
    pub threads: NonZeroUsize,
}

/// Explores a graph. `progress` sees the search after each batch.
pub fn explore<'s, 'm>(
    space: &'s StateSpace<'m>,
    options: &ExploreOptions,
    progress: &mut dyn FnMut(&StateSearch<'s, 'm>),
) -> StateSearch<'s, 'm> {
    let mut search = StateSearch::new(space, options.limits);
    loop {
        let batch = search.batch();
        if batch.is_empty() {
            break;
        }
        let parts = cut(&batch, options.threads);
        let expanded = on_threads(&parts, options.threads, |part| search.expand(part));
        for part in expanded {
            search.merge(part);
        }
        progress(&search);
    }
    if search.is_cut() {
        walk(&mut search, options, progress);
    }
    search
}

fn walk<'s, 'm>(
    search: &mut StateSearch<'s, 'm>,
    options: &ExploreOptions,
    progress: &mut dyn FnMut(&StateSearch<'s, 'm>),
) {
    let mut counts = TakenCounts::default();
    let mut next = 0;
    while next < options.walks {
        let end = options.walks.min(next + WALKS_AT_ONCE);
        let seeds: Vec<u64> = (next..end).map(|number| seed(options.seed, number)).collect();
        let parts = cut(&seeds, options.threads);
        let walked = on_threads(&parts, options.threads, |part| {
            part.iter().map(|seed| search.walk(*seed, &counts)).collect::<Vec<_>>()
        });
        for part in walked {
            search.merge_walks(part, &mut counts);
        }
        next = end;
        progress(search);
    }
}

/// The seed of a walk.
const fn seed(seed: u64, number: u64) -> u64 {
    seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ number
}

/// A list in as many parts as there are threads, in its order.
fn cut<T>(items: &[T], threads: NonZeroUsize) -> Vec<&[T]> {
    let size = items.len().div_ceil(threads.get()).max(1);
    items.chunks(size).collect()
}

#[cfg(test)]
mod tests {
    use super::cut;
    use std::num::NonZeroUsize;

    #[test]
    fn parts_together_are_the_list() {
        let items: Vec<u32> = (0..10).collect();
        for threads in 1..12 {
            let parts = cut(&items, NonZeroUsize::new(threads).expect("at least one"));
            assert!(parts.len() <= threads);
            assert_eq!(parts.concat(), items);
        }
        assert!(cut::<u32>(&[], NonZeroUsize::MIN).is_empty());
    }
}
