//! Digests that hold for one command.

use super::digest;
use crate::cli::Desk;

const GRAPH: &str = "graph: says\ninput: {word: string = 'nothing'}\nstart: end\nnodes: {end: {kind: final}}\noutput: {word: word}\n";

const ENV: (&str, &str) = ("A_WORD", "of-the-variable");

fn desk() -> Desk {
    let desk = Desk::new();
    desk.write("says.yaml", GRAPH);
    desk.write("loopwright.toml", "[inputs]\nword = {env = \"A_WORD\"}\n");
    desk
}

#[test]
fn a_digest_on_the_command_line_or_in_the_environment_holds_for_that_command() {
    let desk = desk();
    let shown = desk.run("trust");
    let digest = digest(&shown, "--digest ");
    let other = "0".repeat(64);
    let both = format!("{other}, {digest}");
    for (flags, env, word) in [
        (format!(" --trust {digest}"), "", "of-the-variable"),
        (format!(" --trust {other} --trust {}", digest.to_uppercase()), "", "of-the-variable"),
        (format!(" --trust {other}"), "", "nothing"),
        (String::new(), both.as_str(), "of-the-variable"),
        (String::new(), other.as_str(), "nothing"),
        // It left no trace.
        (String::new(), "", "nothing"),
    ] {
        let ran = desk.run_with(&format!("run says.yaml{flags}"), &[ENV, ("LOOPWRIGHT_TRUST", env)]);
        assert_eq!(ran.stdout, format!("outcome: end\nword: {word}\n"), "{}", ran.transcript());
    }
    assert_eq!(desk.run("trust --list").stdout, "no configuration was allowed\n");
}

#[test]
fn what_is_no_digest_is_refused_and_not_repeated() {
    let desk = desk();
    for text in ["sk-secret-words", "*", "all", "1", "/", &format!("{},sk-secret-words", "0".repeat(64))] {
        for words in ["run says.yaml", "resume none", "rollback none --to 0"] {
            let ran = desk.run_with(words, &[ENV, ("LOOPWRIGHT_TRUST", text)]);
            assert_eq!(ran.code, Some(2), "{}", ran.transcript());
            assert!(
                ran.stderr.starts_with("error: LOOPWRIGHT_TRUST holds something that is no digest"),
                "{}",
                ran.stderr
            );
            assert!(!ran.stderr.contains("sk-secret") && ran.stdout.is_empty(), "{}", ran.transcript());
        }
    }
    for words in ["run says.yaml --trust abc", "trust --digest abc", "run says.yaml --grant x@abc"] {
        let ran = desk.run(words);
        assert_eq!(ran.code, Some(2), "{}", ran.transcript());
        assert!(ran.stderr.contains("a digest has 64 hexadecimal digits"), "{}", ran.transcript());
    }
}

#[test]
fn another_digest_than_the_content_has_allows_nothing() {
    let desk = desk();
    let ran = desk.run(&format!("trust . --digest {}", "0".repeat(64)));
    assert_eq!(ran.code, Some(3), "{}", ran.transcript());
    assert!(ran.stderr.contains("this is not the content of that digest"), "{}", ran.transcript());
    assert_eq!(desk.run("trust --list").stdout, "no configuration was allowed\n");
}

/// Where nothing can be noted, only digests hold.
#[test]
fn without_a_home_nothing_is_noted() {
    let desk = desk();
    let nowhere = [ENV, ("HOME", "nowhere"), ("XDG_STATE_HOME", "")];
    let shown = desk.run_with("trust", &nowhere);
    let digest = digest(&shown, "--digest ");
    let ran = desk.run_with(&format!("trust . --digest {digest}"), &nowhere);
    assert_eq!(ran.code, Some(2), "{}", ran.transcript());
    assert!(ran.stderr.contains("no home is set, and no XDG_STATE_HOME"), "{}", ran.transcript());
    let ran = desk.run_with(&format!("run says.yaml --trust {digest}"), &nowhere);
    assert_eq!(ran.stdout, "outcome: end\nword: of-the-variable\n", "{}", ran.transcript());
}
