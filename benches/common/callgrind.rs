//! Instructions counted by `valgrind --tool=callgrind`.

use std::process::Command;

/// Runs this program with `args` and counts its instructions. `None` where valgrind is missing.
pub(crate) fn instructions(args: &[&str]) -> Option<u64> {
    let me = std::env::current_exe().ok()?;
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(me)
        .args(args)
        .output()
        .ok()?;
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}");
    let line = text.lines().find(|line| line.contains("Collected :"))?;
    line.rsplit(':').next()?.trim().parse().ok()
}
