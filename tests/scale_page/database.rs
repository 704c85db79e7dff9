//! Runs in a database.

use super::PAGE;
use crate::models::page::{Desk, compare, program_on_path};

#[path = "../scale/postgres/server.rs"]
#[expect(dead_code, reason = "the other tests of the server need more of it")]
mod server;

#[test]
fn commands_with_a_database_do_what_the_page_shows() {
    if !server::is_here() {
        return;
    }
    let server = server::Server::start(&[]);
    server.sql("postgres", "CREATE DATABASE runs");
    let (_bin, path) = program_on_path();
    let variables = vec![("DB", server.address("runs").into()), ("PATH", path)];
    compare(Desk::new("postgres", "no port", variables).at("5432", server.port()), PAGE);
}
