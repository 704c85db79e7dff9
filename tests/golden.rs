//! Recorded data that the tests compare with.
//!
//! A file holds a list of cases. Each is stamped with what counts for it: what was recorded (`same`, or no stamp at all), what we decided
//! (`differs`: `ours`), or nothing (`void`).

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use serde_json::Value as Json;

/// A recorded file: from the folder `LOOPWRIGHT_GOLDEN` names, or from `tests/golden` where it is not there.
pub(crate) fn read(name: &str) -> String {
    let path = find(name);
    std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{} cannot be read: {e}", path.display()))
}

/// Whether [`read`] gives the file that belongs to these tests, not one of a folder that was named.
pub(crate) fn is_own(name: &str) -> bool {
    find(name) == own().join(name)
}

fn own() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden")
}

fn find(name: &str) -> PathBuf {
    let given = std::env::var_os("LOOPWRIGHT_GOLDEN").map(PathBuf::from);
    let path = given.into_iter().chain([own()]).map(|folder| folder.join(name)).find(|path| path.exists());
    path.unwrap_or_else(|| panic!("no folder of recorded data holds {name}"))
}

/// Judges every case of a recorded file that is not void. `judge` gets the case and what counts for it: `ours` where the case has
/// it, else the case itself. It says what is wrong. All faults are told, each with its case.
pub(crate) fn each_case(name: &str, judge: impl FnMut(&Json, &Json) -> Result<(), String>) {
    each_of(name, "cases", judge);
}

/// The same for a file that keeps its cases in a list of another name.
pub(crate) fn each_of(name: &str, list: &str, mut judge: impl FnMut(&Json, &Json) -> Result<(), String>) {
    let file: Json = serde_json::from_str(&read(name)).expect("recorded files are JSON");
    let cases = file[list].as_array().unwrap_or_else(|| panic!("{name} has no {list}"));
    let (mut judged, mut faults, mut report) = (0, 0, String::new());
    for (index, case) in cases.iter().enumerate().filter(|(_, case)| case["decided"] != "void") {
        judged += 1;
        let counts = case.get("ours").unwrap_or(case);
        if let Err(fault) = judge(case, counts) {
            faults += 1;
            let title =
                ["id", "name", "title", "fn"].iter().find_map(|key| case[*key].as_str()).unwrap_or_default();
            let _ = writeln!(report, "{name}, case {index} {title}:\n{fault}");
        }
    }
    println!("{name}: {judged} cases, {} passed", judged - faults);
    assert!(judged > 0, "{name} has no cases");
    assert!(report.is_empty(), "\n{report}");
}

/// Those fields of what was found that are wanted.
pub(crate) fn wanted_of(found: &Json, wanted: &Json) -> Json {
    let keys = wanted.as_object().expect("what is wanted has fields").keys();
    keys.map(|key| (key.clone(), found[key].clone())).collect()
}

/// The difference between two values, if there is any.
pub(crate) fn same(found: &Json, wanted: &Json) -> Result<(), String> {
    if found == wanted {
        return Ok(());
    }
    let print = |value| serde_json::to_string_pretty(value).expect("JSON can be printed");
    let (found, wanted) = (print(found), print(wanted));
    let diff = similar::TextDiff::from_lines(&wanted, &found);
    Err(diff.unified_diff().context_radius(3).header("wanted", "found").to_string())
}
