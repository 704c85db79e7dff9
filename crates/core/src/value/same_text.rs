//! Equality of texts, short ones fast.

/// True if two texts are equal. Most are short, and comparing two overlapping words is faster than a call.
#[inline]
pub(super) fn same_text(one: &str, two: &str) -> bool {
    let (one, two) = (one.as_bytes(), two.as_bytes());
    one.len() == two.len()
        && match one.len() {
            4..8 => one.first_chunk::<4>() == two.first_chunk() && one.last_chunk::<4>() == two.last_chunk(),
            8..=16 => {
                one.first_chunk::<8>() == two.first_chunk() && one.last_chunk::<8>() == two.last_chunk()
            }
            _ => one == two,
        }
}
