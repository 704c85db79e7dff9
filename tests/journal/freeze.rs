//! Makes runs to be frozen.

use std::fs;

use nix::sys::signal::Signal;
use rusqlite::Connection;

use super::{NEWEST, folder, frozen, replayed, sum};
use crate::cli::{Desk, Ran};
use crate::driver;
use crate::runs::desk::TALK;
use crate::terminal::Running;
use crate::until::until;

/// Makes a run in `runs.db` of a desk.
type Make = fn(&Desk);

/// A run: its name, and how it is made.
pub(super) const RUNS: &[(&str, Make)] = &[
    ("sum", |desk| {
        run(desk, "sum graphs/tour/sum.yaml --script graphs/tour/sum.script.yaml", 0);
    }),
    ("react-v1", |desk| {
        let grants = "--grant write_file";
        let input = r#"--input contract={"open":"inline"}"#;
        let graph = "graphs/react/v1.yaml --script graphs/react/v1.script.yaml";
        run(desk, &format!("react-v1 {graph} {input} {grants}"), 0);
    }),
    ("react-v2", |desk| {
        let grants = "--grant write_file";
        let graph = "graphs/react/v2.yaml --script graphs/react/v2.script.yaml";
        run(desk, &format!("react-v2 {graph} --input request=open {grants}"), 0);
    }),
    ("okso", |desk| {
        let grants = "--grant count_lines";
        let graph = "graphs/okso/react.yaml --script graphs/okso/react.script.yaml";
        run(desk, &format!("okso {graph} --input @graphs/okso/react.input.json {grants}"), 0);
    }),
    ("arkhon", |desk| {
        let graph = "graphs/arkhon/main.loop --script graphs/arkhon/main.script.yaml";
        run(desk, &format!("arkhon {graph} --input @graphs/arkhon/main.input.json"), 0);
    }),
    ("lanes", |desk| {
        let graph = "graphs/parallel/review.loop --script graphs/parallel/review.script.yaml";
        run(desk, &format!("lanes {graph} --input task=tower"), 0);
    }),
    ("waiting", |desk| {
        run(desk, "waiting graphs/tour/04-people.yaml --input text=Mondays --input cooling=0s", 3);
    }),
    ("rolled-back", |desk| {
        desk.write("talk.yaml", TALK);
        run(desk, "rolled-back talk.yaml --interrupt-every 2", 3);
        for answer in ["more", "more", "more", r#"{"rollback":1}"#, "stop"] {
            answer_to(desk, "rolled-back", answer);
        }
    }),
    ("sent-back", |desk| {
        talk(desk, "sent-back");
        command(desk, "rollback sent-back --to 1 --yes --db runs.db", 0);
        command(desk, "resume sent-back --db runs.db", 3);
        answer_to(desk, "sent-back", "stop");
    }),
    ("forked", |desk| {
        talk(desk, "trunk");
        command(desk, "fork trunk --at 1 --run-id forked --db runs.db", 0);
        command(desk, "resume forked --db runs.db", 3);
        answer_to(desk, "forked", "stop");
    }),
    ("moved", |desk| {
        talk(desk, "moved");
        desk.write("edited.yaml", &TALK.replace("  word: string?\n", "  word: string?\n  more: int = 7\n"));
        command(desk, "resume moved --with edited.yaml --db runs.db", 3);
        answer_to(desk, "moved", "stop");
    }),
    ("killed", killed),
    ("interrupted", interrupted),
    ("cancelled", |desk| {
        desk.write("stays.yaml", STAYS);
        run(desk, "cancelled stays.yaml", 3);
        command(desk, "cancel cancelled --db runs.db", 0);
    }),
    ("approved", |desk| {
        desk.write("pays.yaml", PAYS);
        desk.write("loopwright.toml", PAYS_TOML);
        let asked = run(desk, "approved pays.yaml --grant pay", 3).stdout;
        let hash = asked.split("'approve ").nth(1).and_then(|rest| rest.split('\'').next());
        let hash = hash.expect("the command that approves names the hash");
        answer_to(desk, "approved", &format!(r#"{{"approve":"{hash}"}} --grant pay"#));
    }),
    ("unsure", |desk| {
        desk.write(
            "pays.yaml",
            &PAYS.replace("next: [", "retry: {attempts: 3, on: [recoverable], first: 0s}, next: ["),
        );
        desk.write("loopwright.toml", UNSURE_TOML);
        let granted = grants(desk, "run pays.yaml --db runs.db --run-id unsure");
        run(desk, &format!("unsure pays.yaml {granted}"), 3);
        command(desk, &format!("resume unsure --db runs.db {granted} --answer fail"), 1);
    }),
    ("named", |desk| {
        talk(desk, "trunk");
        command(desk, "fork trunk --at 1 --run-id named --by ana --db runs.db", 0);
        command(desk, "resume named --by Ben --db runs.db", 3);
        command(desk, "resume named --answer more --by Cleo --db runs.db", 3);
        command(desk, "rollback named --to 1 --yes --by ana --db runs.db", 0);
        command(desk, "cancel named --by Ben --db runs.db", 0);
    }),
    ("conversation", |desk| {
        desk.write("chat.yaml", CHAT);
        desk.write("chat.script.yaml", CHAT_SCRIPT);
        run(desk, "conversation chat.yaml --script chat.script.yaml", 0);
    }),
];

/// A conversation with a call of a tool.
const CHAT: &str = "
graph: chat
state:
  messages: list<Message> = []
  reply: Reply?
budgets: {turns: 4, paid: {limit: 1, unit: usd, charge: model.cost}}
start: open
nodes:
  open: {do: \"messages += Message{from: 'user', text: 'Bees?'}\", next: [{to: ask}]}
  ask:
    kind: model
    role: assistant
    messages: messages
    offer: [search]
    into: reply
    then: messages += reply.message
    next:
      - {to: search, when: size(reply.tool_calls) > 0}
      - {to: end}
      - {to: failed, on: [error, exhausted(paid)]}
  search:
    kind: tool
    tool: search
    args: \"reply.tool_calls[0].args\"
    then: \"messages += Message{from: 'tool', tool_call: reply.tool_calls[0].id, name: 'search', text: string(result)}\"
    next:
      - {to: ask, do: spend turns}
      - {to: failed, on: [error, exhausted(turns)]}
  end: {kind: final}
  failed: {kind: final, ok: false}
output: {text: \"reply == null ? '' : reply.text\", tokens: tokens(messages), paid: used(paid)}
";

/// All kinds of tokens, and reasoning that is signed.
const CHAT_SCRIPT: &str = r#"
model:
  - ok:
      text: Let me see.
      tool_calls: [{id: c1, tool: search, args: {q: bees}}]
      reasoning: Bees, then.
      signed: '{"by":"anthropic m","parts":[{"reasoning":"Bees, then.","signature":"c2ln"},{"text":11},{"call":true}]}'
    usage: {input_tokens: 100, cached_tokens: 60, cache_write_tokens: 30, output_tokens: 20, reasoning_tokens: 5, cost: 0.01}
  - ok: {text: They buzz.}
    usage: {input_tokens: 140, cached_tokens: 100, output_tokens: 4, cost: 0.02}
tools: [{tool: search, ok: 3 hits}]
"#;

const PAYS: &str = "
graph: pays
state: {receipt: string?}
start: pay
nodes:
  pay: {kind: tool, tool: pay, args: {to: \"'bob'\"}, into: receipt, next: [{to: end}]}
  end: {kind: final}
output: {receipt: receipt}
";

const PAYS_TOML: &str = r#"
[tools.pay]
description = "Pays."
command = ["echo", "{to}"]
args = {to = "string"}
parse = "text"
approval = true
"#;

/// It fails, and nobody knows what it did.
const UNSURE_TOML: &str = r#"
[tools.pay]
description = "Pays."
command = ["sh", "-c", "exit 1", "{to}"]
delivery = "at_most_once"
"#;

const SLOW: &str = "
graph: slow
state: {said: string?}
start: first
nodes:
  first: {kind: wait, delay: 1ms, next: [{to: work}]}
  work: {kind: tool, tool: slow, into: said, next: [{to: end}]}
  end: {kind: final}
output: {said: said}
";

/// Answers to everything by another question.
const STAYS: &str = "
graph: stays
state: {word: string?}
start: ask
nodes:
  ask: {kind: human, ask: \"'Go on?'\", into: word, next: [{to: end}, {to: sure, on: error(cancelled)}]}
  sure: {kind: human, ask: \"'Sure?'\", into: word, next: [{to: end}]}
  end: {kind: final}
";

const PAIR: &str = "
graph: pair
state: {left: outputs('slow.yaml')?, right: outputs('slow.yaml')?}
start: both
nodes:
  both:
    kind: parallel
    branches:
      left: {graph: slow.yaml, into: left}
      right: {graph: slow.yaml, into: right}
    next: [{to: end}]
  end: {kind: final}
output: {left: left.said, right: right.said}
";

const SLOW_TOML: &str = r#"
[tools.slow]
description = "Takes its time."
command = ["sh", "slow.sh"]
parse = "text"
delivery = "at_least_once"
"#;

/// The grants that a command asks for: a name alone grants no tool that names files.
fn grants(desk: &Desk, words: &str) -> String {
    let asked = desk.run(words).stderr;
    let line = asked.lines().rfind(|line| line.contains("--grant")).expect("the command says what allows it");
    line[line.find("--grant").unwrap_or_default()..].to_owned()
}

fn command(desk: &Desk, words: &str, code: i32) -> Ran {
    let ran = desk.run(words);
    assert_eq!(ran.code, Some(code), "{}", ran.transcript());
    ran
}

fn run(desk: &Desk, words: &str, code: i32) -> Ran {
    command(desk, &format!("run --db runs.db --run-id {words}"), code)
}

/// A run that asks for the third time.
fn talk(desk: &Desk, name: &str) {
    desk.write("talk.yaml", TALK);
    run(desk, &format!("{name} talk.yaml"), 3);
    answer_to(desk, name, "more");
    answer_to(desk, name, "more");
}

fn answer_to(desk: &Desk, run: &str, answer: &str) {
    let ran = desk.run(&format!("resume {run} --db runs.db --answer {answer}"));
    assert!(matches!(ran.code, Some(0 | 3)), "{}", ran.transcript());
}

/// Killed while a tool was at work.
fn killed(desk: &Desk) {
    desk.write("slow.yaml", SLOW);
    desk.write("loopwright.toml", SLOW_TOML);
    desk.write("slow.sh", "echo begun > begun\nwhile [ ! -e go ]; do sleep 0.05; done\n");
    let run = "run slow.yaml --db runs.db --run-id killed";
    let mut child = driver::start(desk, &format!("{run} {}", grants(desk, run)));
    until("the tool is at work", || desk.folder.path().join("begun").exists());
    driver::kill(&mut child);
    desk.write("go", "");
}

/// Interrupted by a signal while a tool was at work and another call waited for its turn; then it went on.
fn interrupted(desk: &Desk) {
    desk.write("pair.yaml", PAIR);
    desk.write("slow.yaml", SLOW);
    desk.write("loopwright.toml", &format!("[run]\nat_once = 1\n{SLOW_TOML}"));
    desk.write("slow.sh", "echo begun > begun\nwhile [ ! -e go ]; do sleep 0.05; done\nprintf said\n");
    let run = "run pair.yaml --db runs.db --run-id interrupted";
    let granted = grants(desk, run);
    let words = format!("{run} {granted}");
    let running = Running::start(desk, &words.split(' ').collect::<Vec<_>>());
    until("the tool is at work", || desk.folder.path().join("begun").exists());
    running.signal_if_there(Signal::SIGTERM);
    let (printed, status) = running.end();
    assert_eq!(status.code(), Some(130), "{printed}");
    desk.write("go", "");
    command(desk, &format!("resume interrupted --db runs.db {granted}"), 0);
}

/// Freezes the runs above that are not there yet; those that are stay as they are.
#[test]
#[ignore = "writes into tests/journal"]
fn freeze() {
    fs::create_dir_all(folder(NEWEST)).expect("a folder can be made");
    let there = frozen(NEWEST);
    for (name, make) in RUNS.iter().filter(|(name, _)| !there.iter().any(|frozen| frozen == name)) {
        let desk = Desk::new();
        make(&desk);
        let file = folder(NEWEST).join(format!("{name}.db"));
        let store = Connection::open(desk.folder.path().join("runs.db")).expect("SQLite opens it");
        // One file without a log beside it, and as small as it can be.
        let path = file.to_string_lossy();
        store.execute("VACUUM INTO ?1", [&*path]).expect("a copy can be written");
        fs::write(file.with_extension("txt"), replayed(&desk, &file, name)).expect("a text can be written");
    }
    let sums: String =
        frozen(NEWEST).iter().map(|name| sum(&folder(NEWEST).join(format!("{name}.db")))).collect();
    fs::write(folder(NEWEST).join("b3sums"), sums).expect("a text can be written");
}
