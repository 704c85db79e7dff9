//! What storing costs: synced effects beside bare inserts of the same bytes, in the same run.

use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures::future::join_all;
use loopwright::port::Store;

use super::server::{self, Server, store};
use crate::world::{commit, info, waiting};

/// The time of each measurement.
const TIME: Duration = Duration::from_secs(5);

/// Bare inserts per second, each in a commit of its own, by a program of the server.
fn bare(server: &Server, database: &str, writers: usize, bytes: usize) -> f64 {
    let script = server.file("insert.sql");
    std::fs::write(&script, format!("INSERT INTO bare (body) VALUES ('{}');\n", "x".repeat(bytes)))
        .expect("written");
    let output = Command::new(server::program_path("pgbench"))
        .args(["-n", "-M", "prepared", "-c", &writers.to_string(), "-T", &TIME.as_secs().to_string(), "-f"])
        .arg(&script)
        .arg(database)
        .output()
        .expect("pgbench runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let rate = text.lines().find_map(|line| line.strip_prefix("tps = ")?.split(' ').next()?.parse().ok());
    rate.unwrap_or_else(|| panic!("{text}{}", String::from_utf8_lossy(&output.stderr)))
}

/// Commits per second of so many runs at once.
async fn stored(runs: &Arc<dyn Store>, round: usize, writers: usize) -> f64 {
    let begun = Instant::now();
    let many = join_all((0..writers).map(|n| {
        let (runs, name) = (Arc::clone(runs), format!("{round}-{writers}-{n}"));
        tokio::spawn(async move {
            runs.create(&info(&name)).await.expect("a run");
            let mut seq = 0;
            while begun.elapsed() < TIME {
                commit(&*runs, &name, u64::from(seq), None).await.expect("it is stored");
                seq += 1;
            }
            seq
        })
    }))
    .await;
    let many: u32 = many.into_iter().map(|many| many.expect("it goes on")).sum();
    f64::from(many) / begun.elapsed().as_secs_f64()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "a measurement: it says what storing costs and asserts nothing"]
async fn effects_beside_bare_inserts() {
    if !server::is_here() {
        return;
    }
    let server = Server::start(&["max_connections=200"]);
    let database = server.database();
    let name = database.rsplit('/').next().expect("a name");
    server.sql(name, "CREATE TABLE bare (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, body text)");
    let runs: Arc<dyn Store> = store(&database);
    let begun = Instant::now();
    drop(waiting(&runs, "driven", 1_000, 0).await);
    let driven = 1_000.0 / begun.elapsed().as_secs_f64();
    let bytes = "SELECT avg(octet_length(body) + octet_length(chain) + 70)::int FROM loopwright.journal";
    println!("a driven run: {driven:.0} effects a second, {} bytes each", server.sql(name, bytes));
    for writers in [1, 4, 8] {
        for round in 0..2 {
            let own = stored(&runs, round, writers).await;
            let bytes: usize = server.sql(name, bytes).parse().expect("a number");
            let bare = bare(&server, &database, writers, bytes);
            println!("{writers} at once: {own:.0} commits a second, bare {bare:.0}, {:.2} of it", own / bare);
        }
    }
}
