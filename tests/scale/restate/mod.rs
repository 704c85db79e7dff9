//! A real Restate server, workers, and runs that go on although processes are killed under them. What was done is judged by a
//! ledger outside of all of them: the file `calls`, to which the tools add a line when they begin and when they end.
//!
//! The server is installed by `.ci/restate`. Short forms run in every check, long ones where `LOOPWRIGHT_LONG` is set (`.ci/long
//! restate`).

mod balancer;
mod cancelled;
mod changed;
mod cluster;
mod cost;
mod desk;
mod errors;
mod ids;
mod kills;
mod limits;
mod many;
mod same;
mod scenarios;
mod segments;
mod server;
mod stalled;
mod versions;
mod words;
