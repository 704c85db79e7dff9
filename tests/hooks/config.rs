//! `[hooks]` in `loopwright.toml`: what is read, and what is said of faults.

use std::fmt::Write as _;

use loopwright::config::HookEvent;

use crate::config::{good, read};

#[test]
fn a_hook_is_read() {
    let config = good(
        "[hooks.audit]\ncommand = [\"./audit\", \"{x}\"]\non = [\"run.ended\", \"run.started\"]\ntimeout = \"2s\"\nenv = [\"HOME\"]\n",
    );
    let [hook] = config.hooks.as_slice() else { panic!("one hook") };
    assert_eq!(hook.on, [HookEvent::RunEnded, HookEvent::RunStarted]);
    assert_eq!((hook.command.timeout.as_secs(), hook.command.env.as_slice()), (2, &["HOME".to_owned()][..]));
    // Nothing is filled in: braces are braces.
    assert!(format!("{:?}", hook.command.list).contains("Fixed(\"{x}\")"), "{:?}", hook.command.list);
}

#[test]
fn faults_of_hooks_are_said_once_with_their_places() {
    let on = "on = [\"run.ended\"]\n";
    let many: Vec<_> =
        (0..9).map(|i| format!("[hooks.h{i}]\ncommand = [\"a\"]\non = [\"run.ended\"]\n")).collect();
    let mut said = String::new();
    for (name, text) in [
        ("no table", "[hooks]\naudit = \"./audit\"\n".to_owned()),
        ("a bad name", format!("[hooks.\"a b\"]\ncommand = [\"a\"]\n{on}")),
        ("no command", format!("[hooks.a]\n{on}")),
        ("a slip", format!("[hooks.a]\ncomand = [\"a\"]\n{on}")),
        ("an empty command", format!("[hooks.a]\ncommand = []\n{on}")),
        ("a line for a shell", format!("[hooks.a]\ncommand = \"a | b\"\n{on}")),
        ("a zero byte", format!("[hooks.a]\ncommand = [\"a\", \"b\\u0000\"]\n{on}")),
        ("no events", "[hooks.a]\ncommand = [\"a\"]\n".to_owned()),
        ("an empty list of events", "[hooks.a]\ncommand = [\"a\"]\non = []\n".to_owned()),
        ("no such event", "[hooks.a]\ncommand = [\"a\"]\non = [\"run.stopped\"]\n".to_owned()),
        ("too long", format!("[hooks.a]\ncommand = [\"a\"]\n{on}timeout = \"11m\"\n")),
        ("no time", format!("[hooks.a]\ncommand = [\"a\"]\n{on}timeout = 5\n")),
        ("a key of a tool", format!("[hooks.a]\ncommand = [\"a\"]\n{on}delivery = \"pure\"\n")),
        ("too many", many.concat()),
    ] {
        let found = read(&text).expect_err(name);
        assert_eq!(found.matches(": config-").count(), 1, "{name}: {found}");
        let _ = writeln!(said, "# {name}\n{found}");
    }
    insta::assert_snapshot!(said);
}
