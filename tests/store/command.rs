//! What the command line keeps, and what it says of it.

use std::path::Path;

use loopwright::drive::{open, rebuild};
use loopwright::model::Files;
use loopwright::port::Store;
use loopwright::source::Sources;
use loopwright::store::Sqlite;

use crate::cli::Desk;

const RUNS: [&str; 2] = [
    "run graphs/tour/sum.yaml --script graphs/tour/sum.script.yaml --run-id sum",
    "run graphs/tour/05-called-graphs.yaml --script graphs/tour/05-called-graphs.script.yaml \
     --input topics=[\"tower\",\"bridge\"] --run-id called",
];

fn desk() -> Desk {
    let desk = Desk::new();
    for words in RUNS {
        let ran = desk.run(words);
        assert_eq!(ran.code, Some(0), "{}", ran.transcript());
    }
    desk
}

fn db(desk: &Desk) -> std::path::PathBuf {
    desk.folder.path().join(".loopwright/runs.db")
}

fn damage(path: &Path) {
    let conn = rusqlite::Connection::open(path).expect("SQLite opens it");
    conn.execute_batch("UPDATE journal SET at = at + 1 WHERE id = (1 << 32) + 4").expect("it is changed");
}

#[test]
fn doctor_says_what_can_be_read() {
    let desk = desk();
    let mut all = desk.run("doctor").transcript();
    damage(&db(&desk));
    for words in ["doctor", "doctor --format json", "doctor --db none.db", "doctor --db graphs/tour/sum.yaml"]
    {
        all += &desk.run(words).transcript();
    }
    insta::assert_snapshot!(all);
}

#[test]
fn a_run_id_is_used_once() {
    let desk = desk();
    let ran = desk.run(RUNS[0]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.stderr.contains("there is a run `sum` already"), "{}", ran.transcript());
}

#[tokio::test]
async fn a_kept_run_goes_on_without_its_files() {
    let desk = desk();
    let store = Sqlite::open(db(&desk)).expect("the store");
    for info in store.runs().await.expect("the runs") {
        let text = store.program(&info.program).await.expect("read").expect("the program is kept");
        let mut files = text
            .files
            .iter()
            .fold(Files::new(), |files, (name, text)| files.with(name.as_str(), text.as_str()));
        let program = open(&mut Sources::new(), &mut files, &text.main).expect("it is sound");
        assert_eq!(program.digest, info.program);
        let kept = store.load(&info.run, None).await.expect("whole");
        assert!(rebuild(&program, &kept).expect("it goes the same way").done.is_some());
    }
}
