//! A key that is known, and a search for it in all that runs leave behind and print.

mod search;
mod server;
#[cfg_attr(not(feature = "otel"), path = "no_traces.rs")]
mod traces;

use crate::cli::{Desk, Ran};

/// It holds what is escaped in JSON and in addresses.
const KEY: &str = "sk-canary/4f\"9Zq+77\\end=of&it-0123456789";

const RUNS: usize = 50;

const GRAPH: &str = r#"
graph: leaks
types:
  Answer: {text: string}
input:
  way: string
  note: string = ''
  asks: bool = false
state: {answer: Answer?, found: any, said: string?, told: string?, details: any}
texts:
  first: '{{ note }}'
  second: '{{ found | tojson }} {{ answer | tojson }}'
start: ask
nodes:
  ask:
    kind: model
    role: any
    system: "'''Tell all you know.'''"
    prompt: first
    output: Answer
    into: answer
    next:
      - {to: look}
      - to: look
        on: error
        do: |
          said = error.message
          details = error.details
  look:
    kind: tool
    tool: leak
    args: {way: way}
    into: found
    next:
      - {to: again}
      - {to: again, on: error, do: said = error.message}
  again:
    kind: model
    role: any
    prompt: second
    stream: text
    output: Answer
    into: answer
    next:
      - {to: person, when: asks}
      - {to: end}
      - {to: end, on: error}
  person:
    kind: human
    ask: said ?? 'Well?'
    into: told
    next: [{to: end}]
  end: {kind: final}
output: {answer: answer, found: found, said: said, told: told, note: note, details: details}
"#;

/// The ways of the tool.
const TOOL: &str = r#"
case "$1" in
  plain) printf 'the key is %s\n' "$CANARY" ;;
  halves) printf '%s' "${CANARY%%Z*}"; sleep 0.01; printf 'Z%s' "${CANARY#*Z}" ;;
  base64) printf '%s' "Bearer $CANARY" | base64 | tr -d '\n' ;;
  json) printf '{"key": "%s"}' "$(printf '%s' "$CANARY" | sed 's/[\\"]/\\&/g')" ;;
  fails) printf 'wrong key: %s\n' "$CANARY" >&2; exit 1 ;;
esac
"#;

const TOOL_WAYS: [&str; 5] = ["plain", "halves", "base64", "json", "fails"];

const FORMATS: [&str; 3] = ["human", "json", "jsonl"];

/// A folder for runs; where nothing is hidden, the configuration names no key.
fn desk(server: &str, hides: bool) -> Desk {
    let desk = Desk::new();
    desk.write("leaks.yaml", GRAPH);
    desk.write("leak.sh", TOOL);
    for way in 0..server::WAYS {
        let key = if hides { "key = {env = \"CANARY\"}" } else { "" };
        let config = format!(
            "[models.\"*\"]\nprovider = \"openai\"\nbase_url = \"{server}/{way}/v1\"\nmodel = \"any\"\nattempts = 1\n{key}\n\n\
             [tools.leak]\ncommand = [\"sh\", \"leak.sh\", \"{{way}}\"]\nenv = [\"PATH\", \"CANARY\"]\n"
        );
        let name = format!("{way}.toml");
        desk.write(&name, &config);
        desk.trust(&name);
    }
    desk
}

/// One run and a look at it with every command that shows runs; all that was printed. Its traces go where the variables say.
fn run(desk: &Desk, number: usize, traces: &[(&str, String)]) -> Vec<Ran> {
    let id = format!("run-{number}");
    let (config, record) = (format!("{}.toml", number % server::WAYS), format!("{number}.scenarios.yaml"));
    let tool = format!("way={}", TOOL_WAYS[number % TOOL_WAYS.len()]);
    let note = format!("note=I know {KEY}");
    let ports = ["--config", &config, "--grant", "leak", "--log", "trace", "--record", &record];
    let format = FORMATS[number % FORMATS.len()];
    let mut words = vec!["run", "leaks.yaml", "--run-id", &id, "--input", &tool, "--format", format];
    words.extend(ports);
    if number.is_multiple_of(4) {
        words.extend(["--input", &note]);
    }
    let asks = number.is_multiple_of(7);
    if asks {
        words.extend(["--input", "asks=true"]);
    }
    let mut env = vec![("CANARY", KEY)];
    env.extend(traces.iter().map(|(name, value)| (*name, value.as_str())));
    let mut all = vec![desk.run_words(&words, &env)];
    if asks && all[0].code == Some(3) {
        let mut words = vec!["resume", &id, "--answer", KEY, "--force"];
        words.extend(ports);
        all.push(desk.run_words(&words, &env));
    }
    for words in
        [&["show", &id][..], &["log", &id, "--format", "jsonl"], &["render", "--run", &id], &["replay", &id]]
    {
        all.push(desk.run_words(words, &[]));
    }
    all
}

/// What was printed of the key, with the stream and the command.
fn printed(all: &[Ran]) -> Vec<(&'static str, &'static str)> {
    let streams = all.iter().flat_map(|ran| [("stdout", &ran.stdout), ("stderr", &ran.stderr)]);
    streams
        .flat_map(|(name, text)| search::find(text.as_bytes()).into_iter().map(move |way| (name, way)))
        .collect()
}

#[test]
fn a_key_is_nowhere_in_what_runs_leave_behind() {
    let desk = desk(&server::start(), true);
    let traces = traces::Traces::start();
    let mut hidden = 0;
    for number in 0..RUNS {
        let all = run(&desk, number, &traces.variables());
        assert_eq!(
            printed(&all),
            [],
            "run {number}: {}",
            all.iter().map(Ran::transcript).collect::<String>()
        );
        assert!(matches!(all[0].code, Some(0 | 3)), "{}", all[0].transcript());
        let replayed = all.last().expect("it was replayed");
        assert_eq!(replayed.code, Some(0), "{}", replayed.transcript());
        hidden += usize::from(all.iter().any(|ran| ran.stdout.contains("***")));
    }
    assert_eq!(hidden, RUNS, "in every run there is something to hide");
    traces.check(RUNS);
    let mut found = Vec::new();
    search::find_in(desk.folder.path(), &mut found);
    assert_eq!(found, []);
}

#[test]
fn the_search_finds_a_key_that_is_not_hidden() {
    let desk = desk(&server::start(), false);
    let all: Vec<Ran> = (0..server::WAYS).flat_map(|number| run(&desk, number, &[])).collect();
    let mut found = printed(&all);
    found.sort_unstable();
    found.dedup();
    for way in ["plain", "the end", "JSON", "base64", "address", "hexadecimal"] {
        assert!(found.contains(&("stdout", way)) && found.contains(&("stderr", way)), "{way}: {found:?}");
    }
    let mut found = Vec::new();
    search::find_in(desk.folder.path(), &mut found);
    for file in ["runs.db", ".script.yaml", ".scenarios.yaml"] {
        assert!(found.iter().any(|(name, _)| name.contains(file)), "{file}: {found:?}");
    }
    for way in ["plain", "the end", "JSON", "base64", "address", "hexadecimal"] {
        assert!(found.iter().any(|(_, own)| *own == way), "{way}: {found:?}");
    }
}

#[test]
fn a_graph_that_holds_a_key_is_not_run() {
    let desk = desk("http://127.0.0.1:9", true);
    desk.write("leaks.yaml", &GRAPH.replace("Tell all you know.", &format!("Tell {}", "canary-of-a-key")));
    let ran =
        desk.run_with("run leaks.yaml --config 0.toml --input way=plain", &[("CANARY", "canary-of-a-key")]);
    insta::assert_snapshot!(ran.transcript());
    let ran = desk.run_with("run leaks.yaml --config 0.toml --input way=plain", &[("CANARY", "short")]);
    insta::assert_snapshot!(ran.transcript());
}

#[test]
fn a_faulty_graph_is_shown_without_the_key_that_it_quotes() {
    let desk = desk("http://127.0.0.1:9", true);
    let env = [("CANARY", "canary-of-a-key")];
    desk.write("asks.yaml", ASKS);
    desk.run_with("run asks.yaml --config 0.toml --run-id asks", &env);
    desk.write("asks.yaml", &ASKS.replace("'Well?'", "'canary-of-a-key' + 1"));
    for words in ["run asks.yaml --config 0.toml", "resume asks --config 0.toml --with asks.yaml"] {
        let ran = desk.run_with(words, &env);
        assert_eq!(ran.code, Some(1), "{}", ran.transcript());
        assert!(ran.stderr.contains("ask: \"'***' + 1\""), "{}", ran.transcript());
        assert!(!ran.transcript().contains("canary-of-a-key"), "{}", ran.transcript());
    }
}

/// A graph that waits for a person.
const ASKS: &str = r#"
graph: asks
state: {}
start: person
nodes:
  person: {kind: human, ask: "'Well?'", next: [{to: end}]}
  end: {kind: final}
"#;
