//! A graph in both versions.

use super::side::Side;

/// One graph in both versions.
pub(super) struct Sides<'v> {
    pub(super) before: Side<'v>,
    pub(super) after: Side<'v>,
    /// Nodes with another name, by index.
    pub(super) renamed: Vec<(usize, usize)>,
    /// Actions with another name, by index.
    pub(super) renamed_actions: Vec<(usize, usize)>,
}
