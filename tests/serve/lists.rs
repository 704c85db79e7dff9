//! Lists: runs page by page, the inbox, figures.

use serde_json::{Value, json};

use super::world::{PAIR, Served, TALK};

#[test]
fn runs_are_listed_page_by_page_with_what_a_table_shows() {
    let served = Served::of(&[("talk.yaml", TALK), ("pair.yaml", PAIR)], "");
    let client = served.client();
    for number in 0..7 {
        served.asking(if number % 2 == 0 { "talk" } else { "pair" }, &format!("run-{number}"));
    }
    client.post("/api/v1/runs/run-0/cancel", &json!({})).is(202);
    served.having("run-0", |shown| shown["status"] == "failed");
    let mut names = Vec::new();
    let mut after = String::new();
    loop {
        let page = client.get(&format!("/api/v1/runs?limit=3{after}")).json();
        names.extend(page["runs"].as_array().expect("a list").iter().map(|run| run["run"].clone()));
        let Some(next) = page["next"].as_str() else { break };
        after = format!("&after={next}");
    }
    assert_eq!(names, (0..7).rev().map(|number| json!(format!("run-{number}"))).collect::<Vec<_>>());
    let of = |query: &str| {
        client.get(&format!("/api/v1/runs?{query}")).json()["runs"].as_array().cloned().expect("a list")
    };
    assert_eq!(of("graph=pair").len(), 3);
    assert_eq!(of("status=failed").len(), 1);
    assert_eq!(of("status=waiting&graph=talk").len(), 3);
    let row = of("status=waiting&graph=talk")[0].clone();
    assert_eq!(
        (&row["run"], &row["node"], &row["status"], &row["questions"]),
        (&json!("run-6"), &json!("ask"), &json!("waiting"), &json!(1))
    );
    assert_eq!(row["budgets"]["rounds"], json!({"used": 1, "limit": 2000, "grace": 0, "left": 1999}));
    assert!(row["started"].is_string() && row["at"].is_string() && row["events"].is_u64(), "{row}");
    // The inbox has every open question once.
    let mut asked: Vec<Value> = Vec::new();
    let mut path = "/api/v1/questions".to_owned();
    loop {
        let page = client.get(&path).json();
        asked.extend(page["questions"].as_array().expect("a list").iter().cloned());
        let Some(next) = page["next"].as_str() else { break };
        path = format!("/api/v1/questions?after={next}");
    }
    assert_eq!(asked.len(), 3 + 2 * 3);
    assert!(
        asked.iter().all(|ask| ask["etag"].is_string()
            && ask["schema"]["enum"].is_array()
            && ask["state"].is_object())
    );
    let figures = client.get("/metrics").is(200);
    assert!(
        figures.header("content-type").is_some_and(|kind| kind.starts_with("application/openmetrics-text"))
    );
    for line in [
        "loopwright_runs{status=\"waiting\"} 6",
        "loopwright_runs{status=\"failed\"} 1",
        "loopwright_steps_total",
        "# EOF",
    ] {
        assert!(figures.body.lines().any(|own| own.starts_with(line)), "{line}: {}", figures.body);
    }
}
