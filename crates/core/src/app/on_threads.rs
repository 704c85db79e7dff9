//! Work on several threads.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

/// Does something with each item, on so many threads, and gives the results in the order of the items. Whichever thread takes an item,
/// its result has its place. Where there can be no more threads, those that are there do the work.
pub(super) fn on_threads<T: Sync, R: Send>(
    items: &[T],
    threads: NonZeroUsize,
    work: impl Fn(&T) -> R + Sync,
) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let done = Mutex::new(items.iter().map(|_| None).collect::<Vec<Option<R>>>());
    let take = || {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(number) else { return };
            let result = work(item);
            done.lock().unwrap_or_else(PoisonError::into_inner)[number] = Some(result);
        }
    };
    thread::scope(|scope| {
        for _ in 1..threads.get().min(items.len()) {
            if thread::Builder::new().spawn_scoped(scope, take).is_err() {
                break;
            }
        }
        take();
    });
    done.into_inner().unwrap_or_else(PoisonError::into_inner).into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::on_threads;
    use std::num::NonZeroUsize;

    #[test]
    fn results_have_the_order_of_the_items() {
        let items: Vec<u32> = (0..100).collect();
        for threads in [1, 2, 7, 200] {
            let threads = NonZeroUsize::new(threads).expect("at least one");
            assert_eq!(on_threads(&items, threads, |item| item + 1), (1..=100).collect::<Vec<u32>>());
        }
        assert!(on_threads(&[], NonZeroUsize::MIN, |item: &u32| *item).is_empty());
    }
}
