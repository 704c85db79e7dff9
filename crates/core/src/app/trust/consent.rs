//! The consents that count for one command.

use super::digests::Digests;
use super::notes::Notes;

/// The consents that count for one command: those that the user noted before, and the digests that its operator names. Cloning
/// it is cheap.
#[derive(Debug, Clone)]
pub struct Consent {
    /// The notes of the user.
    pub notes: Notes,
    /// The digests that count for this command alone.
    pub digests: Digests,
}
