//! A run as a scenario file, and a script beside it.

use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use crate::check::check_file;
use crate::compile::{compile, compile_stored};
use crate::folder::{self, FileFault};
use crate::machine::{InputKind, Snapshot};
use crate::model::{Loader, Model};
use crate::port::{EntryCause, JournalEntry, Store, StoreError};
use crate::scenario::{History, Recording, record};
use crate::source::Sources;

/// The start of the first line of a recorded file; the checksum of the rest follows.
const SEAL: &str = "# Written by `loopwright --record`, and written anew as long as nobody changes it. Sum: ";

/// The length of the written checksum, in characters.
const CHECKSUM_CHARS: usize = 16;

/// The largest file that is looked at whether it may be written over, in bytes.
const MAX_SEALED: u64 = 64 << 20;

/// The end of a scenario file's name.
const SCENARIOS: &str = ".scenarios.yaml";

/// The files in which a run is recorded.
#[derive(Debug)]
pub struct RecordPlace {
    scenario: PathBuf,
    script: PathBuf,
}

/// The reason for which no run can be recorded in a file.
#[derive(Debug, thiserror::Error)]
pub enum RecordPlaceError {
    /// The name is none of a scenario file.
    #[error("write the name of a scenario file, such as run.scenarios.yaml")]
    Name,
    /// A link on the way to it leads out of the repository or the working folder.
    #[error(transparent)]
    Astray(FileFault),
    /// Its folder is not there.
    #[error("there is no such folder")]
    NoFolder,
    /// A file is there that is no recording, or was changed.
    #[error("{} exists and was not recorded, or was changed since", .0.display())]
    Taken(PathBuf),
    /// A file is there that cannot be read.
    #[error("{}: {fault}", path.display())]
    Unreadable {
        /// Its path.
        path: PathBuf,
        /// The reason.
        fault: FileFault,
    },
}

/// Records a run in a file.
#[derive(Debug)]
pub struct Recorder {
    /// The path of the scenario file.
    pub scenario: PathBuf,
    /// The path of the script.
    pub script: PathBuf,
    /// The path of the graph's file, as the run has it.
    graph: String,
    /// It is not the graph that runs any more.
    stale: bool,
}

/// The reason for which a run was not recorded.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// Its journal cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// It went by several graphs.
    #[error("it went on with an edited graph, and a scenario is of one graph")]
    Moved,
    /// Its program cannot be made.
    #[error("the graph cannot be compiled again")]
    NoProgram,
    /// A file cannot be written.
    #[error("{}: {fault}", path.display())]
    Write {
        /// Its path.
        path: PathBuf,
        /// The reason.
        fault: FileFault,
    },
}

impl RecordPlace {
    /// The place for a run in a scenario file, if it may be written. With `force` it may be whatever lies there.
    ///
    /// # Errors
    /// The reason for which it may not.
    pub fn new(file: &Path, force: bool) -> Result<Self, RecordPlaceError> {
        let script = script_beside(file).ok_or(RecordPlaceError::Name)?;
        let folder = folder::of(file);
        folder::refuse_links_out(folder).map_err(RecordPlaceError::Astray)?;
        if !folder.is_dir() {
            return Err(RecordPlaceError::NoFolder);
        }
        for path in [file, &script].into_iter().filter(|_| !force) {
            match is_free(path) {
                Ok(true) => {}
                Ok(false) => return Err(RecordPlaceError::Taken(path.to_owned())),
                Err(fault) => return Err(RecordPlaceError::Unreadable { path: path.to_owned(), fault }),
            }
        }
        Ok(Self { scenario: file.to_owned(), script })
    }

    /// The recorder of a run that goes by the program of a `digest`, made of the file `graph`.
    #[must_use]
    pub fn recorder(self, graph: &str, digest: &str, loader: &mut dyn Loader) -> Recorder {
        let own = check_file(&mut Sources::new(), loader, graph);
        let own = own.model.as_ref().filter(|_| own.is_sound()).map(|model| compile_stored(model, digest));
        let stale = !matches!(own, Some(Ok(Some(_))));
        Recorder { scenario: self.scenario, script: self.script, graph: graph.to_owned(), stale }
    }
}

impl Recorder {
    /// Writes a run that ended or waits.
    ///
    /// # Errors
    /// Nothing, or not all of it, was written.
    pub async fn write(
        &self,
        store: &dyn Store,
        model: &Model,
        run: &str,
        snapshot: &Snapshot,
    ) -> Result<Recording, RecordError> {
        let entries = store.entries(run).await?;
        let stale = format!("{} is not the graph any more that the run began with", self.graph);
        let lost = if self.stale { vec![stale] } else { Vec::new() };
        let recording = recording(model, &entries, snapshot, &self.graph_from_there(), lost)?;
        // The script goes first: where the second file cannot be written, no scenario says that all is there.
        for (path, text) in [(&self.script, &recording.script), (&self.scenario, &recording.scenario)] {
            folder::put(path, &sealed(text))
                .map_err(|fault| RecordError::Write { path: path.clone(), fault })?;
        }
        Ok(recording)
    }

    /// The graph's file as the scenario names it.
    #[must_use]
    pub fn graph_from_there(&self) -> String {
        from_folder(folder::of(&self.scenario), &self.graph)
    }
}

/// A run that ended or waits, as a scenario. `graph` is the path of its file as the scenario names it, `lost` what no scenario can say
/// of the run besides what its journal tells.
///
/// # Errors
/// It went by several graphs, or its program cannot be made.
pub fn recording(
    model: &Model,
    entries: &[JournalEntry],
    snapshot: &Snapshot,
    graph: &str,
    lost: Vec<String>,
) -> Result<Recording, RecordError> {
    if entries.iter().any(|entry| matches!(entry.cause, EntryCause::Moved { .. })) {
        return Err(RecordError::Moved);
    }
    let program = compile(model).map_err(|_| RecordError::NoProgram)?;
    let lost = from_outside(entries).into_iter().chain(lost).collect();
    let events: Vec<_> = entries.iter().flat_map(|entry| entry.events.iter().cloned()).collect();
    Ok(record(History { model, program: &program, events: &events, snapshot }, graph, lost))
}

/// Lists what happened to a run from outside its scripted world.
fn from_outside(entries: &[JournalEntry]) -> Vec<String> {
    let mut lost = Vec::new();
    let mut before: Option<&EntryCause> = None;
    for entry in entries {
        match &entry.cause {
            EntryCause::Input(InputKind::Cancel { reason } | InputKind::End { reason }) => {
                lost.push(format!("it was ended from outside ({reason})"));
            }
            EntryCause::Back { step, .. } if !before.is_some_and(sends_back) => {
                lost.push(format!("it was sent back to step {step} by a command"));
            }
            _ => {}
        }
        // What is undone on the way back is part of it.
        if matches!(entry.cause, EntryCause::Input(_) | EntryCause::Back { .. } | EntryCause::Moved { .. }) {
            before = Some(&entry.cause);
        }
    }
    lost
}

/// True for the answer of a person who sends the run back.
fn sends_back(cause: &EntryCause) -> bool {
    matches!(cause, EntryCause::Input(InputKind::Answered { answer, .. })
        if answer.as_map().is_some_and(|answer| answer.contains_key("rollback")))
}

/// The script that goes with a scenario file.
fn script_beside(file: &Path) -> Option<PathBuf> {
    let name = file.file_name()?.to_str()?;
    let endings = [SCENARIOS, ".yaml", ".yml"];
    let stem = endings.iter().find_map(|ending| name.strip_suffix(ending)).unwrap_or(name);
    let script = format!("{stem}.script.yaml");
    (!stem.is_empty() && script != name && !name.ends_with(".script.yaml"))
        .then(|| file.with_file_name(script))
}

/// The path of a file as one in that folder names it.
fn from_folder(folder: &Path, file: &str) -> String {
    let path = Path::new(file);
    let (Ok(from), Ok(to), Some(name)) =
        (fs::canonicalize(folder), fs::canonicalize(folder::of(path)), path.file_name())
    else {
        return file.to_owned();
    };
    let to = to.join(name);
    let shared = from.components().zip(to.components()).take_while(|(a, b)| a == b).count();
    if !from.components().take(shared).any(|part| matches!(part, Component::RootDir)) {
        return to.to_string_lossy().into_owned();
    }
    let up = from.components().skip(shared).map(|_| "..".to_owned());
    let down = to.components().skip(shared).map(|part| part.as_os_str().to_string_lossy().into_owned());
    up.chain(down).collect::<Vec<_>>().join("/")
}

/// True if a file may be written: it does not exist, or was written here and not changed since.
fn is_free(path: &Path) -> Result<bool, FileFault> {
    match folder::text(path, MAX_SEALED) {
        Ok(text) => {
            let (first, rest) = text.split_once('\n').unwrap_or((&text, ""));
            Ok(first.strip_prefix(SEAL) == Some(sum(rest).as_str()))
        }
        Err(FileFault::Io(error)) if error.kind() == io::ErrorKind::NotFound => Ok(true),
        Err(FileFault::NoText | FileFault::TooLarge { .. } | FileFault::Outside) => Ok(false),
        Err(fault) => Err(fault),
    }
}

fn sealed(text: &str) -> String {
    format!("{SEAL}{}\n{text}", sum(text))
}

fn sum(text: &str) -> String {
    let mut sum = blake3::hash(text.as_bytes()).to_hex().to_string();
    sum.truncate(CHECKSUM_CHARS);
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_has_the_name_of_its_scenarios() {
        let script = |name: &str| script_beside(Path::new(name)).map(|p| p.to_string_lossy().into_owned());
        assert_eq!(script("a/b.scenarios.yaml").as_deref(), Some("a/b.script.yaml"));
        assert_eq!(script("b.yaml").as_deref(), Some("b.script.yaml"));
        assert_eq!(script("b").as_deref(), Some("b.script.yaml"));
        assert_eq!(script("b.script.yaml"), None);
        assert_eq!(script("a/.."), None);
    }

    #[test]
    fn a_changed_file_is_not_free() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.yaml");
        assert!(is_free(&path).expect("it is not there"));
        folder::put(&path, &sealed("graph: a\n")).expect("it is written");
        assert!(is_free(&path).expect("it is read"));
        let text = fs::read_to_string(&path).expect("it is read");
        fs::write(&path, text + "# mine\n").expect("it is written");
        assert!(!is_free(&path).expect("it is read"));
        fs::write(&path, [0xff, 0xfe]).expect("it is written");
        assert!(!is_free(&path).expect("it is read"));
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1);
    }
}
