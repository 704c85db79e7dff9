//! Exploring a graph: every answer that matters of models, tools and people, played against the machine that also runs it.

#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

mod alike;
mod answers;
mod byte_hasher;
mod canonical;
mod catalogue;
mod choice;
mod counterexample;
mod cover;
mod covered;
mod domain;
mod examples;
mod failures;
mod finding;
mod live;
pub mod print;
mod product;
mod region;
mod replayed;
mod report;
mod run_work;
mod same_runs;
mod search;
mod silent;
mod space;
mod state_graph;
mod still;
mod template;
mod trail;
mod unread;
mod uses;
mod walk;
mod wanted;
mod watched;
mod written_run;

pub use byte_hasher::{DigestRoom, StateDigest};
pub use counterexample::PlayedTrail;
pub use cover::{CoverTask, CoveringScenario, CoveringSuite};
pub use domain::SampledField;
pub use examples::AnswerExamples;
pub use finding::{FindingKey, FindingKind};
pub use region::SampledUse;
pub use report::{Exploration, Finding, SampledPlace};
pub use run_work::RunWork;
pub use same_runs::are_same_runs;
pub use search::{ExpandedState, OpenState, RunEnd, SearchLimits, StateSearch};
pub use space::{AnswerCache, SampledPart, State, StateSpace, TakenInput, WorldSettings};
pub use trail::Trail;
pub use walk::{TakenCounts, Walked};
