//! Texts that whoever wrote a graph, a model, a tool or a person can fill in: they come out as texts, wherever they are shown.

use std::fs;
use std::io::Write;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use super::client::{Client, Response};
use super::world::{Served, TALK, answer_path, events};
use crate::cli::Desk;
use crate::until::until;

/// Texts that are something else to some reader.
const HOSTILE: [&str; 9] = [
    "</script><script>alert(1)</script>",
    "<svg onload=alert(1)><foreignObject><a href=javascript:alert(1)>x</a></foreignObject></svg>",
    "\" onmouseover=\"alert(1)\" x='&quot;&lt;]]>--><!--",
    "\u{202e}gpj.exe\u{2066}\u{200f} \u{200b}hidden\u{feff}",
    "\u{1b}[2J\u{1b}]0;title\u{7}\u{1b}]52;c;YQ==\u{9c}\u{0}\u{8}",
    "one\n\nevent: event\ndata: {\"type\":\"done\"}\nid: 99\n\n",
    "a\r\nset-cookie: x=y\r\n\r\n<html>\u{2028}\u{2029}\u{85}",
    "{{ topic }} {% include \"x\" %} ${topic} $(id) `id` %s %n ../../etc/passwd",
    "}\"} 1\n# EOF\nloopwright_runs{status=\"waiting\"} 99\n",
];

/// A text of a megabyte that ends with a word of its own.
fn long() -> String {
    "<b>x</b> ".repeat(110_000) + "<script>end</script>"
}

/// A model says what the input is, a tool gives it back, another fails with it, and a person is asked it.
const ODD: &str = "
graph: odd
input: {topic: string}
state: {said: string?, got: string?, word: string?, why: string?}
start: say
nodes:
  say: {kind: model, role: speaker, prompt: \"'Say ' + topic\", into: said, next: [{to: use}, {to: failed, on: error}]}
  use: {kind: tool, tool: echo, args: {text: topic}, into: got, next: [{to: crack}, {to: failed, on: error}]}
  crack: {kind: tool, tool: fail, args: {text: topic}, next: [{to: ask}, {to: ask, on: error, do: why = error.message}]}
  ask: {kind: human, ask: topic, into: word, next: [{to: again}, {to: failed, on: error}]}
  again: {kind: human, ask: \"'Is it ' + (word ?? '') + '?'\", next: [{to: end}, {to: failed, on: error}]}
  end: {kind: final}
  failed: {kind: final, ok: false}
output: {said: said, got: got, word: word, why: why}
";

const ODD_SCRIPT: &str = "
model:
  - \"{{ topic }}\"
tools:
  - {tool: echo, ok: \"{{ topic }}\"}
  - {tool: fail, error: {kind: unavailable, message: \"{{ topic }}\"}}
";

/// Everything that is shown of a run, as JSON.
const SHOWN: [&str; 5] = ["", "/state", "/state?step=1", "/diff?from=0&to=3", "/rollback?to=1"];

fn desk(files: &[(&str, &str)]) -> Desk {
    let desk = Desk::new();
    fs::create_dir(desk.folder.path().join("web")).expect("a folder can be made");
    for (name, text) in files {
        desk.write(name, text);
    }
    desk
}

/// A response of JSON that a browser takes for nothing else.
#[track_caller]
#[expect(clippy::needless_pass_by_value, reason = "it is the last that is done with a response")]
fn guarded(response: Response) -> Value {
    let kind = if response.status < 400 { "application/json" } else { "application/problem+json" };
    assert_eq!(response.header("content-type"), Some(kind), "{response:?}");
    assert_eq!(response.header("x-content-type-options"), Some("nosniff"));
    assert!(response.header("set-cookie").is_none(), "{:?}", response.headers);
    response.json()
}

/// True if one of the texts of a value has that text in it.
fn has(value: &Value, text: &str) -> bool {
    match value {
        Value::String(own) => own.contains(text),
        Value::Array(items) => items.iter().any(|item| has(item, text)),
        Value::Object(fields) => fields.iter().any(|(name, value)| name.contains(text) || has(value, text)),
        _ => false,
    }
}

/// The frames of a stream hold nothing but their fields: no text begins a line of its own.
fn frames(client: &Client, run: &str, text: &str) {
    let stream = client.get(&format!("/api/v1/runs/{run}/events?follow=false"));
    assert_eq!(stream.header("content-type"), Some("text/event-stream"));
    assert_eq!(stream.header("x-content-type-options"), Some("nosniff"));
    let body = stream.body;
    assert!(!body.contains('\r'), "{body}");
    let mut ids = Vec::new();
    let mut found = false;
    for frame in body.split_terminator("\n\n") {
        let lines: Vec<(&str, &str)> = frame.split('\n').filter_map(|line| line.split_once(": ")).collect();
        assert_eq!(lines.len(), frame.split('\n').count(), "{frame}");
        let names: Vec<&str> = lines.iter().map(|(name, _)| *name).collect();
        match &names[..] {
            ["retry"] => {}
            ["id", "event", "data"] => {
                let data: Value = serde_json::from_str(lines[2].1).expect("data are JSON");
                ids.push(data["seq"].as_u64().expect("an event"));
                found |= has(&data, text);
            }
            ["event", "data"] if lines[0].1 == "piece" => {}
            other => panic!("{other:?} in {frame}"),
        }
    }
    assert!(found, "the stream of {run} has the text");
    assert!(ids.iter().enumerate().all(|(place, id)| *id == place as u64), "{ids:?}");
}

/// A terminal obeys nothing of it.
fn harmless(text: &str, what: &str) {
    let odd = |c: char| {
        (c.is_control() && c != '\n' && c != '\t')
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
    };
    if let Some(at) = text.find(odd) {
        panic!("{what}: {:?}", text[at..].chars().take(40).collect::<String>());
    }
}

#[test]
fn texts_of_runs_come_out_as_texts() {
    let files = [("web/odd.yaml", ODD), ("odd.script.yaml", ODD_SCRIPT)];
    let served = Served::on(desk(&files), "--script odd.script.yaml", &[]);
    let client = served.client();
    let long = long();
    for (number, text) in HOSTILE.into_iter().chain([&*long]).enumerate() {
        let run = format!("odd-{number}");
        let begin = json!({"graph": "odd", "run": run, "input": {"topic": text}});
        guarded(client.post("/api/v1/runs", &begin).is(202));
        let asked = served.waiting(&run)["asks"][0].clone();
        assert!(has(&asked, text), "a question: {text:.100}");
        let inbox = guarded(client.get("/api/v1/questions"));
        assert!(has(&inbox, text), "the inbox: {text:.100}");
        // An answer, and a question that has it.
        let answers = client.with("if-match", "*");
        guarded(answers.post(&answer_path(&run, &asked), &json!({"answer": text})).is(202));
        let again = served.having(&run, |shown| shown["asks"][0]["node"] == "again")["asks"][0].clone();
        assert!(has(&again, text), "an answer: {text:.100}");
        let late = answers.post(&answer_path(&run, &asked), &json!({"answer": "x"}));
        assert!(has(&late.is_problem(409, "answered")["answered"], text));
        let shown = guarded(client.get(&format!("/api/v1/runs/{run}")));
        let state = &shown["lanes"][0]["state"];
        for (field, wanted) in [("said", text), ("got", text), ("word", text), ("why", text)] {
            assert!(has(&state[field], wanted), "{field} of {text:.100}");
        }
        for path in SHOWN {
            let shown = client.get(&format!("/api/v1/runs/{run}{path}"));
            assert_eq!(shown.status, 200, "{path}: {shown:?}");
            guarded(shown);
        }
        // What the model and the tools were given, and what they gave.
        let calls: Vec<String> = events(&client, &run)
            .into_iter()
            .filter(|told| told.data["type"] == "called")
            .filter_map(|told| told.data["call"].as_str().map(str::to_owned))
            .collect();
        assert_eq!(calls.len(), 3, "{calls:?}");
        for call in calls {
            let call = call.replace('#', "%23").replace(':', "%3A");
            let exchange = guarded(client.get(&format!("/api/v1/runs/{run}/prompts/{call}")).is(200));
            assert!(has(&exchange["called"], text) && has(&exchange["resolved"], text), "{exchange:.300}");
        }
        let reason: String = text.chars().take(900).collect();
        guarded(client.post(&format!("/api/v1/runs/{run}/abort"), &json!({"reason": reason})).is(202));
        let ended = served.having(&run, |shown| shown["status"] == "cancelled");
        assert!(has(&ended, text) || text.len() > 900);
        frames(&client, &run, text);
        for words in [format!("log {run}"), format!("show {run}"), "runs".to_owned()] {
            let ran = served.desk.run(&words);
            harmless(&ran.stdout, &words);
            harmless(&ran.stderr, &words);
        }
    }
    figures(&client);
    guarded(client.get("/api/v1/runs"));
}

#[test]
fn names_that_strangers_choose_are_refused_or_shown_as_texts() {
    let toml = "[webhooks.issues]\ngraph = \"talk\"\nsecret_env = \"S\"\ninputs = {topic = \"/topic\"}\n";
    let desk = desk(&[("web/talk.yaml", TALK), ("hooks.toml", toml)]);
    let secret = "a secret of the tests, long enough";
    let served = Served::on(desk, "--config hooks.toml", &[("S", secret)]);
    let client = served.client();
    served.asking("talk", "one");
    let long = long();
    for (number, text) in HOSTILE.into_iter().chain([&*long]).enumerate() {
        // Ids of runs and of branches.
        let refused = client.post("/api/v1/runs", &json!({"graph": "talk", "run": text}));
        refused.is_problem(422, "unfit");
        guarded(refused);
        let refused = client.post("/api/v1/runs/one/fork", &json!({"at": 0, "run": text}));
        refused.is_problem(422, "unfit");
        guarded(refused);
        // Names of graphs, in a body and in an address, and everything else that an address has.
        guarded(client.post("/api/v1/runs", &json!({"graph": text, "run": "two"})).is(404));
        let encoded: Vec<_> = text.bytes().take(2_000).map(|byte| format!("%{byte:02X}")).collect();
        let encoded = encoded.concat();
        for path in [
            format!("/api/v1/graphs/{encoded}"),
            format!("/api/v1/graphs/{encoded}/drawing"),
            format!("/api/v1/graphs/talk/drawing?view={encoded}&as=svg"),
            format!("/api/v1/runs/{encoded}"),
            format!("/api/v1/runs/one/prompts/{encoded}"),
            format!("/api/v1/runs?status={encoded}"),
            format!("/api/v1/runs/one/events?after={encoded}"),
            format!("/page/{encoded}"),
        ] {
            let response = client.get(&path);
            assert!((400..500).contains(&response.status), "{path}: {response:?}");
            guarded(response);
        }
        // A delivery, signed by whoever may.
        let body = json!({"topic": text}).to_string();
        let hook = served.stranger().with("x-github-delivery", &format!("d-{number}"));
        let signed = hook.with("x-hub-signature-256", &super::webhooks::sign(secret, &body));
        let run = guarded(signed.send("POST", "/hooks/issues", Some(&body)).is(202))["run"].clone();
        let run = run.as_str().expect("an id");
        assert!(has(&served.waiting(run)["asks"][0], text));
        frames(&client, run, text);
        guarded(hook.send("POST", &format!("/hooks/{encoded}"), Some(&body)).is(401));
    }
    figures(&client);
}

#[test]
fn names_of_people_are_refused_or_shown_as_texts() {
    let long = long();
    let (seen, unseen) = HOSTILE.split_at(1);
    for text in unseen.iter().copied().chain([&*long]) {
        let ran = desk_of_tokens(text).run("serve web --listen 127.0.0.1:0 --token-file tokens");
        assert_eq!(ran.code, Some(2), "{}", ran.transcript());
        harmless(&ran.stderr, "the refusal");
    }
    // What a terminal shows as it is may be a name.
    let served = Served::on(desk_of_tokens(seen[0]), "--token-file tokens", &[]);
    let client = served.with_token(&"t".repeat(40));
    assert_eq!(guarded(client.get("/api/v1/session"))["name"], seen[0]);
    guarded(client.post("/api/v1/runs", &json!({"graph": "talk", "run": "one"})).is(202));
    let mut stream = client.watch("/api/v1/runs/one/events");
    let begun = stream.next().expect("it began");
    assert_eq!(begun.data["by"], seen[0]);
    assert!(has(&guarded(client.get("/api/v1/runs/one"))["watchers"], seen[0]));
    figures(&client);
}

/// A desk where somebody has an odd name.
fn desk_of_tokens(name: &str) -> Desk {
    use std::os::unix::fs::PermissionsExt;
    let desk = desk(&[("web/talk.yaml", TALK), ("tokens", &format!("{name} run {}\n", "t".repeat(40)))]);
    let path = desk.folder.path().join("tokens");
    fs::set_permissions(path, fs::Permissions::from_mode(0o600)).expect("it can be set");
    desk
}

#[test]
fn texts_of_graphs_come_out_as_texts() {
    let graph = |number: usize, text: &str| {
        let text = json!(text);
        format!(
            "graph: odd{number}\ntitle: {text}\ndoc: {text}\nstate: {{word: string?}}\nviews: {{short: {{flat: true}}}}\nstart: ask\nnodes:\n  \
             ask: {{kind: human, title: {text}, doc: {text}, ask: \"'Well?'\", into: word, next: [{{to: end, when: \"word == 'x'\", \
             title: {text}}}, {{to: end}}]}}\n  end: {{kind: final, title: {text}}}\n"
        )
    };
    let scenarios = |number: usize, text: &str| {
        format!(
            "graph: odd{number}.yaml\nscenarios:\n  - {{name: {}, human: [x], expect: {{outcome: end}}}}\n",
            json!(text)
        )
    };
    let long = long();
    let texts: Vec<&str> = HOSTILE.into_iter().chain([&*long]).collect();
    let desk = desk(&[]);
    for (number, text) in texts.iter().enumerate() {
        desk.write(&format!("web/odd{number}.yaml"), &graph(number, text));
        desk.write(&format!("web/odd{number}.scenarios.yaml"), &scenarios(number, text));
    }
    let served = Served::on(desk, "", &[]);
    let client = served.client();
    let list = guarded(client.get("/api/v1/graphs"));
    assert_eq!(list["graphs"].as_array().map(Vec::len), Some(texts.len()));
    for (number, text) in texts.iter().enumerate() {
        let name = format!("odd{number}");
        let shown = guarded(client.get(&format!("/api/v1/graphs/{name}")));
        if shown["runnable"] == true {
            assert!(has(&shown["title"], text) && has(&shown["doc"], text), "{shown:.300}");
            assert!(
                has(&shown["scenarios"], text) || has(&shown["scenarios"], "failed"),
                "{:.300}",
                shown["scenarios"]
            );
        }
        for form in ["svg", "mermaid", "flowchart", "dot"] {
            for view in ["", "&view=short"] {
                let drawn = client.get(&format!("/api/v1/graphs/{name}/drawing?as={form}{view}"));
                assert_eq!(drawn.header("x-content-type-options"), Some("nosniff"));
                if drawn.status != 200 {
                    guarded(drawn);
                } else if form == "svg" {
                    picture(&drawn, text);
                } else {
                    let kind = drawn.header("content-type").unwrap_or_default();
                    assert!(kind.starts_with("text/vnd."), "{kind}");
                }
            }
        }
        // What one types.
        let typed = graph(number, text).replace("start: ask", &format!("start: {}", json!(text)));
        for (path, body) in [
            ("check", json!({"files": {"a.yaml": typed}})),
            ("render", json!({"files": {"a.yaml": typed}, "as": "svg"})),
            ("diff", json!({"before": {"a.yaml": TALK}, "after": {"a.yaml": typed}})),
            ("check", json!({"files": {(*text): TALK}})),
        ] {
            let response = client.post(&format!("/api/v1/{path}"), &body);
            assert!(response.status < 500, "{path}: {response:?}");
            guarded(response);
        }
    }
    figures(&client);
}

/// A picture has shapes and texts and nothing that acts or leads elsewhere, and is XML.
fn picture(drawn: &Response, text: &str) {
    assert_eq!(drawn.header("content-type"), Some("image/svg+xml; charset=utf-8"));
    let program = "
import sys
import xml.etree.ElementTree as tree
for element in tree.fromstring(sys.stdin.buffer.read()).iter():
    name = element.tag.split('}')[-1]
    assert name in ('svg', 'g', 'path', 'rect', 'circle', 'ellipse', 'polygon', 'polyline', 'line', 'text', 'tspan', 'defs', 'marker', 'style', 'title', 'desc'), name
    for key, value in element.attrib.items():
        key = key.split('}')[-1].lower()
        assert not key.startswith('on') and key != 'href' and 'javascript:' not in value.lower(), key
";
    let mut child = Command::new("python3")
        .args(["-c", program])
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("python3 is there");
    child.stdin.take().expect("it reads").write_all(drawn.body.as_bytes()).expect("it is read");
    let output = child.wait_with_output().expect("it ends");
    assert!(output.status.success(), "{text:.100}: {}", String::from_utf8_lossy(&output.stderr));
}

/// The figures are lines of the form that `OpenMetrics` has, and end once.
fn figures(client: &Client) {
    let response = client.get("/metrics").is(200);
    assert!(
        response.header("content-type").is_some_and(|kind| kind.starts_with("application/openmetrics-text"))
    );
    let line = regex::Regex::new(
        r#"^(# (TYPE|HELP|UNIT) loopwright_[a-z_]+ [ -~]+|loopwright_[a-z_]+(\{[a-z]+="[a-z0-9_.+-]*"(,[a-z]+="[a-z0-9_.+A-Z-]*")*\})? [0-9.]+|# EOF)$"#,
    )
    .expect("a pattern");
    for own in response.body.lines() {
        assert!(line.is_match(own), "{own}");
    }
    assert_eq!(response.body.matches("# EOF").count(), 1);
    until("the figures end", || client.get("/metrics").body.ends_with("# EOF\n"));
}
