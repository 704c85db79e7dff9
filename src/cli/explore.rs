//! `explore`: every answer that matters of models, tools and people.

use std::path::{Path, PathBuf};

use super::args::{Format, Reach, SearchFlags};
use super::files::{self, Disk};
use super::{Exit, screen, searching};
use loopwright_core::explore::{Exploration, StateSpace, print};

/// `explore`.
#[derive(Debug, clap::Args)]
pub(super) struct ExploreArgs {
    /// The graph file; `-` is standard input.
    file: String,
    /// The search.
    #[command(flatten)]
    search: SearchFlags,
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

impl ExploreArgs {
    /// The graph file.
    pub(super) fn file(&self) -> &str {
        &self.file
    }
}

pub(super) fn run(args: &ExploreArgs) -> Exit {
    let mut disk = match Disk::new(&args.reach) {
        Ok(disk) => disk,
        Err(exit) => return exit,
    };
    let graph = match searching::graph(&args.file, &mut disk) {
        Ok(graph) => graph,
        Err(exit) => return exit,
    };
    let settings = match searching::settings(&args.search, &graph, &mut disk) {
        Ok(settings) => settings,
        Err(exit) => return exit,
    };
    let space = StateSpace::new(&graph.model, &graph.program, &settings);
    let found = searching::search(&args.search, &space).report(&graph_file(args));
    let printed = match args.format {
        Format::Human => screen::print(&print::text(&found, &graph.sources)),
        Format::Json => screen::print(&screen::json(&print::json(&found, &graph.sources))),
    };
    let saved = args.save.as_deref().map_or(Exit::Ok, |folder| save(folder, &found));
    printed.worse(saved).worse(if found.findings.is_empty() { Exit::Ok } else { Exit::Findings })
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
