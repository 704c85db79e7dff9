//! Limits of the system: a full standard output, files that may not grow, files that may not be opened. Each is told, and
//! nothing that was acknowledged is lost.

use std::process::{Command, Output, Stdio};

use crate::cli::Desk;

const GRAPH: &str = "graph: g\nstate: {n: int = 0}\nbudgets: {rounds: 400}\nstart: a\nnodes:\n  a: {do: spend rounds; n = n + 1, next: [{to: b, when: n >= 300}, {to: a}, {to: b, on: exhausted(rounds)}]}\n  b: {kind: human, ask: \"'Go on?'\", next: [{to: c}]}\n  c: {kind: final}\noutput: {n: n}\n";

fn desk() -> Desk {
    let desk = Desk::new();
    desk.write("g.yaml", GRAPH);
    desk
}

/// Runs a line of a shell with the program as `$0`.
fn shell(desk: &Desk, line: &str) -> Output {
    Command::new("bash")
        .args(["-c", line, env!("CARGO_BIN_EXE_loopwright")])
        .env("XDG_STATE_HOME", desk.state())
        .current_dir(desk.folder.path())
        .stdin(Stdio::null())
        .output()
        .expect("the shell starts")
}

fn said(output: &Output) -> String {
    [&output.stdout[..], &output.stderr].iter().map(|bytes| String::from_utf8_lossy(bytes)).collect()
}

#[test]
fn a_full_standard_output_is_told() {
    let desk = desk();
    let waiting = shell(&desk, "\"$0\" run g.yaml --run-id one");
    assert_eq!(waiting.status.code(), Some(3), "{}", said(&waiting));
    for (line, help) in [
        ("check g.yaml", "repeat the command"),
        ("show one", "repeat the command"),
        ("render g.yaml", "repeat the command"),
        ("--help", "repeat the command"),
        ("resume one", "`loopwright show RUN` prints one"),
        ("resume one --answer '\"yes\"' --format jsonl", "`loopwright show RUN` prints one"),
    ] {
        let output = shell(&desk, &format!("\"$0\" {line} > /dev/full"));
        assert_eq!(output.status.code(), Some(2), "{line}: {}", said(&output));
        let told = said(&output);
        assert_eq!(told.matches("error: standard output: the disk is full").count(), 1, "{line}: {told}");
        assert!(told.contains(help), "{line}: {told}");
    }
    // The run went on to its end all the same.
    let shown = shell(&desk, "\"$0\" show one");
    assert!(said(&shown).contains("outcome: c"), "{}", said(&shown));
    let closed = shell(&desk, "\"$0\" log one | true; exit ${PIPESTATUS[0]}");
    assert_eq!(closed.status.code(), Some(0), "a closed pipe is no failure: {}", said(&closed));
}

#[test]
fn a_file_that_may_not_grow_is_told() {
    let desk = desk();
    let mut met = 0;
    for blocks in [1, 8, 16, 32, 64, 96, 128, 192, 256] {
        let output = shell(
            &desk,
            &format!("ulimit -f {blocks}; \"$0\" run g.yaml --run-id r{blocks} --db {blocks}.db"),
        );
        let told = said(&output);
        match output.status.code() {
            Some(3) => {}
            Some(2) => {
                met += 1;
                assert!(told.contains("error: ") && told.contains("(`ulimit -f`)"), "{blocks}: {told}");
            }
            other => panic!("{blocks}: {other:?}: {told}"),
        }
        // Whatever was kept is whole, and the store takes other runs.
        let line = format!("\"$0\" run g.yaml --run-id anew --db {blocks}.db");
        let anew = shell(&desk, &line);
        assert_eq!(anew.status.code(), Some(3), "{blocks}: {}", said(&anew));
        let doctor = shell(&desk, &format!("\"$0\" doctor --db {blocks}.db"));
        assert_eq!(doctor.status.code(), Some(0), "{blocks}: {}", said(&doctor));
    }
    assert!(met >= 2, "only {met} of the limits were met");
    let output = shell(&desk, "ulimit -f 1; \"$0\" schema > schema.json");
    assert_eq!(output.status.code(), Some(2), "{}", said(&output));
    assert!(
        said(&output).contains("standard output: the file would grow past the limit"),
        "{}",
        said(&output)
    );
    assert!(said(&output).contains("help: "), "{}", said(&output));
}

#[test]
fn commands_do_not_inherit_that_the_signal_of_file_sizes_is_heard() {
    let desk = Desk::new();
    desk.write("g.yaml", "graph: g\nstate: {text: string?}\nstart: a\nnodes:\n  a: {kind: tool, tool: signals, into: text, next: [{to: b}]}\n  b: {kind: final}\noutput: {text: text}\n");
    desk.write("loopwright.toml", "[tools.signals]\ndescription = \"Says which signals are ignored and caught.\"\ncommand = [\"grep\", \"-E\", \"Sig(Ign|Cgt)\", \"/proc/self/status\"]\nparse = \"text\"\ndelivery = \"pure\"\n");
    desk.trust(".");
    let output = shell(&desk, "\"$0\" run g.yaml --grant signals");
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let told = said(&output);
    let masks: Vec<u64> = told
        .split_whitespace()
        .filter(|word| word.len() == 16)
        .filter_map(|word| u64::from_str_radix(word, 16).ok())
        .collect();
    assert_eq!(masks.len(), 2, "{told}");
    assert!(masks.iter().all(|mask| mask & (1 << 24) == 0), "{told}");
}

#[test]
fn too_few_open_files_are_told() {
    let desk = desk();
    let kept = shell(&desk, "\"$0\" run g.yaml --run-id kept");
    assert_eq!(kept.status.code(), Some(3), "{}", said(&kept));
    for limit in (3..40).step_by(if cfg!(debug_assertions) { 3 } else { 1 }).chain([4, 5, 7, 8, 10]) {
        for (line, well) in [
            ("check g.yaml", 0),
            (&*format!("run g.yaml --run-id r{limit}"), 3),
            ("show kept", 0),
            ("resume kept", 3),
            ("fmt --check g.yaml", 0),
        ] {
            let output = shell(&desk, &format!("ulimit -n {limit}; exec \"$0\" {line}"));
            let told = said(&output);
            let code = output.status.code();
            if code == Some(127) && told.contains("shared librar") {
                // The program did not begin: the loader found no room for its libraries.
                continue;
            }
            let fine = code == Some(well) || (line.starts_with("fmt") && code == Some(1));
            assert!(
                fine || (code == Some(2) && told.contains("(`ulimit -n`)")),
                "{limit}, {line}: {code:?}: {told}"
            );
            assert!(
                !told.contains("panicked") && !told.contains("fault of loopwright"),
                "{limit}, {line}: {told}"
            );
        }
    }
}

/// A stack that no machine has: no thread can be started, and the library that looks into the store counts on one.
const NO_STACK: &str = "9000000000000000000";

#[test]
fn a_fault_of_the_program_itself_is_said_like_everything_else() {
    let desk = desk();
    let ran = desk.run("run g.yaml --run-id one");
    assert_eq!(ran.code, Some(3), "{}", ran.transcript());
    let ran = desk.run_with("runs", &[("RUST_MIN_STACK", NO_STACK), ("RUST_BACKTRACE", "0")]);
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(101), ""), "{}", ran.transcript());
    let lines: Vec<&str> = ran.stderr.lines().collect();
    let [fault, help] = lines[..] else { panic!("{}", ran.transcript()) };
    assert!(fault.starts_with("error: this is a fault of loopwright itself, at crates/core/src/"), "{fault}");
    assert!(fault.contains("can't spawn worker thread"), "{fault}");
    assert_eq!(help, "help: please report it; `RUST_BACKTRACE=1` says more");
}
