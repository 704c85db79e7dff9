//! A folder of a stranger: the hostile text stands wherever one can write.

use std::fmt::Write as _;
use std::fs;

use crate::cli::Desk;

/// Sets the clipboard, clears the screen, links a word, resets the terminal, colours, moves to the margin, feeds a page, and the
/// same with C1 controls; ends lines, turns them around, hides. Behind it lines that look like ours.
pub(super) const TEXT: &str = "HOSTILE\u{1b}]52;c;ZWNobw==\u{7}\u{1b}[2J\u{1b}]8;;http://evil.example\u{1b}\\x\u{1b}]8;;\u{1b}\\\
\u{1b}c\u{1b}[35;45m\rFORGED\u{c}\u{7f}\u{85}\u{9b}2J\u{9d}0;x\u{9c}\u{2028}\u{2029}\u{202e}\u{2066}\u{200b}\u{e0041}\u{3164}\u{2800}\u{34f}\u{e0100}\u{8}\u{7}é\noutcome: FORGED\nhelp: FORGED\nto continue, run:\n  FORGED";

/// A graph file that bears such a name.
pub(super) const FILE: &str = "HOSTILE\u{1b}[2J\rFORGED\u{9b}2J\u{202e}\u{200b}\nname.yaml";

/// A text in which all but plain ASCII is an escape of double quotes, begun by `slash`.
fn escaped(text: &str, slash: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if c.is_ascii_graphic() || c == ' ' => out.push(c),
            c => {
                let _ = write!(out, "{slash}U{:08x}", u32::from(c));
            }
        }
    }
    out
}

/// The text in double quotes of YAML, in which everything can be written as an escape.
fn yaml() -> String {
    format!("\"{}\"", escaped(TEXT, "\\"))
}

/// The text between single quotes of the language of expressions, within double quotes of YAML.
fn expression() -> String {
    // Twice: what YAML reads is an escape of the expression.
    format!("\"'{}'\"", escaped(&TEXT.replace('\\', "\\\\"), "\\\\"))
}

const GOOD: &str = r#"
graph: good
title: @T
doc: @T
types: {Answer: {word: string, text: string}}
texts: {what: @T}
input: {topic: 'string = "x"', count: int = 1}
state: {answer: Answer?}
budgets: {rounds: 3}
start: think
nodes:
  think:
    kind: model
    title: @T
    doc: @T
    role: any
    prompt: what
    stream: text
    output: Answer
    into: answer
    do: spend rounds
    next:
      - {to: look, label: @T}
      - {to: think, on: error}
      - {to: end, on: exhausted(rounds)}
  look:
    kind: tool
    tool: look
    args: {word: answer.word}
    next: [{to: end}, {to: end, on: error}]
  end: {kind: final, outcome: "answer.word ?? 'none'"}
output: {word: answer.word, whole: answer}
"#;

const ASK: &str = r"
graph: ask
state: {word: string?}
start: ask
nodes:
  ask: {kind: human, ask: @E, options: [yes, no], into: word, next: [{to: end}]}
  end: {kind: final}
output: {word: word}
";

/// The folder, with nothing kept in it.
pub(super) fn folder() -> Desk {
    let desk = Desk::new();
    fs::remove_dir_all(desk.folder.path().join("graphs")).expect("the shipped graphs are not wanted here");
    let put =
        |name: &str, text: &str| desk.write(name, &text.replace("@T", &yaml()).replace("@E", &expression()));
    put("good.yaml", GOOD);
    put(
        "other.yaml",
        &GOOD
            .replace("title: @T", "title: other")
            .replace("doc: @T", "doc: other")
            .replace("rounds: 3", "rounds: 5")
            .replace("{what: @T}", "{what: other}"),
    );
    put(FILE, &GOOD.replace("role: any", "role: any\n    rloe: any"));
    put("ask.yaml", ASK);
    // As it is: refused, and quoted.
    desk.write(
        "bad.yaml",
        &format!("graph: bad\ntitle: {TEXT}\nstart: {TEXT}\nnodes:\n  {TEXT}: {{kind: {TEXT}}}\n"),
    );
    put(
        "worse.yaml",
        "graph: worse\nstart: @T\n@T: 1\nnodes:\n  @T: {kind: @T, next: [{to: @T, when: @T}]}\n  b: {kind: model, role: @T, prompt: @T, on: @T}\n",
    );
    put("good.script.yaml", "model: {any: [{word: @T, text: @T}]}\ntools: [{tool: look, ok: @T}]\n");
    put(
        "dry.script.yaml",
        "model: {any: [@T, {error: {kind: model_failed, message: @T, details: @T}}]}\ntools: [{tool: look, error: {kind: tool_failed, message: @T}}]\n",
    );
    put("bad.script.yaml", "model: {@T: [1]}\n@T: 2\ntools: [{tool: @T, ok: \"{{ @T }}\"}]\n");
    put("ask.script.yaml", "model: {}\n");
    put("good.scenarios.yaml", "graph: good.yaml\nscenarios:\n  - name: @T\n    model: {any: [{word: @T, text: @T}]}\n    tools: [{tool: look, ok: @T}]\n    expect: {outcome: @T}\n  - name: other @T\n    model: {any: [{word: @T, text: @T}]}\n    tools: [{tool: look, ok: 1}]\n    expect: {outcome: other, output: {word: other}, tool_calls: [{tool: look, args: {word: @T, other: @T}}]}\n".replace("other @T", "@T").as_str());
    put("bad.scenarios.yaml", "graph: @T\nscenarios:\n  - {name: @T, expect: {path: [@T], @T: 1}}\n");
    put("bad.toml", "[run]\n\"@X\" = 1\n[models.any]\nprovider = \"@X\"\nbase_url = \"@X\"\nmodel = \"@X\"\n[tools.\"@X\"]\ncommand = [\"@X\"]\n[inputs]\n\"@X\" = \"@X\"\n".replace("@X", &escaped(TEXT, "\\")).as_str());
    desk.write("broken.toml", &format!("[run]\n{TEXT} = {TEXT}\n"));
    desk.write("text.db", TEXT);
    let marker = "<!-- loopwright: good.yaml -->\nold\n<!-- /loopwright -->\n";
    desk.write("doc.md", marker);
    let hostile = TEXT.replace('\u{85}', "").replace(['\u{2028}', '\u{2029}', '\u{c}', '\r', '\n'], "");
    desk.write("faults.md", &format!("<!-- loopwright: good.yaml '--{hostile}' -->\n<!-- /loopwright -->\n<!-- loopwright: '{hostile}' -->\n<!-- /loopwright -->\n"));
    desk
}

/// The folder, with a run `a` that ended, and a store `foreign.db` that somebody else wrote.
pub(super) fn kept() -> Desk {
    let desk = folder();
    let ran = desk.run("run good.yaml --script good.script.yaml --run-id a");
    // Its outcome is the hostile text.
    assert_eq!(ran.code, Some(0), "{}", ran.transcript());
    let ran = desk.run("run good.yaml --script good.script.yaml --run-id a --db foreign.db");
    assert_eq!(ran.code, Some(0), "{}", ran.transcript());
    let store = rusqlite::Connection::open(desk.folder.path().join("foreign.db")).expect("it is a store");
    for column in ["id", "graph"] {
        let set = format!("UPDATE runs SET {column} = ?1");
        let changed = store.execute(&set, [TEXT]).expect("the store can be written");
        assert_eq!(changed, 1, "{column}");
    }
    desk
}
