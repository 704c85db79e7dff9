//! The command line: composes the layers below. The only code that prints or picks exit codes.

mod args;
mod check;
mod completions;
mod course;
mod declared;
mod diff;
mod doctor;
mod exit;
mod files;
mod history;
mod junit;
mod kept;
mod limits;
mod log;
mod new;
mod played;
mod purge;
mod rebuild;
mod render;
mod replay;
mod rewrite;
mod run;
mod runs;
mod schema;
mod screen;
mod show;
mod state;
mod test;
#[cfg(test)]
mod tests;
mod traces;
mod trust;
mod watch;

use std::process::ExitCode;

use clap::Parser;

use args::{Args, Command};
pub use exit::Exit;

/// Runs the command line of this process.
#[must_use]
pub fn main() -> ExitCode {
    screen::watch_panics();
    limits::watch();
    let args = match Args::try_parse() {
        Ok(args) => args,
        Err(error) => {
            let exit = screen::usage(&error);
            return exit.worse(screen::end(false)).into();
        }
    };
    let did = args.command.does();
    let exit = match args.command {
        Command::Check(check) => check::run(&check),
        Command::Diff(diff) => diff::run(&diff),
        Command::New(new) => new::run(&new),
        Command::Render(render) => render::run(&render),
        Command::Fmt(fmt) => rewrite::format(&fmt),
        Command::Convert(convert) => rewrite::convert(&convert),
        Command::Test(test) => test::run(&test),
        Command::Run(run) => run::run(&run),
        Command::Resume(resume) => run::resume(&resume),
        Command::Cancel(cancel) => run::cancel(&cancel),
        Command::Rollback(rollback) => run::rollback(&rollback),
        Command::Fork(fork) => run::fork(&fork),
        Command::Runs(runs) => runs::run(&runs),
        Command::Show(show) => show::run(&show),
        Command::Log(log) => history::run(&log),
        Command::Purge(purge) => purge::run(&purge),
        Command::Replay(replay) => replay::run(&replay),
        Command::Doctor(doctor) => doctor::run(&doctor),
        Command::Trust(trust) => trust::run(&trust),
        Command::Schema => schema::run(),
        Command::Completions(completions) => completions::run(&completions),
    };
    let exit = exit.worse(screen::end(did));
    limits::end(exit);
    exit.into()
}
