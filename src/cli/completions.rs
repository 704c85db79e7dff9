//! `completions`: a script for the user's shell.

use clap::CommandFactory;

use super::args::{CommandLine, Completions};
use super::{Exit, screen};

pub(super) fn run(args: &Completions) -> Exit {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut CommandLine::command(), "loopwright", &mut script);
    screen::data(&String::from_utf8_lossy(&script))
}
