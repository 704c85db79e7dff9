//! The API of `loopwright serve`.

mod acts;
mod attacks;
mod client;
mod costs;
mod described;
mod documented;
mod events;
mod flood;
mod graph_versions;
mod graphs;
mod hostile_texts;
mod killed;
mod lists;
mod load;
#[cfg(feature = "otel")]
mod metrics;
mod restart;
mod roles;
mod saves;
mod slow;
mod versions;
mod webhooks;
mod world;
