//! `loopwright test --mutants` as a user sees it.

use crate::cli::{Desk, Ran};

/// A graph of which a scenario sees half.
const GRAPH: &str = "graph: gate
input: {n: int}
start: look
nodes:
  look:
    kind: choice
    next:
      - {to: high, when: n > 10}
      - low
  high: {kind: final}
  low: {kind: final}
";

const WEAK: &str = "graph: gate.yaml
scenarios:
  - {name: high, input: {n: 50}, expect: {outcome: high}}
";

fn desk() -> Desk {
    let desk = Desk::new();
    desk.write("gate.yaml", GRAPH);
    desk.write("gate.scenarios.yaml", WEAK);
    desk
}

fn run(desk: &Desk, words: &str) -> Ran {
    desk.run(&format!("test --mutants {words}"))
}

#[test]
fn survivors_are_listed_with_what_was_not_noticed() {
    let desk = desk();
    insta::assert_snapshot!("weak", run(&desk, "gate.scenarios.yaml").transcript());
    // What was not noticed, three more scenarios notice.
    desk.write(
        "gate.scenarios.yaml",
        &format!(
            "{WEAK}  - {{name: low, input: {{n: 1}}, expect: {{outcome: low}}}}
  - {{name: the last low one, input: {{n: 10}}, expect: {{outcome: low}}}}
  - {{name: the first high one, input: {{n: 11}}, expect: {{outcome: high}}}}
"
        ),
    );
    insta::assert_snapshot!("strong", run(&desk, "gate.scenarios.yaml --min-score 100").transcript());
}

#[test]
fn the_exit_code_says_whether_the_score_is_reached() {
    let desk = desk();
    let score = 50;
    for (minimum, code) in [(0, 0), (score, 0), (score + 1, 1), (100, 1)] {
        let ran = run(&desk, &format!("gate.scenarios.yaml --min-score {minimum}"));
        assert_eq!(ran.code, Some(code), "{}", ran.transcript());
        assert_eq!(ran.stdout.contains("the score is below"), code == 1, "{}", ran.transcript());
    }
    assert_eq!(run(&desk, "gate.scenarios.yaml").code, Some(0), "survivors alone are no failure");
}

#[test]
fn what_cannot_be_asked_is_refused() {
    let desk = desk();
    desk.write("empty.scenarios.yaml", "graph: gate.yaml\nscenarios: []\n");
    desk.write("broken.yaml", &GRAPH.replace("to: high", "to: hgih"));
    desk.write("broken.scenarios.yaml", &WEAK.replace("gate.yaml", "broken.yaml"));
    desk.write("failing.scenarios.yaml", &WEAK.replace("outcome: high", "outcome: low"));
    let mut out = String::new();
    for words in [
        "--mutants gate.scenarios.yaml --min-score 101",
        "--mutants gate.scenarios.yaml --min-score -1",
        "gate.scenarios.yaml --min-score 50",
        "--mutants gate.scenarios.yaml --coverage",
        "--mutants gate.scenarios.yaml --watch",
        "--mutants gate.scenarios.yaml --format junit",
        "--mutants missing.scenarios.yaml",
        "--mutants gate.yaml",
        "--mutants empty.scenarios.yaml",
        "--mutants broken.scenarios.yaml",
        "--mutants failing.scenarios.yaml",
    ] {
        out += &desk.run(&format!("test {words}")).transcript();
        out.push('\n');
    }
    insta::assert_snapshot!("refused", out);
}

#[test]
fn the_same_is_said_every_time_and_in_json_too() {
    let desk = desk();
    let words = "gate.scenarios.yaml graphs/mini.scenarios.yaml";
    let human = run(&desk, words);
    assert_eq!(run(&desk, words).stdout, human.stdout);
    let json = run(&desk, &format!("{words} --format json"));
    assert_eq!(run(&desk, &format!("{words} --format json")).stdout, json.stdout);
    let document: serde_json::Value = serde_json::from_str(&json.stdout).expect("it is JSON");
    let graphs = document["graphs"].as_array().expect("there are graphs");
    for graph in graphs {
        let mutants = graph["mutants"].as_array().expect("there are mutants");
        let counts = &graph["counts"];
        assert_eq!(counts["all"], mutants.len());
        for (verdict, key) in [
            ("killed", "killed"),
            ("refused", "refused"),
            ("equivalent", "equivalent"),
            ("survived", "survived"),
        ] {
            let counted = mutants.iter().filter(|mutant| mutant["verdict"] == verdict).count();
            assert_eq!(counts[key], counted, "{verdict}");
        }
        let line = format!(
            "{}  {} mutants: {} killed",
            graph["file"].as_str().unwrap_or_default(),
            counts["all"],
            counts["killed"]
        );
        assert!(human.stdout.contains(&line), "{line}\n{}", human.stdout);
    }
    insta::assert_snapshot!("json", serde_json::to_string_pretty(&graphs[0]).expect("it is JSON"));
}

/// A graph that writes down what nothing reads.
const NOTED: &str = "graph: gate
input: {mood: 'enum(good, bad)'}
state: {seen: int = 0, read: int = 0}
output: {read: read}
start: look
nodes:
  look:
    kind: choice
    next:
      - {to: high, when: mood == 'good', do: 'seen = 2'}
      - {to: low, do: 'read = 2'}
  high: {kind: final}
  low: {kind: final}
";

#[test]
fn a_survivor_that_no_answer_tells_apart_is_equivalent() {
    let desk = Desk::new();
    desk.write("gate.yaml", NOTED);
    desk.write(
        "gate.scenarios.yaml",
        "graph: gate.yaml
scenarios:
  - {name: good, input: {mood: good}, expect: {outcome: high}}
  - {name: bad, input: {mood: bad}, expect: {outcome: low}}
",
    );
    // What is written to `seen` nobody sees; what is written to `read` is in the output, and no scenario looks at it.
    insta::assert_snapshot!("noted", run(&desk, "gate.scenarios.yaml").transcript());
    let json = run(&desk, "gate.scenarios.yaml --format json").stdout;
    let json: serde_json::Value = serde_json::from_str(&json).expect("it is JSON");
    let verdict_of = |line: u64| {
        let mutants = json["graphs"][0]["mutants"].as_array().expect("there are mutants");
        let own = mutants.iter().filter(|one| one["line"] == line);
        own.map(|one| one["verdict"].as_str().unwrap_or_default().to_owned()).collect::<Vec<_>>()
    };
    assert!(verdict_of(10).contains(&"equivalent".to_owned()), "{json:#}");
    assert!(verdict_of(11).contains(&"survived".to_owned()), "{json:#}");
}

#[test]
fn nothing_is_called_equivalent_where_a_person_may_send_a_run_back() {
    let desk = Desk::new();
    desk.write("gate.yaml", &NOTED.replace("start: look", "pause: {when: \"mood == 'good'\"}\nstart: look"));
    desk.write(
        "gate.scenarios.yaml",
        "graph: gate.yaml
scenarios:
  - {name: good, input: {mood: good}, human: [resume], expect: {outcome: high}}
  - {name: bad, input: {mood: bad}, expect: {outcome: low}}
",
    );
    let ran = run(&desk, "gate.scenarios.yaml").transcript();
    assert!(ran.contains("`2` becomes `3`\n    - - {to: high,"), "{ran}");
}
