//! The command line.

use std::process::ExitCode;

fn main() -> ExitCode {
    loopwright::cli::main()
}
