//! Runs of an engine.

use super::PAGE;
use crate::models::page::{Desk, compare, program_on_path};

#[path = "../scale/restate/balancer.rs"]
#[expect(dead_code, reason = "the other tests of the engine need more of it")]
mod balancer;
#[path = "../scale/restate/server.rs"]
#[expect(dead_code, reason = "the other tests of the engine need more of it")]
mod server;

/// Ends the workers of the page, however the test ends.
struct Workers([u16; 3]);

impl Drop for Workers {
    fn drop(&mut self) {
        for port in self.0 {
            let worker = format!("worker restate .* --listen 127.0.0.1:{port}");
            // Those that were ended by the page are gone.
            let _gone = std::process::Command::new("pkill").args(["-9", "-f", &worker]).status();
        }
    }
}

#[test]
fn commands_with_a_restate_server_do_what_the_page_shows() {
    let Some(server) = server::Server::start("the page about several machines") else { return };
    let (_bin, path) = program_on_path();
    let workers = [server::free_port(), server::free_port(), server::free_port()];
    let _workers = Workers(workers);
    let balancer = balancer::Balancer::start(workers.to_vec());
    let port = |url: &str| url.rsplit_once(':').and_then(|(_, port)| port.parse().ok()).expect("a port");
    let desk = Desk::new("restate", "no port", vec![("PATH", path)])
        .at("8080", port(&server.ingress()))
        .at("9070", port(&server.admin()))
        .at("9080", port(&balancer.url()))
        .at("9081", workers[0])
        .at("9082", workers[1])
        .at("9083", workers[2]);
    compare(desk, PAGE);
}
