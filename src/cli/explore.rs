//! `explore`: every answer that matters of models, tools and people.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use super::args::{Format, Reach};
use super::files::{self, Disk};
use super::run::{of_open_flags, spinner};
use super::{Exit, screen};
use loopwright_core::app::{ExploreOptions, Graph, explore};
use loopwright_core::diag::Severity;
use loopwright_core::explore::{
    AnswerExamples, Exploration, SearchLimits, StateSearch, StateSpace, WorldSettings, print,
};
use loopwright_core::scenario::{plain_tool, read_answers};
use loopwright_core::source::Sources;
use loopwright_core::value::Str;

/// `explore`.
#[derive(Debug, clap::Args)]
pub(super) struct ExploreArgs {
    /// The graph file; `-` is standard input.
    file: String,
    /// An input as NAME=VALUE, or a JSON file of inputs as @FILE. A required input that is not given is explored.
    #[arg(long, value_name = "NAME=VALUE|@FILE")]
    input: Vec<String>,
    /// Explore the values of this input, too, though it has a default.
    #[arg(long, value_name = "NAME")]
    open: Vec<String>,
    /// A script whose answers are examples: the models, tools and people that it answers for give these alone, or their calls
    /// fail. Its tools are on offer beside those that the graph names.
    #[arg(long, value_name = "SCRIPT")]
    answers: Option<String>,
    /// The most answers of a run.
    #[arg(long, value_name = "N")]
    depth: Option<u32>,
    /// The most states that are searched; what lies beyond is visited by random walks.
    #[arg(long, value_name = "N", default_value = "200000")]
    max_states: usize,
    /// The random walks after a search that does not reach everything.
    #[arg(long, value_name = "N", default_value = "2000")]
    walks: u64,
    /// The seed of the walks; with the same seed they are the same.
    #[arg(long, value_name = "N", default_value = "0")]
    seed: u64,
    /// The times that a person may send one run back at a pause: 0 or 1.
    #[arg(long, value_name = "N", default_value = "1", value_parser = clap::value_parser!(u32).range(0..=1))]
    rollbacks: u32,
    /// The threads. Any number of them finds the same. By default as many as the machine has processors.
    #[arg(long, value_name = "N")]
    threads: Option<NonZeroUsize>,
    /// Print in this format.
    #[arg(long, value_enum, default_value = "human")]
    format: Format,
    /// Write each finding as a scenario file into this folder.
    #[arg(long, value_name = "DIR")]
    save: Option<PathBuf>,
    /// The folder of its files.
    #[command(flatten)]
    reach: Reach,
}

pub(super) fn run(args: &ExploreArgs) -> Exit {
    let mut disk = match Disk::new(&args.reach) {
        Ok(disk) => disk,
        Err(exit) => return exit,
    };
    let graph = match Graph::load(&args.file, &mut disk) {
        Ok(graph) => graph,
        Err(error) if error.is_empty => return screen::refuse(&error.to_string()),
        Err(error) => {
            screen::findings(&error.findings, &error.sources);
            return Exit::of(&error.findings).worse(Exit::Findings);
        }
    };
    let mut settings = match settings(args, &graph) {
        Ok(settings) => settings,
        Err(message) => return screen::refuse_lines(&message),
    };
    if let Some(path) = &args.answers
        && let Err(exit) = add_examples(&mut settings, path, &mut disk)
    {
        return exit;
    }
    let found = found(args, &graph, &settings);
    let printed = match args.format {
        Format::Human => screen::print(&print::text(&found, &graph.sources)),
        Format::Json => screen::print(&screen::json(&print::json(&found, &graph.sources))),
    };
    let saved = args.save.as_deref().map_or(Exit::Ok, |folder| save(folder, &found));
    printed.worse(saved).worse(if found.findings.is_empty() { Exit::Ok } else { Exit::Findings })
}

/// The world in which the graph is explored.
fn settings(args: &ExploreArgs, graph: &Graph) -> Result<WorldSettings, String> {
    let input = of_open_flags(&graph.program, &args.input)?;
    let own = &graph.program.graphs[0];
    let names: Vec<&Str> = own.slots.iter().take(own.inputs as usize).map(|slot| &slot.name).collect();
    for name in &args.open {
        if !names.iter().any(|own| **own == name.as_str()) {
            let known: Vec<&str> = names.iter().map(|name| name.as_str()).collect();
            return Err(format!("--open {}: the inputs are {}", screen::line(name), known.join(", ")));
        }
    }
    let open = args.open.iter().map(|name| Str::from(name.as_str())).collect();
    Ok(WorldSettings { input, open, rollbacks: args.rollbacks, ..WorldSettings::default() })
}

/// Adds the examples of a script.
fn add_examples(settings: &mut WorldSettings, path: &str, disk: &mut Disk) -> Result<(), Exit> {
    let refused = |why: String| screen::refuse(&format!("--answers {}: {why}", screen::line(path)));
    let (name, text) = disk.given(path).map_err(refused)?;
    let mut sources = Sources::new();
    let file = sources.add(name, text);
    let (answers, mut findings) = read_answers(&sources, file);
    let (examples, wrong) = AnswerExamples::of(&answers);
    findings.extend(wrong);
    if findings.iter().any(|found| found.severity == Severity::Error) {
        screen::findings(&findings, &sources);
        return Err(Exit::of(&findings).worse(Exit::Findings));
    }
    settings.tools = examples.tools().into_iter().map(plain_tool).collect();
    settings.examples = examples;
    Ok(())
}

fn found(args: &ExploreArgs, graph: &Graph, settings: &WorldSettings) -> Exploration {
    let space = StateSpace::new(&graph.model, &graph.program, settings);
    let available = || std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    let options = ExploreOptions {
        limits: SearchLimits { depth: args.depth, max_states: args.max_states },
        walks: args.walks,
        seed: args.seed,
        threads: args.threads.unwrap_or_else(available),
    };
    let bar = screen::stderr_is_terminal().then(spinner);
    let mut search = explore(&space, &options, &mut |search| {
        if let Some(bar) = &bar {
            bar.set_message(line(search));
        }
    });
    if let Some(bar) = bar {
        bar.finish_and_clear();
    }
    search.report(&graph_file(args))
}

/// The path of the graph file as the scenario files name it: from the folder that they are written into, or else beside the graph.
fn graph_file(args: &ExploreArgs) -> String {
    let file = Path::new(&args.file);
    let beside =
        || file.file_name().map_or_else(|| args.file.clone(), |name| name.to_string_lossy().into_owned());
    let Some(folder) = &args.save else { return beside() };
    if file.is_absolute() {
        return args.file.clone();
    }
    let whole = |path: &Path| std::path::absolute(path).ok();
    let (Some(from), Some(to)) = (whole(folder), whole(file)) else { return beside() };
    let shared = from.components().zip(to.components()).take_while(|(one, other)| one == other).count();
    let up = from.components().skip(shared).map(|_| Path::new("..").to_path_buf());
    let down = to.components().skip(shared).map(|part| PathBuf::from(part.as_os_str()));
    up.chain(down).collect::<PathBuf>().to_string_lossy().into_owned()
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

/// Writes the findings as scenario files. A file that is there stays.
fn save(folder: &Path, found: &Exploration) -> Exit {
    let mut exit = Exit::Ok;
    if let Err(error) = std::fs::create_dir_all(folder) {
        return screen::refuse(&format!("--save {}: {error}", screen::path(folder)));
    }
    for (number, finding) in (1..).zip(&found.findings) {
        let Ok(text) = &finding.scenario else { continue };
        let path = folder.join(format!("{}-{number}.scenarios.yaml", found.graph));
        match files::write_new(&path, text) {
            Ok(()) => screen::say(&format!("wrote {}\n", screen::path(&path))),
            Err(error) => exit = exit.worse(screen::refuse(&format!("{}: {error}", screen::path(&path)))),
        }
    }
    exit
}
