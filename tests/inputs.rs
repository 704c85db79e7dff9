//! Inputs that a run is given and cannot take: refused before it begins, each fault with its cure.

use crate::cli::Desk;

const GRAPH: &str = "graph: g
input:
  limit: int
  note: string = ''
  rest: any
start: end
nodes:
  end: {kind: final}
output: {limit: limit, note: note, rest: rest}
";

/// What `run` says of these words behind the graph's name.
fn run(desk: &Desk, words: &[&str]) -> String {
    desk.run_words(&[&["run", "g.yaml"], words].concat(), &[]).transcript()
}

#[test]
fn a_file_of_inputs_is_looked_at_before_the_run() {
    let desk = Desk::new();
    desk.write("g.yaml", GRAPH);
    desk.write("good.json", r#"{"limit": 3, "rest": {"a": [1]}}"#);
    desk.write("names.json", r#"{"limti": 3, "rest": 1, "entirely_else": 2}"#);
    desk.write("types.json", r#"{"limit": "3", "note": 5}"#);
    let good = run(&desk, &["--input", "@good.json"]);
    assert!(good.contains("exit code 0") && good.contains("limit: 3"), "{good}");
    let said = [&["--input", "@names.json"][..], &["--input", "@types.json"], &["--input", "limti=3"]];
    insta::assert_snapshot!(said.map(|words| run(&desk, words)).join("\n"));
    let runs = desk.run("runs").stdout;
    assert_eq!(
        runs.lines().filter(|line| line.contains("g.yaml") || line.contains(" g ")).count(),
        1,
        "{runs}"
    );
}

#[test]
fn broken_json_is_no_text() {
    let desk = Desk::new();
    desk.write("g.yaml", GRAPH);
    let deep = format!("rest={}{}", "[".repeat(65), "]".repeat(65));
    let said = [r#"rest={"a":1,"a":2}"#, &deep, "rest=[1, 2", "rest={a}"];
    let said = said.map(|rest| run(&desk, &["--input", "limit=1", "--input", rest]));
    insta::assert_snapshot!(said.join("\n"));
    let text = run(&desk, &["--input", "limit=1", "--input", r#"rest="[a]""#]);
    assert!(text.contains("rest: [a]"), "{text}");
}
