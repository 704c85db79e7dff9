//! The command line.

use std::process::ExitCode;

/// A run records many small things, a check reads many: the system's allocator would take a third of the time.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    loopwright::main()
}
