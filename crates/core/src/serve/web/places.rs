//! Bounded numbers of places, so that nobody keeps the others out.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rustc_hash::FxHashMap;
use tokio::sync::Notify;

use crate::value::Str;

/// What happens to one more of a holder who has as many places as anybody, once all are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WhenFull {
    /// It is refused.
    Refuse,
    /// It takes the place of the oldest of that holder.
    Replace,
}

/// A number of places. Once all are taken, whoever has the most loses the oldest to one who has fewer.
#[derive(Debug)]
pub(super) struct Places {
    most: usize,
    when_full: WhenFull,
    taken: Mutex<PlaceTable>,
}

#[derive(Debug, Default)]
struct PlaceTable {
    next: u64,
    count: usize,
    /// By holder, and of each in the order in which they were taken: who is told if the place is lost.
    holders: FxHashMap<Str, BTreeMap<u64, Arc<Notify>>>,
}

/// A place. It is free again when this is dropped.
#[derive(Debug)]
pub(super) struct TakenPlace {
    places: Arc<Places>,
    holder: Str,
    number: u64,
}

impl Places {
    pub(super) fn new(most: usize, when_full: WhenFull) -> Arc<Self> {
        Arc::new(Self { most: most.max(1), when_full, taken: Mutex::default() })
    }

    fn taken(&self) -> MutexGuard<'_, PlaceTable> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The greatest number of places.
    pub(super) const fn most(&self) -> usize {
        self.most
    }

    /// The number of places that are taken.
    pub(super) fn count(&self) -> usize {
        self.taken().count
    }

    /// A place for a holder; none if it is refused. `lost` is notified once somebody else has it.
    pub(super) fn take(self: &Arc<Self>, holder: &Str, lost: &Arc<Notify>) -> Option<TakenPlace> {
        let mut taken = self.taken();
        if taken.count >= self.most {
            let loser = taken.loser(holder, self.when_full)?;
            taken.lose_oldest(&loser);
        }
        let number = taken.next;
        taken.next += 1;
        taken.count += 1;
        taken.holders.entry(holder.clone()).or_default().insert(number, Arc::clone(lost));
        drop(taken);
        Some(TakenPlace { places: Arc::clone(self), holder: holder.clone(), number })
    }
}

impl PlaceTable {
    /// The holder who loses a place to one more of `holder`.
    fn loser(&self, holder: &Str, when_full: WhenFull) -> Option<Str> {
        let own = self.holders.get(holder).map_or(0, BTreeMap::len);
        let (greatest, places) = self.holders.iter().max_by_key(|(_, places)| places.len())?;
        // Between two who have as many, places would go to and fro.
        if places.len() > own + 1 {
            return Some(greatest.clone());
        }
        (when_full == WhenFull::Replace).then(|| if own > 0 { holder.clone() } else { greatest.clone() })
    }

    fn lose_oldest(&mut self, holder: &Str) {
        if let Some((_, lost)) = self.holders.get_mut(holder).and_then(BTreeMap::pop_first) {
            lost.notify_one();
            self.left(holder);
        }
    }

    /// A holder has one place less.
    fn left(&mut self, holder: &Str) {
        self.count -= 1;
        if self.holders.get(holder).is_some_and(BTreeMap::is_empty) {
            self.holders.remove(holder);
        }
    }
}

impl TakenPlace {
    /// The name of who has it.
    pub(super) const fn holder(&self) -> &Str {
        &self.holder
    }
}

impl Drop for TakenPlace {
    fn drop(&mut self) {
        let mut taken = self.places.taken();
        // It may be somebody else's by now.
        if taken.holders.get_mut(&self.holder).is_some_and(|own| own.remove(&self.number).is_some()) {
            taken.left(&self.holder);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use futures::FutureExt;
    use tokio::sync::Notify;

    use super::{Places, TakenPlace, WhenFull};

    struct Holder(TakenPlace, Arc<Notify>);

    impl Holder {
        fn of(places: &Arc<Places>, name: &str) -> Option<Self> {
            let lost = Arc::<Notify>::default();
            Some(Self(places.take(&name.into(), &lost)?, lost))
        }

        fn has_lost(&self) -> bool {
            self.1.notified().now_or_never().is_some()
        }
    }

    #[test]
    fn whoever_has_the_most_loses_the_oldest() {
        let places = Places::new(4, WhenFull::Refuse);
        let greedy: Vec<_> = (0..4).filter_map(|_| Holder::of(&places, "greedy")).collect();
        assert_eq!((greedy.len(), places.count()), (4, 4));
        assert!(Holder::of(&places, "greedy").is_none(), "nobody has more than it");
        let ana = Holder::of(&places, "ana").expect("greedy has four");
        let ben = Holder::of(&places, "ben").expect("greedy has three");
        assert_eq!(greedy.iter().map(Holder::has_lost).collect::<Vec<_>>(), [true, true, false, false]);
        assert!(Holder::of(&places, "ana").is_none(), "they would go to and fro");
        assert!(!ana.has_lost() && !ben.has_lost());
        // One that was lost frees nothing a second time.
        drop(greedy);
        assert_eq!((places.count(), ben.0.holder().as_str()), (2, "ben"));
        drop((ana, ben));
        assert_eq!(places.count(), 0);
    }

    #[test]
    fn where_places_are_replaced_the_newest_stay() {
        let places = Places::new(2, WhenFull::Replace);
        let all: Vec<_> = (0..5).filter_map(|_| Holder::of(&places, "")).collect();
        assert_eq!(all.iter().map(Holder::has_lost).collect::<Vec<_>>(), [true, true, true, false, false]);
        assert_eq!(places.count(), 2);
    }
}
