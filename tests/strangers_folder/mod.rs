//! Folders of strangers, cloned and looked at: nothing of the operator's is read, sent, written over or executed that they did
//! not allow by name.

mod calls;
mod clone;
mod home;
mod server;
mod visit;

use std::fs;
use std::os::unix::net::UnixListener;

use nix::sys::stat::Mode;
use nix::unistd::mkfifo;
use visit::Visit;

fn is_harmless(name: &str) {
    let visit = Visit::to(name);
    let did = visit.everything();
    let harm = visit.harm(&did);
    assert!(harm.is_empty(), "{name}:\n{}", harm.join("\n"));
}

#[test]
fn a_configuration_gets_nothing() {
    is_harmless("keys");
}

#[test]
fn a_command_is_not_started() {
    is_harmless("commands");
}

#[test]
fn tools_over_files_follow_no_link_out() {
    let visit = Visit::to("files");
    let mut did = visit.everything();
    let script = ["run", "write.yaml", "--script", "write.script.yaml", "--grant", "write_file"];
    did.push(visit.run(&visit.clone.folder, &script));
    let harm = visit.harm(&did);
    assert!(harm.is_empty(), "{}", harm.join("\n"));
    let searched = visit.run(&visit.clone.folder, &["run", "search.yaml", "--run-id", "searched"]);
    assert!(searched.said().contains("`home` is a symbolic link"), "{}", searched.said());
}

#[test]
fn texts_stay_in_the_folder() {
    is_harmless("texts");
}

#[test]
fn graphs_stay_in_the_folder() {
    is_harmless("graphs");
}

#[test]
fn links_are_not_written_through() {
    let visit = Visit::to("documents");
    let mut did = visit.everything();
    let folder = &visit.clone.folder;
    for words in [
        &["render", "--into", "PAGE.md"][..],
        &["fmt", "linked.yaml"],
        &["run", "agent.yaml", "--db", "other.db"],
        &["run", "agent.yaml", "--record", "elsewhere/recorded.scenarios.yaml"],
        &["purge", "--all"],
    ] {
        did.push(visit.run(folder, words));
    }
    let harm = visit.harm(&did);
    assert!(harm.is_empty(), "{}", harm.join("\n"));
}

#[test]
fn what_is_no_file_is_not_waited_for() {
    let visit = Visit::to("documents");
    let folder = &visit.clone.folder;
    let all = Mode::S_IRUSR | Mode::S_IWUSR;
    for name in ["pipe.yaml", "pipe.loop", "pipe.scenarios.yaml", "loopwright.toml"] {
        mkfifo(&folder.join(name), all).expect("a pipe can be made");
    }
    let _socket = UnixListener::bind(folder.join("socket.yaml")).expect("a socket can be made");
    std::os::unix::fs::symlink("/dev/zero", folder.join("zero.yaml")).expect("a link can be made");
    let mut did = visit.everything();
    did.push(visit.run(folder, &["run", "agent.yaml", "--input", "@/dev/zero"]));
    did.push(visit.run(folder, &["run", "agent.yaml", "--input", "@pipe.yaml"]));
    let harm = visit.harm(&did);
    assert!(harm.is_empty(), "{}", harm.join("\n"));
}

#[test]
fn what_a_stranger_wrote_is_not_obeyed() {
    let visit = Visit::to("screen");
    let did = visit.everything();
    let harm = visit.harm(&did);
    assert!(harm.is_empty(), "{}", harm.join("\n"));
    for one in &did {
        let obeyed = one.said().chars().find(|c| {
            (c.is_control() && !matches!(c, '\n' | '\t'))
                || matches!(c, '\u{2028}' | '\u{2029}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
        });
        assert_eq!(obeyed, None, "`{}` prints {:?}", one.words, one.said());
    }
}

#[test]
fn a_run_that_somebody_else_kept_does_not_go_on_unasked() {
    let visit = Visit::to("screen");
    // The stranger began a run that is about to ask a model, and put the store into the repository.
    let other = Visit::to("screen");
    let words = "run agent.yaml --run-id theirs --script agent.script.yaml --interrupt-when true";
    let begun = other.run(&other.clone.folder, &words.split(' ').collect::<Vec<_>>());
    assert_eq!(begun.output.status.code(), Some(3), "it stops in the middle: {}", begun.said());
    fs::rename(other.clone.folder.join(".loopwright"), visit.clone.folder.join(".loopwright"))
        .expect("a folder can be moved");
    let folder = &visit.clone.folder;
    let shown = visit.run(folder, &["show", "theirs"]);
    assert_eq!(shown.output.status.code(), Some(0), "reading is fine: {}", shown.said());
    let resumed = visit.run(
        folder,
        &["resume", "theirs", "--config", visit.own.join("loopwright.toml").to_str().expect("a name")],
    );
    assert_eq!(resumed.output.status.code(), Some(3), "{}", resumed.said());
    assert_eq!(visit.asked(), 0);
    let harm = visit.harm(&[shown, resumed]);
    assert!(harm.is_empty(), "{}", harm.join("\n"));
}

/// What was allowed by name does work, so that the tests above do not pass for another reason.
#[test]
fn what_is_allowed_is_done() {
    let visit = Visit::to("keys");
    visit.trust(&visit.clone.folder);
    let ran = visit.run(&visit.clone.folder, &["run", "agent.yaml"]);
    assert_eq!(visit.stranger.connections(), 1, "{}", ran.said());
    let harm = visit.harm(&[ran]);
    assert!(harm.iter().any(|line| line.starts_with("the stranger was called")), "{harm:?}");
    let posted = visit.stranger.posted();
    assert!(home::is_marked(posted[0].head.as_bytes()), "the key was sent");
    assert!(home::is_marked(&posted[0].body), "the variable was sent");
}

#[test]
fn the_operators_own_model_is_asked_about_a_strangers_graph() {
    let visit = Visit::to("screen");
    let ran = visit.run(&visit.own, &["run", "../clone/agent.yaml"]);
    assert_eq!(ran.output.status.code(), Some(0), "{}", ran.said());
    assert_eq!(visit.asked(), 1, "{}", ran.said());
    assert!(ran.said().contains("outcome: fine"), "{}", ran.said());
}
