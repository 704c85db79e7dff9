//! The API of `loopwright serve`.

mod acts;
mod attacks;
mod client;
mod costs;
mod described;
mod documented;
mod events;
mod flood;
mod graphs;
mod hostile_texts;
mod killed;
mod lists;
mod load;
mod page_cost;
mod restart;
mod roles;
mod slow;
mod webhooks;
mod world;
