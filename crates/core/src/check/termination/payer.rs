//! Payers of transitions, and the payments of a list.

use smallvec::SmallVec;

use crate::model::expr::BudgetId;

/// More payments than this are taken for one that pays what all of them do.
const MAX_PAYMENTS: usize = 8;

/// A payer of transitions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Payer {
    /// A hard budget.
    Budget(BudgetId),
    /// A guard that holds a limited number of times, by its index in the unfolding.
    Guard(u32),
}

/// Amounts that are paid, sorted by payer.
pub(super) type Pays = SmallVec<[(Payer, u64); 1]>;

/// The amounts that a complete run of a list pays: one of these. Empty if no run of it is ever complete.
#[derive(Debug, Clone, Default)]
pub(super) struct Payments(SmallVec<[Pays; 1]>);

impl Payments {
    /// This one payment.
    pub(super) fn one(pays: Pays) -> Self {
        Self(SmallVec::from_elem(pays, 1))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Pays> {
        self.0.iter()
    }

    /// Each of these together with each of the next list's.
    pub(super) fn then(&self, next: &Self) -> Self {
        let mut both = Self::default();
        for own in &self.0 {
            for more in &next.0 {
                let mut sum = own.clone();
                add(&mut sum, more);
                both.put(sum);
            }
        }
        both
    }

    /// These, or those of another list instead.
    pub(super) fn or(&mut self, other: &Self) {
        other.0.iter().for_each(|pays| self.put(pays.clone()));
    }

    /// Adds a payment, unless another pays no more anyway.
    fn put(&mut self, pays: Pays) {
        if self.0.iter().any(|own| is_within(own, &pays)) {
            return;
        }
        self.0.retain(|own| !is_within(&pays, own));
        self.0.push(pays);
        if self.0.len() > MAX_PAYMENTS {
            let mut least = self.0[0].clone();
            self.0[1..].iter().for_each(|pays| keep_least(&mut least, pays));
            *self = Self::one(least);
        }
    }
}

/// Adds amounts.
pub(super) fn add(pays: &mut Pays, more: &Pays) {
    for (payer, n) in more {
        match pays.binary_search_by_key(payer, |(own, _)| *own) {
            Ok(place) => pays[place].1 = pays[place].1.saturating_add(*n),
            Err(place) => pays.insert(place, (*payer, *n)),
        }
    }
}

/// True if nothing in `less` is more than in `more`.
fn is_within(less: &Pays, more: &Pays) -> bool {
    less.iter().all(|(payer, n)| {
        more.binary_search_by_key(payer, |(own, _)| *own).is_ok_and(|place| more[place].1 >= *n)
    })
}

/// Keeps of each amount what both have.
fn keep_least(pays: &mut Pays, other: &Pays) {
    pays.retain(|(payer, n)| match other.binary_search_by_key(payer, |(own, _)| *own) {
        Ok(place) => {
            *n = (*n).min(other[place].1);
            true
        }
        Err(_) => false,
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pays(amounts: &[(u32, u64)]) -> Pays {
        amounts.iter().map(|(id, n)| (Payer::Budget(BudgetId(*id)), *n)).collect()
    }

    #[test]
    fn what_pays_more_than_another_is_left_out() {
        let mut payments = Payments::one(pays(&[(1, 2)]));
        payments.or(&Payments::one(pays(&[(1, 2), (2, 1)])));
        assert_eq!(payments.iter().count(), 1);
        payments.or(&Payments::one(pays(&[(2, 1)])));
        assert_eq!(payments.iter().count(), 2);
        let both = payments.then(&Payments::one(pays(&[(2, 3)])));
        let all: Vec<_> = both.iter().cloned().collect();
        assert_eq!(all, [pays(&[(1, 2), (2, 3)]), pays(&[(2, 4)])]);
        payments.or(&Payments::one(Pays::new()));
        assert_eq!(payments.iter().cloned().collect::<Vec<_>>(), [Pays::new()]);
    }

    #[test]
    fn too_many_payments_become_one() {
        let mut payments = Payments::default();
        for id in 1..20 {
            payments.or(&Payments::one(pays(&[(0, u64::from(id) + 5), (id, 1)])));
        }
        assert!(payments.iter().count() <= MAX_PAYMENTS);
        assert!(payments.iter().all(|pays| pays[0].0 == Payer::Budget(BudgetId(0)) && pays[0].1 >= 6));
    }
}
