//! Where a store lies: links, and who may write.

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink};
use std::path::Path;
use std::process::Command;

use loopwright::port::{Store, StoreError};
use loopwright::store::{Purge, Sqlite, Wanted, purge, survey};

use super::world::{driver, folder, waiting};
use crate::cli::Desk;
use crate::parts;

const ENDS: [&str; 5] = ["", "-wal", "-shm", "-journal", "-head"];

const RUN: &str = "run graphs/tour/04-people.yaml --input text=Open --input cooling=0s --run-id notice";

fn why(result: Result<Sqlite, StoreError>) -> String {
    match result.expect_err("it is refused") {
        StoreError::Refused { path, why } => format!("{path}: {why}"),
        other => panic!("{other}"),
    }
}

fn mode(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).expect("its mode is set");
}

fn listed(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("it can be listed").flatten();
    let mut names: Vec<_> = entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn links_are_not_followed() {
    for end in ENDS {
        for there in [true, false] {
            let folder = folder();
            let (path, victim) = (folder.path().join("runs.db"), folder.path().join("victim"));
            if !end.is_empty() {
                drop(Sqlite::open(&path).expect("a store"));
                let _ = fs::remove_file(folder.path().join(format!("runs.db{end}")));
            }
            if there {
                fs::write(&victim, "do not touch").expect("written");
            }
            symlink("victim", folder.path().join(format!("runs.db{end}"))).expect("a link");
            for said in [why(Sqlite::open(&path)), why(Sqlite::open_to_read(&path))] {
                let wanted =
                    format!("runs.db{end}: this is a link, and a store is not reached through links");
                assert!(said.contains(&wanted), "{said}");
            }
            assert!(survey(&path).is_err());
            let all = Purge { runs: Wanted::Ended { before: None, keep: 0 }, answers: None, dry: false };
            assert!(purge(&path, &all).is_err());
            let found = fs::read_to_string(&victim).ok();
            assert_eq!(found.as_deref(), there.then_some("do not touch"), "{end}");
        }
    }
}

#[test]
fn a_link_in_a_folder_from_elsewhere_changes_no_file() {
    let desk = Desk::new();
    let own = desk.folder.path().join(".loopwright");
    fs::create_dir(&own).expect("a folder");
    desk.write("victim", "do not touch");
    symlink("../victim", own.join("runs.db-head")).expect("a link");
    let ran = desk.run(RUN);
    assert_eq!(ran.code, Some(2), "{}", ran.transcript());
    assert!(ran.stderr.contains(".loopwright/runs.db-head: this is a link"), "{}", ran.transcript());
    let victim = fs::read_to_string(desk.folder.path().join("victim")).expect("it is there");
    assert_eq!(victim, "do not touch");
    assert_eq!(listed(&own), ["runs.db-head"], "nothing was made beside it");

    // The folder itself.
    fs::remove_dir_all(&own).expect("removed");
    fs::create_dir(desk.folder.path().join("elsewhere")).expect("a folder");
    for target in ["elsewhere", "nowhere"] {
        symlink(target, &own).expect("a link");
        for words in [RUN, "runs", "doctor", "resume notice", "purge --keep 1"] {
            let ran = desk.run(words);
            assert_eq!(ran.code, Some(2), "{}", ran.transcript());
        }
        assert!(desk.run(RUN).stderr.contains("error: .loopwright: this is a link"));
        fs::remove_file(&own).expect("removed");
    }
    assert!(listed(&desk.folder.path().join("elsewhere")).is_empty());
    assert!(!desk.folder.path().join("nowhere").exists());
    // Whoever names a folder that is a link means where it leads.
    symlink("elsewhere", desk.folder.path().join("mine")).expect("a link");
    assert_eq!(desk.run(&format!("{RUN} --db mine/runs.db")).code, Some(3));
    assert!(desk.run("runs --db mine/runs.db").stdout.contains("notice"));
}

#[test]
fn a_file_with_another_name_is_only_read() {
    let folder = folder();
    let path = folder.path().join("runs.db");
    drop(Sqlite::open(&path).expect("a store"));
    fs::hard_link(&path, folder.path().join("other")).expect("another name");
    let said = why(Sqlite::open(&path));
    assert!(said.contains("another name elsewhere (a hard link)"), "{said}");
    Sqlite::open_to_read(&path).expect("it is read");
    let command = said.split("run: ").nth(1).expect("the command that mends it");
    assert!(Command::new("sh").args(["-c", command]).status().is_ok_and(|status| status.success()));
    Sqlite::open(&path).expect("it is one of its own now");
}

#[test]
fn what_is_made_is_for_its_owner_alone() {
    let desk = Desk::new();
    let words = format!("umask 0; exec '{}' {RUN}", env!("CARGO_BIN_EXE_loopwright"));
    let ran = Command::new("sh")
        .args(["-c", &words])
        .env("XDG_STATE_HOME", desk.state())
        .current_dir(desk.folder.path())
        .output()
        .expect("it runs");
    assert_eq!(ran.status.code(), Some(3), "{ran:?}");
    let own = desk.folder.path().join(".loopwright");
    assert_eq!(fs::metadata(&own).expect("it is there").mode() & 0o7777, 0o700);
    for name in listed(&own) {
        assert_eq!(fs::metadata(own.join(&name)).expect("it is there").mode() & 0o7777, 0o600, "{name}");
    }
}

#[test]
fn what_others_may_write_is_refused_with_the_command_that_mends_it() {
    let folder = folder();
    let within = folder.path().join("it's here");
    fs::create_dir(&within).expect("a folder");
    let path = within.join("runs.db");
    drop(Sqlite::open(&path).expect("a store"));
    let mends = |said: &str| {
        let command = said.split("run: ").nth(1).expect("the command that mends it");
        assert!(Command::new("sh").args(["-c", command]).status().is_ok_and(|status| status.success()));
    };
    for end in ["", "-head"] {
        let file = within.join(format!("runs.db{end}"));
        fs::OpenOptions::new().append(true).create(true).open(&file).expect("it is there");
        for bits in [0o666, 0o602] {
            mode(&file, bits);
            for said in [why(Sqlite::open(&path)), why(Sqlite::open_to_read(&path))] {
                assert!(
                    said.contains("others may write this file") && said.contains("chmod go-w "),
                    "{said}"
                );
            }
            assert!(survey(&path).is_err());
            mends(&why(Sqlite::open(&path)));
            Sqlite::open(&path).expect("it is its owner's again");
        }
    }
    mode(&within, 0o777);
    for said in [why(Sqlite::open(&path)), why(Sqlite::open_to_read(&path))] {
        assert!(said.contains("others may put files into this folder (its mode is 0777)"), "{said}");
    }
    mends(&why(Sqlite::open(&path)));
    Sqlite::open(&path).expect("it is its owner's again");
    // In a folder as `/tmp` nobody replaces the files of others, so it can be read there.
    mode(&within, 0o1777);
    let said = why(Sqlite::open(&path));
    assert!(said.contains("everybody may put files into this folder") && !said.contains("chmod"), "{said}");
    Sqlite::open_to_read(&path).expect("it is read");
}

#[test]
fn a_group_of_the_owner_alone_is_nobody_else() {
    let folder = folder();
    let path = folder.path().join("runs.db");
    drop(Sqlite::open(&path).expect("a store"));
    let own = fs::metadata(&path).expect("it is there");
    mode(&path, 0o660);
    assert_eq!(
        Sqlite::open(&path).is_ok(),
        own.uid() == own.gid(),
        "most systems give each user such a group"
    );
    if chown(&path, None, Some(own.gid() + 1)).is_err() {
        return parts::say("a file of another group", "only root may give one away");
    }
    mode(&path, 0o660);
    assert!(why(Sqlite::open(&path)).contains("chmod g-w "));
}

/// What a command prints that somebody else runs: nobody if this is root, else we ourselves.
fn by_nobody(folder: &Path, words: &str) -> (Option<i32>, String) {
    use std::os::unix::process::CommandExt;
    // A copy in the test's own folder: another user may be barred from the folders above the built program.
    let program = folder.join("loopwright");
    if !program.exists() {
        fs::copy(env!("CARGO_BIN_EXE_loopwright"), &program).expect("it is copied");
    }
    let mut command = Command::new(program);
    if is_root() {
        command.uid(65_534).gid(65_534);
    }
    let ran = command
        .args(words.split(' '))
        .env("XDG_STATE_HOME", folder.join(".state"))
        .current_dir(folder)
        .output()
        .expect("it starts");
    (
        ran.status.code(),
        String::from_utf8_lossy(&ran.stdout).into_owned() + &String::from_utf8_lossy(&ran.stderr),
    )
}

fn is_root() -> bool {
    fs::metadata("/proc/self").is_ok_and(|own| own.uid() == 0)
}

const LOOKS: [&str; 6] = [
    "show notice --db kept/runs.db",
    "show notice --at 0 --db kept/runs.db",
    "log notice --db kept/runs.db",
    "runs --db kept/runs.db",
    "doctor --db kept/runs.db",
    "replay notice --db kept/runs.db",
];

#[test]
fn a_store_is_read_where_nothing_can_be_written() {
    let desk = Desk::new();
    let base = desk.folder.path();
    // Who holds the store open keeps its log from being tidied away.
    assert_eq!(desk.run(&RUN.replace("notice", "other")).code, Some(3));
    let open = Sqlite::open(base.join(".loopwright/runs.db")).expect("a store");
    assert!(desk.run(RUN).stdout.contains("waiting for a person"));
    let with_log = ["", "-wal", "-shm", "-head"]
        .map(|end| (end, fs::read(base.join(format!(".loopwright/runs.db{end}"))).expect("it is there")));
    assert!(with_log[1].1.len() > 8_192, "the run is in the log");
    drop(open);
    let closed = ["", "-head"]
        .map(|end| (end, fs::read(base.join(format!(".loopwright/runs.db{end}"))).expect("it is there")));
    let kept = base.join("kept");
    let cases = [with_log.to_vec(), [&with_log[..2], &with_log[3..]].concat(), closed.to_vec()];
    let mut before: Option<Vec<String>> = None;
    for files in cases {
        fs::create_dir(&kept).expect("a folder");
        for (end, bytes) in &files {
            let file = kept.join(format!("runs.db{end}"));
            fs::write(&file, bytes).expect("written");
            mode(&file, 0o444);
        }
        mode(&kept, 0o555);
        mode(base, 0o755);
        let names = listed(&kept);
        let said: Vec<String> = LOOKS
            .iter()
            .map(|words| {
                let (code, said) = by_nobody(base, words);
                assert_eq!(code, Some(0), "{words} of {names:?}: {said}");
                said
            })
            .collect();
        assert_eq!(listed(&kept), names, "nothing was made");
        assert!(said[0].contains("waiting") && said[4].contains("2 runs, 2 whole"), "{said:?}");
        let before = before.get_or_insert_with(|| said.clone());
        assert_eq!(&said, before, "whatever lies beside it");
        // What writes says why it does not, once it was allowed to.
        let purge = "purge notice --unfinished --db kept/runs.db";
        let (code, said) = by_nobody(base, purge);
        let digest = said.split(" --trust ").nth(1).map(str::trim);
        assert!(code == Some(3) && digest.is_some(), "{said}");
        let (code, said) = by_nobody(base, &format!("{purge} --trust {}", digest.unwrap_or_default()));
        assert_eq!(code, Some(2), "{said}");
        assert!(!is_root() || said.contains("belongs to another user (number 0)"), "{said}");
        mode(&kept, 0o755);
        fs::remove_dir_all(&kept).expect("removed");
    }
}

#[test]
fn without_a_note_that_can_be_read_nothing_is_said_to_be_whole() {
    if !is_root() {
        return parts::say("a note that may not be read", "only root can give files away");
    }
    let desk = Desk::new();
    let base = desk.folder.path();
    assert_eq!(desk.run(RUN).code, Some(3));
    fs::rename(base.join(".loopwright"), base.join("kept")).expect("moved");
    for (name, bits) in [("", 0o755), ("kept", 0o755), ("kept/runs.db", 0o644)] {
        mode(&base.join(name), bits);
    }
    let (code, said) = by_nobody(base, LOOKS[0]);
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("it is unknown if its last commits are there"), "{said}");
}

#[test]
fn looking_leaves_nothing_behind() {
    let desk = Desk::new();
    assert_eq!(desk.run(RUN).code, Some(3));
    fs::rename(desk.folder.path().join(".loopwright"), desk.folder.path().join("kept")).expect("moved");
    let names = listed(&desk.folder.path().join("kept"));
    for words in LOOKS {
        assert_eq!(desk.run(words).code, Some(0), "{words}");
        assert_eq!(listed(&desk.folder.path().join("kept")), names, "{words}");
    }
}

#[tokio::test]
async fn who_only_reads_sees_what_others_write_meanwhile() {
    let folder = folder();
    let path = folder.path().join("runs.db");
    drop(Sqlite::open(&path).expect("a store"));
    let reader = Sqlite::open_to_read(&path).expect("it is read");
    let many = async || reader.runs().await.expect("the runs").len();
    assert_eq!(many().await, 0);
    for wanted in 1..4 {
        let store = std::sync::Arc::new(Sqlite::open(&path).expect("a store"));
        waiting(&driver(store.clone()), &format!("run-{wanted}"), 2).await;
        assert_eq!(many().await, wanted, "while it is open");
        drop(store);
        assert_eq!(many().await, wanted, "once it is closed");
    }
    let refused = reader.acquire("run-1", "me", std::time::Duration::from_secs(1)).await;
    assert!(refused.is_err_and(|error| error.to_string().contains("it was opened to be read")));
}

/// Whatever is no regular file is called by its name, and is neither opened nor waited for.
#[test]
fn what_is_no_file_is_no_store() {
    let desk = Desk::new();
    let at = |name: &str| desk.folder.path().join(name);
    fs::create_dir(at("folder")).expect("a folder can be made");
    nix::unistd::mkfifo(&at("pipe"), nix::sys::stat::Mode::S_IRWXU).expect("a pipe can be made");
    let _socket = std::os::unix::net::UnixListener::bind(at("socket")).expect("a socket can be made");
    for (db, kind) in [
        ("/dev/urandom", "a device"),
        ("pipe", "a named pipe"),
        ("socket", "a socket"),
        ("folder", "a folder"),
    ] {
        for words in [
            RUN,
            "resume notice",
            "cancel notice",
            "rollback notice --to 1",
            "fork notice --at 1",
            "runs",
            "show notice",
            "log notice",
            "replay notice",
            "doctor",
            "purge --keep 1",
            "purge notice",
            "render --run notice",
        ] {
            let ran = desk.run(&format!("{words} --db {db}"));
            let said = format!("error: {db}: this is not a store: it is {kind}\n");
            assert_eq!((ran.code, ran.stderr), (Some(2), said), "{words}");
        }
    }
}
