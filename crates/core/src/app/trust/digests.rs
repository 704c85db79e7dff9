//! The digests that the operator of one command allows for just that command.

/// The variable of the environment that takes digests, and nothing else.
const VARIABLE: &str = "LOOPWRIGHT_TRUST";

/// The digits of a digest.
const DIGITS: usize = 64;

/// Digests that count for one command alone.
#[derive(Debug, Clone, Default)]
pub struct Digests(Vec<String>);

/// The fault of a variable that should list digests. Its text is not shown: it may be a secret that went into the wrong
/// variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "{} holds something that is no digest; it takes digests alone, each of {} hexadecimal digits, with commas between them",
    VARIABLE,
    DIGITS
)]
pub struct DigestsError;

impl Digests {
    /// The digests that are given, and those of the environment.
    ///
    /// # Errors
    /// The variable of the environment has something else in it.
    pub fn with_environment(given: &[String]) -> Result<Self, DigestsError> {
        let named = std::env::var_os(VARIABLE).unwrap_or_default();
        let named = named.to_str().map(|text| text.split(',').map(str::trim).filter(|part| !part.is_empty()));
        let named: Option<Result<Vec<String>, String>> = named.map(|parts| parts.map(digest).collect());
        let Some(Ok(mut all)) = named else { return Err(DigestsError) };
        all.extend_from_slice(given);
        Ok(Self(all))
    }

    /// Returns true if there are none.
    pub(super) const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns true if a digest is among them.
    #[must_use]
    pub fn contain(&self, digest: &str) -> bool {
        self.0.iter().any(|own| own == digest)
    }
}

/// A digest as it is written, in lower case.
///
/// # Errors
/// The text is no digest.
pub fn digest(text: &str) -> Result<String, String> {
    let digits = text.len() == DIGITS && text.bytes().all(|b| b.is_ascii_hexdigit());
    if digits {
        Ok(text.to_ascii_lowercase())
    } else {
        Err(format!("a digest has {DIGITS} hexadecimal digits"))
    }
}
