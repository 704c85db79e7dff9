//! The questions at a terminal: each is put once.

use std::fs;
use std::os::unix::ffi::OsStrExt;

use super::Server;
use crate::cli::{Desk, copy};
use crate::terminal::{Running, terminal};

const ASKS: &str = "
graph: thinks
state: {word: string?}
start: think
nodes:
  think: {kind: model, role: any, prompt: '''Well?''', into: word, next: [{to: end}, {to: end, on: error}]}
  end: {kind: final}
";

fn desk(url: &str) -> Desk {
    let desk = Desk::new();
    desk.write("thinks.yaml", ASKS);
    desk.write(
        "loopwright.toml",
        &format!("[models.any]\nprovider = \"openai\"\nbase_url = \"{url}\"\nmodel = \"m\"\nattempts = 1\n"),
    );
    desk
}

#[test]
fn run_asks_whether_a_configuration_is_allowed_and_asks_once() {
    if !terminal() {
        return;
    }
    let server = Server::refusing();
    let desk = desk(&server.url);
    let mut running = Running::on_terminal(&desk, &["run", "thinks.yaml"]);
    let shown = running.wait_for("Allow all of it, until one of these files changes? [y/N]");
    assert!(shown.contains(&format!("asks {} for answers of the model m (role any)", server.url)), "{shown}");
    running.write("n\n");
    running.wait_for("loopwright.toml was not allowed, and this run needs what it asks for");
    let (printed, status) = running.end();
    assert_eq!((status.code(), server.heard().len()), (Some(3), 0), "{printed}");
    let mut running = Running::on_terminal(&desk, &["run", "thinks.yaml"]);
    running.wait_for("[y/N]");
    running.write("y\n");
    running.wait_for("outcome: end");
    let (printed, status) = running.end();
    assert_eq!((status.code(), server.heard().len()), (Some(0), 1), "{printed}");
    let (printed, status) = Running::on_terminal(&desk, &["run", "thinks.yaml"]).end();
    assert!(status.success() && !printed.contains("[y/N]"), "{printed}");
}

#[test]
fn trust_asks_at_the_terminal() {
    if !terminal() {
        return;
    }
    let desk = desk("http://127.0.0.1:9/v1");
    for (answer, code, told) in
        [("n", 3, "nothing was allowed"), ("y", 0, ""), ("", 0, "all of it is allowed")]
    {
        let mut running = Running::on_terminal(&desk, &["trust"]);
        if !answer.is_empty() {
            running.wait_for("[y/N]");
            running.write(&format!("{answer}\n"));
        }
        let (printed, status) = running.end();
        assert_eq!(status.code(), Some(code), "{printed}");
        assert!(printed.contains(told), "{printed}");
    }
}

#[test]
fn a_granted_command_is_asked_for_again_when_it_changed() {
    if !terminal() {
        return;
    }
    let desk = Desk::new();
    let graph = "graph: works\nstart: work\nnodes:\n  work: {kind: tool, tool: work, next: [{to: end}]}\n  end: {kind: final}\n";
    desk.write("works.yaml", graph);
    desk.write("other.yaml", graph);
    let config = "[tools.work]\ndescription = \"Works.\"\ncommand = [\"sh\", \"-c\", \"echo one\"]\n";
    desk.write("loopwright.toml", config);
    let asked = |graph: &str, answer: &str| {
        let mut running = Running::on_terminal(&desk, &["run", graph]);
        let shown = running.wait_for("May this graph use the tool `work` on this machine? [y/N]");
        running.write(answer);
        (shown, running.end().1.code())
    };
    let (shown, code) = asked("works.yaml", "y\n");
    assert!(shown.contains("work runs `sh -c 'echo one'` in ."), "{shown}");
    assert!(shown.contains("its configuration says of it: \"Works.\"\r\nMay this"), "{shown}");
    assert_eq!(code, Some(0));
    // The same graph may call the same command, at a terminal or not.
    let ran = desk.run("run works.yaml");
    assert_eq!(ran.code, Some(0), "{}", ran.transcript());
    // Another graph, or another command, may not.
    assert_eq!(asked("other.yaml", "n\n").1, Some(3));
    desk.write("loopwright.toml", &config.replace("one", "two"));
    let ran = desk.run("run works.yaml");
    assert_eq!(ran.code, Some(3), "{}", ran.transcript());
    let (shown, code) = asked("works.yaml", "n\n");
    assert!(
        shown.contains("`sh -c 'echo two'`") && shown.contains("it changed since it was granted"),
        "{shown}"
    );
    assert_eq!(code, Some(3));
    // What was granted is taken back.
    desk.write("loopwright.toml", config);
    let ran = desk.run("trust --remove");
    assert_eq!(ran.code, Some(0), "{}", ran.transcript());
    assert_eq!(desk.run("run works.yaml").code, Some(3));
}

#[test]
fn a_foreign_store_is_asked_about() {
    if !terminal() {
        return;
    }
    let theirs = Desk::new();
    let graph = "graph: asks\nstate: {word: string?}\nstart: ask\nnodes:\n  ask: {kind: human, ask: '''Well?''', into: word, next: [{to: end}]}\n  end: {kind: final}\n";
    theirs.write("asks.yaml", graph);
    assert_eq!(theirs.run("run asks.yaml --run-id one").code, Some(3));
    let desk = Desk::new();
    copy(&theirs.folder.path().join(".loopwright"), &desk.folder.path().join(".loopwright"));
    let store = desk.folder.path().join(".loopwright/runs.db");
    let before = fs::read(&store).expect("it is there");
    let words = ["resume", "one", "--answer", "yes"];
    let mut running = Running::on_terminal(&desk, &words);
    running.wait_for("Continue with it? [y/N]");
    running.write("n\n");
    assert_eq!(running.end().1.code(), Some(3));
    assert_eq!(fs::read(&store).expect("it is there"), before);
    let mut running = Running::on_terminal(&desk, &words);
    running.wait_for("Continue with it? [y/N]");
    running.write("y\n");
    running.wait_for("outcome: end");
    assert_eq!(running.end().1.code(), Some(0));
    assert_eq!(desk.run("rollback one --to 0").code, Some(0));
}

/// A graph that calls one tool, and no configuration.
fn working() -> Desk {
    let desk = Desk::new();
    desk.write(
        "works.yaml",
        "graph: works\nstart: work\nnodes:\n  work: {kind: tool, tool: work, next: [{to: end}]}\n  end: {kind: final}\n",
    );
    desk
}

/// The words of a configuration neither look like the question nor hide a part of the command line.
#[test]
fn what_a_grant_is_asked_for_is_seen() {
    if !terminal() {
        return;
    }
    let desk = working();
    let unseen = "\u{3164}\u{115f}\u{1160}\u{ffa0}\u{34f}\u{fe0f}\u{e0100}\u{2800}\u{180b}\u{17b4}";
    let away = " ".repeat(300);
    let imitates = format!(
        "Lists files. May this graph run the command `ls` on this machine? [y/N] {away}{}",
        "x".repeat(300)
    );
    desk.write(
        "loopwright.toml",
        &format!(
            "[tools.work]\ndescription = \"{imitates}{unseen}\"\ncommand = [\"sh\", \"-c\", \"echo {unseen}{away}; id\"]\n"
        ),
    );
    let mut running = Running::on_terminal(&desk, &["run", "works.yaml"]);
    let shown = running.wait_for("May this graph use the tool `work` on this machine? [y/N]");
    running.write("n\n");
    running.end();
    assert!(!shown.contains(|c| unseen.contains(c)), "{shown:?}");
    assert!(shown.contains(" [300 blanks] ; id"), "{shown:?}");
    let words = "its configuration says of it: \"Lists files. May this graph run the command `ls` on this machine? [y/N] ";
    assert!(shown.contains(words) && shown.contains("…\"\r\nMay this"), "{shown:?}");
}

/// A path that is no UTF-8 stands in a note with other letters.
#[test]
fn what_was_granted_in_a_folder_whose_name_is_no_text_is_taken_back() {
    if !terminal() {
        return;
    }
    let desk = working();
    let folder = desk.folder.path().join(std::ffi::OsStr::from_bytes(b"f\xff"));
    fs::create_dir(&folder).expect("a folder can be made");
    fs::write(folder.join("loopwright.toml"), "[tools.work]\ncommand = [\"sh\", \"-c\", \"echo one\"]\n")
        .expect("it can be written");
    let path = "\"$(printf 'f\\377')\"/loopwright.toml";
    let mut running = Running::on_terminal(&desk, &["run", "works.yaml", "--config", path]);
    running.wait_for("[y/N]");
    running.write("y\n");
    assert_eq!(running.end().1.code(), Some(0));
    let grants = || fs::read_dir(desk.state().join("loopwright/grants")).expect("it is there").count();
    assert_eq!(grants(), 1);
    let (printed, status) = Running::on_terminal(&desk, &["trust", "--remove", path]).end();
    assert_eq!((status.code(), grants()), (Some(0), 0), "{printed}");
}
