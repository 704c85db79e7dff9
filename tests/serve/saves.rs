//! Texts of graphs that people save.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::PathBuf;
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use super::client::{Client, Connection, Response};
use super::world::{PAIR, PAYS, PAYS_TOML, Served, TALK, answer_path};
use crate::cli::Desk;
use crate::until::until;

const TALK_TEXT: &str = "/api/v1/graphs/talk/texts/web%2Ftalk.yaml";

/// The tag of the text that a file has now.
fn tag(client: &Client, path: &str) -> String {
    client.get(path).is(200).header("etag").expect("a tag").to_owned()
}

fn put(client: &Client, path: &str, tag: &str, text: &str) -> Response {
    client.with("if-match", tag).send("PUT", path, Some(&json!({"text": text}).to_string()))
}

fn file(served: &Served, name: &str) -> PathBuf {
    served.desk.folder.path().join(name)
}

/// The names of the files in the folder.
fn names(served: &Served) -> Vec<String> {
    let entries = fs::read_dir(file(served, "web")).expect("the folder");
    let mut names: Vec<String> =
        entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn nothing_is_saved_where_that_is_not_allowed() {
    let served = Served::of(&[("talk.yaml", TALK)], "");
    let client = served.client();
    assert_eq!(client.get("/api/v1/graphs/talk").json()["editable"], json!({}));
    let refused = put(&client, TALK_TEXT, "*", TALK).is_problem(403, "edit");
    assert!(refused["detail"].as_str().is_some_and(|detail| detail.contains("--edit")), "{refused}");
    assert_eq!(client.get(TALK_TEXT).is(200).body, TALK);
}

#[test]
fn new_runs_go_by_what_was_saved_and_open_ones_by_what_they_began_with() {
    let served = Served::of(&[("talk.yaml", TALK), ("pair.yaml", PAIR)], "--edit");
    let client = served.client();
    let question = served.asking("talk", "old")["asks"][0].clone();
    let before = client.get("/api/v1/graphs/talk").json();
    let pair = client.get("/api/v1/graphs/pair").json();
    let changed = TALK.replace("more or stop?", "go on?").replace("title: Talk", "title: Other talk");
    let own = &before["editable"]["web/talk.yaml"];
    assert_eq!(own.as_str(), Some(tag(&client, TALK_TEXT).as_str()));
    let reply = put(&client, TALK_TEXT, own.as_str().expect("a tag"), &changed).is(200);
    let saved = reply.json();
    assert_eq!(reply.header("etag"), saved["etag"].as_str());
    assert_eq!((&saved["runnable"], &saved["graphs"]), (&json!(true), &json!(["pair", "talk"])));
    assert_eq!(fs::read_to_string(file(&served, "web/talk.yaml")).expect("it is there"), changed);
    assert_eq!(names(&served), ["pair.yaml", "talk.yaml"], "nothing else is left");
    let after = client.get("/api/v1/graphs/talk").json();
    assert_eq!((&after["title"], &after["program"]), (&json!("Other talk"), &saved["program"]));
    assert_ne!(after["program"], before["program"]);
    // A graph that calls it is another one, too.
    assert_ne!(client.get("/api/v1/graphs/pair").json()["program"], pair["program"]);
    let drawn = client.get("/api/v1/graphs/talk/drawing?as=svg").is(200).body;
    assert!(drawn.contains("Other talk") || !drawn.contains(">Talk<"), "{drawn}");
    let asked = served.asking("talk", "new");
    assert_eq!(asked["asks"][0]["text"], "Round 0 about bees: go on?");
    assert_eq!(asked["program"], after["program"]);
    let old = client.get("/api/v1/runs/old").json();
    assert_eq!((&old["status"], &old["program"]), (&json!("waiting"), &before["program"]));
    assert_eq!(old["asks"][0], question);
    let answered = client.with("if-match", question["etag"].as_str().expect("a tag"));
    answered.post(&answer_path("old", &question), &json!({"answer": "more"})).is(202);
    let old = served.having("old", |shown| shown["asks"][0]["text"] == "Round 1 about bees: more or stop?");
    assert_eq!(old["program"], before["program"]);
    let versions = client.get("/api/v1/graphs/talk/versions").json();
    assert_eq!(versions["versions"].as_array().map(Vec::len), Some(2), "{versions}");
}

#[test]
fn what_is_no_text_of_the_graph_is_refused() {
    let desk = Desk::new();
    fs::create_dir(desk.folder.path().join("web")).expect("a folder can be made");
    desk.write("web/talk.yaml", &format!("use: [words.loop, ../outside.loop]\n{TALK}"));
    desk.write("web/words.loop", "type Word { text: string }\n");
    desk.write("outside.loop", "type Other { text: string }\n");
    let served = Served::on(desk, "--edit --root .", &[]);
    let client = served.client();
    let text = client.get(TALK_TEXT).is(200).body;
    let shown = client.get("/api/v1/graphs/talk").json();
    let editable: Vec<&String> = shown["editable"].as_object().expect("an object").keys().collect();
    assert_eq!(editable, ["web/talk.yaml", "web/words.loop"], "{:#}", shown["findings"]);
    client.send("PUT", TALK_TEXT, Some("{\"text\": \"\"}")).is_problem(428, "if-match");
    put(&client, TALK_TEXT, "talk", &text).is_problem(400, "malformed");
    let stale = put(&client, TALK_TEXT, "\"0\"", &text).is_problem(412, "stale");
    assert_eq!(stale["etag"], tag(&client, TALK_TEXT));
    let at = |file: &str| format!("/api/v1/graphs/talk/texts/{file}");
    put(&client, "/api/v1/graphs/none/texts/talk.yaml", "*", &text).is_problem(404, "not-found");
    for name in ["web%2Fnew.yaml", "loopwright.toml", "web%2F..%2Fweb%2Ftalk.yaml", "%2Fetc%2Fpasswd"] {
        put(&client, &at(name), "*", &text).is_problem(404, "not-found");
        client.get(&at(name)).is_problem(404, "not-found");
    }
    put(&client, &at("outside.loop"), "*", "type Other { text: int }\n").is_problem(403, "edit");
    for (wrong, words) in [
        ("graph: [", "cannot be read"),
        ("", "no graph"),
        ("graph: other\nstart: a\nnodes:\n  a: {kind: final}\n", "`other`"),
        ("nodes: 5\ngraph: talk\n", "cannot be read"),
    ] {
        let refused = put(&client, TALK_TEXT, "*", wrong).is_problem(422, "unfit");
        assert!(refused["detail"].as_str().is_some_and(|detail| detail.contains(words)), "{refused}");
    }
    put(&client, &at("web%2Fwords.loop"), "*", "graph words\nstart a\n").is_problem(422, "unfit");
    put(&client, TALK_TEXT, "*", &"# long\n".repeat(800_000)).is_problem(413, "too-large");
    assert_eq!(fs::read_to_string(file(&served, "web/talk.yaml")).expect("it is there"), text);
    // What is found in a library does not keep it from being saved.
    let saved = put(&client, &at("web%2Fwords.loop"), "*", "type Word { text: int }\n").is(200).json();
    assert_eq!((&saved["graphs"], &saved["runnable"]), (&json!(["talk"]), &json!(true)));
}

#[test]
fn a_file_that_is_not_what_it_was_stays_as_it_is() {
    let served = Served::of(&[("talk.yaml", TALK)], "--edit");
    let client = served.client();
    let path = file(&served, "web/talk.yaml");
    let changed = TALK.replace("title: Talk", "title: Other");
    let seen = tag(&client, TALK_TEXT);
    // Somebody else writes to the disk.
    fs::write(&path, TALK.replace("title: Talk", "title: Third")).expect("it can be written");
    put(&client, TALK_TEXT, &seen, &changed).is_problem(412, "stale");
    assert!(client.get(TALK_TEXT).body.contains("title: Third"));
    fs::set_permissions(&path, fs::Permissions::from_mode(0o444)).expect("it can be set");
    put(&client, TALK_TEXT, "*", &changed).is_problem(409, "not-saved");
    fs::remove_file(&path).expect("it can be removed");
    put(&client, TALK_TEXT, "*", &changed).is_problem(409, "not-saved");
    let secret = file(&served, "secret.yaml");
    fs::write(&secret, TALK).expect("it can be written");
    symlink(&secret, &path).expect("it can be made");
    put(&client, TALK_TEXT, "*", &changed).is_problem(409, "not-saved");
    client.get(TALK_TEXT).is_problem(409, "not-saved");
    assert_eq!(fs::read_to_string(&secret).expect("it is there"), TALK);
    fs::remove_file(&path).expect("it can be removed");
    assert_eq!(names(&served), Vec::<String>::new());
}

#[test]
fn a_graph_with_errors_is_shown_until_they_are_gone() {
    let scenarios =
        "graph: talk.yaml\nscenarios:\n  - name: stops\n    human: [stop]\n    expect: {outcome: end}\n";
    let served = Served::of(&[("talk.yaml", TALK), ("talk.scenarios.yaml", scenarios)], "--edit");
    let client = served.client();
    served.asking("talk", "old");
    let saved = put(&client, TALK_TEXT, "*", &TALK.replace("start: ask", "start: nowhere")).is(200).json();
    assert_eq!((&saved["runnable"], &saved["program"]), (&json!(false), &Value::Null));
    assert!(saved["findings"].as_array().is_some_and(|found| !found.is_empty()), "{saved}");
    client.post("/api/v1/runs", &json!({"graph": "talk"})).is_problem(409, "not-run");
    assert_eq!(client.get("/api/v1/graphs/talk").json()["id"], "talk");
    assert_eq!(client.get("/api/v1/graphs/talk/versions").json()["versions"][0]["runs"], 1);
    let saved = put(&client, TALK_TEXT, "*", TALK).is(200).json();
    assert_eq!(saved["runnable"], true);
    client.post("/api/v1/runs", &json!({"graph": "talk", "run": "new"})).is(202);
    // Scenarios are texts of the graph as well.
    let path = "/api/v1/graphs/talk/texts/web%2Ftalk.scenarios.yaml";
    assert_eq!(client.get("/api/v1/graphs/talk").json()["scenarios"]["passed"], 1);
    put(&client, path, "*", "graph: talk.yaml\nscenarios: 5\n").is_problem(422, "unfit");
    put(&client, path, "*", &scenarios.replace("outcome: end", "outcome: given_up")).is(200);
    assert_eq!(client.get("/api/v1/graphs/talk").json()["scenarios"]["failed"], 1);
}

/// A text that needs more than the operator allowed does not get it by being saved.
#[test]
fn a_saved_graph_has_the_tools_that_were_granted_at_the_start() {
    let desk = Desk::new();
    fs::create_dir(desk.folder.path().join("web")).expect("a folder can be made");
    desk.write("web/talk.yaml", TALK);
    desk.write("web/loopwright.toml", PAYS_TOML);
    let served = Served::on(desk, "--edit", &[]);
    let client = served.client();
    let saved = put(&client, TALK_TEXT, "*", &PAYS.replace("graph: pays", "graph: talk")).is(200).json();
    assert_eq!(saved["runnable"], false, "{saved}");
    client.post("/api/v1/runs", &json!({"graph": "talk"})).is_problem(409, "not-run");
}

#[test]
fn of_people_who_save_at_once_one_wins() {
    let served = Served::of(&[("talk.yaml", TALK)], "--edit");
    let client = served.client();
    let seen = tag(&client, TALK_TEXT);
    let text = |number: usize| TALK.replace("title: Talk", &format!("title: Talk {number}"));
    let statuses: Vec<u16> = thread::scope(|scope| {
        let all: Vec<_> = (0..6)
            .map(|number| {
                let (client, seen) = (&client, &seen);
                scope.spawn(move || put(client, TALK_TEXT, seen, &text(number)).status)
            })
            .collect();
        all.into_iter().map(|one| one.join().expect("it ends")).collect()
    });
    let winner = statuses.iter().position(|status| *status == 200).expect("one wins");
    assert!(statuses.iter().enumerate().all(|(at, status)| at == winner || *status == 412), "{statuses:?}");
    assert_eq!(fs::read_to_string(file(&served, "web/talk.yaml")).expect("it is there"), text(winner));
    assert_eq!(client.get("/api/v1/graphs/talk").json()["title"], format!("Talk {winner}"));
}

/// Whoever goes away in the middle leaves either the text before, or the new one and a server that goes by it.
#[test]
fn a_save_is_carried_out_whole_or_not_at_all() {
    let served = Served::of(&[("talk.yaml", TALK)], "--edit");
    let client = served.client();
    for pause in [0, 20, 40, 80, 160, 320] {
        let text = TALK.replace("title: Talk", &format!("title: Talk {pause}"));
        let body = json!({"text": text}).to_string();
        let mut connection = Connection::open(&served.address);
        let head = format!(
            "PUT {TALK_TEXT} HTTP/1.1\r\nhost: {}\r\nauthorization: Bearer {}\r\nif-match: *\r\ncontent-type: application/json\r\n",
            served.address,
            served.token()
        );
        connection.write(format!("{head}content-length: {}\r\n\r\n{body}", body.len()).as_bytes());
        thread::sleep(Duration::from_millis(pause));
        drop(connection);
        thread::sleep(Duration::from_millis(300));
        until("the server goes by what is on the disk", || {
            let stored = fs::read_to_string(file(&served, "web/talk.yaml")).expect("it is there");
            client.get("/api/v1/graphs/talk").json()["texts"]["web/talk.yaml"] == stored
        });
        assert_eq!(names(&served), ["talk.yaml"]);
    }
}

#[test]
fn only_those_who_may_run_may_save() {
    let desk = Desk::new();
    fs::create_dir(desk.folder.path().join("web")).expect("a folder can be made");
    desk.write("web/talk.yaml", TALK);
    let [wim, ana, rob] = ["a", "b", "c"].map(|letter| letter.repeat(40));
    desk.write("tokens", &format!("wim watch {wim}\nana answer {ana}\nrob run {rob}\n"));
    fs::set_permissions(desk.folder.path().join("tokens"), fs::Permissions::from_mode(0o600))
        .expect("it can be set");
    let served = Served::on(desk, "--edit --token-file tokens", &[]);
    for token in [&wim, &ana] {
        put(&served.with_token(token), TALK_TEXT, "*", TALK).is_problem(403, "role");
    }
    put(&served.stranger(), TALK_TEXT, "*", TALK).is_problem(401, "token");
    put(&served.with_token(&rob), TALK_TEXT, "*", TALK).is(200);
}
