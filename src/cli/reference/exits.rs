//! The exit codes.

use super::super::Exit;
use loopwright_core::reference::ReferencePart;

pub(super) fn part() -> ReferencePart {
    let mut part = ReferencePart::new("exit-codes.md", "exit-codes");
    part.table(&["code", "meaning"]);
    for exit in Exit::ALL {
        let code = exit.code().to_string();
        part.entry("exit code", &code, format!("| `{code}` | {} |", exit.meaning()));
    }
    part
}
