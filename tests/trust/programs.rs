//! What a command line makes run is looked at: which program, which files, with which variables.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use super::digest;
use crate::cli::{Desk, Ran};

const GRAPH: &str = "
graph: works
state: {said: string?}
start: work
nodes:
  work: {kind: tool, tool: list_files, into: said, ignore: {unhandled: A failure ends it.}, next: [{to: end}]}
  end: {kind: final}
output: {said: said}
";

/// A clone with a graph in its folder `loops`, and a program in its folder `scripts`.
fn desk(declared: &str) -> Desk {
    let desk = Desk::new();
    for folder in ["clone", "clone/.git", "clone/loops", "clone/loops/tools", "clone/scripts"] {
        fs::create_dir(desk.folder.path().join(folder)).expect("a folder can be made");
    }
    desk.write("clone/loops/agent.yaml", GRAPH);
    desk.write("clone/loops/loopwright.toml", &format!("[tools.list_files]\nparse = \"text\"\n{declared}\n"));
    desk.write("clone/scripts/run", "#!/bin/sh\necho theirs\n");
    let run = desk.folder.path().join("clone/scripts/run");
    fs::set_permissions(run, fs::Permissions::from_mode(0o755)).expect("it can be changed");
    for name in ["list", "tools/ls.sh", "x.awk", "my list"] {
        desk.write(&format!("clone/loops/{name}"), "echo theirs\n");
    }
    symlink("../scripts/run", desk.folder.path().join("clone/loops/ls")).expect("a link can be made");
    desk
}

const RUN: &str = "run clone/loops/agent.yaml --grant list_files";

/// Every way in which a name says less than what is run.
const HIDDEN: [&str; 16] = [
    "command = [\"ls\"]\nset_env = {LD_PRELOAD = \"./evil.so\"}",
    "command = [\"sh\", \"tools/ls.sh\"]",
    "command = [\"sh\", \"ls.sh\"]\nfolder = \"tools\"",
    "command = [\"../scripts/run\"]",
    "command = [\"./ls\"]",
    "command = [\"sh\", \"list\"]",
    "command = [\"sh\", \"my list\"]",
    "command = [\"awk\", \"-fx.awk\"]",
    "command = [\"awk\", \"--file=x.awk\"]",
    "command = [\"env\", \"sh\", \"../scripts/run\"]",
    "command = [\"sh\", \"-c\", \". tools/ls.sh\"]",
    "command = [\"sh\", \"-c\", \"exec tools/../../scripts/run\"]",
    "command = [\"sh\", \"tools/ls{x}.sh\"]",
    "command = [\"sh\", \"{x}\"]\nargs = {x = {type = \"string\", default = \"list\"}}",
    "command = [\"sh\", \"-c\", \"$RUN\"]\nset_env = {RUN = \"./list\"}",
    "command = [\"ls\", \"/\"]",
];

#[test]
fn a_name_grants_nothing_that_runs_a_file_of_the_folder() {
    for declared in HIDDEN {
        let desk = desk(declared);
        let ran = desk.run(RUN);
        assert_eq!(ran.code, Some(3), "{declared}: {}", ran.transcript());
        let digest = digest(&ran, "--grant list_files@");
        let ran = desk.run(&format!("{RUN}@{digest}"));
        assert_ne!(ran.code, Some(3), "{declared}: {}", ran.transcript());
    }
    // What a name does grant.
    for declared in [
        "command = [\"ls\"]",
        "command = [\"ls\"]\nfolder = \"tools\"",
        "command = [\"echo\", \"theirs\"]",
        "command = [\"sh\", \"-c\", \"echo theirs >> list 2> /dev/null\"]",
        "command = [\"grep\", \"-ohE\", \"[0-9]+|n/a\", \"-r\", \".\"]\nok_exit = [0, 1]",
    ] {
        let desk = desk(declared);
        let ran = desk.run(RUN);
        assert_eq!(ran.code, Some(0), "{declared}: {}", ran.transcript());
    }
}

#[test]
fn what_a_name_grants_is_shown_with_the_configuration_that_says_it() {
    let desk = desk("command = [\"ls\"]\nfolder = \"tools\"");
    let ran = desk.run(RUN);
    let shown = "list_files runs `ls` in clone/loops/tools (clone/loops/loopwright.toml)\n";
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), shown), "{}", ran.transcript());
    let ran = desk.run(&format!("{RUN} --format jsonl"));
    assert_eq!(ran.stderr, shown, "{}", ran.transcript());
    // The working folder's own configuration is taken for a graph that has none beside it; the line says so.
    desk.write("agent.yaml", GRAPH);
    let elsewhere = desk.folder.path().join("clone/loops");
    let mut program = desk.program();
    let words = ["run", "../../agent.yaml", "--grant", "list_files"];
    let ran = program.args(words).current_dir(elsewhere).output().expect("the program starts");
    let said = String::from_utf8_lossy(&ran.stderr);
    assert_eq!(said, "list_files runs `ls` in tools (loopwright.toml)\n");
}

/// The text of each of these files decides what runs, however it is named.
#[test]
fn a_change_of_what_runs_is_asked_for_again() {
    for (declared, file, shown) in [
        ("command = [\"../scripts/run\"]", "scripts/run", "../scripts/run"),
        ("command = [\"./ls\"]", "scripts/run", "./ls"),
        ("command = [\"sh\", \"list\"]", "loops/list", "list"),
        ("command = [\"sh\", \"ls.sh\"]\nfolder = \"tools\"", "loops/tools/ls.sh", "tools/ls.sh"),
        ("command = [\"awk\", \"-fx.awk\"]", "loops/x.awk", "x.awk"),
        ("command = [\"awk\", \"--file=x.awk\"]", "loops/x.awk", "x.awk"),
        ("command = [\"env\", \"sh\", \"my list\"]", "loops/my list", "my list"),
    ] {
        let desk = desk(declared);
        let granted = format!("{RUN}@{}", digest(&desk.run(RUN), "--grant list_files@"));
        desk.trust("clone/loops");
        for words in [RUN, &granted] {
            assert_ne!(desk.run(words).code, Some(3), "{declared}");
        }
        desk.write(&format!("clone/{file}"), "#!/bin/sh\necho other\n");
        for words in [RUN, &granted] {
            let ran = desk.run(words);
            assert_eq!(ran.code, Some(3), "{declared}: {}", ran.transcript());
        }
        let ran = desk.run("trust clone/loops");
        assert!(ran.stdout.contains(&format!("  changed: {shown}\n")), "{declared}: {}", ran.transcript());
    }
}

/// A program beside the folder, where no repository holds both.
#[test]
fn a_program_that_lies_elsewhere_is_covered_too() {
    let desk = desk("command = [\"../scripts/run\"]");
    fs::remove_dir(desk.folder.path().join("clone/.git")).expect("it is there");
    desk.trust("clone/loops");
    assert_eq!(desk.run(RUN).code, Some(0));
    desk.write("clone/scripts/run", "#!/bin/sh\necho other\n");
    assert_eq!(desk.run(RUN).code, Some(3));
}

/// Runs the program with few seconds of computing: a tenth of what it takes to read gigabytes.
fn run_shortly(desk: &Desk, words: &str) -> Ran {
    Ran::of(desk.program_under("ulimit -t 2"), &words.split_whitespace().collect::<Vec<_>>())
}

/// Files too large to be read again at each run are known by the time of their change.
#[test]
fn a_large_file_is_not_read() {
    let desk = desk("command = [\"sh\", \"large\"]");
    let path = desk.folder.path().join("clone/loops/large");
    let large = fs::File::create(&path).expect("a file can be made");
    large.set_len(1 << 40).expect("it can have holes");
    desk.trust("clone/loops");
    let ran = run_shortly(&desk, "trust clone/loops");
    assert_eq!(ran.code, Some(0), "{}", ran.transcript());
    large.set_len((1 << 40) + 1).expect("it can have holes");
    assert_eq!(desk.run("trust clone/loops").code, Some(3));
}

/// A configuration that nobody allowed is not worth a look at what it names.
#[test]
fn a_file_that_is_named_often_is_read_once() {
    let desk = desk(&format!("command = [\"sh\", {}]", "\"a.sh\", ".repeat(20_000)));
    let large = fs::File::create(desk.folder.path().join("clone/loops/a.sh")).expect("a file can be made");
    large.set_len(20 << 20).expect("it can have holes");
    drop(large);
    for (words, code) in [("check clone/loops/agent.yaml", 0), (RUN, 3)] {
        let ran = run_shortly(&desk, words);
        assert_eq!(ran.code, Some(code), "{}", ran.transcript().get(..1000).unwrap_or_default());
    }
    // A configuration that holds nothing but words.
    let words: Vec<String> = (0..110_000).map(|i| format!("\"{i:x}\"")).collect();
    let declared = format!("[tools.list_files]\ncommand = [\"sh\", {}]\n", words.join(","));
    desk.write("clone/loops/loopwright.toml", &declared);
    let ran = desk.run(RUN);
    assert_eq!(ran.code, Some(2), "{}", ran.transcript().get(..1000).unwrap_or_default());
    assert!(ran.stderr.contains("hold too many words"), "{}", ran.stderr);
}
