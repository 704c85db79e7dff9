//! `clock`: what time it is.

use std::sync::Arc;

use futures::FutureExt;
use futures::future::ready;

use super::Tool;
use crate::machine::{CallId, Outcome, Time};
use crate::port::{BoxFuture, Clock, ToolInfo};
use crate::program::graph::Delivery;
use crate::value::{Map, Value};

const SECOND_NS: i64 = 1_000_000_000;

/// The tool `clock`: `{}` gives `{utc: "2026-01-02T03:04:05Z", unix: 1767323045}`.
pub struct ClockTool {
    info: ToolInfo,
    clock: Arc<dyn Clock>,
}

impl ClockTool {
    /// The tool over the clock of the run.
    #[must_use]
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        // The answer differs from call to call, but a call changes nothing: it may be repeated at will.
        let info = ToolInfo::new("clock", super::schema::closed(&[], &[]))
            .description("Says what time it is: as text in UTC and as seconds since 1970.")
            .delivery(Delivery::Pure);
        Self { info, clock }
    }
}

impl Tool for ClockTool {
    fn info(&self) -> &ToolInfo {
        &self.info
    }

    fn call(&self, _: &CallId, _: Map) -> BoxFuture<'static, Outcome> {
        let now = self.clock.now();
        let mut answer = Map::new();
        answer.set("utc", utc(now));
        answer.set("unix", Value::Int(now.div_euclid(SECOND_NS)));
        ready(Outcome::answer(answer)).boxed()
    }
}

/// A time as RFC 3339 in UTC, to the second.
fn utc(time: Time) -> String {
    let seconds = time.div_euclid(SECOND_NS);
    let (days, second) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    let (year, month, day) = date(days);
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

/// Year, month and day of a number of days since 1970 (proleptic Gregorian calendar). Years are counted from March,
/// so that the leap day is the last one.
const fn date(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = year_of_era + era * 400 + if month <= 2 { 1 } else { 0 };
    (year, month, day)
}

#[cfg(test)]
mod tests {
    use super::utc;

    #[test]
    fn tells_the_time() {
        let cases = [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (1_767_323_045, "2026-01-02T03:04:05Z"),
            (4_107_542_399, "2100-02-28T23:59:59Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
            (-1, "1969-12-31T23:59:59Z"),
        ];
        for (seconds, text) in cases {
            assert_eq!(utc(seconds * 1_000_000_000), text);
        }
    }
}
