//! `--watch`: runs a command again whenever a file it read, or a folder it was given, changes.

use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use notify::{RecursiveMode, Watcher};
use tokio::signal::unix::{SignalKind, signal};

use super::{Exit, screen};

/// Changes this close together are one: editors write a file in several steps.
const PAUSE: Duration = Duration::from_millis(100);

/// Runs `once`, then again after every change, until the process is interrupted.
pub(super) fn run(paths: &[String], once: impl Fn() -> (Exit, Vec<PathBuf>)) -> Exit {
    let (send, changes) = mpsc::channel();
    let watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
        if event.is_ok_and(|e| !e.kind.is_access()) {
            // The receiver is gone only when the process ends.
            let _ = send.send(());
        }
    });
    let mut watcher = match watcher {
        Ok(watcher) => watcher,
        Err(error) => return screen::refuse(&format!("files cannot be watched here: {error}")),
    };
    if let Err(error) = end_on_ctrl_c() {
        return screen::refuse(&format!("Ctrl-C cannot be heard here: {error}"));
    }
    let mut seen: Vec<PathBuf> = Vec::new();
    let mut watch = |places: &[PathBuf]| {
        for place in places.iter().map(|place| folder(place)) {
            if !seen.contains(&place) && watcher.watch(&place, RecursiveMode::Recursive).is_ok() {
                seen.push(place);
            }
        }
        !seen.is_empty()
    };
    // Before the first look, so that a change behind it is not missed.
    watch(&paths.iter().map(PathBuf::from).collect::<Vec<_>>());
    loop {
        let (_, read) = once();
        let all = watch(&read);
        if !all {
            return screen::refuse("there is nothing to watch");
        }
        screen::say("-- waiting for a change (Ctrl-C ends)\n");
        if changes.recv().is_err() {
            return Exit::Interrupted;
        }
        while changes.recv_timeout(PAUSE).is_ok() {}
    }
}

/// Ends the process at Ctrl-C, whatever it does. It is heard also where whoever started the program had it ignored, as
/// shells do in the background: nothing else ends a watch.
fn end_on_ctrl_c() -> std::io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
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
fn folder(path: &Path) -> PathBuf {
    if path.is_dir() {
        return path.to_owned();
    }
    match path.parent() {
        Some(parent) if parent != Path::new("") => parent.to_owned(),
        _ => PathBuf::from("."),
    }
}
