//! `LOOPWRIGHT_REBUILD`: runs are built again from what is kept of them, at every step.

/// The variable that asks for it.
const VARIABLE: &str = "LOOPWRIGHT_REBUILD";

/// Whether it is asked for.
pub(super) fn asked() -> bool {
    std::env::var_os(VARIABLE).is_some_and(|value| value == "1")
}
