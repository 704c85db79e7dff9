//! `schema`: the JSON Schema of the YAML form.

use super::{Exit, screen};

pub(super) fn run() -> Exit {
    let schema = serde_json::Value::Null;
    screen::print(&format!("{schema:#}\n"))
}
