//! Real models: small weights behind llama.cpp's server, as `.ci/model` installs them.

mod part;
mod real;
