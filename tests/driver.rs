//! Drivers in processes of their own, which tests kill.

use std::process::{Child, Stdio};

use nix::sys::signal::Signal;
use nix::unistd::Pid;

use crate::cli::Desk;

/// Starts the program with words split at spaces, and listens to nothing that it says.
pub(crate) fn start(desk: &Desk, words: &str) -> Child {
    desk.program()
        .args(words.split_whitespace())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program starts")
}

/// Kills a driver; nothing is left of its process afterwards.
pub(crate) fn kill(driver: &mut Child) {
    driver.kill().expect("it is there");
    driver.wait().expect("it was started here");
}

/// Sends a driver a signal.
pub(crate) fn signal(driver: &Child, signal: Signal) {
    let id = Pid::from_raw(i32::try_from(driver.id()).expect("a number"));
    nix::sys::signal::kill(id, signal).expect("it is there");
}
