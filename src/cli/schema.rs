//! `schema`: the JSON Schema of the YAML form.

use super::{Exit, screen};

pub(super) fn run() -> Exit {
    let schema = loopwright_core::syntax::schema();
    screen::print(&screen::json(&schema))
}
