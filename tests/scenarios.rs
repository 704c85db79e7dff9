//! Every scenario of every shipped graph: green, with its trace as a snapshot, the same each time it is played.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use loopwright::diag::text;
use loopwright::machine::{Event, EventCursor, EventKind, Snapshot};
use loopwright::model::Loader;
use loopwright::scenario::{Coverage, Suite, play, play_rebuilding, play_with, print, trace};
use loopwright::source::Sources;

use crate::rebuilt;

/// Reads files under the repository; names are relative to it.
struct Disk;

impl Loader for Disk {
    fn load(
        &mut self,
        from: Option<&str>,
        path: &str,
    ) -> Result<(String, String), loopwright::model::LoadError> {
        let name = loopwright::model::beside(from, path);
        let text = fs::read_to_string(root().join(&name)).map_err(|_| "there is no such file".to_owned())?;
        Ok((name, text))
    }
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// Loads a scenario file and its graph; every finding that is an error stops the test and is printed.
fn suite(path: &Path) -> (Suite, Sources) {
    let mut sources = Sources::new();
    let loaded = Suite::load(&mut sources, &mut Disk, &name(path));
    let suite =
        loaded.suite.unwrap_or_else(|| panic!("\n{}", text::render(&loaded.findings, &sources, false)));
    (suite, sources)
}

fn name(path: &Path) -> String {
    path.strip_prefix(root()).expect("fixtures lie in the repository").to_string_lossy().into_owned()
}

/// The scenario files of all shipped graphs.
pub(crate) fn shipped() -> Vec<PathBuf> {
    fn collect(folder: &Path, out: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).expect("the folder is there") {
            let path = entry.expect("entries can be read").path();
            if path.is_dir() {
                collect(&path, out);
            } else if path.to_string_lossy().ends_with(".scenarios.yaml") {
                out.push(path);
            }
        }
    }
    let mut found = Vec::new();
    collect(&root().join("graphs"), &mut found);
    found.sort();
    found
}

#[test]
fn every_shipped_scenario_passes() {
    let files = shipped();
    assert!(!files.is_empty());
    let mut failed = String::new();
    for path in files {
        let mut sources = Sources::new();
        let loaded = Suite::load(&mut sources, &mut Disk, &name(&path));
        let Some(suite) = loaded.suite else {
            failed.push_str(&text::render(&loaded.findings, &sources, false));
            continue;
        };
        for report in rebuilt::play_all(&suite).filter(|report| !report.passed()) {
            failed.push_str(&print::text(&report, &sources));
        }
    }
    assert!(failed.is_empty(), "\n{failed}");
}

/// Each scenario has a snapshot of its own, `snapshots/traces/GRAPH/SCENARIO.snap`, so that a difference can be read.
#[test]
fn traces() {
    let mut written = BTreeSet::new();
    for path in shipped() {
        let (suite, _) = suite(&path);
        let graph = name(&path).replace(".scenarios.yaml", "");
        let folder = graph.strip_prefix("graphs/").expect("shipped graphs lie there").replace('/', "-");
        for report in rebuilt::play_all(&suite) {
            let file = file_name(&report.name);
            assert!(
                written.insert(format!("{folder}/{file}.snap")),
                "{graph}: two scenarios are named {file}"
            );
            let mut settings = insta::Settings::clone_current();
            settings.set_snapshot_path(format!("snapshots/traces/{folder}"));
            settings.set_prepend_module_to_snapshot(false);
            settings.set_description(report.name.clone());
            settings.bind(|| insta::assert_snapshot!(file, trace::text(&suite.program, &report.run.events)));
        }
    }
    assert_eq!(stored(), written, "a snapshot that no scenario has any more is removed");
}

/// A scenario's name as that of a file.
fn file_name(scenario: &str) -> String {
    let words = scenario.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join("-").to_lowercase()
}

/// The snapshots of traces that there are.
fn stored() -> BTreeSet<String> {
    let root = root().join("tests/snapshots/traces");
    let folders = fs::read_dir(&root).expect("there are traces");
    let files =
        folders.flat_map(|folder| fs::read_dir(folder.expect("it is there").path()).expect("it is a folder"));
    files
        .map(|file| file.expect("it is there").path())
        .filter(|path| path.extension().is_some_and(|end| end == "snap"))
        .map(|path| path.strip_prefix(&root).expect("it lies in the folder").to_string_lossy().into_owned())
        .collect()
}

/// Calls and questions carry the lane they came from, and a snapshot what runs in it: the cursor, which reads events alone, says
/// the same, from the first event on and from any snapshot in between.
#[test]
fn the_cursor_knows_what_the_machine_knows() {
    let mut lanes = 0;
    for path in shipped() {
        let (suite, _) = suite(&path);
        let program = &suite.program;
        for scenario in &suite.file.scenarios {
            let mut snapshots: Vec<Snapshot> = Vec::new();
            let mut look = |snapshot: &mut Snapshot| snapshots.push(snapshot.clone());
            let run = play_with(program, &suite.bound, scenario, &mut look);
            let mut cursor = EventCursor::new();
            let mut later: Option<(usize, EventCursor)> = None;
            for event in &run.events {
                let at = format!("{}: event {}", scenario.name.value, event.seq);
                let place = cursor.next(program, event);
                let lane = match &event.kind {
                    EventKind::Called(call) => &call.lane,
                    EventKind::Asked(ask) => &ask.lane,
                    _ => &place.lane,
                };
                assert_eq!(*lane, place.lane, "{at}");
                lanes += usize::from(!lane.is_empty());
                if let Some((_, later)) = &mut later {
                    assert_eq!(later.next(program, event), place, "{at}");
                }
                // Goes on from the snapshot behind this event if more runs in it than in the last one.
                let most = later.as_ref().map_or(0, |(most, _)| *most);
                let here = snapshots.iter().filter(|snapshot| snapshot.seq == event.seq + 1);
                if let Some(snapshot) = here.max_by_key(|s| s.lanes.len()).filter(|s| s.lanes.len() > most) {
                    later = Some((snapshot.lanes.len(), EventCursor::at(snapshot)));
                }
            }
        }
    }
    assert!(lanes > 100, "{lanes} events in lanes");
}

/// The tour teaches the whole language, the parts of larger loops are to be relied on: their scenarios take every node, edge and
/// branch.
#[test]
fn the_tour_and_the_parts_are_covered() {
    let mut coverage = Coverage::new();
    let parts = [
        "graphs/mini.",
        "graphs/tour/",
        "graphs/react/v2-",
        "graphs/react/budget-",
        "graphs/react/v1",
        "graphs/react/coordinator.",
        "graphs/okso/",
        "graphs/arkhon/",
        "graphs/parallel/",
    ];
    let whole = |path: &PathBuf| parts.iter().any(|part| name(path).starts_with(part));
    for path in shipped().into_iter().filter(whole) {
        let (suite, sources) = suite(&path);
        let keys = suite.cover(&mut coverage, &sources);
        for report in rebuilt::play_all(&suite) {
            coverage.count(&keys, &suite.program, &report.run.events);
        }
    }
    assert!(coverage.missed().next().is_none(), "\n{}", coverage.text());
}

#[test]
fn every_trace_is_the_same_each_time_and_through_stored_snapshots() {
    let bytes = |events: &[Event]| serde_json::to_string(events).expect("events can be written");
    for path in shipped() {
        let (suite, _) = suite(&path);
        for scenario in &suite.file.scenarios {
            let first = play(&suite.program, &suite.bound, scenario);
            let again = play(&suite.program, &suite.bound, scenario);
            let stored = play_with(&suite.program, &suite.bound, scenario, &mut store_and_restore);
            let built = play_rebuilding(&suite.program, &suite.bound, scenario);
            let name = &scenario.name.value;
            assert_eq!(bytes(&first.events), bytes(&again.events), "{name}: played twice");
            assert_eq!(bytes(&first.events), bytes(&stored.events), "{name}: stored at every step");
            assert_eq!(first.snapshot, stored.snapshot, "{name}: the end");
            assert_eq!(bytes(&first.events), bytes(&built.events), "{name}: built again at every step");
            assert_eq!(first.ended, built.ended, "{name}");
        }
    }
}

fn store_and_restore(snapshot: &mut Snapshot) {
    let text = serde_json::to_string(snapshot).expect("a snapshot can be written");
    let read: Snapshot = serde_json::from_str(&text).expect("a snapshot can be read");
    assert_eq!(*snapshot, read, "a snapshot comes back as it was");
    *snapshot = read;
}

/// Events are data: what is written is read back.
#[test]
fn events_come_back_from_json() {
    for path in shipped() {
        let (suite, _) = suite(&path);
        for event in rebuilt::play_all(&suite).flat_map(|report| report.run.events) {
            let text = serde_json::to_string(&event).expect("an event can be written");
            let read: Event = serde_json::from_str(&text).expect("an event can be read");
            assert_eq!(event, read);
        }
    }
}

/// Scenario files with faults, and scenarios that fail: what is said about them.
#[test]
fn reports() {
    insta::glob!("scenarios/*.scenarios.yaml", |path| {
        let mut sources = Sources::new();
        let loaded = Suite::load(&mut sources, &mut Disk, &name(path));
        let Some(suite) = loaded.suite else {
            insta::assert_snapshot!(text::render(&loaded.findings, &sources, false));
            return;
        };
        let mut coverage = Coverage::new();
        let keys = suite.cover(&mut coverage, &sources);
        let mut out = text::render(&loaded.findings, &sources, false);
        for report in rebuilt::play_all(&suite) {
            coverage.count(&keys, &suite.program, &report.run.events);
            out.push_str(&print::text(&report, &sources));
        }
        out.push_str(&coverage.text());
        insta::assert_snapshot!(out);
    });
}
