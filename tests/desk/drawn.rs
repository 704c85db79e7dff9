//! Drawings: words for signs, failures that look like such, one arrow for a pair, a direction.

use super::{empty, says};
use crate::cli::Desk;

fn drawn() -> Desk {
    let desk = empty();
    desk.write("d.yaml", "graph: d\nstate: {a: bool = true, n: int = 0}\nstart: one\nnodes:\n  one:\n    do: n += 1\n    next: [{to: two, when: a && !(n > 2)}, {to: two, when: n >= 4 || n != 1}, {to: two}]\n  two:\n    do: n += 1\n    next: [{to: good, when: n > 3}, {to: bad}]\n  good: {kind: final}\n  bad: {kind: final, ok: false}\n");
    desk
}

#[test]
fn conditions_are_drawn_in_words() {
    let wanted = ["one --> two : a and not (n > 2)", "n >= 4 or n != 1", "two --> good : n > 3"];
    says(&drawn(), "render d.yaml", 0, &wanted);
}

#[test]
fn a_final_that_is_a_failure_looks_like_one() {
    let desk = drawn();
    for form in ["state", "flow"] {
        says(&desk, &format!("render d.yaml --as {form}"), 0, &["classDef failed ", "class bad failed"]);
    }
    says(
        &desk,
        "render d.yaml --as dot",
        0,
        &["\"bad\" [label=\"bad\", shape=ellipse, peripheries=2, color=firebrick"],
    );
    says(&desk, "render d.yaml --as svg", 0, &["class=\"node final failed\" data-id=\"bad\""]);
}

#[test]
fn arrows_of_a_pair_are_one() {
    let ran = says(&drawn(), "render d.yaml --merge", 0, &["one --> two : a and not (n > 2) /"]);
    assert!(ran.stdout.contains("/ otherwise") || ran.stdout.contains("/<br/>otherwise"), "{}", ran.stdout);
    assert_eq!(ran.stdout.matches("one --> two").count(), 1, "{}", ran.stdout);
    assert!(ran.stdout.contains("two --> bad\n"), "an arrow alone needs no words: {}", ran.stdout);
}

#[test]
fn drawings_have_a_direction() {
    let desk = drawn();
    says(&desk, "render d.yaml --direction LR", 0, &["stateDiagram-v2\n    direction LR\n"]);
    says(&desk, "render d.yaml --as flow --direction lr", 0, &["flowchart LR\n"]);
    says(&desk, "render d.yaml --as flow --direction TB", 0, &["flowchart TB\n"]);
}
