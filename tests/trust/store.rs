//! A store that somebody else made is read, and gone on with only where the operator says so.

use std::fs;
use std::path::Path;

use super::digest;
use crate::cli::{Desk, copy};

const ASKS: &str = "
graph: asks
state: {word: string?}
start: ask
nodes:
  ask: {kind: human, ask: '''Well?''', into: word, next: [{to: end}]}
  end: {kind: final}
output: {word: word}
";

/// A folder in which somebody else's run waits, as a clone brings it.
fn cloned() -> Desk {
    let (theirs, desk) = (Desk::new(), Desk::new());
    theirs.write("asks.yaml", ASKS);
    let ran = theirs.run("run asks.yaml --run-id one");
    assert_eq!(ran.code, Some(3), "{}", ran.transcript());
    let ran = theirs.run("runs");
    assert_eq!(ran.code, Some(0), "{}", ran.transcript());
    desk.write("asks.yaml", ASKS);
    copy(&theirs.folder.path().join(".loopwright"), &desk.folder.path().join(".loopwright"));
    desk
}

const WRITES: [&str; 8] = [
    "resume one --answer yes",
    "resume one",
    "rollback one --to 0",
    "fork one --at 0 --run-id two",
    "run asks.yaml --run-id three",
    "purge one --unfinished",
    "purge --older-than 1d12h --keep 2 --answers",
    "purge --keep 0 --dry-run",
];

fn bytes(folder: &Path) -> Vec<u8> {
    fs::read(folder.join(".loopwright/runs.db")).expect("it is there")
}

#[test]
fn a_foreign_store_is_read_and_not_gone_on_with() {
    let desk = cloned();
    let before = bytes(desk.folder.path());
    for words in WRITES {
        let ran = desk.run(words);
        assert_eq!(ran.code, Some(3), "{}", ran.transcript());
        let told = ".loopwright/runs.db is not known as a store of yours: its runs may be anybody's\n";
        assert!(ran.stderr.starts_with(told) && ran.stdout.is_empty(), "{}", ran.transcript());
        assert!(ran.stderr.contains(&format!("  loopwright {words} --trust ")), "{}", ran.transcript());
    }
    assert_eq!(bytes(desk.folder.path()), before, "nothing was written");
    for words in ["runs", "show one", "log one", "replay one", "doctor"] {
        let ran = desk.run(words);
        assert_eq!(ran.code, Some(0), "{}", ran.transcript());
    }
}

#[test]
fn the_digest_that_is_told_lets_it_go_on_and_from_then_on_it_is_ones_own() {
    for words in WRITES {
        let desk = cloned();
        let refused = desk.run(words);
        let digest = digest(&refused, " --trust ").to_owned();
        let ran = desk.run(&format!("{words} --trust {}", "0".repeat(64)));
        assert_eq!(ran.code, Some(3), "{}", ran.transcript());
        let ran = desk.run(&format!("{words} --trust {digest}"));
        assert!(!ran.stderr.contains("is not known as a store of yours"), "{}", ran.transcript());
        let ran = desk.run("resume one --answer yes");
        assert!(!ran.stderr.contains("is not known as a store of yours"), "{}", ran.transcript());
    }
    // The variable that allows for one command does, too.
    let desk = cloned();
    let refused = desk.run("resume one --answer yes");
    let ran =
        desk.run_with("resume one --answer yes", &[("LOOPWRIGHT_TRUST", digest(&refused, " --trust "))]);
    assert_eq!(ran.stdout, "outcome: end\nword: yes\n", "{}", ran.transcript());
}

/// Another file in the place of one's own store is foreign, though it has its name.
#[test]
fn a_store_that_was_put_in_the_place_of_ones_own_is_foreign() {
    let desk = cloned();
    let folder = desk.folder.path().join(".loopwright");
    let theirs = desk.folder.path().join("theirs");
    fs::rename(&folder, &theirs).expect("it can be moved");
    let ran = desk.run("run asks.yaml --run-id one");
    assert_eq!(ran.code, Some(3), "{}", ran.transcript());
    // One's own goes on without a question, of course.
    let ran = desk.run("rollback one --to 0");
    assert_eq!(ran.code, Some(0), "{}", ran.transcript());
    fs::remove_dir_all(&folder).expect("it is there");
    fs::rename(&theirs, &folder).expect("it can be moved");
    let ran = desk.run("resume one --answer yes");
    assert_eq!(ran.code, Some(3), "{}", ran.transcript());
    assert!(ran.stderr.contains("is not known as a store of yours"), "{}", ran.transcript());
}

/// Who looks for a store that is not there has made none.
#[test]
fn a_store_that_comes_later_is_foreign() {
    let desk = cloned();
    let (folder, away) = (desk.folder.path().join(".loopwright"), desk.folder.path().join("away"));
    fs::rename(&folder, &away).expect("it can be moved");
    for words in &WRITES[..4] {
        let ran = desk.run(words);
        assert!(ran.code == Some(2) && ran.stderr.contains("there is no such file"), "{}", ran.transcript());
    }
    // A run that is refused before it is kept has made none, either.
    let ran = desk.run("run graphs/tour/sum.yaml");
    assert_eq!(ran.code, Some(2), "{}", ran.transcript());
    fs::rename(&away, &folder).expect("it can be moved");
    for words in WRITES {
        assert_eq!(desk.run(words).code, Some(3), "{words}");
    }
}

/// Where the making of a store was cut off, it is one's own all the same.
#[test]
fn a_store_without_a_word_in_it_is_nobodys() {
    let desk = Desk::new();
    desk.write("asks.yaml", ASKS);
    fs::create_dir(desk.folder.path().join(".loopwright")).expect("a folder can be made");
    desk.write(".loopwright/runs.db", "");
    let ran = desk.run("run asks.yaml --run-id one");
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(3), ""), "{}", ran.transcript());
    let ran = desk.run("resume one --answer yes");
    assert_eq!(ran.stdout, "outcome: end\nword: yes\n", "{}", ran.transcript());
}
