//! Runs in a Postgres database: a real server, killed and stopped while runs are stored.

mod address;
mod commands;
mod conformance;
mod cost;
mod cut;
mod damage;
mod lease;
mod migrations;
mod outage;
mod served;
pub(crate) mod server;
mod take;
