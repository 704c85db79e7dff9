//! Bounds that are too large to be of use, in words that make sense.

use std::fmt::Write as _;

use crate::cli::Desk;

/// A loop of so many edges, each with a budget of its own.
fn many_budgets(count: usize) -> String {
    let mut text = "graph: g\nbudgets:\n".to_owned();
    for i in 0..count {
        let _done = writeln!(text, "  b{i}: 50");
    }
    text += "input: {n: int}\nstart: a\nnodes:\n  a:\n    kind: choice\n    next:\n";
    for i in 0..count {
        let _done = writeln!(text, "      - {{to: a, when: n == {i}, do: spend b{i}}}");
    }
    text += "      - {to: end}\n";
    for i in 0..count {
        let _done = writeln!(text, "      - {{to: end, on: exhausted(b{i})}}");
    }
    text + "  end: {kind: final}\n"
}

#[test]
fn a_bound_that_cannot_be_counted_is_no_number() {
    let desk = Desk::new();
    desk.write("g.yaml", &many_budgets(120));
    let ran = desk.run("check g.yaml");
    assert!(!ran.stdout.contains("uncountable"), "{}", ran.transcript());
    insta::assert_snapshot!(ran.transcript() + "\n" + &desk.run("check g.yaml --bound-max 10").transcript());
}

#[test]
fn a_loop_that_is_stopped_has_a_note() {
    let desk = Desk::new();
    let graph = "graph: g
budgets: {rounds: 200000}
state: {n: int = 0}
start: count
nodes:
  count:
    do: |
      spend rounds
      n += 1
    next: [{to: count, when: n < 200000}, {to: end}, {to: end, on: exhausted(rounds)}]
  end: {kind: final}
output: {n: n}
";
    desk.write("g.yaml", graph);
    let (checked, ran) = (desk.run("check g.yaml"), desk.run("run g.yaml"));
    assert!(ran.transcript().contains("120000 transitions in a row"), "{}", ran.transcript());
    insta::assert_snapshot!(checked.transcript());
    // One that asks somebody on its way has new room each time; a small one is never stopped.
    desk.write("g.yaml", &graph.replace("200000", "100000"));
    let small = desk.run("check g.yaml").transcript();
    desk.write(
        "g.yaml",
        &graph
            .replace("  end: {", "  rest: {kind: wait, delay: 1s, next: [{to: end}]}\n  end: {")
            .replace("{to: end}, {to: end, on", "{to: rest}, {to: end, on"),
    );
    let waits = desk.run("check g.yaml").transcript();
    assert!(!small.contains("long-loop") && !waits.contains("long-loop"), "{small}\n{waits}");
}
