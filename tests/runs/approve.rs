//! Approvals on the command line.

use crate::approvals::PAYS;
use crate::cli::Desk;

/// A graph and a command that wants an approval.
pub(crate) fn desk() -> Desk {
    let desk = Desk::new();
    desk.write("pays.yaml", PAYS);
    desk.write(
        "loopwright.toml",
        "[tools.pay]\ncommand = [\"sh\", \"-c\", \"echo $0 >> paid; echo done\", \"{to}\"]\nargs = {to = \"string\", amount = \"int\"}\nparse = \"text\"\napproval = true\n",
    );
    desk
}

fn resume(desk: &Desk, answer: &str) -> (Option<i32>, String, String) {
    let ran = desk.run_words(&["resume", "one", "--grant", "pay", "--answer", answer], &[]);
    (ran.code, ran.stdout, ran.stderr)
}

/// The hash in the command that answers.
fn printed(stdout: &str) -> String {
    let at = stdout.find("'approve ").unwrap_or_else(|| panic!("no command approves: {stdout}"));
    stdout[at + "'approve ".len()..].split('\'').next().expect("a quote").to_owned()
}

#[test]
fn an_answer_on_the_command_line_names_the_hash() {
    let desk = desk();
    let ran = desk.run("run pays.yaml --grant pay --run-id one");
    let hash = printed(&ran.stdout);
    assert_eq!(ran.code, Some(3), "{}", ran.transcript());
    assert_eq!(
        ran.stdout,
        format!(
            "waiting for a person at pay: May the tool `pay` be called with {{\"amount\":5,\"to\":\"bob\"}}? [approve {hash}/deny]\nto answer, run:\n  loopwright resume one --grant pay --answer 'approve {hash}'\n"
        )
    );
    let shown = desk.run("show one").stdout;
    assert!(shown.contains("status: waiting for a person\n"), "{shown}");
    assert!(shown.contains("waits for: a person: May the tool `pay` be called with"), "{shown}");
    let asks = desk.run("show one --format json").stdout;
    assert!(asks.contains("\"reason\": \"approval\""), "{asks}");
    for (answer, said) in [
        ("approve", format!("wanted {{\"approve\": \"{hash}\"}} or `deny`, found \"approve\"")),
        ("yes", format!("wanted {{\"approve\": \"{hash}\"}} or `deny`, found \"yes\"")),
        (
            "approve 0123456789abcdef",
            format!("this call has the hash {hash}, found {{\"approve\":\"0123456789abcdef\"}}"),
        ),
    ] {
        let (code, stdout, stderr) = resume(&desk, answer);
        assert_eq!((code, stdout.as_str()), (Some(2), ""), "{answer}: {stderr}");
        let told = format!("\nerror: the answer does not fit the question at pay: {said}\n");
        assert!(stderr.ends_with(&told), "{stderr}");
    }
    assert!(!desk.folder.path().join("paid").exists());
    let (code, stdout, stderr) = resume(&desk, &format!("approve {hash}"));
    assert_eq!(code, Some(0), "{stderr}");
    assert!(stdout.starts_with("outcome: end\nreceipt: done\n"), "{stdout}");
    assert_eq!(std::fs::read_to_string(desk.folder.path().join("paid")).expect("it ran"), "bob\n");
}

#[test]
fn a_no_on_the_command_line_ends_the_call() {
    let desk = desk();
    assert_eq!(desk.run("run pays.yaml --grant pay --run-id one").code, Some(3));
    let (code, stdout, stderr) = resume(&desk, "deny");
    assert_eq!(code, Some(1), "{stderr}");
    assert!(stdout.starts_with("outcome: denied (not ok)\n"), "{stdout}");
    let ran = desk.run("run pays.yaml --grant pay --run-id two");
    let words = format!("resume two --grant pay --answer {{\"approve\":\"{}\"}}", printed(&ran.stdout));
    assert_eq!(desk.run(&words).code, Some(0));
}
