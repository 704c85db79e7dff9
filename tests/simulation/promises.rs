//! What a simulation stands on: its store keeps the promises of stores, and the code throws no dice.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use loopwright::port::Store;
use loopwright::store::conformance::check;
use tokio::sync::mpsc::unbounded_channel;

use crate::client::Client;
use crate::process::Process;
use crate::server::Server;
use crate::simulation::Simulation;

#[tokio::test(start_paused = true)]
async fn the_simulated_store_keeps_the_promises_of_a_store() {
    let fresh = || {
        let sim = Arc::new(Simulation::new(0, None, false));
        sim.calm_down();
        let server = Server::new(&sim, None, unbounded_channel().0);
        move || {
            let process = Process::safe(&sim, "test".into());
            Client::new(&sim, &process, &server, &Arc::default()) as Arc<dyn Store>
        }
    };
    if let Err(broken) = check(fresh).await {
        panic!("{}", broken.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"));
    }
}

/// The files of Rust below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("the folder is there");
    let paths = entries.map(|entry| entry.expect("it can be read").path());
    paths.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

/// Without `biased` the runtime chooses at random which branch comes first, and no seed has one trace.
#[test]
fn every_select_of_the_driver_and_the_worker_is_biased() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("crates/core/src");
    let mut found = 0;
    for file in ["drive", "worker/queue"].iter().flat_map(|folder| files(&root.join(folder))) {
        let text = std::fs::read_to_string(&file).expect("it can be read");
        for (_, branches) in
            text.match_indices("select! {").map(|(at, start)| text.split_at(at + start.len()))
        {
            assert!(branches.trim_start().starts_with("biased;"), "a choice at random in {}", file.display());
            found += 1;
        }
    }
    assert!(found > 5, "only {found} were found");
}
