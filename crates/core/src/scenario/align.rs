//! Two paths side by side.

/// Longer paths are not aligned as a whole: what they share at both ends is cut off first, and what is then longer
/// than this is laid side by side as it is.
const MAX_ALIGNED: usize = 1_000;

/// A row: what was expected and what was taken; one of them may be missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct AlignedRow<T> {
    /// The left column.
    pub(super) expected: Option<T>,
    /// The right column.
    pub(super) taken: Option<T>,
}

/// Lays two paths side by side so that as many rows as can be agree.
pub(super) fn align<'a>(expected: &[&'a str], taken: &[&'a str]) -> Vec<AlignedRow<&'a str>> {
    let head = expected.iter().zip(taken).take_while(|(a, b)| a == b).count();
    let (left, right) = (&expected[head..], &taken[head..]);
    let tail = left.iter().rev().zip(right.iter().rev()).take_while(|(a, b)| a == b).count();
    let (left, right) = (&left[..left.len() - tail], &right[..right.len() - tail]);
    let same = |name: &&'a str| AlignedRow { expected: Some(*name), taken: Some(*name) };
    let mut rows: Vec<AlignedRow<&str>> = expected[..head].iter().map(same).collect();
    if left.len() > MAX_ALIGNED || right.len() > MAX_ALIGNED {
        let longest = left.len().max(right.len());
        rows.extend(
            (0..longest).map(|i| AlignedRow { expected: left.get(i).copied(), taken: right.get(i).copied() }),
        );
    } else {
        middle(left, right, &mut rows);
    }
    rows.extend(expected[expected.len() - tail..].iter().map(same));
    rows
}

/// The longest common subsequence, then a walk along it. Differences that are opposite each other share a row.
fn middle<'a>(left: &[&'a str], right: &[&'a str], rows: &mut Vec<AlignedRow<&'a str>>) {
    let width = right.len() + 1;
    let mut common = vec![0_u16; (left.len() + 1) * width];
    for i in (0..left.len()).rev() {
        for j in (0..right.len()).rev() {
            common[i * width + j] = if left[i] == right[j] {
                common[(i + 1) * width + j + 1] + 1
            } else {
                common[(i + 1) * width + j].max(common[i * width + j + 1])
            };
        }
    }
    let (mut i, mut j) = (0, 0);
    let (mut only_left, mut only_right) = (Vec::new(), Vec::new());
    while i < left.len() || j < right.len() {
        if i < left.len() && j < right.len() && left[i] == right[j] {
            flush(&mut only_left, &mut only_right, rows);
            rows.push(AlignedRow { expected: Some(left[i]), taken: Some(right[j]) });
            (i, j) = (i + 1, j + 1);
        } else if j >= right.len()
            || (i < left.len() && common[(i + 1) * width + j] >= common[i * width + j + 1])
        {
            only_left.push(left[i]);
            i += 1;
        } else {
            only_right.push(right[j]);
            j += 1;
        }
    }
    flush(&mut only_left, &mut only_right, rows);
}

fn flush<'a>(left: &mut Vec<&'a str>, right: &mut Vec<&'a str>, rows: &mut Vec<AlignedRow<&'a str>>) {
    let longest = left.len().max(right.len());
    rows.extend(
        (0..longest).map(|i| AlignedRow { expected: left.get(i).copied(), taken: right.get(i).copied() }),
    );
    left.clear();
    right.clear();
}

#[cfg(test)]
mod tests {
    use super::{AlignedRow, align};

    fn rows(expected: &str, taken: &str) -> String {
        let expected: Vec<&str> = expected.split_whitespace().collect();
        let taken: Vec<&str> = taken.split_whitespace().collect();
        let show =
            |row: &AlignedRow<&str>| format!("{}/{}", row.expected.unwrap_or("-"), row.taken.unwrap_or("-"));
        align(&expected, &taken).iter().map(show).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn equal_parts_stand_opposite_each_other() {
        assert_eq!(rows("a b c", "a b c"), "a/a b/b c/c");
        assert_eq!(rows("a b c d", "a c d"), "a/a b/- c/c d/d");
        assert_eq!(rows("a x d", "a y z d"), "a/a x/y -/z d/d");
        assert_eq!(rows("a b", ""), "a/- b/-");
        assert_eq!(rows("a b a b c", "b a b d"), "a/- b/b a/a b/b c/d");
    }
}
