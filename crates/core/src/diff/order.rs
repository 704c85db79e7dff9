//! Finds the parts that are in another order.

/// The positions that are out of order: all but a longest ascending row of them.
pub(super) fn moved(positions: &[usize]) -> Vec<usize> {
    // `tails[n]` is the index of the smallest position that ends an ascending row of n + 1.
    let mut tails: Vec<usize> = Vec::new();
    let mut before = vec![usize::MAX; positions.len()];
    for (index, position) in positions.iter().enumerate() {
        let length = tails.partition_point(|tail| positions[*tail] < *position);
        if length > 0 {
            before[index] = tails[length - 1];
        }
        if length == tails.len() {
            tails.push(index);
        } else {
            tails[length] = index;
        }
    }
    let mut stays = vec![false; positions.len()];
    let mut at = tails.last().copied();
    while let Some(index) = at {
        stays[index] = true;
        at = (before[index] != usize::MAX).then_some(before[index]);
    }
    (0..positions.len()).filter(|index| !stays[*index]).collect()
}

#[cfg(test)]
mod tests {
    use super::moved;

    #[test]
    fn names_the_fewest() {
        assert!(moved(&[]).is_empty());
        assert!(moved(&[1, 4, 9]).is_empty());
        assert_eq!(moved(&[3, 0, 1, 2]), [0]);
        assert_eq!(moved(&[0, 1, 5, 2, 3]), [2]);
        assert_eq!(moved(&[2, 1, 0]).len(), 2);
    }
}
