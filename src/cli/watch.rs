//! `--watch`: runs a command again whenever a file it read, or a folder it was given, changes.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Receiver, RecvError, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use notify::{RecursiveMode, Watcher};
use tokio::runtime::Runtime;
use tokio::signal::unix::{SignalKind, signal};

use super::files::STDIN;
use super::{Exit, limits, screen};
use loopwright_core::folder;

/// Changes this close together are one: editors write a file in several steps.
const PAUSE: Duration = Duration::from_millis(100);

/// Runs `once`, then again after every change of a file it read or of a file in a folder among the paths, until the
/// process is interrupted.
pub(super) fn run(paths: &[String], once: impl Fn() -> (Exit, Vec<PathBuf>)) -> Exit {
    if paths.iter().any(|path| path == STDIN) {
        return screen::refuse("standard input cannot be watched");
    }
    let (send, changes) = mpsc::channel();
    let runtime = match limits::runtime(true) {
        Ok(runtime) => runtime,
        Err(exit) => return exit,
    };
    let hear = move |event: notify::Result<notify::Event>| {
        if let Ok(event) = event
            && !event.kind.is_access()
        {
            // The receiver is gone only when the process ends.
            let _ = send.send(event.paths);
        }
    };
    // A link in a folder may lead anywhere.
    let watcher =
        notify::RecommendedWatcher::new(hear, notify::Config::default().with_follow_symlinks(false));
    let mut watcher = match watcher {
        Ok(watcher) => watcher,
        Err(error) => return screen::refuse(&format!("files cannot be watched here: {error}")),
    };
    if let Err(error) = end_on_ctrl_c(runtime) {
        return screen::refuse(&format!("Ctrl-C cannot be heard here: {error}"));
    }
    let mut seen: Vec<PathBuf> = Vec::new();
    let mut watch = |places: &[PathBuf]| {
        for place in places.iter().map(|place| watched(place)) {
            if !seen.contains(&place) && watcher.watch(&place, RecursiveMode::Recursive).is_ok() {
                seen.push(place);
            }
        }
        !seen.is_empty()
    };
    // Before the first look, so that a change after it is not missed.
    let paths: Vec<PathBuf> = paths.iter().map(PathBuf::from).collect();
    watch(&paths);
    loop {
        let (_, read) = once();
        let all = watch(&read);
        if !all {
            return screen::refuse("there is nothing to watch");
        }
        screen::say("-- waiting for a change (Ctrl-C ends)\n");
        if Watched::new(&paths, &read).change(&changes).is_err() {
            return Exit::Interrupted;
        }
    }
}

/// The files that a round depends on. A change of any other file, such as the output of the round, starts
/// no new round.
struct Watched {
    files: HashSet<PathBuf>,
    folders: Vec<PathBuf>,
}

impl Watched {
    fn new(paths: &[PathBuf], read: &[PathBuf]) -> Self {
        let folders = paths.iter().filter(|path| path.is_dir()).map(|path| real(path)).collect();
        Self { files: read.iter().chain(paths).map(|path| real(path)).collect(), folders }
    }

    /// Waits for a change, and for the end of its steps.
    fn change(&self, changes: &Receiver<Vec<PathBuf>>) -> Result<(), RecvError> {
        while !self.concerns(&changes.recv()?) {}
        // A point in time, not a wait from change to change: what else continues in the folder must not put it off for ever.
        let mut until = Instant::now() + PAUSE;
        loop {
            match changes.recv_timeout(until.saturating_duration_since(Instant::now())) {
                Ok(paths) if self.concerns(&paths) => until = Instant::now() + PAUSE,
                Ok(_) => {}
                Err(RecvTimeoutError::Timeout) => return Ok(()),
                Err(RecvTimeoutError::Disconnected) => return Err(RecvError),
            }
        }
    }

    /// No paths at all: too much happened at once to say what.
    fn concerns(&self, paths: &[PathBuf]) -> bool {
        let concerns = |path: &PathBuf| {
            let path = real(path);
            let within = self.folders.iter().any(|folder| path.starts_with(folder));
            self.files.contains(&path) || (within && is_graph(&path))
        };
        paths.is_empty() || paths.iter().any(concerns)
    }
}

/// True for a path that may hold graphs, or did.
fn is_graph(path: &Path) -> bool {
    let ending = path.extension().unwrap_or_default();
    ["yaml", "yml", "loop"].iter().any(|graph| ending == *graph) || path.is_dir() || !path.exists()
}

/// One name for a path, whichever way it is reached, also if the file is not there now.
fn real(path: &Path) -> PathBuf {
    let beside = || Some(fs::canonicalize(watched(path)).ok()?.join(path.file_name()?));
    fs::canonicalize(path).ok().or_else(beside).unwrap_or_else(|| path.to_owned())
}

/// Ends the process at Ctrl-C, whatever it does. It is heard also where whoever started the program had it ignored, as
/// shells do in the background: nothing else ends a watch.
fn end_on_ctrl_c(runtime: Runtime) -> std::io::Result<()> {
    let mut pressed = {
        let _inside = runtime.enter();
        signal(SignalKind::interrupt())?
    };
    thread::spawn(move || {
        runtime.block_on(pressed.recv());
        std::process::exit(i32::from(Exit::Interrupted.code()));
    });
    Ok(())
}

/// The folder to watch for a path: editors replace files, so the file itself would be lost.
fn watched(path: &Path) -> PathBuf {
    if path.is_dir() { path.to_owned() } else { folder::of(path).to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_read_or_lies_in_a_folder_of_graphs_concerns() {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let path = |name: &str| folder.path().join(name);
        fs::create_dir_all(path("graphs/deep")).expect("a folder can be made");
        for name in ["a.yaml", "prompt.md", "out.mmd", "graphs/deep/g.loop", "graphs/out.txt"] {
            fs::write(path(name), "").expect("a file can be written");
        }
        let read = [path("graphs/../a.yaml"), path("prompt.md"), path("missing.yaml")];
        let watched = Watched::new(&[path("graphs")], &read);
        for name in ["a.yaml", "graphs/../prompt.md", "missing.yaml", "graphs/deep/g.loop", "graphs/gone.yml"]
        {
            assert!(watched.concerns(&[path("out.mmd"), path(name)]), "{name}");
        }
        for name in ["out.mmd", "graphs/out.txt", "other.yaml"] {
            assert!(!watched.concerns(&[path(name)]), "{name}");
        }
        assert!(watched.concerns(&[]), "too much happened");
    }
}
