//! The API of `loopwright serve`.

mod acts;
mod attacks;
mod client;
mod described;
mod documented;
mod events;
mod graph_versions;
mod graphs;
mod lists;
#[cfg(feature = "otel")]
mod metrics;
mod page_cost;
mod restart;
mod roles;
mod saves;
mod versions;
mod webhooks;
mod world;
