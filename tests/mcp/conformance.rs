//! The conformance suite of the protocol against our client, as `loopwright tools call` and `mcp login` use it.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Mutex;

use super::part::Part;

/// Scenarios that do not apply, each with the sentence that says why.
const NOT_APPLICABLE: &str = include_str!("not-applicable.txt");

/// Scenarios that are run side by side.
const AT_ONCE: usize = 3;

/// The names of the suite's scenarios for clients, and the number of those for servers.
fn scenarios(part: &Part) -> (Vec<String>, usize) {
    let output = part.node().arg(part.script("conformance", "dist/index.js")).arg("list").output();
    let text = String::from_utf8_lossy(&output.expect("node starts").stdout).into_owned();
    let (servers, clients) = text.split_once("Client scenarios").expect("two lists");
    let names = |text: &str| -> Vec<String> {
        let lines = text.lines().filter_map(|line| line.trim().strip_prefix("- "));
        lines.filter_map(|line| line.split(' ').next()).map(str::to_owned).collect()
    };
    (names(clients), names(servers).len())
}

/// Runs one scenario; what it said, where it failed.
fn failure(part: &Part, scenario: &str) -> Option<String> {
    let folder = tempfile::tempdir().expect("a folder");
    let driver = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/mcp/conforms.py");
    let command = format!("python3 {} {}", driver.display(), env!("CARGO_BIN_EXE_loopwright"));
    let output = part
        .node()
        .arg(part.script("conformance", "dist/index.js"))
        .args(["client", "--command", &command, "--scenario", scenario, "--timeout", "90000"])
        .current_dir(folder.path())
        .output()
        .expect("node starts");
    let text =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    (!output.status.success()).then_some(text)
}

#[test]
fn the_client_passes_the_conformance_suite() {
    let Some(part) = Part::get() else { return };
    let lines = NOT_APPLICABLE.lines().filter(|line| !line.starts_with('#'));
    let without: BTreeMap<&str, &str> = lines.filter_map(|line| line.split_once(": ")).collect();
    let (all, servers) = scenarios(part);
    for (name, why) in &without {
        assert!(all.iter().any(|own| own == name), "the suite has no scenario {name}");
        assert!(why.len() > 40, "{name}: no sentence says why it does not apply");
    }
    assert!(without.len() * 10 <= all.len() + servers, "more than a tenth does not apply");
    let (next, failed) = (Mutex::new(all.iter()), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                while let Some(name) = { next.lock().expect("no thread fails").next() } {
                    match failure(part, name) {
                        Some(said) if !without.contains_key(name.as_str()) => {
                            failed.lock().expect("no thread fails").push(format!("{name}: {said}"));
                        }
                        None if without.contains_key(name.as_str()) => {
                            failed
                                .lock()
                                .expect("no thread fails")
                                .push(format!("{name} passes: it does apply"));
                        }
                        _ => {}
                    }
                }
            });
        }
    });
    let failed = failed.into_inner().expect("no thread fails");
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}
