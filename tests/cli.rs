//! The command line as a user sees it: output, errors, exit codes.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use loopwright::config::Config;
use loopwright::source::FileId;

/// Copies a folder with all it holds.
pub(crate) fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder can be made");
    for entry in fs::read_dir(from).expect("the folder can be listed").flatten() {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).expect("a file can be copied");
        }
    }
}

/// A folder with the shipped graphs, and the program.
pub(crate) struct Desk {
    pub(crate) folder: tempfile::TempDir,
}

impl Desk {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder can be made");
        copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("graphs"), &folder.path().join("graphs"));
        Self { folder }
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        fs::write(self.folder.path().join(name), text).expect("a file can be written");
    }

    /// The text of a file; empty where there is none.
    pub(crate) fn text(&self, name: &str) -> String {
        fs::read_to_string(self.folder.path().join(name)).unwrap_or_default()
    }

    /// The folder in which this desk's user has what they allowed.
    pub(crate) fn state(&self) -> PathBuf {
        self.folder.path().join(".state")
    }

    /// Allows all that a configuration asks for, as a script does it: by the command that is printed.
    pub(crate) fn trust(&self, path: &str) {
        let shown = self.run_words(&["trust", path], &[]);
        if shown.code == Some(0) {
            return;
        }
        let line = shown.stdout.lines().find_map(|line| line.strip_prefix("  loopwright "));
        let line = line.unwrap_or_else(|| panic!("no command allows it: {}", shown.transcript()));
        let allowed = self.run(line);
        assert_eq!(allowed.code, Some(0), "{}", allowed.transcript());
    }

    /// The program, for this desk's user in its folder.
    pub(crate) fn program(&self) -> Command {
        let mut program = Command::new(env!("CARGO_BIN_EXE_loopwright"));
        program.env("XDG_STATE_HOME", self.state()).current_dir(self.folder.path());
        program
    }

    /// The program under limits of the operating system, in words of the shell: `ulimit -t 5`.
    pub(crate) fn program_under(&self, limits: &str) -> Command {
        let mut shell = Command::new("sh");
        let line = format!("{limits} && exec \"$0\" \"$@\"");
        shell.args(["-c", &line, env!("CARGO_BIN_EXE_loopwright")]);
        shell.env("XDG_STATE_HOME", self.state()).current_dir(self.folder.path());
        shell
    }

    /// Runs the program with words split at spaces.
    pub(crate) fn run(&self, words: &str) -> Ran {
        self.run_with(words, &[])
    }

    /// The same with variables of the environment.
    pub(crate) fn run_with(&self, words: &str, env: &[(&str, &str)]) -> Ran {
        self.run_words(&words.split_whitespace().collect::<Vec<_>>(), env)
    }

    /// Runs the program with words that may hold spaces.
    pub(crate) fn run_words(&self, words: &[&str], env: &[(&str, &str)]) -> Ran {
        let mut program = self.program();
        program.envs(env.iter().copied());
        Ran::of(program, words)
    }
}

/// What a command did.
pub(crate) struct Ran {
    words: String,
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Ran {
    /// Runs a program with words, and waits for its end.
    pub(crate) fn of(mut program: Command, words: &[&str]) -> Self {
        let output = program.args(words).stdin(Stdio::null()).output().expect("the program starts");
        Self {
            words: words.join(" "),
            code: output.status.code(),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    pub(crate) fn transcript(&self) -> String {
        let mut text = format!("$ loopwright {}\n", self.words);
        let _ = writeln!(text, "exit code {}", self.code.map_or("none".to_owned(), |c| c.to_string()));
        for (name, stream) in [("stdout", &self.stdout), ("stderr", &self.stderr)] {
            if !stream.is_empty() {
                let _ = write!(text, "--- {name}\n{stream}");
            }
        }
        text
    }
}

const SUM: &str = "run graphs/tour/sum.yaml --script graphs/tour/sum.script.yaml";
const LOGS: &str =
    "run graphs/okso/react.yaml --script graphs/okso/react.script.yaml --input @graphs/okso/react.input.json";

#[test]
fn the_answer_follows_the_files() {
    let desk = Desk::new();
    let ran = desk.run(SUM);
    assert!(ran.stdout.contains("The numbers add up to 49."), "{}", ran.transcript());
    let plums = desk.folder.path().join("graphs/tour/sample/plums.txt");
    let text = fs::read_to_string(&plums).expect("the sample can be read");
    fs::write(&plums, text.replace("12 baskets", "112 baskets")).expect("the sample can be written");
    let ran = desk.run(SUM);
    assert!(ran.stdout.contains("The numbers add up to 149."), "{}", ran.transcript());
    assert_eq!(ran.code, Some(0));
}

#[test]
fn one_line_changes_the_loop() {
    let desk = Desk::new();
    let graph = desk.folder.path().join("graphs/tour/sum.yaml");
    let text = fs::read_to_string(&graph).expect("the graph can be read");
    fs::write(&graph, text.replace("rounds: 8", "rounds: 2")).expect("the graph can be written");
    let ran = desk.run(SUM);
    assert!(ran.stdout.contains("outcome: out of rounds"), "{}", ran.transcript());
    assert_eq!(ran.code, Some(1));
}

#[test]
fn a_missing_grant_names_the_line_that_grants_it() {
    let desk = Desk::new();
    let ran = desk.run(LOGS);
    assert_eq!(ran.code, Some(3));
    insta::assert_snapshot!(ran.transcript());
}

#[test]
fn inputs_without_a_default_have_to_be_given() {
    let desk = Desk::new();
    let text = "graph: g
input: {topic: string, count: int, note: string?}
start: end
nodes: {end: {kind: final}}
output: {topic: topic, count: count}
";
    fs::write(desk.folder.path().join("inputs.yaml"), text).expect("the graph can be written");
    let said = ["", " --input count=1", " --input count=1 --input topic=pears"]
        .map(|inputs| desk.run(&format!("run inputs.yaml{inputs}")).transcript());
    insta::assert_snapshot!(said.join("\n"));
}

#[test]
fn a_grant_for_no_tool_is_refused() {
    let desk = Desk::new();
    let near = desk.run(&format!("{SUM} --grant list_file"));
    assert_eq!(near.code, Some(2), "{}", near.transcript());
    assert!(near.stderr.contains("--grant list_file: the configuration declares no tool"), "{}", near.stderr);
    assert!(near.stderr.contains("help: did you mean `list_files`?"), "{}", near.stderr);
    let far = desk.run(&format!("{LOGS} --grant nope"));
    assert_eq!(far.code, Some(2), "{}", far.transcript());
    assert!(
        far.stderr.contains("calculator, clock, count_lines, list_files, search_files"),
        "{}",
        far.stderr
    );
}

#[test]
fn a_new_graph_is_checked_tested_and_run() {
    let desk = Desk::new();
    let mut all = String::new();
    for words in [
        "new hello",
        "check --strict hello.yaml",
        "test hello.scenarios.yaml --coverage",
        "run hello.yaml --script hello.script.yaml",
        "run hello.yaml",
        "new hello",
        "new 1st",
    ] {
        all.push_str(&desk.run(words).transcript());
        all.push('\n');
    }
    insta::assert_snapshot!(all);
}

#[test]
fn a_new_conversation_is_checked_tested_and_run() {
    let desk = Desk::new();
    fs::remove_dir_all(desk.folder.path().join("graphs")).expect("the shipped graphs are not wanted here");
    let question = "question=How many baskets do the apples fill?";
    let script = "talk.script.yaml";
    let mut all = String::new();
    for words in [
        &["new", "talk", "--from", "chat"][..],
        &["check", "--strict", "talk.loop", "call.loop"],
        &["test", "talk.scenarios.yaml", "--coverage"],
        &["run", "talk.loop", "--script", script, "--input", question, "--grant", "write_file"],
        &["new", "other", "--from", "chat"],
        &["new", "other", "--from", "nothing"],
        &["new", "call", "--from", "chat", "--dir", "calls"],
    ] {
        all.push_str(&desk.run_words(words, &[]).transcript());
        all.push('\n');
    }
    insta::assert_snapshot!(all);
    assert!(!desk.folder.path().join("calls").exists(), "nothing was written");
    let graph = fs::read_to_string(desk.folder.path().join("talk.loop")).expect("it was written");
    assert!(!graph.contains("agent") && !graph.contains("graphs/"), "{graph}");
}

#[test]
fn a_new_conversation_is_not_written_through_a_link() {
    let desk = Desk::new();
    let outside = tempfile::tempdir().expect("a folder");
    std::os::unix::fs::symlink(outside.path(), desk.folder.path().join("prompts")).expect("a link");
    let ran = desk.run("new talk --from chat");
    assert_eq!(ran.code, Some(2), "{}", ran.transcript());
    assert_eq!(fs::read_dir(outside.path()).expect("it is there").count(), 0);
    assert!(!desk.folder.path().join("talk.loop").exists(), "nothing was written");
}

#[test]
fn what_a_new_configuration_shows_is_read_when_it_is_no_comment() {
    let desk = Desk::new();
    desk.run("new hello");
    let text = fs::read_to_string(desk.folder.path().join("loopwright.toml")).expect("it was written");
    let read = |text: &str| {
        let faults = |faults| panic!("{faults:?}\n{text}");
        Config::read(text, FileId(0)).unwrap_or_else(faults)
    };
    assert_eq!(read(&text), Config::default(), "it says nothing yet");
    // Behind `# ` stand words, behind `#` alone what can be read.
    let bare = |text: &str| {
        let line = |line: &str| {
            line.strip_prefix('#').filter(|rest| !rest.starts_with(' ')).unwrap_or(line).to_owned()
        };
        text.lines().map(line).collect::<Vec<_>>().join("\n")
    };
    let config = read(&bare(&text));
    let models = config.models.iter().map(|model| (model.role.as_str(), model.key.as_deref()));
    assert_eq!(models.collect::<Vec<_>>(), [("*", None), ("decider", Some("OPENAI_API_KEY"))]);
    assert!(config.models[0].target.base_url.starts_with("http://127.0.0.1:"), "it is on the same machine");
    assert_eq!((config.tools.len(), config.inputs.len()), (1, 1));
    // Each model can be taken alone.
    let blocks: Vec<&str> = text.split("\n\n").filter(|block| block.contains("#[models.")).collect();
    assert_eq!(blocks.len(), 2, "{text}");
    for (block, role) in blocks.into_iter().zip(["*", "decider"]) {
        let config = read(&text.replace(block, &bare(block)));
        assert_eq!(config.models.iter().map(|model| model.role.as_str()).collect::<Vec<_>>(), [role]);
    }
}

#[test]
fn wrong_use_is_exit_code_2() {
    let desk = Desk::new();
    desk.write("not-utf8.yaml", "graph: x");
    fs::write(desk.folder.path().join("not-utf8.yaml"), [0x67, 0xff, 0xfe]).expect("a file can be written");
    let mut all = String::new();
    for words in [
        "check nope.yaml",
        "check not-utf8.yaml",
        "check --explain unknown-kye",
        "test nope.scenarios.yaml",
        "run nope.yaml",
        "run graphs/tour/sum.yaml --script nope.yaml",
        "run graphs/tour/sum.yaml --input questoin=x",
        "run graphs/tour/sum.yaml --config nope.toml",
    ] {
        let ran = desk.run(words);
        assert_eq!(ran.code, Some(2), "{}", ran.transcript());
        all.push_str(&ran.transcript());
        all.push('\n');
    }
    insta::assert_snapshot!(all);
}

#[test]
fn findings_are_exit_code_1_in_every_format() {
    let desk = Desk::new();
    desk.write(
        "broken.yaml",
        "graph: broken\nstart: a\nnodes:\n  a: {next: [{to: c}]}\n  b: {kind: final}\n",
    );
    let human = desk.run("check broken.yaml");
    assert_eq!(human.code, Some(1));
    let json = desk.run("check broken.yaml --format json");
    assert_eq!(json.code, Some(1));
    serde_json::from_str::<serde_json::Value>(&json.stdout).expect("the findings are JSON");
    insta::assert_snapshot!(format!("{}\n{}", human.transcript(), json.transcript()));
}

#[test]
fn every_line_of_jsonl_is_an_event() {
    let desk = Desk::new();
    let ran = desk.run(&format!("{SUM} --format jsonl"));
    assert_eq!(ran.code, Some(0), "{}", ran.transcript());
    let events: Vec<serde_json::Value> =
        ran.stdout.lines().map(|l| serde_json::from_str(l).expect("a line is JSON")).collect();
    assert!(events.len() > 20, "only {} events", events.len());
    for (i, event) in events.iter().enumerate() {
        assert_eq!(event["seq"], i, "events are numbered without gaps");
        assert!(event["type"].is_string(), "{event}");
    }
    assert_eq!(events.last().map(|e| &e["type"]), Some(&serde_json::json!("done")));
}

#[test]
fn junit_is_xml_with_every_scenario() {
    let desk = Desk::new();
    let ran = desk.run("test graphs/tour/sum.scenarios.yaml --format junit");
    assert_eq!(ran.code, Some(0), "{}", ran.transcript());
    assert!(ran.stdout.starts_with("<?xml"), "{}", ran.stdout);
    assert_eq!(ran.stdout.matches("<testcase").count(), 5, "{}", ran.stdout);
}

#[test]
fn schema_and_completions_are_printed() {
    let desk = Desk::new();
    let schema = desk.run("schema");
    let schema: serde_json::Value = serde_json::from_str(&schema.stdout).expect("the schema is JSON");
    assert!(schema["properties"]["nodes"].is_object());
    for shell in ["bash", "zsh", "fish"] {
        let ran = desk.run(&format!("completions {shell}"));
        assert_eq!(ran.code, Some(0));
        assert!(ran.stdout.contains("loopwright"));
    }
}

/// Every command has its page, the commands below another one, too; a page is written over one of another version, and what a link
/// leads to stays.
#[test]
fn manual_pages_are_written() {
    let desk = Desk::new();
    let names = |words: &str| -> Vec<String> {
        let help = desk.run(words).stdout;
        let list =
            help.split("Commands:\n").nth(1).unwrap_or_default().split("\n\n").next().unwrap_or_default();
        let rows = list.lines().filter(|line| line.starts_with("  ") && !line.starts_with("   "));
        rows.filter_map(|line| line.split_whitespace().next()).map(str::to_owned).collect()
    };
    let printed = desk.run("man");
    assert_eq!(printed.code, Some(0), "{}", printed.transcript());
    assert!(printed.stdout.contains("\n.TH loopwright 1"), "{}", printed.stdout);
    desk.write("mine", "stays");
    fs::create_dir_all(desk.folder.path().join("out/man")).expect("a folder can be made");
    std::os::unix::fs::symlink(
        desk.folder.path().join("mine"),
        desk.folder.path().join("out/man/loopwright-run.1"),
    )
    .expect("a link can be made");
    let ran = desk.run("man --into out/man");
    assert_eq!(ran.code, Some(0), "{}", ran.transcript());
    assert_eq!(desk.text("mine"), "stays");
    assert_eq!(desk.text("out/man/loopwright.1"), printed.stdout);
    let commands = names("--help");
    assert!(commands.len() > 25, "{commands:?}");
    let mut pages = 1;
    for command in &commands {
        let mut wanted = vec![command.clone()];
        wanted.extend(names(&format!("{command} --help")).iter().map(|below| format!("{command}-{below}")));
        for name in wanted {
            let page = desk.text(&format!("out/man/loopwright-{name}.1"));
            assert!(page.contains(&format!(".TH loopwright-{name} 1")), "{name}: {page}");
            pages += 1;
        }
    }
    assert_eq!(ran.stdout.lines().count(), pages, "{}", ran.stdout);
    // Once more, as after an update.
    assert_eq!(desk.run("man --into out/man").stdout, ran.stdout);
    let refused = desk.run("man --into mine");
    assert_eq!(refused.code, Some(2), "{}", refused.transcript());
    assert_eq!(desk.text("mine"), "stays");
}

/// An input comes from the command line, else from its variable, else from the file, else from the graph. What does not fit is said.
#[test]
fn inputs_come_from_variables() {
    let desk = Desk::new();
    desk.write(
        "g.yaml",
        "graph: g\ninput: {rounds: 'int(0..9) = 3', name: string = 'nobody'}\nstart: end\nnodes:\n  end: {kind: final}\noutput: {rounds: rounds, name: name}\n",
    );
    desk.write(
        "loopwright.toml",
        "[inputs]\nrounds = {env = \"G_ROUNDS\"}\nname = {env = \"G_NAME\", default = \"somebody\"}\n",
    );
    desk.trust(".");
    let run = |words: &str, env: &[(&str, &str)]| desk.run_with(&format!("run g.yaml{words}"), env);
    let gives = |words: &str, env: &[(&str, &str)], wanted: &str| {
        let ran = run(words, env);
        assert_eq!(ran.code, Some(0), "{}", ran.transcript());
        assert_eq!(ran.stdout, format!("outcome: end\n{wanted}\n"));
        ran.stderr
    };
    assert_eq!(gives("", &[], "rounds: 3\nname: somebody"), "");
    assert_eq!(gives("", &[("G_ROUNDS", "7"), ("G_NAME", "7")], "rounds: 7\nname: 7"), "");
    assert_eq!(gives(" --input rounds=5", &[("G_ROUNDS", "7")], "rounds: 5\nname: somebody"), "");
    assert_eq!(gives(" --input rounds=5", &[("G_ROUNDS", "many")], "rounds: 5\nname: somebody"), "");
    let said = gives("", &[("G_ROUNDS", "many"), ("G_NAME", "")], "rounds: 3\nname: ");
    assert!(!said.contains("many"), "the text of a variable may be secret: {said}");
    let broken = run("", &[("G_ROUNDS", "10")]);
    desk.write("nonsense.toml", "[inputs]\nruonds = {env = \"G_ROUNDS\"}\n");
    desk.write("empty.toml", "[inputs]\nrounds = {env = 5}\n");
    let nonsense = run(" --config nonsense.toml", &[("G_ROUNDS", "7")]);
    let empty = run(" --config empty.toml", &[]);
    assert_eq!((broken.code, nonsense.code, empty.code), (Some(0), Some(1), Some(1)));
    insta::assert_snapshot!([broken, nonsense, empty].map(|ran| ran.transcript()).join("\n"));
}

/// `bound-exceeded` is a finding of the command line alone: the same graph passes with another limit.
#[test]
fn a_bound_can_be_too_large() {
    let desk = Desk::new();
    desk.write(
        "open.yaml",
        "graph: open\ninput: {most: int}\nbudgets: {rounds: most}\nstart: a\nnodes:\n  a:\n    do: spend rounds\n    next: [{to: a, when: used(rounds) < 9}, {to: b}]\n  b: {kind: final}\n",
    );
    let commands = [
        "check --bound-max 14 graphs/mini.yaml",
        "check --bound-max 13 graphs/mini.yaml",
        "check --bound-max 99 open.yaml",
        "check --format json open.yaml",
    ];
    let said: Vec<String> = commands.iter().map(|words| desk.run(words).transcript()).collect();
    assert!(said[1].contains("[bound-exceeded]") && said[2].contains("[bound-exceeded]"));
    insta::assert_snapshot!(said.join("\n"));
}

/// Guards that hold at once are listed for people and machines, each pair once, and are no findings.
#[test]
fn overlapping_guards_are_listed() {
    let desk = Desk::new();
    let look = "start: a\nnodes:\n  a: {next: [{to: b, when: n < 3}, {to: b, when: 'n > 1 && n < 9'}, {to: b, when: 'xs.all(x, x > n)'}, {to: b}]}\n  b: {kind: final}\n";
    desk.write("inner.yaml", &format!("graph: inner\ninput: {{n: int, xs: list<int>}}\n{look}"));
    for (name, text) in [("one", "graph: one"), ("two", "graph: two")] {
        let text = format!(
            "{text}\nstart: c\nnodes:\n  c: {{kind: call, graph: inner.yaml, with: {{n: 1, xs: []}}, next: [{{to: d}}, {{to: d, on: error}}]}}\n  d: {{kind: final}}\n"
        );
        desk.write(&format!("{name}.yaml"), &text);
    }
    let commands = [
        "check inner.yaml",
        "check --overlaps one.yaml two.yaml",
        "check --overlaps --format json inner.yaml",
    ];
    let said: Vec<String> = commands.iter().map(|words| desk.run(words).transcript()).collect();
    insta::assert_snapshot!(said.join("\n"));
}

/// A run whose tool says which threads the program has that calls it: the parent of its guard.
#[cfg(target_os = "linux")]
#[test]
fn a_run_is_driven_without_handing_its_calls_to_other_threads() {
    let desk = Desk::new();
    desk.write(
        "threads.yaml",
        "
graph: threads
state: {go_on: bool = false, names: 'list<string> = []'}
start: ask
nodes:
  ask: {kind: model, role: any, prompt: \"'Go on?'\", output: bool, into: go_on, next: [{to: look, when: go_on}, {to: end}]}
  look: {kind: tool, tool: threads, into: names, next: [{to: end}]}
  end: {kind: final}
output: {names: names}
",
    );
    desk.write("threads.script.yaml", "model: {any: [true]}\n");
    desk.write(
        "loopwright.toml",
        r#"
[tools.threads]
description = "Names the threads of who calls it."
command = ["sh", "-c", "sort /proc/$(sed -n 's/^PPid:[[:space:]]*//p' /proc/$PPID/status)/task/*/comm"]
parse = "lines"
"#,
    );
    // Where a run is built again at each step, a thread of its own reads what is kept.
    let env = [("LOOPWRIGHT_REBUILD", "0")];
    let ran = desk.run_with("run threads.yaml --script threads.script.yaml --grant threads", &env);
    // The system keeps the first 15 characters of a name.
    let wanted = "outcome: end\nnames: [\"loopwright\",\"loopwright-stor\"]\n";
    assert_eq!(ran.stdout, wanted, "{}", ran.transcript());
}

/// The number that stands before a word.
fn number_before(text: &str, word: &str) -> f64 {
    let before = text.split(word).next().expect("there is a beginning").trim_end();
    let digits = before.rsplit(|c: char| !c.is_ascii_digit() && c != '.').next().unwrap_or_default();
    digits.parse().unwrap_or_else(|_| panic!("no number before `{word}` in: {text}"))
}

#[test]
fn a_summary_says_what_a_run_took() {
    let desk = Desk::new();
    let ran = desk.run(&format!("{SUM} --summary"));
    assert!(!ran.stdout.contains("took"), "{}", ran.transcript());
    let text = &ran.stderr;
    assert!(
        text.contains("4 calls of models, 3 calls of tools; 0 tokens in, 0 out; $0\n"),
        "{}",
        ran.transcript()
    );
    assert!(text.contains("budgets: rounds 4/8\n"), "{}", ran.transcript());
    let outside = text.split("outside of models and tools: ").nth(1).expect("it is said");
    let (whole, outside, each) =
        (number_before(text, "ms: "), number_before(outside, "ms, "), number_before(outside, "ms for each"));
    assert!(0.0 < outside && outside <= whole, "{}", ran.transcript());
    assert!((outside / 4.0 - each).abs() < 0.02, "{}", ran.transcript());
    let ran = desk.run(&format!("{SUM} --run-id again"));
    assert!(!ran.stderr.contains("outside of models"), "without the flag a script has no summary");
}
