//! Drivers and workers under a simulated clock, disk and network, from one seed.
//!
//! - `scene`: a simulation from its beginning to its end. `actors`, `people` and `world` act in it, each through a
//!   `process` of its own; `case` and `family` have the graphs that are run.
//! - `server` and `stored`: a store that says what is safe after a crash. `client` is the way there.
//! - `ledger` has what the world knows, and `judge` holds the promises against it.
//! - `fault`: faults that are planted to see that they are found. `weather` says how often things fail.
//!
//! # Why
//! - A runtime of one thread with a paused clock decides the order of everything: what waits for a time is woken in the order of
//!   the times, and nothing else comes from outside.
//! - A process is killed or stopped where it waits for a port. Between two of these places nothing of it can be seen from outside.
//! - The code of the driver and of the worker is the one that is shipped. Faults are planted in what stands around it.

mod actors;
mod campaign;
mod case;
mod client;
mod dice;
mod family;
mod fault;
mod host;
mod judge;
mod ledger;
mod people;
mod process;
mod promises;
mod scene;
mod server;
mod simulation;
mod stored;
mod trace;
mod weather;
mod world;

use std::time::Duration;

/// A lease lasts so long.
const LEASE: Duration = Duration::from_secs(3);
