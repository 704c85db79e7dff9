//! Programs elsewhere begin runs, once for each delivery.

use ring_hmac::sign;
use serde_json::json;

use super::world::{Served, TALK};
use crate::cli::Desk;

const SECRET: &str = "a secret of the tests, long enough";

const TOML: &str = "
[webhooks.issues]
graph = \"talk\"
secret_env = \"HOOK_SECRET\"
inputs = {topic = \"/issue/title\"}
";

/// HMAC-SHA-256 by the program of OpenSSL: another implementation than the server's.
mod ring_hmac {
    use std::io::Write;
    use std::process::{Command, Stdio};

    pub(super) fn sign(secret: &str, body: &str) -> String {
        let mut child = Command::new("python3")
            .args(["-c", "import hmac,sys;print(hmac.new(sys.argv[1].encode(),sys.stdin.buffer.read(),'sha256').hexdigest())", secret])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("python3 is there");
        child.stdin.take().expect("it reads").write_all(body.as_bytes()).expect("it is read");
        let output = child.wait_with_output().expect("it ends");
        String::from_utf8(output.stdout).expect("a text").trim().to_owned()
    }
}

#[test]
fn a_delivery_begins_one_run_also_after_the_server_was_started_again() {
    let desk = Desk::new();
    std::fs::create_dir(desk.folder.path().join("web")).expect("a folder can be made");
    desk.write("web/talk.yaml", TALK);
    desk.write("hooks.toml", TOML);
    let mut served = Served::on(desk, "--config hooks.toml", &[("HOOK_SECRET", SECRET)]);
    let body = json!({"issue": {"title": "hornets"}}).to_string();
    let signature = format!("sha256={}", sign(SECRET, &body));
    let stranger = served.stranger().with("x-hub-signature-256", &signature);
    stranger.send("POST", "/hooks/issues", Some(&body)).is_problem(400, "malformed");
    let hook = stranger.with("x-github-delivery", "d-1");
    for wrong in [
        hook.without("x-hub-signature-256"),
        hook.with("x-hub-signature-256", &format!("sha256={}", sign("another secret", &body))),
        hook.with("x-hub-signature-256", ""),
    ] {
        wrong.send("POST", "/hooks/issues", Some(&body)).is_problem(401, "signature");
    }
    hook.send("POST", "/hooks/issues", Some(&body.replace("hornets", "wasps"))).is_problem(401, "signature");
    hook.send("POST", "/hooks/other", Some(&body)).is_problem(401, "signature");
    let begun = hook.send("POST", "/hooks/issues", Some(&body)).is(202).json();
    let run = begun["run"].as_str().expect("an id").to_owned();
    assert_eq!(served.waiting(&run)["asks"][0]["text"], "Round 0 about hornets: more or stop?");
    assert_eq!(hook.send("POST", "/hooks/issues", Some(&body)).is(200).json(), begun);
    served.kill();
    served.again("");
    assert_eq!(hook.send("POST", "/hooks/issues", Some(&body)).is(200).json(), begun);
    let other =
        hook.with("x-github-delivery", "d-2").send("POST", "/hooks/issues", Some(&body)).is(202).json();
    assert_ne!(other, begun);
    let runs = served.client().get("/api/v1/runs").json();
    assert_eq!(runs["runs"].as_array().map(Vec::len), Some(2));
    let log = served.desk.run(&format!("log {run}"));
    assert!(log.stdout.contains("(by webhook issues)"), "{}", log.transcript());
    let empty = json!({}).to_string();
    let unfit = hook.with("x-hub-signature-256", &sign(SECRET, &empty)).with("x-github-delivery", "d-3");
    unfit.send("POST", "/hooks/issues", Some(&empty)).is_problem(422, "unfit");
}

#[test]
fn a_configuration_that_was_only_found_begins_no_runs() {
    let desk = Desk::new();
    std::fs::create_dir(desk.folder.path().join("web")).expect("a folder can be made");
    desk.write("web/talk.yaml", TALK);
    desk.write("web/loopwright.toml", TOML);
    let served = Served::on(desk, "", &[("HOOK_SECRET", SECRET)]);
    let body = "{}";
    let hook =
        served.stranger().with("x-hub-signature-256", &sign(SECRET, body)).with("x-github-delivery", "d-1");
    hook.send("POST", "/hooks/issues", Some(body)).is_problem(401, "signature");
}
