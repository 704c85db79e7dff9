//! Runs in a file.

mod answers;
mod begin;
mod command;
mod conformance;
mod cost;
mod damage;
mod disk;
mod doctor;
mod file;
mod keep;
mod lease;
mod malformed;
mod place;
mod purge;
mod world;
