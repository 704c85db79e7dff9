//! Holes of `check` that are known: what the generator leaves out until they are closed.

use serde_json::json;

use super::excused::Doings;
use super::graph::CleanCase;

/// Something that `check` accepts and a run does not survive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Hole {
    /// Results of called graphs are stored without a test.
    Unfitted,
    /// The result of a lost call, which a person answers, is stored without a test.
    LostResult,
    /// Templates that select from what is no plain path, and may be null.
    TemplateNull,
    /// `m['k'] ?? d` where the key is missing.
    MissingKey,
    /// A cause that no edge answers, so that the run ends with the error: a second failure at a node goes outward, past the
    /// other edges of the node.
    Unanswered,
    /// Guards that do not cover NaN or a value of `any`.
    Gaps,
}

/// A hole, and the part of the design of the proof that closes it.
pub(super) struct KnownHole {
    pub(super) hole: Hole,
    pub(super) section: u8,
    /// A graph that is clean and breaks all the same, and the one that it calls.
    root: &'static str,
    called: &'static str,
}

/// The holes that are open: none. A row goes as soon as its graph breaks no promise any more, which the test says; from then on
/// the campaign makes such graphs.
pub(super) const KNOWN_HOLES: &[KnownHole] = &[];

/// True if graphs may have it, since `check` and the program deal with it.
pub(super) fn is_closed(hole: Hole) -> bool {
    KNOWN_HOLES.iter().all(|known| known.hole != hole)
}

impl KnownHole {
    pub(super) fn case(&self) -> CleanCase {
        let read = |text: &str| serde_json::from_str(text).unwrap_or(json!(null));
        let mut files = vec![("root.yaml".to_owned(), read(self.root))];
        if !self.called.is_empty() {
            files.push(("called.yaml".to_owned(), read(self.called)));
        }
        let doings = Doings {
            answered: self.hole == Hole::Unanswered,
            lost: self.hole == Hole::LostResult,
            ..Doings::default()
        };
        CleanCase { files, doings }
    }
}
