//! Kept runs on the command line: looked at, answered, gone on with.

mod against;
pub(crate) mod approve;
mod back;
mod cancel;
mod cycles;
pub(crate) mod desk;
mod full;
mod interrupt;
mod kill;
mod look;
mod moved;
mod record;
mod replay;
mod resume;
mod when;
