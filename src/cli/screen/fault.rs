//! Faults of the program itself.

use std::backtrace::{Backtrace, BacktraceStatus};
use std::fmt::Write as _;
use std::panic;

use super::say;

/// From now on a panic is said like everything else: its message may hold what a stranger wrote.
pub(in crate::cli) fn watch_panics() {
    panic::set_hook(Box::new(|info| {
        let place = info.location().map(ToString::to_string).unwrap_or_default();
        let mut text = told(info.payload_as_str().unwrap_or("no message"), &place);
        let way = Backtrace::capture();
        if way.status() == BacktraceStatus::Captured {
            let _ = writeln!(text, "{way}");
        }
        say(&text);
    }));
}

fn told(message: &str, place: &str) -> String {
    format!(
        "error: this is a fault of loopwright itself, at {place}: {message}\nhelp: please report it; `RUST_BACKTRACE=1` says more\n"
    )
}
