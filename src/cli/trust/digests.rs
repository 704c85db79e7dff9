//! The digests that the operator of one command allows for just that command.

use crate::cli::{Exit, screen};

/// The variable that takes digests, and nothing else.
const VARIABLE: &str = "LOOPWRIGHT_TRUST";

/// The digits of a digest.
const DIGITS: usize = 64;

/// Digests that count for this command alone.
#[derive(Debug, Clone, Default)]
pub(in crate::cli) struct Digests(Vec<String>);

impl Digests {
    /// Those of the flags `--trust`, and those of the environment.
    pub(in crate::cli) fn of(flags: &[String]) -> Result<Self, Exit> {
        let named = std::env::var_os(VARIABLE).unwrap_or_default();
        let named = named.to_str().map(|text| text.split(',').map(str::trim).filter(|part| !part.is_empty()));
        let named: Option<Result<Vec<String>, String>> = named.map(|parts| parts.map(digest).collect());
        let Some(Ok(mut all)) = named else {
            // The text may be a secret that went into the wrong variable.
            return Err(screen::refuse(&format!(
                "{VARIABLE} holds something that is no digest; it takes digests alone, each of {DIGITS} hexadecimal digits, with \
                 commas between them"
            )));
        };
        all.extend_from_slice(flags);
        Ok(Self(all))
    }

    /// Returns true if there are none.
    pub(super) const fn are_none(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns true if a digest is among them.
    pub(in crate::cli) fn hold(&self, digest: &str) -> bool {
        self.0.iter().any(|own| own == digest)
    }
}

/// A digest as it is written.
pub(in crate::cli) fn digest(text: &str) -> Result<String, String> {
    let digits = text.len() == DIGITS && text.bytes().all(|b| b.is_ascii_hexdigit());
    if digits {
        Ok(text.to_ascii_lowercase())
    } else {
        Err(format!("a digest has {DIGITS} hexadecimal digits"))
    }
}
