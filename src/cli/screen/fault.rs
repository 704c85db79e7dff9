//! Faults of the program itself.

use std::backtrace::{Backtrace, BacktraceStatus};
use std::fmt::Write as _;
use std::panic;

use super::{say, set_in};

/// From now on a panic is reported like everything else: a stranger's words may be in its message.
pub(in crate::cli) fn watch_panics() {
    panic::set_hook(Box::new(|info| {
        let place = info.location().map(ToString::to_string).unwrap_or_default();
        let mut text = panic_text(info.payload_as_str().unwrap_or("no message"), &place);
        let trace = Backtrace::capture();
        if trace.status() == BacktraceStatus::Captured {
            let _ = writeln!(text, "{trace}");
        }
        say(&text);
    }));
}

fn panic_text(message: &str, place: &str) -> String {
    let message = set_in(message);
    format!(
        "error: this is a fault of loopwright itself, at {place}: {message}\nhelp: please report it; `RUST_BACKTRACE=1` says more\n"
    )
}

#[cfg(test)]
mod tests {
    use std::env;
    use std::process::{Command, Stdio};

    use super::watch_panics;

    /// The variable that tells this test that it runs in a process of its own, where it may panic.
    const PANICS: &str = "LOOPWRIGHT_TEST_PANICS";

    #[test]
    fn nothing_in_the_message_of_a_panic_is_obeyed() {
        if env::var_os(PANICS).is_some() {
            watch_panics();
            panic!("read \u{1b}[2J\rFORGED\noutcome: end");
        }
        let child = Command::new(env::current_exe().expect("the tests are a program"))
            .args(["--exact", "cli::screen::fault::tests::nothing_in_the_message_of_a_panic_is_obeyed"])
            .arg("--nocapture")
            .env(PANICS, "1")
            .env("RUST_BACKTRACE", "0")
            .stdin(Stdio::null())
            .output()
            .expect("it starts");
        assert_eq!(child.status.code(), Some(101), "{child:?}");
        let printed = String::from_utf8_lossy(&child.stderr);
        let (head, rest) = printed.split_once(": read ").unwrap_or_else(|| panic!("{printed:?}"));
        assert!(head.starts_with("error: this is a fault of loopwright itself, at "), "{printed:?}");
        assert!(head.contains(file!()), "{printed:?}");
        let wanted =
            "\\u{1b}[2J\\rFORGED\n  outcome: end\nhelp: please report it; `RUST_BACKTRACE=1` says more\n";
        assert_eq!(rest, wanted);
    }
}
