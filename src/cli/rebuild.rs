//! `LOOPWRIGHT_REBUILD`: runs are built again from what is stored of them, at every step.

/// The variable that asks for it.
const VARIABLE: &str = "LOOPWRIGHT_REBUILD";

/// True if the environment asks to rebuild the state at each step.
pub(super) fn asked() -> bool {
    std::env::var_os(VARIABLE).is_some_and(|value| value == "1")
}
