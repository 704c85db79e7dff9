//! Waiting for something that another process or thread does.

use std::time::Duration;

/// After how long a test is given up. It is no judgement of speed: without it a test that failed would hang.
pub(crate) const LIMIT: Duration = Duration::from_mins(2);

/// Waits until something holds.
pub(crate) fn until(what: &str, holds: impl FnMut() -> bool) {
    within(what, LIMIT, holds);
}

/// The same, for something that may take longer or shorter.
pub(crate) fn within(what: &str, limit: Duration, mut holds: impl FnMut() -> bool) {
    const PAUSE: Duration = Duration::from_millis(20);
    let looks = limit.as_millis() / PAUSE.as_millis();
    let held = (0..looks).any(|_| {
        let held = holds();
        if !held {
            std::thread::sleep(PAUSE);
        }
        held
    });
    assert!(held, "still not: {what}");
}
