//! `run --record`.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use loopwright::check::check_file;
use loopwright::compile::compile;
use loopwright::drive::Disk;
use loopwright::machine::{Event, EventCursor, EventKind};
use loopwright::model::Files;
use loopwright::program::Program;
use loopwright::scenario::{
    BoundExpressions, Data, History, PlayEnd, Scenario, ScriptedAnswer, ScriptedAnswers, ScriptedReply,
    Suite, play, record,
};
use loopwright::source::{Sources, Span, Spanned};
use loopwright::value::{Str, Value};

use super::desk::{steps, talk};
use crate::cli::Desk;
use crate::rebuilt;

const RUNS: &[(&str, &str, &str)] = &[
    (
        "first",
        "graphs/tour/01-first-loop.yaml --script graphs/tour/01-first-loop.script.yaml",
        "--input question=How_tall?",
    ),
    (
        "errors",
        "graphs/tour/02-errors.yaml --script graphs/tour/02-errors.script.yaml",
        "--input item=lamp --input count=2",
    ),
    (
        "composites",
        "graphs/tour/03-composites.yaml --script graphs/tour/03-composites.script.yaml",
        "--input chapters=[\"Dawn\",\"Dusk\"]",
    ),
    (
        "people",
        "graphs/tour/04-people.yaml --script graphs/tour/04-people.script.yaml",
        "--input text=Hello_world. --input cooling=0s",
    ),
    (
        "called",
        "graphs/tour/05-called-graphs.yaml --script graphs/tour/05-called-graphs.script.yaml",
        "--input topics=[\"tower\",\"bridge\"]",
    ),
    ("sum", "graphs/tour/sum.yaml --script graphs/tour/sum.script.yaml", ""),
    (
        "v1",
        "graphs/react/v1.yaml --script graphs/react/v1.script.yaml --grant write_file",
        "--input contract={\"open\":\"inline\"}",
    ),
    (
        "v2",
        "graphs/react/v2.yaml --script graphs/react/v2.script.yaml --grant write_file",
        "--input request=What_is_open?",
    ),
    (
        "okso",
        "graphs/okso/react.yaml --script graphs/okso/react.script.yaml --grant count_lines",
        "--input @graphs/okso/react.input.json",
    ),
    (
        "arkhon",
        "graphs/arkhon/main.loop --script graphs/arkhon/main.script.yaml",
        "--input @graphs/arkhon/main.input.json",
    ),
    (
        "review",
        "graphs/parallel/review.loop --script graphs/parallel/review.script.yaml",
        "--input task=How_tall?",
    ),
];

/// Every edge that events tell of, with the graph it belongs to.
fn edges(program: &Program, events: &[Event]) -> BTreeSet<(Str, u32)> {
    let mut cursor = EventCursor::new();
    let mut taken = BTreeSet::new();
    for event in events {
        let graph = cursor.next(program, event).graph;
        if let EventKind::Took { edge, .. } = &event.kind {
            taken.insert((program.graphs[graph as usize].id.clone(), *edge));
        }
    }
    taken
}

/// The same of the lines that `log` prints.
fn logged(desk: &Desk, run: &str) -> BTreeSet<(Str, u32)> {
    let log = desk.run(&format!("log {run} --format jsonl")).stdout;
    let lines = log.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).expect("JSON"));
    let took = lines.filter(|event| event["type"] == "took");
    took.map(|event| {
        let edge = event["edge"].as_u64().and_then(|edge| u32::try_from(edge).ok()).expect("an edge");
        (event["graph"].as_str().expect("a graph").into(), edge)
    })
    .collect()
}

/// A recorded run passes as a scenario on the same edges, and its script gives the same outcome.
#[test]
fn shipped_graphs_are_recorded_and_played_again() {
    let desk = Desk::new();
    fs::create_dir(desk.folder.path().join("kept")).expect("a folder");
    for (name, words, input) in RUNS {
        let ran =
            desk.run(&format!("run {words} {input} --run-id {name} --record kept/{name}.scenarios.yaml"));
        assert_eq!(ran.code, Some(0), "{}", ran.transcript());
        assert!(
            ran.stderr.contains(&format!("recorded: kept/{name}.scenarios.yaml and ")),
            "{}",
            ran.transcript()
        );
        let tested = desk.run(&format!("test kept/{name}.scenarios.yaml --root ."));
        assert!(tested.code == Some(0) && tested.stdout.contains("1 passed"), "{}", tested.transcript());

        let mut sources = Sources::new();
        let path = desk.folder.path().join(format!("kept/{name}.scenarios.yaml"));
        // The graph does not lie in the folder of the recording.
        let mut loader = Disk::below(desk.folder.path()).expect("a folder");
        let suite =
            Suite::load(&mut sources, &mut loader, &path.to_string_lossy()).suite.expect("it is read");
        let report = rebuilt::play_all(&suite).next().expect("a scenario");
        assert_eq!(edges(&suite.program, &report.run.events), logged(&desk, name), "{name}");

        let graph = words.split(' ').next().expect("a graph");
        let again =
            desk.run(&format!("run {graph} --script kept/{name}.script.yaml {input} --run-id {name}-again"));
        assert_eq!(again.code, Some(0), "{}", again.transcript());
        assert_eq!(again.stdout.lines().next(), ran.stdout.lines().next(), "{}", again.transcript());
        assert_eq!(logged(&desk, &format!("{name}-again")), logged(&desk, name), "{name}");
    }
}

#[test]
fn a_recorded_run_reads_well() {
    let desk = Desk::new();
    let (_, words, input) = RUNS.iter().find(|(name, ..)| *name == "errors").expect("it is there");
    desk.run(&format!("run {words} {input} --run-id errors --record errors.scenarios.yaml"));
    let read = |name: &str| fs::read_to_string(desk.folder.path().join(name)).expect("it is written");
    let all = format!("{}\n{}", read("errors.scenarios.yaml"), read("errors.script.yaml"));
    let timeless =
        |line: &str| if line.contains("Sum: ") { "# Written by …".to_owned() } else { line.to_owned() };
    insta::assert_snapshot!(all.lines().map(timeless).collect::<Vec<_>>().join("\n"));
}

/// A run that waits is recorded, and written anew each time it goes on.
#[test]
fn a_run_that_waits_is_recorded() {
    let desk = talk();
    let ran = desk.run("run talk.yaml --run-id one --record one.scenarios.yaml");
    assert_eq!(ran.code, Some(3), "{}", ran.transcript());
    assert!(
        ran.stdout.contains("resume one --record one.scenarios.yaml --answer ANSWER"),
        "{}",
        ran.transcript()
    );
    assert!(desk.run("test one.scenarios.yaml").stdout.contains("1 passed"));
    for (answer, code) in [("more", 3), ("7", 2), ("stop", 0)] {
        let ran = desk.run(&format!("resume one --record one.scenarios.yaml --answer {answer}"));
        assert_eq!(ran.code, Some(code), "{}", ran.transcript());
        let tested = desk.run("test one.scenarios.yaml");
        assert!(tested.stdout.contains("1 passed"), "{}", tested.transcript());
    }
    let again = desk.run("run talk.yaml --script one.script.yaml");
    assert_eq!(again.stdout, "outcome: end\nrounds: 2\n", "{}", again.transcript());
}

/// A person sent the run back at a pause of its graph.
#[test]
fn a_run_that_was_sent_back_is_recorded() {
    let desk = Desk::new();
    desk.write(
        "back.yaml",
        "human: [change, {find: O, put: o}, change, {find: M, put: m}, {rollback: 1}, perhaps, {find: Mon, put: Sun}, publish]\n",
    );
    let ran = desk.run("run graphs/tour/04-people.yaml --script back.yaml --input text=Open_on_Mondays --input cooling=0s --run-id back --record back.scenarios.yaml");
    assert_eq!(ran.code, Some(0), "{}", ran.transcript());
    assert!(
        ran.stderr.starts_with("recorded: back.scenarios.yaml and back.script.yaml"),
        "{}",
        ran.transcript()
    );
    let tested = desk.run("test back.scenarios.yaml");
    assert!(tested.stdout.contains("1 passed"), "{}", tested.transcript());
}

/// A call that a person approved, in a run whose output tells how long it took.
#[test]
fn an_approval_and_the_time_are_recorded() {
    let desk = super::approve::desk();
    let ran = desk.run("run pays.yaml --grant pay --run-id one --record one.scenarios.yaml");
    assert_eq!(ran.code, Some(3), "{}", ran.transcript());
    assert!(desk.run("test one.scenarios.yaml").stdout.contains("1 passed"));
    let at = ran.stdout.find("'approve ").expect("a hash") + "'approve ".len();
    let hash = &ran.stdout[at..at + 16];
    let words =
        format!("resume one --grant pay --record one.scenarios.yaml --answer {{\"approve\":\"{hash}\"}}");
    let ran = desk.run(&words);
    let recorded = ran.stderr.ends_with("\nrecorded: one.scenarios.yaml and one.script.yaml\n");
    assert!(ran.code == Some(0) && recorded, "{}", ran.transcript());
    let tested = desk.run("test one.scenarios.yaml");
    assert!(tested.stdout.contains("1 passed"), "{}", tested.transcript());
    let read = |name: &str| fs::read_to_string(desk.folder.path().join(name)).expect("it is written");
    // Only with the times the output is the same; a script would only be slow with them.
    assert!(read("one.scenarios.yaml").contains("after: ") && !read("one.script.yaml").contains("after: "));
    assert!(read("one.scenarios.yaml").contains("approval: true"));
    let again = desk.run("run pays.yaml --grant pay --script one.script.yaml");
    assert!(again.stdout.starts_with("outcome: end\nreceipt: done"), "{}", again.transcript());

    let graph = read("pays.yaml");
    desk.write("other.yaml", &graph.replace("amount: '5'", "amount: '6'"));
    let ran = desk.run("replay one --against other.yaml");
    assert_eq!(ran.code, Some(1), "{}", ran.transcript());
    insta::assert_snapshot!(ran.stdout);
}

/// What no scenario can say is said in the file and on the terminal.
#[test]
fn what_no_scenario_can_say_is_said() {
    let desk = steps();
    let mut all = String::new();
    for words in [
        "run steps.yaml --run-id a --interrupt-every 2 --record a.scenarios.yaml",
        "resume a --record a.scenarios.yaml --answer resume",
        "resume a --record a.scenarios.yaml --answer resume",
        "run steps.yaml --run-id b --interrupt-every 2 --record b.scenarios.yaml",
        "resume b --record b.scenarios.yaml --answer abort",
    ] {
        all += &desk.run(words).transcript();
        all.push('\n');
    }
    for name in ["a.scenarios.yaml", "b.scenarios.yaml"] {
        let text = fs::read_to_string(desk.folder.path().join(name)).expect("it is written");
        all += &text.lines().skip(1).fold(String::new(), |all, line| all + line + "\n");
        all += &desk.run(&format!("test {name}")).transcript();
    }
    insta::assert_snapshot!(all);
}

#[test]
fn files_of_others_are_not_written_over() {
    let desk = talk();
    desk.write("mine.scenarios.yaml", "graph: talk.yaml\nscenarios: []\n");
    desk.write("two.script.yaml", "human: []\n");
    let mut all = String::new();
    for words in [
        "run talk.yaml --run-id a --record mine.scenarios.yaml",
        "run talk.yaml --run-id a --record two.scenarios.yaml",
        "run talk.yaml --run-id a --record none/a.scenarios.yaml",
        "run talk.yaml --run-id a --record a.script.yaml",
        "run talk.yaml --run-id a --force",
        "runs",
        "run talk.yaml --run-id a --record mine.scenarios.yaml --force",
    ] {
        all += &desk.run(words).transcript();
        all.push('\n');
    }
    insta::assert_snapshot!(all);
    // It may be written anew as long as nobody changed it.
    let ran = desk.run("resume a --record mine.scenarios.yaml --answer more");
    assert_eq!(ran.code, Some(3), "{}", ran.transcript());
    let path = desk.folder.path().join("mine.scenarios.yaml");
    let text = fs::read_to_string(&path).expect("it is there");
    fs::write(&path, text.clone() + "# a word of mine\n").expect("it is written");
    let ran = desk.run("resume a --record mine.scenarios.yaml --answer more");
    assert_eq!(ran.code, Some(2), "{}", ran.transcript());
    assert!(fs::read_to_string(&path).expect("it is there").ends_with("# a word of mine\n"));
    let hidden = fs::read_dir(desk.folder.path()).expect("a folder").flatten();
    let hidden: Vec<_> = hidden.filter(|f| f.file_name().to_string_lossy().starts_with(".mine")).collect();
    assert!(hidden.is_empty(), "{hidden:?}");
}

/// A graph file that changed is not the one the run began with.
/// A scenario may be written anywhere, but it does not read a graph from anywhere.
#[test]
fn a_record_away_from_its_graph_says_how_it_is_played() {
    let desk = Desk::new();
    let folder = |name: &str| {
        let path = desk.folder.path().join(name);
        fs::create_dir(&path).expect("a folder can be made");
        path
    };
    let away = folder("away");
    let run = "run graphs/tour/01-first-loop.yaml --script graphs/tour/01-first-loop.script.yaml --input question=Why?";
    let ran = desk.run(&format!("{run} --record away/one.scenarios.yaml"));
    assert_eq!(ran.code, Some(0), "{}", ran.transcript());
    let outside = format!("lies outside of {}", fs::canonicalize(&away).expect("it is there").display());
    let help = "help: a graph reads what lies in its own folder, or in the repository it is part of; `--root DIR` names a wider folder\n";
    assert!(ran.stderr.contains(&outside) && ran.stderr.ends_with(help), "{}", ran.transcript());
    // It is so.
    let test = "test away/one.scenarios.yaml";
    let ran = desk.run(test);
    assert_eq!(ran.code, Some(1), "{}", ran.transcript());
    assert!(ran.stdout.contains(&outside) && ran.stdout.contains("`--root DIR`"), "{}", ran.transcript());
    let ran = desk.run(&format!("{test} --root ."));
    assert_eq!(ran.code, Some(0), "{}", ran.transcript());
    // Where both lie in one repository there is nothing to say.
    folder(".git");
    let ran = desk.run(&format!("{run} --record away/two.scenarios.yaml"));
    assert_eq!(
        ran.stderr,
        "recorded: away/two.scenarios.yaml and away/two.script.yaml\n",
        "{}",
        ran.transcript()
    );
    let ran = desk.run("test away/two.scenarios.yaml");
    assert_eq!(ran.code, Some(0), "{}", ran.transcript());
}

#[test]
fn a_graph_that_changed_is_said() {
    let desk = talk();
    desk.run("run talk.yaml --run-id one");
    desk.write("talk.yaml", &super::desk::TALK.replace("more or stop?", "changed"));
    let ran = desk.run("resume one --answer stop --record one.scenarios.yaml");
    assert_eq!(ran.code, Some(0), "{}", ran.transcript());
    assert!(ran.stderr.contains("talk.yaml is not the graph any more"), "{}", ran.transcript());
}

/// Texts that YAML or a script would take for something else.
const TEXTS: &[&str] = &[
    "plain",
    "",
    " ",
    "null",
    "~",
    "true",
    "1.5",
    "0x1F",
    "- a",
    "# no comment",
    "a: b",
    "a #b",
    "{a: b}",
    "[",
    "'quoted'",
    "\"quoted\"",
    "back\\slash",
    "it's \"both\" \\ of them",
    "{{",
    "}}",
    "{{ 1 + 1 }}",
    "{{{{ '{{' }}}}",
    "{ {{ }",
    "two\nlines",
    "  indented\nlines\n",
    "ends\n\n",
    "\n",
    "tab\tand\rreturn\r\n",
    "bell \u{7} escape \u{1b}[2J null \u{0} delete \u{7f} \u{85}",
    "hidden \u{200b}\u{202e}\u{feff} separators \u{2028}\u{2029} beyond \u{1F600}\u{E0001}",
    "%directive",
    "---",
    "...",
    "&anchor *alias !tag",
    "<<",
    "{\"a\": 1}",
    "{\"a\":1}",
    "[1,2.0,null]",
    "7",
    "\"json text\"",
    "2026-11-22",
    "on",
    "=",
    "multi {{ line\n  }} text: with # all\nof \"it\"",
];

const ODD: &str = "
graph: odd
input: {times: int}
state:
  said: list<string> = []
  found: list<any> = []
  words: list<string> = []
  told: list<any> = []
  last: string = ''
  thing: any = null
budgets: {rounds: 1000}
start: say
nodes:
  say:
    kind: model
    role: one
    prompt: \"'go'\"
    output: string
    into: last
    do: spend rounds
    then: said += last
    next: [{to: look}, {to: look, on: error}]
  look:
    kind: tool
    tool: look
    args: {n: size(said)}
    into: thing
    then: found += thing
    next: [{to: hear}, {to: hear, on: error, do: told += error.message}]
  hear:
    kind: human
    ask: \"'Well?'\"
    into: last
    then: words += last
    next: [{to: end, when: size(words) >= times}, {to: say}]
  end: {kind: final}
output: {said: said, found: found, words: words, told: told}
";

fn answer(from: Option<&str>, reply: ScriptedReply) -> ScriptedAnswer {
    let from = from.map(|name| Spanned::new(Str::from(name), Span::default()));
    ScriptedAnswer::new(Span::default(), from, reply)
}

/// A run in which everybody says these texts, written down.
#[test]
fn odd_texts_come_back_as_they_were() {
    let checked = check_file(&mut Sources::new(), &mut Files::new().with("odd.yaml", ODD), "odd.yaml");
    let model = checked
        .model
        .filter(|_| checked.findings.iter().all(|f| f.severity != loopwright::diag::Severity::Error));
    let model = model.unwrap_or_else(|| panic!("{:?}", checked.findings));
    let program = compile(&model).expect("it compiles");
    let text = |text: &&str| Data::Value(Value::from(*text));
    let mut answers = ScriptedAnswers::default();
    for (place, said) in TEXTS.iter().enumerate() {
        answers.models.push(answer(Some("one"), ScriptedReply::Value(text(said))));
        let found = if place % 3 == 0 {
            ScriptedReply::Failed {
                kind: Spanned::new("tool_failed".into(), Span::default()),
                message: text(said),
                details: text(said),
                retry_after: None,
                never_began: false,
            }
        } else {
            let map = [(Str::from(*said), Value::List([Value::from(*said)].into_iter().collect()))];
            ScriptedReply::Value(Data::Value(Value::Map(map.into_iter().collect())))
        };
        answers.tools.push(answer(Some("look"), found));
        answers.people.push(answer(None, ScriptedReply::Value(text(said))));
    }
    let mut scenario = Scenario { answers, ..Scenario::default() };
    scenario.input.values.set("times", i64::try_from(TEXTS.len()).expect("few"));
    let run = play(&program, &Arc::new(BoundExpressions::default()), &scenario);
    assert!(matches!(&run.ended, PlayEnd::Done(done) if done.ok), "{:?}", run.ended);
    let history = History { model: &model, program: &program, events: &run.events, snapshot: &run.snapshot };
    let recording = record(history, "odd.yaml", Vec::new());
    assert_eq!(
        (recording.lost.as_slice(), recording.left_out.as_slice()),
        (&[][..], &[][..]),
        "{}",
        recording.scenario
    );
    let bad = |c: char| {
        (c.is_control() && c != '\n' && c != '\t') || matches!(c, '\u{202e}' | '\u{2028}' | '\u{feff}')
    };
    assert!(!recording.scenario.contains(bad) && !recording.script.contains(bad));

    let mut files =
        Files::new().with("odd.yaml", ODD).with("odd.scenarios.yaml", recording.scenario.as_str());
    let loaded = Suite::load(&mut Sources::new(), &mut files, "odd.scenarios.yaml");
    let suite = loaded.suite.unwrap_or_else(|| panic!("{:?}\n{}", loaded.findings, recording.scenario));
    let report = rebuilt::play_all(&suite).next().expect("a scenario");
    assert!(report.passed(), "{:?}", report.faults);
    assert_eq!(report.run.snapshot.done, run.snapshot.done);
}

/// Every scenario that is shipped, played, written down, and played from that.
#[test]
fn shipped_scenarios_are_written_down_and_played_again() {
    let (mut written, mut timed) = (0, 0);
    let mut wrong = String::new();
    for path in scenario_files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("graphs")) {
        let mut sources = Sources::new();
        let suite = Suite::load(&mut sources, &mut Disk::default(), &path.to_string_lossy())
            .suite
            .expect("it is read");
        for report in suite.play_all() {
            let (model, program, run) = (&suite.model, &suite.program, &report.run);
            assert!(
                matches!(run.ended, PlayEnd::Done(_) | PlayEnd::Waiting(_)),
                "{}: {:?}",
                report.name,
                run.ended
            );
            let history = History { model, program, events: &run.events, snapshot: &run.snapshot };
            let recording = record(history, "graph.yaml", Vec::new());
            written += 1;
            timed += usize::from(recording.scenario.contains("after: "));
            if !recording.lost.is_empty() || !recording.left_out.is_empty() {
                let _ = writeln!(
                    wrong,
                    "{}: {}: {:?} {:?}",
                    path.display(),
                    report.name,
                    recording.lost,
                    recording.left_out
                );
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    assert!(written > 200 && timed > 5 && timed < written / 2, "{timed} of {written}");
}

fn scenario_files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(scenario_files(&path));
        } else if path.to_string_lossy().ends_with(".scenarios.yaml") {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// A file that a page of the reference shows.
fn shown(name: &str) -> String {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/reference/language/nodes.md");
    let page = fs::read_to_string(page).expect("the page is there");
    let begins = format!("```yaml\n# {name}\n");
    let (_, rest) = page.split_once(&begins).expect("the page shows the file");
    rest.split_once("```").expect("the block ends").0.to_owned()
}

/// Conversations: messages, native calls of tools with and without ids, a call that cannot be made, a text that was cut off,
/// reasoning, a text that streams.
#[test]
fn conversations_are_recorded_and_pass_as_they_are() {
    const TOOLS: &str =
        "tools: [{tool: add, ok: 5}, {tool: multiply, error: {kind: tool_failed, message: broken}}]\n";
    const TALKS: &[(&str, &str, &str)] = &[
        (
            "calls",
            "model: [{text: Both., tool_calls: [{id: c1, tool: add, args: {a: 2, b: 3}}, {tool: multiply, args: {a: 2}}]}, {text: It is 5.}]",
            "done",
        ),
        (
            "several rounds",
            "model: [{tool_calls: [{tool: add}]}, {tool_calls: [{tool: add}]}, {text: Twice.}]",
            "done",
        ),
        (
            "a call that was not offered",
            "model: [{text: x, tool_calls: [{tool: divide, args: {a: 1}}]}]",
            "failed",
        ),
        ("a text that was cut off", "model: [{text: cut of, finish: length, reasoning: hm}]", "done"),
        ("an error", "model: [{error: {kind: unavailable, message: down}}]", "failed"),
    ];
    let desk = Desk::new();
    desk.write("chat.yaml", &shown("chat.yaml"));
    for (number, (name, model, outcome)) in TALKS.iter().enumerate() {
        // Twice the same tool is asked for twice.
        let tools = TOOLS.replace("{tool: add, ok: 5}", "{tool: add, ok: 5}, {tool: add, ok: 6}");
        desk.write("given.yaml", &format!("{model}\n{tools}"));
        let file = format!("talk{number}.scenarios.yaml");
        let words =
            ["run", "chat.yaml", "--script", "given.yaml", "--input", "question=What?", "--record", &file];
        let ran = desk.run_words(&words, &[]);
        assert!(ran.stdout.starts_with(&format!("outcome: {outcome}")), "{name}: {}", ran.transcript());
        let tested = desk.run(&format!("test {file}"));
        assert!(
            tested.code == Some(0) && tested.stdout.contains("1 passed"),
            "{name}: {}",
            tested.transcript()
        );
    }
    assert!(
        desk.text("talk0.scenarios.yaml").contains("tool_calls: [{id: \"c1\", tool: add"),
        "{}",
        desk.text("talk0.scenarios.yaml")
    );

    desk.write("stream.yaml", &shown("stream.yaml"));
    desk.write("given.yaml", "model: [{text: Grass is.}]\n");
    let ran = desk.run("run stream.yaml --script given.yaml --record stream.scenarios.yaml");
    assert_eq!(ran.code, Some(0), "{}", ran.transcript());
    let tested = desk.run("test stream.scenarios.yaml");
    assert!(tested.code == Some(0) && tested.stdout.contains("1 passed"), "{}", tested.transcript());
}
