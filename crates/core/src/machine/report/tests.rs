//! Printed forms of events.

use super::timestamp;

#[test]
fn times_are_dates() {
    assert_eq!(timestamp(0), "1970-01-01T00:00:00Z");
    assert_eq!(timestamp(951_782_400_250_000_000), "2000-02-29T00:00:00.25Z");
    assert_eq!(timestamp(4_107_542_399_999_999_999), "2100-02-28T23:59:59.999999999Z");
    assert_eq!(timestamp(4_107_542_400_000_000_000), "2100-03-01T00:00:00Z");
    assert_eq!(timestamp(-1), "1969-12-31T23:59:59.999999999Z");
    assert_eq!(timestamp(1_795_299_300_000_000_000), "2026-11-21T22:15:00Z");
}
