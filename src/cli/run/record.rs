//! `--record`: a run as a scenario file, and a script beside it.

use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use crate::check::check_file;
use crate::cli::args::{Ports, Reach};
use crate::cli::{Exit, files, screen};
use crate::compile::{compile, compile_stored};
use crate::folder::{self, FileFault};
use crate::machine::{InputKind, Snapshot};
use crate::model::{LoadError, Model};
use crate::port::{EntryCause, JournalEntry, Store};
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

/// Records a run in a file.
pub(super) struct Recorder {
    scenario: PathBuf,
    script: PathBuf,
    /// The graph's file.
    graph: String,
    /// It is not the graph that runs any more.
    stale: bool,
}

impl Recorder {
    /// The recorder that is asked for, if the files may be written. `digest` is that of the program that runs.
    pub(super) fn of(ports: &Ports, graph: &str, digest: &str) -> Result<Option<Self>, Exit> {
        let Some(file) = &ports.record else { return Ok(None) };
        let shown = file.display();
        let refuse = |why: &str| screen::refuse(&format!("--record {shown}: {why}"));
        if graph == files::STDIN {
            return Err(refuse(
                "a scenario names the file of its graph; this graph is read from standard input",
            ));
        }
        let Some(script) = script_beside(file) else {
            return Err(refuse("write the name of a scenario file, such as run.scenarios.yaml"));
        };
        let folder = folder::of(file);
        folder::refuse_links_out(folder).map_err(|fault| refuse(&fault.to_string()))?;
        if !folder.is_dir() {
            return Err(refuse("there is no such folder"));
        }
        for path in [file, &script].into_iter().filter(|_| !ports.force) {
            let shown = path.display();
            match is_free(path) {
                Ok(true) => {}
                Ok(false) => {
                    let why = format!(
                        "{shown} exists and was not written by `--record`, or was changed since; `--force` overwrites it"
                    );
                    return Err(refuse(&why));
                }
                Err(fault) => return Err(refuse(&format!("{shown}: {fault}"))),
            }
        }
        let own = check_file(&mut Sources::new(), &mut files::Disk::new(&ports.reach)?, graph);
        let own = own.model.as_ref().filter(|_| own.is_sound()).map(|model| compile_stored(model, digest));
        let stale = !matches!(own, Some(Ok(Some(_))));
        Ok(Some(Self { scenario: file.clone(), script, graph: graph.to_owned(), stale }))
    }

    /// Writes a run that ended or waits.
    pub(super) async fn write(
        &self,
        store: &dyn Store,
        model: &Model,
        run: &str,
        snapshot: &Snapshot,
    ) -> Exit {
        let entries = match store.entries(run).await {
            Ok(entries) => entries,
            Err(error) => return self.refuse(&error.to_string()),
        };
        if entries.iter().any(|entry| matches!(entry.cause, EntryCause::Moved { .. })) {
            return self.refuse("it went on with an edited graph, and a scenario is of one graph");
        }
        let Some(recording) = self.recording(model, &entries, snapshot) else {
            return self.refuse("the graph cannot be compiled again");
        };
        // The script goes first: where the second file cannot be written, no scenario says that all is there.
        for (path, text) in [(&self.script, &recording.script), (&self.scenario, &recording.scenario)] {
            if let Err(error) = folder::put(path, &sealed(text)) {
                return self.refuse(&format!("{}: {error}", path.display()));
            }
        }
        screen::say(&self.summary(&recording));
        Exit::Ok
    }

    fn recording(&self, model: &Model, entries: &[JournalEntry], snapshot: &Snapshot) -> Option<Recording> {
        let program = compile(model).ok()?;
        let mut lost = from_outside(entries);
        if self.stale {
            lost.push(format!("{} is not the graph any more that the run began with", self.graph));
        }
        let events: Vec<_> = entries.iter().flat_map(|entry| entry.events.iter().cloned()).collect();
        let history = History { model, program: &program, events: &events, snapshot };
        Some(record(history, &self.named(), lost))
    }

    fn refuse(&self, why: &str) -> Exit {
        screen::refuse(&format!("the run is not recorded in {}: {why}", self.scenario.to_string_lossy()))
    }

    /// The words for a graph that lies outside of what a scenario at this place may name; none where it does not.
    fn out_of_reach(&self) -> String {
        let (scenario, graph) = (self.scenario.to_string_lossy(), self.named());
        let disk = files::Disk::new(&Reach::default()).ok();
        match disk.map(|mut disk| disk.place(Some(&scenario), &graph)) {
            Some(Err(LoadError::Forbidden { why, help })) => {
                let [graph, why, help] = [&graph, &why, &help].map(|text| screen::line(text));
                format!("there `loopwright test` will not read `{graph}`: {why}\nhelp: {help}\n")
            }
            _ => String::new(),
        }
    }

    /// The graph's file as the scenario names it.
    fn named(&self) -> String {
        from_folder(folder::of(&self.scenario), &self.graph)
    }

    /// The message after the file was written.
    fn summary(&self, recording: &Recording) -> String {
        let [scenario, script] = [&self.scenario, &self.script].map(|file| screen::path(file));
        if recording.lost.is_empty() {
            let text = format!("recorded: {scenario} and {script}\n{}", self.out_of_reach());
            if recording.left_out.is_empty() {
                return text;
            }
            let list = screen::line(&recording.left_out.join(", "));
            return format!(
                "{text}not expected there, since it differs when the scenario is played: {list}\n"
            );
        }
        let head =
            format!("recorded: {script}; the run cannot be written as a scenario, which {scenario} says:\n");
        recording.lost.iter().fold(head, |text, why| text + "- " + &screen::line(why) + "\n")
    }
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
