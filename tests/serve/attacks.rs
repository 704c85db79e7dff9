//! Attempts of strangers and of pages of other origins.

use std::io::Write;
use std::net::TcpStream;
use std::time::{Duration, Instant};

use serde_json::json;

use super::client::Connection;
use super::world::{Served, TALK, answer_path};

#[test]
fn nothing_is_told_without_a_token_and_every_response_is_guarded() {
    let served = Served::of(&[("talk.yaml", TALK)], "");
    let (client, stranger) = (served.client(), served.stranger());
    served.asking("talk", "one");
    let paths = [
        "/api/v1/runs",
        "/api/v1/runs/one",
        "/api/v1/runs/one/events",
        "/api/v1/runs/one/state",
        "/api/v1/questions",
        "/api/v1/graphs",
        "/api/v1/graphs/talk",
        "/api/v1/openapi.json",
        "/metrics",
        "/api/v1/none",
        "/api/",
    ];
    for path in paths {
        let response = stranger.get(path);
        response.is_problem(401, "token");
        assert_eq!(response.header("www-authenticate"), Some("Bearer"));
    }
    let right = served.token();
    for wrong in [
        "",
        "x",
        &right[1..],
        &right[..63],
        &format!("{}z", &right[..63]),
        &format!("{right}0"),
        &right.to_uppercase(),
        &"0".repeat(64),
    ] {
        stranger
            .with("authorization", &format!("Bearer {wrong}"))
            .get("/api/v1/runs")
            .is_problem(401, "token");
    }
    stranger.with("authorization", &format!("Basic {right}")).get("/api/v1/runs").is_problem(401, "token");
    stranger.with("cookie", &format!("loopwright_1={right}")).get("/api/v1/runs").is_problem(401, "token");
    let port = served.address.rsplit(':').next().expect("a port");
    // The cookie is not the token, and the token is no cookie.
    stranger
        .with("cookie", &format!("loopwright_{port}={right}"))
        .get("/api/v1/runs")
        .is_problem(401, "token");
    for response in [client.get("/api/v1/runs"), stranger.get("/api/v1/runs"), stranger.get("/nothing")] {
        let policy = response.header("content-security-policy").expect("a policy");
        for part in ["default-src 'none'", "frame-ancestors 'none'", "object-src 'none'", "script-src 'self'"]
        {
            assert!(policy.contains(part) && !policy.contains("unsafe"), "{policy}");
        }
        assert_eq!(response.header("x-content-type-options"), Some("nosniff"));
        assert_eq!(response.header("cache-control"), Some("no-store"));
        assert_eq!(response.header("access-control-allow-origin"), None);
    }
}

#[test]
fn other_hosts_other_origins_and_tokens_in_addresses_are_refused() {
    let served = Served::of(&[("talk.yaml", TALK)], "");
    let client = served.client();
    let port = served.address.rsplit(':').next().expect("a port").to_owned();
    for host in ["evil.example", "127.0.0.1", "127.0.0.1:1", "localhost.evil.example", ""] {
        client.with("host", host).get("/api/v1/runs").is_problem(421, "host");
    }
    client.with("host", &format!("evil.example:{port}")).get("/").is_problem(421, "host");
    client.with("host", &format!("LOCALHOST:{port}")).get("/api/v1/runs").is(200);
    let token = served.token();
    for query in
        [format!("token={token}"), format!("access_token={token}"), format!("x={token}"), "token=".to_owned()]
    {
        client.get(&format!("/api/v1/runs?{query}")).is_problem(400, "token-in-address");
        served.stranger().get(&format!("/?{query}")).is_problem(400, "token-in-address");
    }
    // A page swaps its token for a cookie; only its own pages use it.
    let own = format!("http://{}", served.address);
    let stranger = served.stranger();
    stranger
        .with("origin", "http://evil.example")
        .post("/api/v1/session", &json!({"token": token}))
        .is_problem(403, "origin");
    stranger
        .with("origin", &own)
        .post("/api/v1/session", &json!({"token": "wrong"}))
        .is_problem(401, "token");
    let session = stranger.with("origin", &own).post("/api/v1/session", &json!({"token": token})).is(200);
    let cookie = session.header("set-cookie").expect("a cookie");
    for part in ["HttpOnly", "SameSite=Strict", "Path=/"] {
        assert!(cookie.contains(part), "{cookie}");
    }
    assert!(!cookie.contains(&token), "the cookie tells no token");
    let page = stranger.with("cookie", cookie.split(';').next().expect("a cookie"));
    page.get("/api/v1/runs").is(200);
    let begin = json!({"graph": "talk", "run": "one"});
    page.post("/api/v1/runs", &begin).is_problem(403, "origin");
    for origin in
        ["http://evil.example", "null", "http://127.0.0.1:1", &format!("https://{}", served.address)]
    {
        page.with("origin", origin).post("/api/v1/runs", &begin).is_problem(403, "origin");
        page.with("origin", origin).get("/api/v1/runs").is_problem(403, "origin");
    }
    for site in ["cross-site", "same-site"] {
        page.with("sec-fetch-site", site).get("/api/v1/runs").is_problem(403, "origin");
        page.with("origin", &own)
            .with("sec-fetch-site", site)
            .post("/api/v1/runs", &begin)
            .is_problem(403, "origin");
    }
    // What a form of a page can send is no JSON.
    let form = page.with("origin", &own).with("content-type", "text/plain");
    form.post("/api/v1/runs", &begin).is_problem(415, "media-type");
    page.with("origin", &own).post("/api/v1/runs", &begin).is(202);
    let removed = page.with("origin", &own).send("DELETE", "/api/v1/session", None).is(204);
    assert!(removed.header("set-cookie").is_some_and(|cookie| cookie.contains("Max-Age=0")));
}

#[test]
fn names_of_files_and_graphs_lead_nowhere() {
    let served = Served::of(&[("talk.yaml", TALK)], "");
    let client = served.client();
    for name in ["..%2f..%2fetc%2fpasswd", "%2e%2e", "%00", "talk.yaml", "..\\talk", "a%2fb"] {
        client.get(&format!("/api/v1/graphs/{name}")).is_problem(404, "not-found");
        client.get(&format!("/api/v1/runs/{name}")).is_problem(404, "not-found");
        client.get(&format!("/api/v1/runs/{name}/events")).is_problem(404, "not-found");
    }
    for path in [
        "/page/../../etc/passwd",
        "/page/..%2f..%2fetc%2fpasswd",
        "/../etc/passwd",
        "/%2e%2e/%2e%2e/etc/passwd",
        "//etc/passwd",
        "/api/v1/../../etc/passwd",
    ] {
        let response = client.get(path);
        assert!(response.status == 404 && !response.body.contains("root:"), "{response:?}");
    }
    // Texts are read without a disk.
    let outside = json!({"files": {"../a.yaml": TALK}});
    client.post("/api/v1/check", &outside).is_problem(422, "refused");
    let named = TALK.replace("title: Talk", "title: Talk\nuse: [/etc/passwd]");
    let checked = client.post("/api/v1/check", &json!({"files": {"a.yaml": named}}));
    assert!(!checked.body.contains("root:"), "{checked:?}");
}

#[test]
fn headers_bodies_and_nesting_are_bounded() {
    let served = Served::of(&[("talk.yaml", TALK)], "");
    let client = served.client();
    let many = (0..100).fold(client.clone(), |client, number| client.with(&format!("x-{number}"), "y"));
    assert_eq!(many.get("/api/v1/runs").status, 431);
    let long = client.with("x-long", &"y".repeat(300_000)).get("/api/v1/runs");
    assert_eq!(long.status, 431);
    let mut connection = Connection::open(&served.address);
    let token = served.token();
    let head = format!(
        "POST /api/v1/check HTTP/1.1\r\nhost: {}\r\nauthorization: Bearer {token}\r\ncontent-type: application/json\r\n\
         content-length: 99999999999\r\n\r\n",
        served.address
    );
    connection.write(head.as_bytes());
    connection.response().is_problem(413, "too-large");
    // What has no length is bounded as it comes.
    let mut connection = Connection::open(&served.address);
    connection.write(head.replace("content-length: 99999999999", "transfer-encoding: chunked").as_bytes());
    let chunk = format!("{:x}\r\n{}\r\n", 1 << 20, " ".repeat(1 << 20));
    for _ in 0..10 {
        connection.write(chunk.as_bytes());
    }
    connection.response().is_problem(413, "too-large");
    let deep = format!("{{\"files\": {}1{}}}", "[".repeat(100_000), "]".repeat(100_000));
    client.send("POST", "/api/v1/check", Some(&deep)).is_problem(400, "malformed");
    client.send("POST", "/api/v1/runs", Some("{")).is_problem(400, "malformed");
    client.send("POST", "/api/v1/runs", Some("")).is_problem(400, "malformed");
    client.send("PUT", "/api/v1/runs", Some("{}")).is_problem(405, "method");
    client.get("/api/v1/runs?limit=many").is_problem(400, "malformed");
    client.get("/api/v1/runs?status=none").is_problem(400, "malformed");
    client.get("/api/v1/runs").is(200);
}

#[test]
fn whoever_says_nothing_or_reads_nothing_keeps_nobody_waiting() {
    let served = Served::of(&[("talk.yaml", TALK)], "");
    let client = served.client();
    served.asking("talk", "one");
    // Connections over which nothing is asked, half a request, and streams that nobody reads.
    let silent: Vec<TcpStream> =
        (0..100).map(|_| TcpStream::connect(&served.address).expect("it listens")).collect();
    let mut half = TcpStream::connect(&served.address).expect("it listens");
    half.write_all(b"GET /api/v1/runs HTTP/1.1\r\nhost: ").expect("it is taken");
    let streams: Vec<_> = (0..100).map(|_| client.watch("/api/v1/runs/one/events")).collect();
    let begun = Instant::now();
    let question = served.waiting("one")["asks"][0].clone();
    client.with("if-match", "*").post(&answer_path("one", &question), &json!({"answer": "stop"})).is(202);
    served.having("one", |shown| shown["status"] == "ended");
    // No judgement of speed: it does not wait for any of them.
    assert!(begun.elapsed() < Duration::from_secs(30));
    drop((silent, half, streams));
}

#[test]
fn hostile_texts_come_out_as_texts() {
    let hostile = "</script><script>alert(1)</script> \u{202e}\u{1b}[2J\u{0} \"'` \u{2028}<svg onload=x>";
    let served = Served::of(&[("talk.yaml", TALK)], "");
    let client = served.client();
    client.post("/api/v1/runs", &json!({"graph": "talk", "run": "one", "input": {"topic": hostile}})).is(202);
    let shown = served.waiting("one");
    assert!(shown["asks"][0]["text"].as_str().is_some_and(|text| text.contains(hostile)));
    let response = client.get("/api/v1/runs/one");
    assert_eq!(response.header("content-type"), Some("application/json"));
    let mut stream = client.watch("/api/v1/runs/one/events?follow=false");
    let asked = stream.until(|message| message.data["type"] == "asked").pop().expect("it asks");
    assert!(asked.data["text"].as_str().is_some_and(|text| text.contains(hostile)));
    let reason = "x".repeat(2_000);
    client.post("/api/v1/runs/one/abort", &json!({"reason": reason})).is_problem(422, "unfit");
    client.post("/api/v1/runs/one/abort", &json!({"reason": hostile})).is(202);
    served.having("one", |shown| shown["status"] == "failed");
    let log = served.desk.run("log one");
    assert!(!log.stdout.contains('\u{1b}') && !log.stdout.contains('\u{202e}'), "{}", log.transcript());
}
