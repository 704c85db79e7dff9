//! Recorded data that the tests compare with: `tests/golden/README.md` says what is in the files.
//!
//! A file holds a list of cases. Each is stamped with what counts for it: what was recorded (`same`, or no stamp at all), what we decided
//! (`differs`: `ours`), or nothing (`void`). A key that a test does not read is a fault of that test.

mod excuse;
mod recorded;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use serde_json::Value as Json;

use recorded::Ledger;
pub(crate) use recorded::Recorded;

/// The text of a recorded file: from the folder `LOOPWRIGHT_GOLDEN` names, or from `tests/golden` where it is not there.
pub(crate) fn read(name: &str) -> String {
    let path = find(name);
    std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{} cannot be read: {e}", path.display()))
}

/// Checks that [`read`] gives the file that belongs to these tests, not one of a folder that was named.
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

/// The files of cases that belong to these tests, by name.
fn own_files() -> Vec<(String, Json)> {
    let entries = std::fs::read_dir(own()).expect("the folder is there");
    let files = entries.map(|entry| entry.expect("the folder can be read").path());
    let files = files.filter(|path| path.extension().is_some_and(|kind| kind == "json"));
    let read = |path: PathBuf| {
        let text = std::fs::read_to_string(&path).expect("the file can be read");
        let name = path.file_name().expect("a file has a name").to_string_lossy().into_owned();
        (name, serde_json::from_str(&text).expect("recorded files are JSON"))
    };
    files.map(read).collect()
}

/// A recorded file.
pub(crate) struct File {
    name: String,
    json: Json,
    ledger: Ledger,
}

/// What came of the cases of a file.
#[derive(Default)]
struct Tally {
    judged: usize,
    faulty: usize,
    report: String,
}

impl File {
    /// Reads a file, see [`read`].
    pub(crate) fn open(name: &str) -> Self {
        Self::of(name, &read(name))
    }

    /// The file that belongs to these tests, whatever folder was named.
    pub(crate) fn own(name: &str) -> Self {
        Self::of(name, &std::fs::read_to_string(own().join(name)).expect("the file can be read"))
    }

    /// A file that a test writes itself.
    pub(crate) fn of(name: &str, text: &str) -> Self {
        let json = serde_json::from_str(text).expect("recorded files are JSON");
        Self { name: name.to_owned(), json, ledger: Ledger::default() }
    }

    /// All that is in the file.
    pub(crate) fn root(&self) -> Recorded<'_> {
        Recorded::new(&self.json, &self.ledger)
    }

    /// The tools that were on offer when calls were judged.
    pub(crate) fn available_tools(&self) -> Vec<String> {
        let tools = self.root().at("meta").at("available_tools").items();
        tools.map(|tool| tool.text().expect("tools have names").to_owned()).collect()
    }

    /// Judges every case in `cases`, or in the list the file is. `judge` gets the case and what counts for it: `ours` where the
    /// case has it, else the case itself. It says what is wrong. All faults are told, each with its case; so is each key that
    /// nobody has read by then, in a case or beside the cases.
    pub(crate) fn each(&self, judge: impl FnMut(Recorded<'_>, Recorded<'_>) -> Result<(), String>) {
        self.each_in(if self.json.is_array() { "" } else { "cases" }, judge);
    }

    /// The same for a file that keeps its cases in a list of another name.
    pub(crate) fn each_in(
        &self,
        list: &str,
        judge: impl FnMut(Recorded<'_>, Recorded<'_>) -> Result<(), String>,
    ) {
        let tally = self.judge(list, judge);
        println!("{}: {} cases, {} passed", self.name, tally.judged, tally.judged - tally.faulty);
        assert!(tally.report.is_empty(), "\n{}", tally.report);
        assert!(tally.judged > 0, "{} has no cases", self.name);
    }

    /// What [`File::each_in`] would report, nothing if all is well.
    pub(crate) fn report(
        &self,
        list: &str,
        judge: impl FnMut(Recorded<'_>, Recorded<'_>) -> Result<(), String>,
    ) -> String {
        self.judge(list, judge).report
    }

    fn judge(
        &self,
        list: &str,
        mut judge: impl FnMut(Recorded<'_>, Recorded<'_>) -> Result<(), String>,
    ) -> Tally {
        let mut tally = Tally::default();
        // Each of its keys is read, or excused by itself.
        self.root().at("meta");
        self.root().at(list);
        let cases = if list.is_empty() { &self.json } else { &self.json[list] };
        for (index, json) in cases.as_array().into_iter().flatten().enumerate() {
            let case = Recorded::new(json, &self.ledger);
            let title = ["id", "name", "title", "fn"].map(|key| case.at(key).text());
            let ours = case.find("ours");
            let verdict = match case.at("decided").text() {
                // What is not judged is not read either.
                Some("void") => {
                    case.whole();
                    continue;
                }
                None | Some("same" | "differs") => judge(case, ours.unwrap_or(case)),
                Some(stamp) => Err(format!("nobody knows the stamp {stamp:?}")),
            };
            let unread = self.unread(json, &format!("{list}[]"), ours.is_some());
            tally.judged += 1;
            case.whole();
            if verdict.is_err() || !unread.is_empty() {
                tally.faulty += 1;
                let title = title.into_iter().flatten().next().unwrap_or_default();
                let fault = verdict.err().unwrap_or_default();
                let _ = writeln!(tally.report, "{}, case {index} {title}:\n{fault}{unread}", self.name);
            }
        }
        let unread = self.unread(&self.json, "", false);
        if !unread.is_empty() {
            let _ = writeln!(tally.report, "{}:\n{unread}", self.name);
        }
        tally
    }

    /// The keys that nobody has read and no row excuses, a line each.
    fn unread(&self, value: &Json, path: &str, has_ours: bool) -> String {
        let keys = self.ledger.unread(value, path).into_iter();
        let keys = keys.filter(|key| !excuse::excused(&self.name, key, has_ours));
        keys.fold(String::new(), |text, key| {
            text + "nobody reads the key " + &key + ", and tests/golden/README.md does not say why\n"
        })
    }
}

/// Those fields of what was found that were recorded, of records down to this depth: what the recording does not say means
/// nothing there, nor does the order of fields.
pub(crate) fn recorded_of(found: &Json, recorded: &Json, depth: u32) -> Json {
    let part = |found: Option<&Json>, recorded| {
        recorded_of(found.unwrap_or(&Json::Null), recorded, depth.saturating_sub(1))
    };
    match (found, recorded) {
        (Json::Object(found), Json::Object(recorded)) if depth > 0 => {
            recorded.iter().map(|(key, recorded)| (key.clone(), part(found.get(key), recorded))).collect()
        }
        (Json::Array(found), Json::Array(recorded)) if depth > 0 && found.len() == recorded.len() => {
            found.iter().zip(recorded).map(|(found, recorded)| part(Some(found), recorded)).collect()
        }
        _ => found.clone(),
    }
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

/// What a test reports that reads two keys of every case.
fn reported(text: &str) -> String {
    File::of("invented.json", text).report("cases", |case, counts| {
        case.at("input").at("n").count().ok_or("no n")?;
        same(counts.at("output").whole(), &Json::from(1))
    })
}

#[test]
fn a_key_that_nobody_reads_is_a_fault() {
    let sound = r#"{"meta": {"revision": "r"}, "cases": [{"id": "a", "row": "why", "input": {"n": 1}, "output": 1}]}"#;
    assert_eq!(reported(sound), "");
    let unknown = r#"{"cases": [
        {"id": "a", "input": {"n": 1, "m": {"deep": 2}}, "output": 1},
        {"id": "b", "input": {"n": 1}, "output": 1, "outptu": 2},
        {"id": "c", "decided": "void", "inptu": 1}
    ], "more": 1}"#;
    assert_eq!(
        reported(unknown),
        "invented.json, case 0 a:\nnobody reads the key cases[].input.m, and tests/golden/README.md does not say why\n\n\
         invented.json, case 1 b:\nnobody reads the key cases[].outptu, and tests/golden/README.md does not say why\n\n\
         invented.json:\nnobody reads the key more, and tests/golden/README.md does not say why\n\n"
    );
}

#[test]
fn a_stamp_that_nobody_knows_is_a_fault() {
    let stamped = |stamp: &str, rest: &str| {
        reported(&format!(
            r#"{{"cases": [{{"decided": "{stamp}", "input": {{"n": 1}}, "output": 1{rest}}}]}}"#
        ))
    };
    assert_eq!(stamped("same", ""), "");
    assert!(stamped("differs", r#", "ours": {"output": 2}"#).contains("\n-1\n"), "ours counts");
    assert!(stamped("smae", "").contains("nobody knows the stamp \"smae\""));
}
