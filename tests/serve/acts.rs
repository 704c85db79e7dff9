//! Runs are begun, answered, ended, sent back and branched off.

use std::thread;

use serde_json::{Value, json};

use super::world::{PAIR, PAYS, PAYS_TOML, SLOW, Served, TALK, answer_path, events};

#[test]
fn a_run_is_begun_answered_and_ends() {
    let served = Served::of(&[("talk.yaml", TALK)], "");
    let client = served.client();
    let begun = client
        .post("/api/v1/runs", &json!({"graph": "talk", "run": "one", "input": {"topic": "wasps"}}))
        .is(202);
    assert_eq!((begun.header("location"), begun.json()), (Some("/api/v1/runs/one"), json!({"run": "one"})));
    let shown = served.waiting("one");
    let question = &shown["asks"][0];
    assert_eq!(question["text"], "Round 0 about wasps: more or stop?");
    assert_eq!(question["schema"]["enum"], json!(["more", "stop"]));
    // The id is taken: a request that is sent twice begins one run.
    client.post("/api/v1/runs", &json!({"graph": "talk", "run": "one"})).is_problem(409, "exists");
    let path = answer_path("one", question);
    let tag = question["etag"].as_str().expect("it has a tag");
    client.post(&path, &json!({"answer": "stop"})).is_problem(428, "if-match");
    let matching = client.with("if-match", tag);
    let unfit = matching.post(&path, &json!({"answer": "maybe"})).is_problem(422, "unfit");
    assert!(unfit["detail"].as_str().is_some_and(|why| why.contains("more")), "{unfit}");
    client.with("if-match", "\"another\"").post(&path, &json!({"answer": "stop"})).is_problem(412, "stale");
    matching.post(&path, &json!({"answer": "stop"})).is(202);
    let ended = served.having("one", |shown| shown["status"] == "ended");
    assert_eq!((&ended["outcome"], &ended["output"]["rounds"]), (&json!("end"), &json!(1)));
    // Everything has the name of who did it.
    let told = events(&client, "one");
    let by: Vec<_> =
        told.iter().filter(|told| told.data["by"] == "operator").map(|told| &told.data["type"]).collect();
    assert_eq!(by, ["started", "answered"]);
    let late = matching.post(&path, &json!({"answer": "stop"})).is_problem(409, "answered");
    assert_eq!((&late["answered"]["by"], &late["answered"]["answer"]), (&json!("operator"), &json!("stop")));
    client.post("/api/v1/runs/one/resume", &json!({})).is_problem(409, "ended");
    client.get("/api/v1/runs/two").is_problem(404, "not-found");
    client.post("/api/v1/runs", &json!({"graph": "other"})).is_problem(404, "not-found");
    client.post("/api/v1/runs", &json!({"graph": "talk", "input": {"topic": 7}})).is_problem(422, "unfit");
    client.post("/api/v1/runs", &json!({"graph": "talk", "run": "../x"})).is_problem(422, "unfit");
    client.post("/api/v1/runs", &json!({"graph": "talk", "grants": ["sh"]})).is_problem(400, "malformed");
}

#[test]
fn of_two_people_who_answer_at_once_one_is_told_that_the_other_did() {
    let served = Served::of(&[("talk.yaml", TALK)], "");
    for round in 0..8 {
        let run = format!("race-{round}");
        let question = served.asking("talk", &run)["asks"][0].clone();
        let client = served.client().with("if-match", question["etag"].as_str().expect("a tag"));
        let path = answer_path(&run, &question);
        let racers: Vec<_> = (0..4)
            .map(|_| {
                let (client, path) = (client.clone(), path.clone());
                thread::spawn(move || client.post(&path, &json!({"answer": "more"})))
            })
            .collect();
        let responses: Vec<_> = racers.into_iter().map(|racer| racer.join().expect("no panic")).collect();
        let won = responses.iter().filter(|response| response.status == 202).count();
        assert_eq!(won, 1, "{responses:?}");
        for lost in responses.iter().filter(|response| response.status != 202) {
            assert_eq!(lost.is_problem(409, "answered")["answered"]["by"], "operator");
        }
        let shown =
            served.having(&run, |shown| shown["asks"][0]["text"] == "Round 1 about bees: more or stop?");
        assert_eq!(shown["lanes"][0]["state"]["said"], json!(["more"]));
    }
}

#[test]
fn the_tag_of_a_question_stays_while_other_lanes_go_on() {
    let served = Served::of(&[("talk.yaml", TALK), ("pair.yaml", PAIR)], "");
    let client = served.client();
    let shown = served.asking("pair", "lanes");
    let of = |shown: &Value, topic: &str| {
        let asks = shown["asks"].as_array().expect("a list").clone();
        asks.into_iter().find(|ask| ask["text"].as_str().is_some_and(|text| text.contains(topic)))
    };
    let (left, right) = (of(&shown, "left").expect("it asks"), of(&shown, "right").expect("it asks"));
    let answer = |question: &Value, word: &str| {
        let client = client.with("if-match", question["etag"].as_str().expect("a tag"));
        client.post(&answer_path("lanes", question), &json!({"answer": word}))
    };
    answer(&left, "more").is(202);
    let after = served.having("lanes", |shown| of(shown, "Round 1 about left").is_some());
    assert_eq!(of(&after, "right").map(|ask| ask["etag"].clone()), Some(right["etag"].clone()));
    answer(&right, "stop").is(202);
    let last = of(&served.having("lanes", |shown| shown["asks"].as_array().map(Vec::len) == Some(1)), "left");
    answer(&last.expect("it asks"), "stop").is(202);
    served.having("lanes", |shown| shown["status"] == "ended");
}

#[test]
fn a_call_is_approved_with_changed_arguments() {
    let desk = crate::cli::Desk::new();
    std::fs::create_dir(desk.folder.path().join("web")).expect("a folder can be made");
    desk.write("web/pays.yaml", PAYS);
    desk.write("web/loopwright.toml", PAYS_TOML);
    let served = Served::on(desk, "--grant pay", &[]);
    let client = served.client();
    let shown = served.asking("pays", "approved");
    let question = &shown["asks"][0];
    assert_eq!(
        (&question["reason"], &question["call"]["args"]),
        (&json!("approval"), &json!({"to": "bob", "amount": 5}))
    );
    let inbox = client.get("/api/v1/questions").json();
    assert_eq!(inbox["questions"][0]["call"]["tool"], "pay");
    let matching = client.with("if-match", question["etag"].as_str().expect("a tag"));
    let path = answer_path("approved", question);
    matching.post(&path, &json!({"answer": "approve"})).is_problem(422, "unfit");
    let answer = json!({"answer": {"approve": question["approve"], "args": {"to": "bob", "amount": 3}}});
    matching.post(&path, &answer).is(202);
    let ended = served.having("approved", |shown| shown["status"] == "ended");
    assert_eq!(ended["output"]["receipt"].as_str().map(str::trim), Some("bob 3"));
}

#[test]
fn runs_are_ended_sent_back_and_branched_off() {
    let served = Served::of(&[("talk.yaml", TALK), ("slow.yaml", SLOW)], "");
    let client = served.client();
    let answer = |run: &str, word: &str| {
        let question = served.waiting(run)["asks"][0].clone();
        let before = question["text"].clone();
        client.with("if-match", "*").post(&answer_path(run, &question), &json!({"answer": word})).is(202);
        served.having(run, |shown| shown["asks"][0]["text"] != before)
    };
    // What a graph answers to `abort`, and the end for good.
    served.asking("talk", "aborted");
    client.post("/api/v1/runs/aborted/abort", &json!({"reason": "enough"})).is(202);
    let aborted = served.having("aborted", |shown| shown["status"] == "failed");
    assert_eq!(aborted["outcome"], "given_up");
    served.asking("talk", "cancelled");
    client.post("/api/v1/runs/cancelled/cancel", &json!({})).is(202);
    served.having("cancelled", |shown| shown["outcome"] == "given_up");
    client.post("/api/v1/runs", &json!({"graph": "slow", "run": "driven"})).is(202);
    served.having("driven", |shown| shown["status"] == "running");
    client.post("/api/v1/runs/driven/cancel", &json!({"reason": "late"})).is(202);
    let driven = served.having("driven", |shown| shown["status"] == "failed");
    assert_eq!(driven["outcome"], "failed");
    // Back, with the head that was seen.
    served.asking("talk", "back");
    answer("back", "more");
    let shown = answer("back", "more");
    assert_eq!(shown["lanes"][0]["state"]["said"], json!(["more", "more"]));
    let head = client.get("/api/v1/runs/back").header("etag").expect("a tag").to_owned();
    let plan = client.get("/api/v1/runs/back/rollback?to=1").json();
    assert_eq!(plan, json!({"run": "back", "from": 2, "to": 1, "left": []}));
    client.post("/api/v1/runs/back/rollback", &json!({"to": 1})).is_problem(428, "if-match");
    client
        .with("if-match", "\"head-1\"")
        .post("/api/v1/runs/back/rollback", &json!({"to": 1}))
        .is_problem(412, "stale");
    client
        .with("if-match", &head)
        .post("/api/v1/runs/back/rollback", &json!({"to": 9}))
        .is_problem(404, "not-found");
    client.with("if-match", &head).post("/api/v1/runs/back/rollback", &json!({"to": 1})).is(200);
    let ready = client.get("/api/v1/runs/back").json();
    assert_eq!((&ready["status"], &ready["lanes"][0]["state"]["said"]), (&json!("ready"), &json!(["more"])));
    let forked = client.post("/api/v1/runs/back/fork", &json!({"at": 1, "run": "branch"})).is(201);
    assert_eq!(forked.header("location"), Some("/api/v1/runs/branch"));
    for run in ["back", "branch"] {
        client.post(&format!("/api/v1/runs/{run}/resume"), &json!({})).is(202);
        assert_eq!(served.waiting(run)["asks"][0]["text"], "Round 1 about bees: more or stop?");
    }
    answer("back", "stop");
    let told = events(&client, "back");
    let acts: Vec<_> =
        told.iter().filter(|told| told.event == "act").map(|told| told.data["type"].clone()).collect();
    assert_eq!(acts, ["rolled_back", "resumed"]);
    let first = &events(&client, "branch")[0];
    assert_eq!(
        (&first.data["type"], &first.data["of"], &first.data["by"]),
        (&json!("forked"), &json!("back"), &json!("operator"))
    );
    // State, difference, and who asked.
    let state = client.get("/api/v1/runs/branch/state?step=1").json();
    assert_eq!(state["lanes"][0]["state"]["said"], json!(["more"]));
    let diff = client.get("/api/v1/runs/back/diff?from=0&to=1").json();
    let said = diff["changes"]
        .as_array()
        .expect("a list")
        .iter()
        .find(|change| change["path"] == "/root/state/said/0");
    assert_eq!(said.map(|change| &change["after"]), Some(&json!("more")), "{diff}");
    client.get("/api/v1/runs/back/state?step=99").is_problem(404, "not-found");
    client.get("/api/v1/runs/back/prompts/none").is_problem(404, "not-found");
}

#[test]
fn runs_wait_for_their_turn() {
    let served = Served::of(&[("slow.yaml", SLOW)], "--at-once 1");
    let client = served.client();
    for run in ["first", "second", "third"] {
        client.post("/api/v1/runs", &json!({"graph": "slow", "run": run})).is(202);
    }
    let status = |run: &str| client.get(&format!("/api/v1/runs/{run}")).json()["status"].clone();
    assert_eq!(
        (status("first"), status("second"), status("third")),
        (json!("running"), json!("queued"), json!("queued"))
    );
    client.post("/api/v1/runs/first/cancel", &json!({})).is(202);
    served.having("second", |shown| shown["status"] == "running");
    assert_eq!(status("third"), "queued");
    client.post("/api/v1/runs/third/cancel", &json!({})).is(202);
    served.having("third", |shown| shown["status"] == "failed");
}
