//! The parser of `editors/tree-sitter-loop`, in a program of its own: it is C, and our tests have no unsafe code.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::loop_dsl::root;
use crate::parts::skip;

/// The sources of the parser, of which the program must not be older.
const SOURCES: [&str; 2] = ["parser.c", "scanner.c"];

/// The program that `.ci/editors` builds. [`None`], with a line that says so, where it is not there and need not be.
pub(super) fn program() -> Option<PathBuf> {
    find().inspect_err(|why| skip("the grammar of the editors is not held against the reader", why)).ok()
}

fn find() -> Result<PathBuf, String> {
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join("editors/debug/loopwright-editors");
    let time = |path: &Path| fs::metadata(path).and_then(|of| of.modified()).map_err(|why| why.to_string());
    let built = time(&program).map_err(|_| "it is not built; `.ci/editors` builds it".to_owned())?;
    for source in SOURCES {
        if time(&root().join("editors/tree-sitter-loop/src").join(source))? > built {
            return Err("it was built before a change; `.ci/editors` builds it again".to_owned());
        }
    }
    Ok(program)
}

/// For each text [`None`], if the parser accepts it, or the byte of the first error.
pub(super) fn verdicts(program: &Path, texts: &[String]) -> Vec<Option<usize>> {
    let mut child = Command::new(program)
        .arg("verdicts")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program can be run");
    let mut input = child.stdin.take().expect("its input is a pipe");
    let output = std::thread::scope(|scope| {
        scope.spawn(move || {
            for text in texts {
                write!(input, "{}\n{text}", text.len()).expect("the program reads on");
            }
        });
        child.wait_with_output().expect("the program ends")
    });
    assert!(output.status.success(), "the program failed");
    let printed = String::from_utf8(output.stdout).expect("it prints text");
    let verdicts: Vec<_> = printed.lines().map(|line| line.parse().ok()).collect();
    assert_eq!(verdicts.len(), texts.len());
    verdicts
}
