//! The words for what is not what was written.

use crate::port::StoreError;

/// The advice for a damaged store.
pub(super) const ADVICE: &str = "`loopwright doctor` says what can still be read";

/// The symptom of a row whose sum is wrong.
pub(super) const NOT_WRITTEN: &str = "it is not what was written";

/// A run that is damaged.
pub(super) fn of_run(run: &str, why: &str) -> StoreError {
    StoreError::Damaged { what: format!("the run `{run}`"), why: format!("{why}; {ADVICE}") }
}

/// A run whose row is not what was written.
pub(super) fn of_row(run: &str) -> StoreError {
    of_run(run, "its row is not what was written")
}

/// A program that is damaged.
pub(super) fn of_program(digest: &str, why: &str) -> StoreError {
    StoreError::Damaged { what: format!("the program `{digest}`"), why: why.to_owned() }
}

/// An answer by its request.
pub(super) fn answer(request: &str) -> String {
    format!("the answer stored for the request `{request}`")
}

/// The words after an answer that is damaged.
pub(super) const ANSWER_NOT_USED: &str = "is not what was written; it is not used, the model is asked again";
