//! The calls that commands make to the system, as `strace` sees them: after its start a command that looks executes nothing, opens
//! no socket, and opens no file outside of the clone but those of the system and the user's own state.

use std::fs;
use std::path::{Component, Path, PathBuf};

use super::visit::Visit;
use crate::parts::skip;

/// Where the system has what every program opens.
const SYSTEM: &[&str] =
    &["/lib", "/lib64", "/usr/lib", "/usr/lib64", "/etc/ld.so.cache", "/proc", "/sys", "/dev"];

/// The calls that are looked at.
const TRACED: &str = "trace=execve,execveat,socket,connect,open,openat,openat2,creat";

#[test]
fn commands_that_look_open_nothing_outside() {
    if !is_traceable() {
        return skip("what commands open", "strace is not here, or may not trace");
    }
    let mut wrong = Vec::new();
    for name in ["keys", "commands", "texts", "graphs", "documents", "screen"] {
        let visit = Visit::to(name);
        for graph in visit.clone.graphs() {
            let graph = graph.as_str();
            for words in [
                &["check", graph][..],
                &["render", graph],
                &["diff", graph, graph],
                &["fmt", "--check", graph],
                &["convert", graph],
            ] {
                wrong.extend(traced(&visit, words));
            }
        }
        for words in [&["check", "."][..], &["test", "."], &["fmt", "--check", "."]] {
            wrong.extend(traced(&visit, words));
        }
    }
    wrong.extend(kept());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The commands that look at a kept run.
fn kept() -> Vec<String> {
    let visit = Visit::to("screen");
    let ran = visit
        .run(&visit.clone.folder, &["run", "agent.yaml", "--script", "agent.script.yaml", "--run-id", "one"]);
    assert!(visit.clone.folder.join(".loopwright/runs.db").exists(), "nothing was kept: {}", ran.said());
    let commands: [&[&str]; 3] = [&["show", "one"], &["log", "one"], &["runs"]];
    commands.into_iter().flat_map(|words| traced(&visit, words)).collect()
}

/// What a command does that it may not.
fn traced(visit: &Visit, words: &[&str]) -> Vec<String> {
    let calls = visit.base().join("calls");
    let output = visit
        .command("strace", &visit.clone.folder)
        .args(["-f", "-y", "-s", "4096", "-e", TRACED, "-o"])
        .arg(&calls)
        .arg(env!("CARGO_BIN_EXE_loopwright"))
        .args(words)
        .output()
        .expect("strace starts");
    assert!(output.status.code().is_some(), "{words:?}: {}", output.status);
    let text = fs::read_to_string(&calls).expect("strace writes its file");
    assert!(text.contains("execve("), "nothing was traced: {text}");
    let wrong = text.lines().filter_map(|line| judged(visit, line)).skip_while(|line| is_start(line));
    wrong.map(|line| format!("`{}`: {line}", words.join(" "))).collect()
}

/// The program's own start is the first thing that is traced.
fn is_start(line: &str) -> bool {
    line.contains(concat!("execve(\"", env!("CARGO_BIN_EXE_loopwright"), "\""))
}

/// The line, if it is something that may not be.
fn judged(visit: &Visit, line: &str) -> Option<String> {
    let call = line.split_once(' ').map_or(line, |(_, call)| call.trim_start());
    let name = call.split('(').next().unwrap_or_default();
    match name {
        "execve" | "execveat" | "socket" | "connect" | "creat" => Some(line.to_owned()),
        "open" | "openat" | "openat2" => {
            let path = opened(call).or_else(|| asked(call))?;
            (!is_allowed(visit, &path)).then(|| line.to_owned())
        }
        _ => None,
    }
}

/// The file that a call opened, as the system names it.
fn opened(call: &str) -> Option<PathBuf> {
    let (_, result) = call.rsplit_once(") = ")?;
    let path = result.split_once('<')?.1.rsplit_once('>')?.0;
    Some(path.trim_end_matches(" (deleted)").into())
}

/// The file that a call asked for in vain. What the system refused since it lies outside of the folder that was given was
/// not looked for.
fn asked(call: &str) -> Option<PathBuf> {
    if call.contains("EXDEV") || call.contains("ELOOP") {
        return None;
    }
    let path = call.split('"').nth(1)?;
    let folder =
        call.split_once('<').and_then(|(_, rest)| rest.split_once('>')).map_or("/", |(folder, _)| folder);
    let mut clean = PathBuf::new();
    for part in Path::new(folder).join(path).components() {
        match part {
            Component::ParentDir => {
                clean.pop();
            }
            other => clean.push(other),
        }
    }
    Some(clean)
}

fn is_allowed(visit: &Visit, path: &Path) -> bool {
    let state = visit.home.folder.join(".local/state/loopwright");
    path.starts_with(&visit.clone.folder)
        || path.starts_with(state)
        || SYSTEM.iter().any(|place| path.starts_with(place))
}

fn is_traceable() -> bool {
    let traced = std::process::Command::new("strace").args(["-o", "/dev/null", "true"]).output();
    traced.is_ok_and(|output| output.status.success())
}

#[test]
fn calls_are_read_as_strace_writes_them() {
    let opened_one = "openat(AT_FDCWD</a>, \"b/../c\", O_RDONLY|O_CLOEXEC) = 3</c>";
    assert_eq!(opened(opened_one), Some("/c".into()));
    let in_vain = "openat(AT_FDCWD</a/b>, \"../../etc/x\", O_RDONLY) = -1 ENOENT (No such file or directory)";
    assert_eq!(opened(in_vain), None);
    assert_eq!(asked(in_vain), Some("/etc/x".into()));
    let refused =
        "openat2(5</a>, \"../x\", {flags=O_RDONLY, resolve=RESOLVE_BENEATH}, 24) = -1 EXDEV (Invalid)";
    assert_eq!(asked(refused), None);
}
