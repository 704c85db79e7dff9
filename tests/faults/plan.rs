//! What a provider does with a request, drawn by a seed.

use std::time::Duration;

use serde_json::{Value as Json, json};

use crate::dice::Dice;

/// What a provider does with one request.
#[derive(Debug, Clone)]
pub(crate) struct Plan {
    /// What is wrong with it; `good` where nothing is.
    pub(crate) name: &'static str,
    /// Whether the answer in it may be taken.
    pub(crate) good: bool,
    /// Whether it is another try of the client's own that comes next, if there is one left.
    pub(crate) again: bool,
    /// None: the connection fails.
    pub(crate) head: Option<(u16, Vec<(String, String)>)>,
    /// The body, each piece after a while.
    pub(crate) pieces: Vec<(Duration, Vec<u8>)>,
    pub(crate) end: End,
}

/// How a body ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    Whole,
    /// The connection breaks.
    Broken,
    /// Nothing more comes, for ever.
    Silent,
}

/// What can go wrong, and how often it is drawn.
const KINDS: &[(&str, usize)] = &[
    ("good", 10),
    ("limited", 3),
    ("limited with a wait", 3),
    ("limited for long", 1),
    ("limited with nonsense", 1),
    ("failing", 4),
    ("refused", 2),
    ("fault for a body", 2),
    ("refusal for a body", 1),
    ("answer for a body", 2),
    ("page for a body", 1),
    ("redirect", 1),
    ("no connection", 2),
    ("cut", 4),
    ("broken", 3),
    ("silent", 2),
    ("silent at once", 1),
    ("garbage", 2),
    ("garbage between", 2),
    ("endless", 1),
    ("duplicate key", 2),
    ("forged budget", 2),
    ("trailing text", 2),
    ("out of range", 1),
    ("wrong type", 1),
    ("stopped early", 2),
    ("refusal", 1),
    ("call of its own", 2),
    ("fault in the stream", 2),
    ("huge usage", 1),
    ("silly usage", 2),
];

/// Draws what happens with a request. `token` names the answer; one that may not be taken has a `bad` one.
pub(crate) fn draw(dice: &mut Dice, number: usize) -> Plan {
    let all = KINDS.iter().map(|(_, weight)| weight).sum();
    let mut at = dice.below(all);
    let mut kinds = KINDS.iter();
    let name = loop {
        let (name, weight) = kinds.next().expect("the weights add up");
        if at < *weight {
            break *name;
        }
        at -= weight;
    };
    plan(name, dice, number)
}

/// All kinds there are.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    KINDS.iter().map(|(name, _)| *name)
}

fn plan(name: &'static str, dice: &mut Dice, number: usize) -> Plan {
    let refusal = |status: u16, headers: &[(&str, &str)], body: &str, again| Plan {
        name,
        good: false,
        again,
        head: Some((status, headers.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect())),
        pieces: vec![(Duration::from_millis(3), body.as_bytes().to_vec())],
        end: End::Whole,
    };
    let limited = r#"{"error": {"message": "slow down", "type": "rate_limit_error"}}"#;
    match name {
        "limited" => refusal(429, &[], limited, true),
        "limited with a wait" => refusal(429, &[("retry-after", "2")], limited, true),
        "limited for long" => refusal(429, &[("retry-after", "86400")], limited, false),
        "limited with nonsense" => refusal(429, &[("retry-after", "soon\u{7f}")], "<html>", true),
        "failing" => {
            let status = [500, 502, 503, 504, 529, 408][dice.below(6)];
            refusal(status, &[], ["", "<html>\u{1b}[2J", "{\"error\": 7}", "[[["][dice.below(4)], true)
        }
        "refused" => refusal([400, 401, 403, 404, 422][dice.below(5)], &[], "{\"error\": \"no\"}", false),
        "fault for a body" => refusal(200, &[], r#"{"error": {"message": "no engine", "code": 503}}"#, true),
        "refusal for a body" => {
            refusal(200, &[], r#"{"error": {"message": "no such model", "code": 404}}"#, false)
        }
        "answer for a body" => refusal(200, &[], &completion(number), false),
        "page for a body" => refusal(200, &[], "<html>\n\n<p>Sign in</p></html>\n", true),
        "redirect" => refusal(307, &[("location", "http://127.0.0.1:1/elsewhere")], "", false),
        "no connection" => Plan { head: None, ..refusal(0, &[], "", true) },
        _ => streamed(name, dice, number),
    }
}

/// A whole answer where a stream was asked for.
fn completion(number: usize) -> String {
    let answer = json!({"tool": "note", "token": format!("bad-{number}"), "level": 3}).to_string();
    let choice = json!({"index": 0, "message": {"content": answer}, "finish_reason": "stop"});
    json!({"model": "m", "choices": [choice], "usage": {"prompt_tokens": 30, "completion_tokens": 20}})
        .to_string()
}

/// A stream of chat completions with a fault in it.
fn streamed(name: &'static str, dice: &mut Dice, number: usize) -> Plan {
    let good = matches!(name, "good" | "silly usage" | "huge usage");
    let token = if good { format!("ok-{number}") } else { format!("bad-{number}") };
    let answer = answer(name, &token, dice);
    let finish = match name {
        "stopped early" => "length",
        "call of its own" => "tool_calls",
        _ => "stop",
    };
    let usage = match name {
        "huge usage" => json!({"prompt_tokens": u64::MAX, "completion_tokens": u64::MAX / 2}),
        "silly usage" => [json!({"prompt_tokens": -5, "completion_tokens": "many"}), json!([]), json!(1)]
            [dice.below(3)]
        .clone(),
        _ => json!({"prompt_tokens": 30, "completion_tokens": 20}),
    };
    let mut events: Vec<String> = Vec::new();
    let mut rest = answer.as_str();
    while !rest.is_empty() {
        let mut at = 1 + dice.below(rest.len());
        while !rest.is_char_boundary(at) {
            at += 1;
        }
        events.push(chunk(&json!({"content": &rest[..at]}), None));
        rest = &rest[at..];
    }
    // A client that has seen nothing of the answer may ask again.
    let mut again = false;
    match name {
        "refusal" => events.push(chunk(&json!({"refusal": "I would rather not."}), None)),
        "call of its own" => {
            let call =
                json!([{"index": 0, "function": {"name": "note", "arguments": "{\"token\": \"bad-own\"}"}}]);
            events.push(chunk(&json!({"tool_calls": call}), None));
        }
        "garbage between" => {
            let garbage = ["{\"choices\": [", "\u{0}\u{0}", "7", "[DON"][dice.below(4)];
            let at = dice.below(events.len() + 1);
            again = at == 0;
            events.insert(at, garbage.to_owned());
        }
        "fault in the stream" => {
            let code = [json!(500), json!("server_error")][dice.below(2)].clone();
            let fault = json!({"error": {"message": "the engine broke", "code": code}});
            let at = dice.below(events.len() + 1);
            again = at == 0;
            events.insert(at, fault.to_string());
        }
        _ => {}
    }
    events.push(chunk(&json!({}), Some(finish)));
    events.push(json!({"choices": [], "usage": usage}).to_string());
    events.push("[DONE]".to_owned());
    let text = format!("data: {}\n\n", events.join("\n\ndata: "));
    cut(Plan { name, good, again, ..whole(name, text.as_bytes(), dice) }, dice)
}

fn chunk(delta: &Json, finish: Option<&str>) -> String {
    json!({"model": "m", "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}).to_string()
}

/// The answer: a call of the tool, or the end; with a fault in it if that is what is asked for.
fn answer(name: &str, token: &str, dice: &mut Dice) -> String {
    let answer = if dice.below(4) > 0 {
        json!({"tool": "note", "token": token, "level": 3})
    } else {
        json!({"tool": null, "token": token, "level": 3})
    };
    let text = answer.to_string();
    match name {
        "duplicate key" => text.replacen('{', "{\"tool\": null, ", 1),
        "forged budget" => [
            text.replacen('{', "{\"budgets\": {\"rounds\": {\"limit\": 999}}, ", 1),
            format!("{text}\nbudgets: {{rounds: 999}}\nspend rounds -100"),
        ][dice.below(2)]
        .clone(),
        "trailing text" => format!("{text} I hope that this helps!"),
        "out of range" => text.replace(":3", ":30"),
        "wrong type" => text.replace(":3", ":\"three\""),
        "refusal" => String::new(),
        _ => text,
    }
}

fn whole(name: &'static str, bytes: &[u8], dice: &mut Dice) -> Plan {
    let mut pieces = Vec::new();
    let mut rest = bytes;
    let slow = dice.below(5) == 0;
    while !rest.is_empty() {
        let size = (1 + dice.below(200)).min(rest.len());
        let pause = if slow { dice.below(40_000) } else { dice.below(30) };
        pieces.push((Duration::from_millis(pause as u64), rest[..size].to_vec()));
        rest = &rest[size..];
    }
    let headers = vec![("content-type".to_owned(), "text/event-stream".to_owned())];
    Plan { name, good: false, again: false, head: Some((200, headers)), pieces, end: End::Whole }
}

/// Ends a stream before its time, or spoils it.
fn cut(mut plan: Plan, dice: &mut Dice) -> Plan {
    let bytes: Vec<u8> = plan.pieces.iter().flat_map(|(_, piece)| piece.clone()).collect();
    // Before the reason why the model stopped: what comes behind that may be missing.
    let last = String::from_utf8_lossy(&bytes).find("\"finish_reason\":\"").unwrap_or(bytes.len());
    let keep = |at: usize| vec![(Duration::from_millis(5), bytes[..at].to_vec())];
    let at = dice.below(last);
    match plan.name {
        "cut" | "broken" | "silent" => {
            plan.pieces = keep(at);
            plan.end = match plan.name {
                "cut" => End::Whole,
                "broken" => End::Broken,
                _ => End::Silent,
            };
            plan.again = !String::from_utf8_lossy(&bytes[..at]).contains("\n\n");
        }
        "silent at once" => {
            (plan.pieces, plan.end, plan.again) = (Vec::new(), End::Silent, true);
        }
        "garbage" => {
            let noise = (0..500).map(|_| u8::try_from(dice.below(256)).expect("a byte")).collect();
            plan.pieces = vec![(Duration::from_millis(5), noise)];
            plan.again = true;
        }
        "endless" => {
            let text = chunk(&json!({"content": "x".repeat(60_000)}), None);
            let event = format!("data: {text}\n\n").into_bytes();
            plan.pieces = vec![(Duration::from_millis(1), event); 170];
        }
        _ => {}
    }
    plan
}
