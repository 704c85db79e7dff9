//! Real models: small weights behind llama.cpp's server, as `.ci/model` installs them, and a stand-in for hosted models, as
//! `.ci/standin` does.

pub(crate) mod page;
mod part;
mod real;
mod real_limits;
mod refusing;
mod standins;
