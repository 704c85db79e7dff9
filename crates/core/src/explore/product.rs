//! Combinations of the values of fields.

use crate::value::{Str, Value};

/// The most combinations of an answer that are made in full. Beyond it all pairs of values are covered.
pub(super) const MAX_COMBINED: usize = 10_000;

/// The fields of one combination; a missing one has no value.
type Combination = Vec<(Str, Option<Value>)>;

/// The combinations of the values of some fields.
pub(super) struct Choices {
    /// The combinations, the one of all first values first.
    pub(super) chosen: Vec<Combination>,
    /// True if there is no other one.
    pub(super) is_full: bool,
}

/// Combines the values of fields, each of which has at least one, in full if there are not more than so many combinations.
pub(super) fn product(fields: &[(Str, Vec<Option<Value>>)], most: usize) -> Choices {
    let count = fields
        .iter()
        .try_fold(1_usize, |all, (_, values)| all.checked_mul(values.len()).filter(|count| *count <= most));
    match count {
        Some(count) => {
            Choices { chosen: (0..count).map(|number| nth(fields, number)).collect(), is_full: true }
        }
        None => Choices { chosen: pairs(fields, most), is_full: false },
    }
}

fn nth(fields: &[(Str, Vec<Option<Value>>)], mut number: usize) -> Combination {
    let mut chosen = Vec::with_capacity(fields.len());
    for (name, values) in fields.iter().rev() {
        chosen.push((name.clone(), values[number % values.len()].clone()));
        number /= values.len();
    }
    chosen.reverse();
    chosen
}

/// Every pair of values of two fields, the others at their first value.
fn pairs(fields: &[(Str, Vec<Option<Value>>)], most: usize) -> Vec<Combination> {
    let base: Combination = fields.iter().map(|(name, values)| (name.clone(), values[0].clone())).collect();
    let mut all = vec![base.clone()];
    for (one, (_, values)) in fields.iter().enumerate() {
        for value in values.iter().skip(1) {
            let mut with_one = base.clone();
            with_one[one].1.clone_from(value);
            all.push(with_one.clone());
            for (other, (_, others)) in fields.iter().enumerate().skip(one + 1) {
                for second in others.iter().skip(1) {
                    let mut with_two = with_one.clone();
                    with_two[other].1.clone_from(second);
                    all.push(with_two);
                    if all.len() >= most {
                        return all;
                    }
                }
            }
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::{MAX_COMBINED, product};
    use crate::value::{Str, Value};

    fn field(name: &str, count: i64) -> (Str, Vec<Option<Value>>) {
        (name.into(), (0..count).map(|n| Some(Value::Int(n))).collect())
    }

    #[test]
    fn few_are_combined_in_full_and_many_in_pairs() {
        let few = product(&[field("a", 3), field("b", 4)], MAX_COMBINED);
        assert!(few.is_full);
        assert_eq!(few.chosen.len(), 12);
        let names: Vec<Str> = ["a", "b", "c", "d"].map(Str::from).to_vec();
        let fields: Vec<_> = names.iter().map(|name| field(name, 12)).collect();
        let many = product(&fields, MAX_COMBINED);
        assert!(!many.is_full && many.chosen.len() < MAX_COMBINED);
        for (one, other) in [(0, 1), (1, 3), (2, 3)] {
            for wanted in (0..12).flat_map(|a| (0..12).map(move |b| (Value::Int(a), Value::Int(b)))) {
                let has = many.chosen.iter().any(|chosen| {
                    chosen[one].1.as_ref() == Some(&wanted.0) && chosen[other].1.as_ref() == Some(&wanted.1)
                });
                assert!(has, "{wanted:?} of {one} and {other}");
            }
        }
    }
}
