//! Workers over a real Postgres server: killed, stopped, and with the server killed under them. What was done is judged by a ledger
//! outside of all of them, to which the tools add a line when they begin and when they end.
//!
//! Short forms run in every check, long ones where `LOOPWRIGHT_LONG` is set (`.ci/long postgres`).

mod campaign;
mod commands;
mod crew;
mod speed;
