//! What the runtime can charge by itself.

use super::part::ReferencePart;
use crate::program::graph::Charge;

pub(super) fn charges() -> ReferencePart {
    let mut part = ReferencePart::new("language/budgets.md", "charges");
    part.table(&["`charge`", "charges"]);
    for charge in Charge::ALL {
        part.entry("charge", charge.name(), format!("| `{}` | {} |", charge.name(), charge.doc()));
    }
    part
}
