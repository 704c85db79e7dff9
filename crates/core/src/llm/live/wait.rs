//! The wait before another attempt.

use crate::machine::Time;
use crate::wire::wait_of;

const SECOND_NS: i64 = 1_000_000_000;

/// The first wait, in nanoseconds. Each further wait is twice as long.
const FIRST_WAIT_NS: i64 = SECOND_NS / 2;

/// The longest wait that is made here. What is longer is the graph's affair, which may have better to do.
pub(super) const MAX_WAIT_NS: i64 = 30 * SECOND_NS;

/// The wait before the try after number `tried`, in nanoseconds. Calls that failed together do not come back together: a
/// quarter of it depends on the call.
pub(super) fn backoff(tried: usize, call: &str) -> i64 {
    let doubled = FIRST_WAIT_NS << tried.saturating_sub(1).min(10);
    let chance = call.bytes().fold(7_i64, |sum, byte| (sum * 31 + i64::from(byte)) % 1_000);
    doubled.min(MAX_WAIT_NS) * (750 + chance / 4) / 1_000
}

/// The wait `retry-after-ms` or `retry-after` asks for, in nanoseconds: so many seconds, or a date.
/// See <https://www.rfc-editor.org/rfc/rfc9110#name-retry-after>.
pub(super) fn asked(millis: Option<&str>, after: Option<&str>, now: Time) -> Option<i64> {
    if let Some(wait) = millis.and_then(|text| wait_of(text, SECOND_NS / 1_000)) {
        return Some(wait);
    }
    let after = after?;
    wait_of(after, SECOND_NS).or_else(|| {
        let until = httpdate::parse_http_date(after.trim()).ok()?;
        let since = until.duration_since(std::time::SystemTime::UNIX_EPOCH).ok()?;
        Some(i64::try_from(since.as_nanos()).ok()?.saturating_sub(now).max(0))
    })
}

#[cfg(test)]
mod tests {
    use super::{FIRST_WAIT_NS, MAX_WAIT_NS, SECOND_NS, asked, backoff};

    #[test]
    fn waits_double_up_to_a_bound_and_differ() {
        assert!((FIRST_WAIT_NS * 3 / 4..=FIRST_WAIT_NS).contains(&backoff(1, "a")));
        assert!((3 * FIRST_WAIT_NS..=4 * FIRST_WAIT_NS).contains(&backoff(3, "a")));
        assert!(backoff(60, "a") <= MAX_WAIT_NS && backoff(1, "call a") != backoff(1, "call n"));
    }

    #[test]
    fn what_a_provider_asks_for_is_read() {
        let now = 784_111_770 * SECOND_NS;
        assert_eq!(asked(None, Some("7"), now), Some(7 * SECOND_NS));
        assert_eq!(asked(None, Some("0.2"), now), Some(SECOND_NS));
        assert_eq!(asked(Some("150"), Some("7"), now), Some(SECOND_NS * 15 / 100));
        assert_eq!(asked(None, Some("Sun, 06 Nov 1994 08:49:37 GMT"), now), Some(7 * SECOND_NS));
        assert_eq!(asked(None, Some("Sun, 06 Nov 1994 08:49:27 GMT"), now), Some(0));
        for nonsense in ["", "soon", "-1", "1e9", "99999999999999999999", ". 5"] {
            assert_eq!(asked(None, Some(nonsense), now), None, "{nonsense}");
        }
        assert_eq!(asked(None, None, now), None);
    }
}
