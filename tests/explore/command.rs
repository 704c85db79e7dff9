//! `loopwright explore` as a user sees it.

use super::payments;
use crate::cli::Desk;

/// An approval that counts for later payments, too.
fn broken_payments() -> String {
    payments(
        "  paid: int = 0\n",
        "properties:\n  approved_first: \"always visits(pay) <= visits(ask)\"\n",
        "      - {to: pay, when: approved}\n",
        "paid += 1",
    )
}

fn desk() -> Desk {
    let desk = Desk::new();
    desk.write("payments.yaml", &broken_payments());
    desk
}

#[test]
fn a_broken_property_is_shown_by_the_shortest_run() {
    let desk = desk();
    insta::assert_snapshot!(desk.run("explore payments.yaml").transcript());
}

#[test]
fn a_finding_that_is_saved_fails_until_the_graph_is_mended() {
    let desk = desk();
    let explored = desk.run("explore payments.yaml --save found");
    assert_eq!(explored.code, Some(1), "{}", explored.transcript());
    let failed = desk.run("test --root . found");
    assert_eq!(failed.code, Some(1), "{}", failed.transcript());
    assert!(failed.stdout.contains("approved_first"), "{}", failed.transcript());
    desk.write(
        "payments.yaml",
        &broken_payments().replace("then: paid += 1", "then: |\n      paid += 1\n      approved = false"),
    );
    let mended = desk.run("explore payments.yaml");
    assert_eq!(mended.code, Some(0), "{}", mended.transcript());
}

#[test]
fn any_number_of_threads_finds_the_same() {
    let desk = desk();
    let of = |words: &str| desk.run(&format!("explore payments.yaml --format json {words}")).stdout;
    let one = of("--threads 1");
    assert_eq!(one, of("--threads 3"));
    let walked = of("--threads 1 --max-states 6 --walks 100 --seed 7");
    assert_eq!(walked, of("--threads 2 --max-states 6 --walks 100 --seed 7"));
    assert!(walked.contains("\"whole\": false"), "{walked}");
}

#[test]
fn nonsense_is_refused() {
    let desk = desk();
    desk.write("words.yaml", "tools: [{ok: 1}, {tool: pay, ok: '{{ 1 }}'}]\n");
    let mut said = String::new();
    for words in [
        "nowhere.yaml",
        "payments.yaml --input most",
        "payments.yaml --input least=1",
        "payments.yaml --open least",
        "payments.yaml --rollbacks 2",
        "payments.yaml --threads 0",
        "payments.yaml --answers nowhere.yaml",
        "payments.yaml --answers words.yaml",
    ] {
        said += &desk.run(&format!("explore {words}")).transcript();
        said.push('\n');
    }
    insta::assert_snapshot!(said);
}
