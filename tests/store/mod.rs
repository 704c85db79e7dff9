//! Runs in a file.

mod answers;
mod begin;
mod command;
mod cost;
mod damage;
mod file;
mod keep;
mod killed;
mod lease;
mod purge;
mod world;
