//! `replay --against`.

use std::fmt::Write as _;
use std::fs;

use super::desk::talk;
use super::replay::{keep_changed, plums};
use crate::cli::{Desk, Ran};

/// Replays a run against an edited copy of a graph beside it.
fn against(desk: &Desk, run: &str, graph: &str, edits: &[(&str, &str)]) -> Ran {
    let path = desk.folder.path().join(graph);
    let mut text = fs::read_to_string(&path).expect("the graph can be read");
    for (old, new) in edits {
        assert!(text.contains(old), "{graph} has no {old}");
        text = text.replace(old, new);
    }
    let (folder, name) = graph.rsplit_once('/').unwrap_or((".", graph));
    let edited = format!("{folder}/edited-{name}");
    fs::write(desk.folder.path().join(&edited), text).expect("it is written");
    desk.run(&format!("replay {run} --against {edited}"))
}

const SUM: &str = "graphs/tour/sum.yaml";

/// Edits that change the way, each told at the first place.
#[test]
fn the_first_place_is_told_where_an_edited_graph_goes_another_way() {
    let desk = plums();
    let mut all = String::new();
    let edits: &[(&str, &[(&str, &str)])] = &[
        ("a guard", &[("decision.tool != null}", "decision.tool == 'list_files'}")]),
        ("a budget", &[("rounds: 8", "rounds: 2"), ("{{ budgets.rounds.left }}", "7")]),
        ("a prompt", &[("You have", "There are")]),
        (
            "a node's name",
            &[("  gate:", "  door:"), ("to: gate", "to: door"), ("start: gate", "start: door")],
        ),
        (
            "the order of edges",
            &[
                ("      - {to: out_of_rounds, when: exhausted(rounds), label: \"no\"}\n", ""),
                (
                    "      - {to: decide, label: \"yes\"}",
                    "      - {to: decide, when: '!exhausted(rounds) || true', label: \"yes\"}\n      - {to: out_of_rounds}",
                ),
                (
                    "      - {to: done}\n      - {to: gate, on: error(invalid_output)",
                    "      - {to: gate, on: error(invalid_output)",
                ),
                (
                    "      - {to: act, when: decision.action == 'call_tool' && decision.tool != null}",
                    "      - {to: done, when: decision.action == 'call_tool' && decision.tool == 'calculator'}\n      - {to: act, when: decision.action == 'call_tool' && decision.tool != null}\n      - {to: done}",
                ),
            ],
        ),
        ("what may be called", &[("allow: [list_files, ", "allow: [")]),
        ("the form of answers", &[("answer: string?", "answer: string")]),
        ("the arguments", &[("\n    args: decision.args", "\n    args: \"{'n': size(decision.args)}\"")]),
        ("the end", &[("reason: string = 'answered'", "reason: string = 'well'")]),
        (
            "an input that is not given",
            &[("question: string = 'What do all", "more: int\n  question: string = 'What do all")],
        ),
    ];
    for (what, edits) in edits {
        let ran = against(&desk, "plums", SUM, edits);
        assert_eq!(ran.code, Some(1), "{what}: {}", ran.transcript());
        let _ = write!(all, "{what}\n{}\n", ran.stdout);
    }
    insta::assert_snapshot!(all);
}

/// Edits that change nothing in the way.
#[test]
fn what_does_not_change_the_way_is_no_difference() {
    let desk = plums();
    let edits: &[&[(&str, &str)]] = &[
        &[("# A loop over", "# One loop over")],
        &[("findings", "seen")],
        &[("  reason: string = 'answered'", "  reason: string = 'answered'\n  more: int = 7")],
        &[("rounds: 8", "rounds: 4"), ("{{ budgets.rounds.left }}", "{{ budgets.rounds.left + 4 }}")],
        &[("timeout: 10s", "timeout: 1h")],
        &[("label: \"no\"", "label: never")],
        // Nothing goes the second edge.
        &[("on: [error, timeout]", "on: error")],
    ];
    for edits in edits {
        let ran = against(&desk, "plums", SUM, edits);
        assert_eq!(ran.code, Some(0), "{edits:?}: {}", ran.transcript());
        assert!(
            ran.stdout.contains("ended: answered, as stored\noutput: as stored\n"),
            "{}",
            ran.transcript()
        );
    }
    let ran = against(&desk, "plums", SUM, &[("graph: sum\n", "graph: total\n")]);
    assert_eq!(ran.code, Some(0), "a graph of another name takes the same path\n{}", ran.transcript());
    let ran = against(&desk, "plums", SUM, &[("tool_calls: size(findings)", "calls: size(findings)")]);
    assert_eq!(ran.code, Some(0), "{}", ran.transcript());
    insta::assert_snapshot!(ran.stdout);
}

#[test]
fn a_graph_with_faults_is_not_held_against_a_run() {
    let desk = plums();
    let ran = against(&desk, "plums", SUM, &[("exhausted(rounds)", "exhausted(round)")]);
    assert_eq!(ran.code, Some(2), "{}", ran.transcript());
    assert!(ran.stderr.contains("did you mean `rounds`?"), "{}", ran.transcript());
    assert_eq!(desk.run("replay plums --against graphs/none.yaml").code, Some(2));
    assert_eq!(desk.run("replay plums --against graphs/tour/parts/none.yaml --to 3").code, Some(2));
}

#[test]
fn a_run_of_many_nodes() {
    let desk = Desk::new();
    let ran = desk.run("run graphs/react/v2.yaml --script graphs/react/v2.script.yaml --input request=What_is_open? --grant write_file --run-id turn");
    assert_eq!(ran.code, Some(0), "{}", ran.transcript());
    let graph = "graphs/react/v2.yaml";
    let same = against(&desk, "turn", graph, &[("# ReAct, second version", "# Second version")]);
    assert_eq!(same.code, Some(0), "{}", same.transcript());
    let mut all = same.stdout;
    for edits in [
        [("max_iterations: int = 6", "max_iterations: int = 1")],
        [("strategy == 'explore' && exhausted(explore)", "strategy == 'explore'")],
        [("finishing && summary == ''", "finishing")],
    ] {
        let ran = against(&desk, "turn", graph, &edits);
        assert_eq!(ran.code, Some(1), "{edits:?}: {}", ran.transcript());
        let _ = write!(all, "\n{edits:?}\n{}", ran.stdout);
    }
    insta::assert_snapshot!(all);
}

/// Lanes are compared each for itself: which of them is served first is no other way.
#[test]
fn lanes_are_compared_each_for_itself() {
    let desk = Desk::new();
    let ran = desk.run("run graphs/parallel/review.loop --script graphs/parallel/review.script.yaml --input task=How_tall? --run-id review");
    assert_eq!(ran.code, Some(0), "{}", ran.transcript());
    let graph = "graphs/parallel/review.loop";
    let facts = "    facts { graph 'reviewer.loop'  with { text: draft, look_at: facts }  into by_facts }\n";
    let style = "    style { graph 'reviewer.loop'  with { text: draft, look_at: style }  into by_style }\n";
    let both = format!("{facts}{style}");
    let other = format!("{style}{facts}");
    let ran = against(&desk, "review", graph, &[(&both, &other)]);
    assert_eq!(ran.code, Some(0), "{}", ran.transcript());
    let ran = against(&desk, "review", graph, &[("'Is it short and plain?'", "'Is it long?'")]);
    assert_eq!(ran.code, Some(1), "{}", ran.transcript());
    let mut all = ran.stdout;
    let ran = desk.run(
        "run graphs/tour/05-called-graphs.yaml --script graphs/tour/05-called-graphs.script.yaml --input topics=[\"tower\",\"bridge\"] --run-id called",
    );
    assert_eq!(ran.code, Some(0), "{}", ran.transcript());
    let graph = "graphs/tour/05-called-graphs.yaml";
    // One after the other, where it was side by side.
    let ran = against(&desk, "called", graph, &[("at_once: 2", "at_once: 1")]);
    assert_eq!(ran.code, Some(0), "{}", ran.transcript());
    let ran = against(&desk, "called", graph, &[("    over: topics\n", "    over: topics.slice(0, 1)\n")]);
    assert_eq!(ran.code, Some(1), "{}", ran.transcript());
    let _ = write!(all, "\n{}", ran.stdout);
    insta::assert_snapshot!(all);
}

/// A run that waits, and one that was cut off while a call was under way.
#[test]
fn a_run_without_an_end() {
    let desk = talk();
    desk.run("run talk.yaml --run-id one");
    desk.run("resume one --answer more");
    desk.run("resume one --answer more");
    let mut all = String::new();
    for (edits, code) in [
        ([("options: [more, stop]", "options: [more, stop] ")], 0),
        ([("options: [more, stop]", "options: [more, stop, halt]")], 1),
        ([("when: word == 'stop'", "when: word == 'more'")], 1),
        ([("rounds: 2000", "rounds: 1")], 1),
        ([("kind: human", "kind: human\n    timeout: 1h")], 0),
    ] {
        let ran = against(&desk, "one", "talk.yaml", &edits);
        assert_eq!(ran.code, Some(code), "{}", ran.transcript());
        let _ = writeln!(all, "{}", ran.stdout);
    }
    let desk = plums();
    keep_changed(&desk, "plums", |entries| entries.truncate(3));
    let text = fs::read_to_string(desk.folder.path().join(SUM)).expect("the graph can be read");
    for (old, new) in
        [("# A loop", "# One loop"), ("\n    args: decision.args", "\n    args: \"{'all': true}\"")]
    {
        let name = "graphs/tour/other.yaml";
        assert!(text.contains(old));
        desk.write(name, &text.replace(old, new));
        all += &desk.run(&format!("replay plums --db other.db --against {name}")).transcript();
    }
    insta::assert_snapshot!(all);
}
