//! The simulated store, held to what every store promises.

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
