//! `resume`.

use super::desk::{TALK, talk, timeless};

#[test]
fn an_answer_is_looked_at_before_it_is_taken() {
    let desk = talk();
    let mut all = String::new();
    for words in [
        "run talk.yaml --run-id one",
        "resume one --answer perhaps",
        "resume one --answer 7",
        "resume one",
        "resume one --ask nobody --answer more",
        "resume nobody --answer more",
        "resume one --answer more",
        "resume one --answer stop --format json",
        "resume one --answer stop",
        "resume one --db none.db",
    ] {
        all += &desk.run(words).transcript();
        all.push('\n');
    }
    insta::assert_snapshot!(timeless(&all));
}

/// The run goes on with the graph as it was.
#[test]
fn the_file_may_change_or_go() {
    let desk = talk();
    assert_eq!(desk.run("run talk.yaml --run-id one").code, Some(3));
    desk.write("talk.yaml", &TALK.replace("more or stop?", "changed"));
    let ran = desk.run("resume one --answer more");
    assert!(ran.stdout.contains("Round 1: more or stop?"), "{}", ran.transcript());
    std::fs::remove_file(desk.folder.path().join("talk.yaml")).expect("it is removed");
    let ran = desk.run("resume one --answer stop");
    assert_eq!(
        (ran.code, ran.stdout.as_str()),
        (Some(0), "outcome: end\nrounds: 2\n"),
        "{}",
        ran.transcript()
    );
}

#[test]
fn the_named_command_is_the_one_that_goes_on() {
    let desk = talk();
    let ran = desk.run("run talk.yaml --run-id one --db kept/here.db");
    let command = ran.stdout.lines().last().expect("a command").trim();
    assert_eq!(command, "loopwright resume one --db kept/here.db --answer ANSWER");
    let words = command.trim_start_matches("loopwright ").replace("ANSWER", "stop");
    assert_eq!(desk.run(&words).code, Some(0));
}

/// A script gives the answers that are left.
#[test]
fn a_script_goes_on_where_it_was() {
    let desk = talk();
    desk.write("two.yaml", "human: [more, more]\n");
    desk.write("four.yaml", "human: [more, more, more, stop]\n");
    let ran = desk.run("run talk.yaml --run-id one --script two.yaml");
    assert_eq!(ran.code, Some(3), "{}", ran.transcript());
    let ran = desk.run("resume one --script four.yaml");
    assert_eq!(
        (ran.code, ran.stdout.as_str()),
        (Some(0), "outcome: end\nrounds: 4\n"),
        "{}",
        ran.transcript()
    );
}

#[test]
fn of_several_questions_one_is_named() {
    let desk = talk();
    desk.write(
        "two.yaml",
        "graph: two\nignore: {unhandled: Nobody goes on for so long.}\nstate: {left: any = null, right: any = null}\nstart: both\nnodes:\n  both:\n    kind: parallel\n    branches:\n      left: {graph: talk.yaml, into: left}\n      right: {graph: talk.yaml, into: right}\n    next: [{to: end}]\n  end: {kind: final}\noutput: {left: left.rounds, right: right.rounds}\n",
    );
    let mut all = String::new();
    for words in [
        "run two.yaml --run-id two",
        "resume two --answer stop",
        "resume two --ask two:both#1[right]/ask#1.ask --answer stop",
        "resume two --answer stop",
    ] {
        all += &desk.run(words).transcript();
        all.push('\n');
    }
    insta::assert_snapshot!(all);
}

/// A run that waits in a graph that was chosen goes on there, and is replayed there.
#[test]
fn a_chosen_graph_goes_on() {
    let desk = talk();
    desk.write("hear.yaml", &TALK.replace("graph: talk", "graph: hear").replace("'Round '", "'Hear '"));
    desk.write(
        "pick.yaml",
        "graph: pick\nignore: {unhandled: Nobody goes on for so long.}\ninput: {name: \"enum(talk, hear)\"}\nstate: {told: \"outputs('talk.yaml')?\"}\nstart: go\nnodes:\n  go: {kind: call, graph_of: name, graphs: [talk.yaml, hear.yaml], into: told, next: end}\n  end: {kind: final}\noutput: {rounds: told.rounds}\n",
    );
    let mut all = String::new();
    for words in [
        "run pick.yaml --run-id one --input name=hear",
        "resume one --answer more",
        "resume one --answer stop",
        "replay one",
    ] {
        all += &desk.run(words).transcript();
        all.push('\n');
    }
    // The times of the run are part of the digest.
    let (all, digest) = all.split_once("digest: ").expect("a replay ends with a digest");
    assert_eq!(digest.trim_end().len(), 64, "{digest}");
    insta::assert_snapshot!(timeless(all));
}

/// Twenty pauses and answers, each by a process of its own.
#[test]
fn many_processes_take_turns() {
    let desk = talk();
    assert_eq!(desk.run("run talk.yaml --run-id one").code, Some(3));
    for round in 1..20 {
        let ran = desk.run("resume one --answer more");
        assert_eq!(ran.code, Some(3), "{}", ran.transcript());
        assert!(ran.stdout.contains(&format!("Round {round}: more or stop?")), "{}", ran.transcript());
    }
    let ran = desk.run("resume one --answer stop");
    assert_eq!(
        (ran.code, ran.stdout.as_str()),
        (Some(0), "outcome: end\nrounds: 20\n"),
        "{}",
        ran.transcript()
    );
}
