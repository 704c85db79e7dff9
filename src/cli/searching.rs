//! Searches through the runs of a graph, as the command line wants them.

use std::num::NonZeroUsize;

use super::args::SearchFlags;
use super::files::Disk;
use super::run::{of_open_flags, spinner};
use super::{Exit, screen};
use loopwright_core::app::{ExploreOptions, Graph, explore};
use loopwright_core::diag::Severity;
use loopwright_core::explore::{AnswerExamples, SearchLimits, StateSearch, StateSpace, WorldSettings};
use loopwright_core::source::Sources;
use loopwright_core::value::Str;

/// Random walks after a search that does not reach everything.
const WALKS: u64 = 2_000;

/// The graph at a path; faults are reported.
pub(super) fn graph(path: &str, disk: &mut Disk) -> Result<Graph, Exit> {
    match Graph::load(path, disk) {
        Ok(graph) => Ok(graph),
        Err(error) if error.is_empty => Err(screen::refuse(&error.to_string())),
        Err(error) => {
            screen::findings(&error.findings, &error.sources);
            Err(Exit::of(&error.findings).worse(Exit::Findings))
        }
    }
}

/// The world in which the graph is explored.
pub(super) fn settings(flags: &SearchFlags, graph: &Graph, disk: &mut Disk) -> Result<WorldSettings, Exit> {
    let input =
        of_open_flags(&graph.program, &flags.input).map_err(|message| screen::refuse_lines(&message))?;
    let own = &graph.program.graphs[0];
    let names: Vec<&Str> = own.slots.iter().take(own.inputs as usize).map(|slot| &slot.name).collect();
    for name in &flags.open {
        if !names.iter().any(|own| **own == name.as_str()) {
            let known: Vec<&str> = names.iter().map(|name| name.as_str()).collect();
            let known = known.join(", ");
            return Err(screen::refuse_lines(&format!(
                "--open {}: the inputs are {known}",
                screen::line(name)
            )));
        }
    }
    let open = flags.open.iter().map(|name| Str::from(name.as_str())).collect();
    let rollbacks = flags.rollbacks.unwrap_or(1);
    let mut settings = WorldSettings { input, open, rollbacks, ..WorldSettings::default() };
    if let Some(path) = &flags.answers {
        add_examples(&mut settings, path, disk)?;
    }
    Ok(settings)
}

/// Adds the examples of a script.
fn add_examples(settings: &mut WorldSettings, path: &str, disk: &mut Disk) -> Result<(), Exit> {
    let refused = |why: String| screen::refuse(&format!("--answers {}: {why}", screen::line(path)));
    let (name, text) = disk.given(path).map_err(refused)?;
    let mut sources = Sources::new();
    let file = sources.add(name, text);
    let (examples, findings) = AnswerExamples::read(&sources, file);
    if findings.iter().any(|found| found.severity == Severity::Error) {
        screen::findings(&findings, &sources);
        return Err(Exit::of(&findings).worse(Exit::Findings));
    }
    settings.tools = examples.tools();
    settings.examples = examples;
    Ok(())
}

/// Searches, with a line of progress at a terminal.
pub(super) fn search<'s, 'm>(flags: &SearchFlags, space: &'s StateSpace<'m>) -> StateSearch<'s, 'm> {
    let available = || std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    let usual = SearchLimits::default();
    let options = ExploreOptions {
        limits: SearchLimits { depth: flags.depth, max_states: flags.max_states.unwrap_or(usual.max_states) },
        walks: flags.walks.unwrap_or(WALKS),
        seed: flags.seed.unwrap_or_default(),
        threads: flags.threads.unwrap_or_else(available),
    };
    let bar = screen::stderr_is_terminal().then(spinner);
    let search = explore(space, &options, &mut |search| {
        if let Some(bar) = &bar {
            bar.set_message(line(search));
        }
    });
    if let Some(bar) = bar {
        bar.finish_and_clear();
    }
    search
}

/// `12000 states, 340 waiting, 9 answers, 1200000 transitions`
fn line(search: &StateSearch<'_, '_>) -> String {
    let walks = if search.walks() == 0 { String::new() } else { format!(", {} walks", search.walks()) };
    format!(
        "{} states, {} waiting, {} answers, {} transitions{walks}",
        search.states(),
        search.waiting(),
        search.depth(),
        search.transitions()
    )
}
