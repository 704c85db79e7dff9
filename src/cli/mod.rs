//! The command line: composes the layers below. The only code that prints or picks exit codes.
//!
//! # Why
//! - Grants come from the command line or from a person at the terminal, never from a file that may travel with a graph, and
//!   are not stored with a run. A node that computes its tool and has no `allow` asks for all declared commands.
//! - Texts of a model that streams go to standard error, one lane at a time, their further lines indented so that none
//!   can pass for a line of ours. Programs (`json`, `jsonl`) hear only what was stored.
//! - Questions of several lanes are put one after another; one that is withdrawn takes no line from the next. What a person
//!   types is a text wherever a text is wanted, and JSON otherwise.
//! - The summary is for people: at a terminal where a real model answers, or with `--summary`; never in JSON, which
//!   stays the same from run to run. Its time outside is that of driving less the time in which a call, a question or a
//!   timer was waited for.
//! - The allocator of the binary is its own choice: with the system's, a third of a run's time went into small pieces of
//!   memory. The library leaves the choice to its user.

mod args;
mod check;
mod completions;
mod diff;
mod doctor;
mod driving;
mod engine;
mod exit;
mod explore;
mod files;
mod history;
mod junit;
mod limits;
mod log;
mod lsp;
mod man;
mod mcp;
mod models;
mod mutants;
mod new;
mod purge;
mod rebuild;
mod reference;
mod render;
mod replay;
mod rewrite;
mod run;
mod runs;
mod schema;
mod screen;
mod searching;
mod serve;
mod show;
mod stored_runs;
mod test;
mod tools;
mod traces;
mod trust;
mod watch;
mod work;
mod worker;
mod write;
mod wrong_kind;

use std::process::ExitCode;

use clap::Parser;

use args::{Command, CommandLine};
pub(crate) use exit::Exit;

/// Runs the command line of this process.
#[must_use]
pub(crate) fn main() -> ExitCode {
    screen::watch_panics();
    limits::watch();
    let mut args = match CommandLine::try_parse() {
        Ok(args) => args,
        Err(error) => {
            let exit = screen::usage(error);
            return exit.worse(screen::end(false)).into();
        }
    };
    #[cfg(feature = "postgres")]
    loopwright_core::store::postgres::hear_outages(|note| {
        screen::say(&format!("note: {}\n", screen::line(note)));
    });
    if let Some(named) = args.command.named_runs()
        && let Err(exit) = stored_runs::resolve(named)
    {
        limits::end(exit);
        return exit.into();
    }
    if let Some(exit) = wrong_kind::refuse(&args.command) {
        limits::end(exit);
        return exit.into();
    }
    let did = args.command.does();
    let exit = match args.command {
        Command::Check(check) => check::run(&check),
        Command::Diff(diff) => diff::run(&diff),
        Command::New(new) => new::run(&new),
        Command::Render(render) => render::run(&render),
        Command::Fmt(fmt) => rewrite::format(&fmt),
        Command::Convert(convert) => rewrite::convert(&convert),
        Command::Test(test) => test::run(&test),
        Command::Explore(explore) => explore::run(&explore),
        Command::Run(run) => run::run(&run),
        Command::Resume(resume) => run::resume(&resume),
        Command::Cancel(cancel) => run::cancel(&cancel),
        Command::Rollback(rollback) => run::rollback(&rollback),
        Command::Fork(fork) => run::fork(&fork),
        Command::Work(work) => work::run(&work),
        Command::Serve(serve) => serve::run(&serve),
        Command::Runs(runs) => runs::run(&runs),
        Command::Show(show) => show::run(&show),
        Command::Log(log) => history::run(&log),
        Command::Purge(purge) => purge::run(&purge),
        Command::Replay(replay) => replay::run(&replay),
        Command::Doctor(doctor) => doctor::run(&doctor),
        Command::Trust(trust) => trust::run(&trust),
        Command::Models(models) => models::run(&models),
        Command::Tools(tools) => tools::run(&tools),
        Command::Mcp(mcp) => mcp::run(&mcp),
        Command::Lsp(lsp) => lsp::run(&lsp),
        Command::Worker(worker) => worker::run(&worker),
        Command::Schema(args) => schema::run(&args),
        Command::Reference(reference) => reference::run(&reference),
        Command::Completions(completions) => completions::run(&completions),
        Command::Man(man) => man::run(&man),
    };
    let exit = exit.worse(screen::end(did));
    limits::end(exit);
    exit.into()
}
