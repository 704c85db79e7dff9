//! Roles.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};

use serde_json::json;

use super::world::{Served, TALK, answer_path};
use crate::cli::Desk;
use crate::parts::skip;

fn desk() -> (Desk, [String; 3]) {
    let desk = Desk::new();
    fs::create_dir(desk.folder.path().join("web")).expect("a folder can be made");
    desk.write("web/talk.yaml", TALK);
    let tokens = ["a", "b", "c"].map(|letter| letter.repeat(40));
    let text =
        format!("wim watch {}\nana answer {}\nrob run {} # everything\n", tokens[0], tokens[1], tokens[2]);
    desk.write("tokens", &text);
    let path = desk.folder.path().join("tokens");
    fs::set_permissions(path, fs::Permissions::from_mode(0o600)).expect("it can be set");
    (desk, tokens)
}

#[test]
fn each_role_may_do_what_those_before_it_may() {
    let (desk, tokens) = desk();
    let served = Served::on(desk, "--token-file tokens", &[]);
    assert_eq!(served.token(), "", "no token is made");
    let [wim, ana, rob] = tokens.map(|token| served.with_token(&token));
    let begin = json!({"graph": "talk", "run": "one"});
    wim.post("/api/v1/runs", &begin).is_problem(403, "role");
    ana.post("/api/v1/runs", &begin).is_problem(403, "role");
    rob.post("/api/v1/runs", &begin).is(202);
    let mut question = json!(null);
    crate::until::until("it asks", || {
        question = wim.get("/api/v1/runs/one").json()["asks"][0].clone();
        question.is_object()
    });
    let path = answer_path("one", &question);
    let answer = json!({"answer": "more"});
    wim.with("if-match", "*").post(&path, &answer).is_problem(403, "role");
    for act in ["abort", "cancel", "resume", "rollback", "fork"] {
        let body = match act {
            "rollback" => json!({"to": 0}),
            "fork" => json!({"at": 0}),
            _ => json!({}),
        };
        for client in [&wim, &ana] {
            client
                .with("if-match", "*")
                .post(&format!("/api/v1/runs/one/{act}"), &body)
                .is_problem(403, "role");
        }
    }
    ana.with("if-match", "*").post(&path, &answer).is(202);
    let late = rob.with("if-match", "*").post(&path, &answer).is_problem(409, "answered");
    assert_eq!(late["answered"]["by"], "ana");
    for path in [
        "/api/v1/runs",
        "/api/v1/runs/one",
        "/api/v1/questions",
        "/api/v1/graphs",
        "/api/v1/session",
        "/metrics",
    ] {
        for client in [&wim, &ana, &rob] {
            client.get(path).is(200);
        }
    }
    assert_eq!(ana.get("/api/v1/session").json(), json!({"name": "ana", "role": "answer"}));
    let log = served.desk.run("log one");
    assert!(log.stdout.contains("answered \"more\" (by ana)"), "{}", log.transcript());
}

#[test]
fn those_who_look_at_a_run_hear_of_each_other() {
    let (desk, tokens) = desk();
    let served = Served::on(desk, "--token-file tokens", &[]);
    let [wim, ana, rob] = tokens.map(|token| served.with_token(&token));
    rob.post("/api/v1/runs", &json!({"graph": "talk", "run": "one"})).is(202);
    let mut own = rob.watch("/api/v1/runs/one/events");
    own.until(|message| message.data["type"] == "asked");
    let looking = |wanted: serde_json::Value| {
        crate::until::until("the inbox says who looks", || {
            wim.get("/api/v1/questions").json()["questions"][0]["watchers"] == wanted
        });
    };
    looking(json!(["rob"]));
    let other = ana.watch("/api/v1/runs/one/events");
    let heard = own.until(|message| message.event == "watchers").pop().expect("a message");
    assert_eq!((heard.id, heard.data), (None, json!({"watchers": ["ana", "rob"]})));
    looking(json!(["ana", "rob"]));
    drop(other);
    let heard = own.until(|message| message.event == "watchers").pop().expect("a message");
    assert_eq!(heard.data, json!({"watchers": ["rob"]}));
    looking(json!(["rob"]));
}

#[test]
fn an_address_that_others_reach_needs_tokens_and_encryption() {
    let (desk, _) = desk();
    let refused = |words: &str, wanted: &str| {
        let ran = desk.run(&format!("serve web {words}"));
        assert_eq!(ran.code, Some(2), "{}", ran.transcript());
        assert!(ran.stderr.contains(wanted), "{}", ran.transcript());
    };
    refused("--listen 0.0.0.0:0", "other machines reach this address");
    refused("--listen 0.0.0.0:0 --token-file tokens", "other machines reach this address");
    refused("--listen 0.0.0.0:0 --public-origin https://a.example", "other machines reach this address");
    refused("--listen 127.0.0.1:0 --public-origin https://a.example/x", "it is no origin");
    fs::set_permissions(desk.folder.path().join("tokens"), fs::Permissions::from_mode(0o644))
        .expect("it can be set");
    refused("--listen 127.0.0.1:0 --token-file tokens", "others may read or change it");
    desk.write("tokens", "ana run short\n");
    fs::set_permissions(desk.folder.path().join("tokens"), fs::Permissions::from_mode(0o600))
        .expect("it can be set");
    refused("--listen 127.0.0.1:0 --token-file tokens", "line 1: a token has at least 32 characters");
}

#[test]
fn the_token_that_is_made_is_its_owners_alone() {
    let served = Served::of(&[("talk.yaml", TALK)], "");
    let path = served.desk.folder.path().join(".loopwright/runs.db-token");
    let mode = fs::metadata(&path).expect("it is there").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    assert_eq!(served.token().len(), 64);
    served.client().get("/api/v1/runs").is(200);
}

#[test]
fn other_machines_are_served_by_tls_alone() {
    let (desk, tokens) = desk();
    let words = "req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out cert.pem -days 2 -subj /CN=localhost -addext subjectAltName=DNS:localhost";
    let mut made = Command::new("openssl");
    made.args(words.split(' ')).current_dir(desk.folder.path()).stderr(Stdio::null());
    match made.status() {
        Ok(status) if status.success() => {}
        other => return skip("no TLS is spoken", &format!("openssl makes no certificate ({other:?})")),
    }
    let refused = desk.run("serve web --listen 127.0.0.1:0 --tls-cert tokens --tls-key key.pem");
    assert!(refused.stderr.contains("there is no certificate in the file"), "{}", refused.transcript());
    let served =
        Served::on(desk, "--listen 0.0.0.0:0 --token-file tokens --tls-cert cert.pem --tls-key key.pem", &[]);
    let port = served.address.rsplit(':').next().expect("a port").to_owned();
    let curl = |words: &[&str]| {
        let mut curl = Command::new("curl");
        curl.args(["--silent", "--cacert", "cert.pem"]).args(words).current_dir(served.desk.folder.path());
        String::from_utf8_lossy(&curl.output().expect("curl is there").stdout).into_owned()
    };
    let token = format!("Authorization: Bearer {}", tokens[1]);
    let told = curl(&["-H", &token, &format!("https://localhost:{port}/api/v1/session")]);
    assert_eq!(told, r#"{"name":"ana","role":"answer"}"#);
    assert_eq!(curl(&["-H", &token, &format!("http://localhost:{port}/api/v1/session")]), "");
    // The cookie goes back by TLS alone.
    let body = format!(r#"{{"token": "{}"}}"#, tokens[1]);
    let url = format!("https://localhost:{port}/api/v1/session");
    let head = curl(&["-i", "-H", "Content-Type: application/json", "-d", &body, &url]);
    assert!(head.contains("; Secure"), "{head}");
}
