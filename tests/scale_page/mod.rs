//! The page about several machines: its commands are run against real servers.

use crate::models::page::{Desk, compare, program_on_path};

#[path = "../scale/postgres/server.rs"]
#[expect(dead_code, reason = "the other tests of the server need more of it")]
mod server;

const PAGE: &str = "docs/scale.md";

#[test]
fn commands_with_a_database_do_what_the_page_shows() {
    if !server::is_here() {
        return;
    }
    let server = server::Server::start(&[]);
    server.sql("postgres", "CREATE DATABASE runs");
    let (_bin, path) = program_on_path();
    let variables = vec![("DB", server.address("runs").into()), ("PATH", path)];
    compare(Desk::new("postgres", "5432", variables).at(server.port()), PAGE);
}
