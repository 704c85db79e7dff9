//! `rollback --when`: the step is found by the state.

use crate::cli::Desk;

const SUM: &str = "graphs/tour/sum.yaml --script graphs/tour/sum.script.yaml";

fn at(desk: &Desk, condition: &str) -> (Option<i32>, String) {
    let ran = desk.run_words(&["rollback", "sum", "--when", condition, "--format", "json"], &[]);
    let found: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap_or_default();
    (ran.code, if ran.code == Some(0) { found["to"].to_string() } else { ran.stderr })
}

#[test]
fn the_latest_step_at_which_it_began_to_hold_is_taken() {
    let desk = Desk::new();
    assert_eq!(desk.run(&format!("run {SUM} --run-id sum")).code, Some(0));
    let size = |step: u64| {
        let shown = desk.run(&format!("show sum --at {step} --format json"));
        let shown: serde_json::Value = serde_json::from_str(&shown.stdout).expect("JSON");
        shown["lanes"][0]["state"]["findings"].as_array().expect("a list").len()
    };
    // Every step by hand: where there are two findings, and were fewer before.
    let second = (1..12).find(|step| size(*step) == 2 && size(step - 1) < 2).expect("there are two");
    let third = (1..12).find(|step| size(*step) == 3 && size(step - 1) < 3).expect("there are three");
    assert_eq!(at(&desk, "size(findings) == 3"), (Some(0), third.to_string()));
    assert_eq!(at(&desk, "size(findings) >= 2"), (Some(0), second.to_string()));
    // What was left does not count any more.
    let (code, said) = at(&desk, "size(findings) == 3");
    assert!(code == Some(2) && said.contains("holds at no step of the run `sum`"), "{said}");
    assert_eq!(at(&desk, "true"), (Some(0), "0".to_owned()));
    // Where it cannot be decided it does not hold.
    let (code, said) = at(&desk, "findings[7] == 'x'");
    assert!(code == Some(2), "{said}");
}

#[test]
fn conditions_that_are_none_are_refused() {
    let desk = Desk::new();
    assert_eq!(desk.run(&format!("run {SUM} --run-id sum")).code, Some(0));
    for (condition, said) in [
        ("size(findngs) == 1", "did you mean `findings`?"),
        ("findings", "--when:1:1"),
        ("", "--when"),
        ("size(findings) ==", "--when:1:18"),
    ] {
        let (code, told) = at(&desk, condition);
        assert!(code == Some(2) && told.contains(said), "{condition}: {code:?} {told}");
    }
    for words in ["rollback sum", "rollback sum --to 1 --when true"] {
        assert_eq!(desk.run(words).code, Some(2), "{words}");
    }
    let shown = desk.run("show sum --format json");
    assert!(
        shown.stdout.contains("\"status\": \"ended\"") || shown.stdout.contains("answered"),
        "it did not move"
    );
}
