//! `check`: all findings at once.

use std::path::Path;

use super::args::{Check, Format};
use super::files::{self, Disk, FileKind};
use super::run::of_flags;
use super::screen::Page;
use super::trust;
use super::{Exit, screen, watch};
use loopwright_core::app::{CheckRound, Configurations, Examined, explain_rule};
use loopwright_core::check::{Bound, bound};
use loopwright_core::diag::{Diagnostic, Severity, rule};
use loopwright_core::machine::beginning;
use loopwright_core::model::{Graph, Model};
use loopwright_core::program::Program;

pub(super) fn run(args: &Check) -> Exit {
    if let Some(slug) = &args.explain {
        return explain(slug);
    }
    if args.watch {
        return watch::run(&args.paths, || once(args));
    }
    once(args).0
}

/// One round: what it ends with, and the files that were read.
fn once(args: &Check) -> (Exit, Vec<std::path::PathBuf>) {
    let mut disk = match Disk::new(&args.reach) {
        Ok(disk) => disk,
        Err(exit) => return (exit, Vec::new()),
    };
    let paths = match files::find(&args.paths, FileKind::Graph, &mut disk) {
        Ok(paths) => paths,
        Err(message) => return (screen::refuse(&message), disk.read),
    };
    let mut configurations = match trust::consent(&[]) {
        Ok(consent) => Configurations::new(consent, leave_tools_out),
        Err(exit) => return (exit, disk.read),
    };
    if !args.input.is_empty() && paths.len() != 1 {
        let why = format!("--input gives the inputs of one graph, and these are {} files", paths.len());
        return (screen::refuse(&why), disk.read);
    }
    let mut round = CheckRound::new(args.overlaps).listing_flows(args.flows);
    for path in &paths {
        if let Err(exit) = graph(&mut round, path, args, &mut disk, &mut configurations) {
            return (exit, disk.read);
        }
    }
    round.leave_to_callers();
    let printed = match args.format {
        Format::Json => screen::print(&screen::json(&round.json())),
        Format::Human => Page::for_stdout()
            .findings(round.findings(), &round.sources)
            .text(&round.summary(paths.len()))
            .put(),
    };
    disk.read.extend(configurations.read());
    let least = if args.strict { Severity::Warning } else { Severity::Error };
    (printed.worse(Exit::with(round.findings(), least)), disk.read)
}

fn leave_tools_out(path: &Path) {
    let path = screen::path(path);
    screen::say(&format!(
        "note: {path} cannot be used, so its tools are ignored; `run` reports its faults\n"
    ));
}

fn graph(
    round: &mut CheckRound,
    path: &str,
    args: &Check,
    disk: &mut Disk,
    configurations: &mut Configurations,
) -> Result<(), Exit> {
    let Examined { mut checked, program } = round.examine(path, disk, configurations);
    if let (Some(model), Some(program)) = (&checked.model, &program)
        && !args.input.is_empty()
    {
        checked.bound = given(model, program, &args.input)?;
    }
    let mut found = Vec::new();
    if let (Some(bound), Some(model)) = (&checked.bound, &checked.model) {
        found.extend(args.bound_max.and_then(|most| exceeded(model.root(), bound, most)));
    }
    round.settle(path, checked, found, configurations);
    Ok(())
}

/// The bound of runs with these inputs.
fn given(model: &Model, program: &Program, flags: &[String]) -> Result<Option<Bound>, Exit> {
    let input = of_flags(program, flags).map_err(|message| screen::refuse_lines(&message))?;
    let beginning = beginning(program, &input).map_err(|why| {
        screen::refuse(&screen::line(&format!("a run with these inputs does not begin: {why}")))
    })?;
    Ok(bound(model, &beginning))
}

/// The finding about a graph whose runs may take more transitions than allowed.
fn exceeded(graph: &Graph, bound: &Bound, most: u64) -> Option<Diagnostic> {
    let transitions = &bound.transitions;
    let message = match transitions.number {
        Some(number) if number <= most => return None,
        Some(u64::MAX) => {
            format!("a run may make more transitions than can be counted, and so more than {most}")
        }
        Some(_) => format!("a run may make {transitions} transitions, more than {most}"),
        None => format!("how many transitions a run makes depends on its input: at most {transitions}"),
    };
    let fault = Diagnostic::error(rule::BOUND_EXCEEDED, graph.id.span, message);
    let hint = match transitions.number {
        Some(_) => "give budgets smaller limits, or allow more with `--bound-max`",
        None => "write limits as constants, give each `each` a `limit`, or give the inputs with `--input`",
    };
    Some(fault.help(hint))
}

fn explain(slug: &str) -> Exit {
    match explain_rule(slug) {
        Ok(page) => screen::print(page),
        Err(why) => screen::refuse(&why),
    }
}
