//! `[hooks]`: what programs are told of runs, and that nothing of it touches a run.

mod config;
mod told;
mod trust;
