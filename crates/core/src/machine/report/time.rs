//! Times as people write them.

use crate::machine::input::Time;

const SECOND_NS: i64 = 1_000_000_000;
const DAY_SECONDS: i64 = 86_400;

/// A time in UTC as RFC 3339 has it, with as many digits after the seconds as it needs: `2026-01-31T08:15:00.25Z`.
#[must_use]
pub fn timestamp(time: Time) -> String {
    let (seconds, nanos) = (time.div_euclid(SECOND_NS), time.rem_euclid(SECOND_NS));
    let (days, second) = (seconds.div_euclid(DAY_SECONDS), seconds.rem_euclid(DAY_SECONDS));
    let (year, month, day) = date(days);
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    let fraction = if nanos == 0 { String::new() } else { format!(".{nanos:09}") };
    let fraction = fraction.trim_end_matches('0');
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}{fraction}Z")
}

/// Year, month and day of a number of days since 1970. The years are counted from March on, so that the leap day is the
/// last of its year and months have a fixed beginning: month `m` (0 is March) begins `(153 m + 2) / 5` days after it.
const fn date(days: i64) -> (i64, i64, i64) {
    // 0000-03-01 lies 719,468 days before 1970; 400 years have 146,097 days.
    let days = days + 719_468;
    let (era, day) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (month, next) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    (era * 400 + year + next, month, day)
}
