//! A disk that is full.

use std::fs;
use std::process::{Command, Stdio};

use crate::cli::Desk;
use crate::parts;

/// Notes its calls outside of the disk that is filled, and says a lot.
const TOOL: &str = r#"
[tools.note]
description = "Notes that it was called."
command = ["sh", "note.sh", "{text}"]
parse = "text"
"#;

const NOTE: &str = "echo \"$1\" >>calls\nhead -c 4000 /dev/zero | tr '\\0' x\n";

const GRAPH: &str = "
graph: work
state:
  size: int = 0
  n: int = 0
  last: string?
budgets: {calls: 1000}
start: work
nodes:
  work:
    kind: tool
    tool: note
    args: {text: \"'line ' + string(n)\"}
    into: last
    do: spend calls
    then: |
      n += 1
      size += size(last ?? '')
    next:
      - {to: end, when: n >= 20}
      - {to: work}
  end: {kind: final}
output: {size: size}
";

/// Runs in a mount namespace of its own, so the disk is gone when it ends. Each command's output follows its name.
const SCRIPT: &str = r#"
mount -t tmpfs -o size=1m none disk || exit 77
mkdir disk/store && head -c 786432 /dev/zero >disk/ballast
say() {
  echo "== $1"; shift
  "$@" 2>&1; echo "exit code $?"
}
resume() {
  for _ in $(seq 60); do
    text=$("$L" resume one --db disk/store/runs.db --grant note "$@" 2>&1); code=$?
    case $text in *'is driven by'*) sleep 1 ;; *) break ;; esac
  done
  echo "$text"; return $code
}
say run "$L" run work.yaml --db disk/store/runs.db --run-id one --grant note
for look in "doctor" "runs" "show one" "log one"; do
  say "$look" "$L" $look --db disk/store/runs.db | cut -c 1-200
done
say full resume
rm disk/ballast
say resume resume
say answer resume --answer "{\"result\": \"$(head -c 4000 /dev/zero | tr '\0' x)\"}"
say whole "$L" doctor --db disk/store/runs.db
"#;

const LOST: &str = "Nobody knows whether this call took place";

/// What the script printed under a name.
fn part<'a>(all: &'a str, name: &str) -> &'a str {
    let from = all.find(&format!("== {name}\n")).unwrap_or_else(|| panic!("no {name} in\n{all}"));
    let part = &all[from..];
    part[2..].find("\n== ").map_or(part, |to| &part[..to + 3])
}

/// Runs the script where a disk can be mounted: as root, or as root of a namespace of one's own.
fn play(desk: &Desk) -> Result<String, String> {
    let mut last = String::new();
    for flags in ["-m", "-Urm"] {
        let output = Command::new("unshare")
            .args([flags, "sh", "script.sh"])
            .env("L", env!("CARGO_BIN_EXE_loopwright"))
            .env("XDG_STATE_HOME", desk.state())
            .current_dir(desk.folder.path())
            .stdin(Stdio::null())
            .output()
            .map_err(|error| format!("unshare: {error}"))?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        if text.contains("== ") {
            return Ok(text);
        }
        last = String::from_utf8_lossy(&output.stderr).trim().replace('\n', "; ");
    }
    Err(last)
}

#[test]
fn a_run_that_fills_the_disk_goes_on_when_there_is_room() {
    let desk = Desk::new();
    for (name, text) in
        [("work.yaml", GRAPH), ("loopwright.toml", TOOL), ("note.sh", NOTE), ("script.sh", SCRIPT)]
    {
        desk.write(name, text);
    }
    desk.trust(".");
    fs::create_dir(desk.folder.path().join("disk")).expect("a folder can be made");
    let all = match play(&desk) {
        Ok(all) => all,
        Err(why) => return parts::skip("a full disk", &why),
    };
    let says = |name: &str, code: u8, texts: &[&str]| {
        let part = part(&all, name);
        let said = texts.iter().all(|text| part.contains(text));
        assert!(said && part.contains(&format!("exit code {code}\n")), "{name}: {texts:?}\n{all}");
    };
    let go_on = "to continue, run:\n  loopwright resume one --db disk/store/runs.db --grant note\n";
    says("run", 2, &["error: the run cannot be stored: the disk is full: ", go_on]);
    says("doctor", 0, &["1 run, 1 whole"]);
    says("runs", 0, &["interrupted"]);
    says("show one", 0, &["waits for: the tool note"]);
    says("log one", 0, &["work calls note with {\"text\":\"line 0\"}"]);
    // A little may still fit.
    let full = part(&all, "full");
    assert!(
        full.contains("error: the run cannot be stored: the disk is full: ") || full.contains(LOST),
        "{all}"
    );
    says("resume", 3, &[LOST]);
    says("answer", 0, &["outcome: end\nsize: 80000\n"]);
    says("whole", 0, &["1 run, 1 whole", "(ended: end)"]);
    let calls = fs::read_to_string(desk.folder.path().join("calls")).expect("the tool was called");
    let wanted: Vec<String> = (0..20).map(|n| format!("line {n}")).collect();
    assert_eq!(calls.lines().collect::<Vec<_>>(), wanted, "each call reached the tool once");
}
