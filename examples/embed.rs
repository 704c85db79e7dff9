//! Embeds the library.
fn main() {}
