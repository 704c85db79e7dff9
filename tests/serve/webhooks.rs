//! Programs elsewhere begin runs, once for each delivery.

pub(super) use ring_hmac::sign;
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

    pub(in crate::serve) fn sign(secret: &str, body: &str) -> String {
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

/// The signature of a Standard Webhook.
fn sign_standard(secret: &str, id: &str, time: u64, body: &str) -> String {
    use base64::Engine as _;
    let digits = sign(secret, &format!("{id}.{time}.{body}"));
    let pairs = digits.as_bytes().chunks(2).map(|pair| std::str::from_utf8(pair).expect("digits"));
    let bytes: Vec<u8> = pairs.map(|pair| u8::from_str_radix(pair, 16).expect("digits")).collect();
    format!("v1,{}", base64::prelude::BASE64_STANDARD.encode(bytes))
}

#[test]
fn where_the_id_is_signed_nobody_sends_a_delivery_again_under_another() {
    let desk = Desk::new();
    std::fs::create_dir(desk.folder.path().join("web")).expect("a folder can be made");
    desk.write("web/talk.yaml", TALK);
    desk.write("hooks.toml", &TOML.replace("graph =", "scheme = \"standard\"\ngraph ="));
    let served = Served::on(desk, "--config hooks.toml", &[("HOOK_SECRET", SECRET)]);
    let now = std::time::SystemTime::UNIX_EPOCH.elapsed().expect("a time after 1970").as_secs();
    let body = json!({"issue": {"title": "hornets"}}).to_string();
    let delivery = |id: &str, time: u64, signature: &str| {
        let hook = served.stranger().with("webhook-id", id).with("webhook-timestamp", &time.to_string());
        hook.with("webhook-signature", signature).send("POST", "/hooks/issues", Some(&body))
    };
    let seen = sign_standard(SECRET, "d-1", now, &body);
    let begun = delivery("d-1", now, &seen).is(202).json();
    assert_eq!(delivery("d-1", now, &seen).is(200).json(), begun);
    delivery("d-2", now, &seen).is_problem(401, "signature");
    delivery("d-1", now + 1, &seen).is_problem(401, "signature");
    delivery("d-2", now, &sign_standard("a secret of somebody else", "d-2", now, &body))
        .is_problem(401, "signature");
    let old = now - 400;
    let stale = delivery("d-3", old, &sign_standard(SECRET, "d-3", old, &body)).is_problem(401, "signature");
    assert!(stale["detail"].as_str().is_some_and(|why| why.contains("five minutes")), "{stale}");
    // What GitHub signs is not enough.
    let github =
        served.stranger().with("x-hub-signature-256", &sign(SECRET, &body)).with("x-github-delivery", "d-4");
    github.send("POST", "/hooks/issues", Some(&body)).is_problem(401, "signature");
    delivery("d-5", now, &sign_standard(SECRET, "d-5", now, &body)).is(202);
    let runs = served.client().get("/api/v1/runs").json();
    assert_eq!(runs["runs"].as_array().map(Vec::len), Some(2));
}

#[test]
fn faults_of_a_webhook_are_told_with_their_places() {
    let said = crate::config::read(
        "[webhooks.a]\ngraph = \"g\"\nsecret_env = \"S\"\nscheme = \"standart\"\n\
         [webhooks.b]\ngraph = \"g\"\nsecret_env = \"S\"\nscheme = \"standard\"\nsignature = \"X-Sum\"\n\
         [webhooks.c]\nsecret_env = \"S\"\nsecret_file = \"s\"\n",
    );
    insta::assert_snapshot!(said.expect_err("it has faults"));
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
