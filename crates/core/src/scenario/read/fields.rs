//! Mappings with fixed keys.

use super::ScenarioReader;
use crate::diag::{Diagnostic, nearest, rule};
use crate::syntax::FileKey;
use crate::syntax::yaml::{Entry, Node, NodeKind};

/// The entries of a mapping.
pub(super) struct MappingFields<'n, 's>(&'n [Entry<'s>]);

impl<'n, 's> MappingFields<'n, 's> {
    /// The value of a key.
    pub(super) fn get(&self, key: &str) -> Option<&'n Node<'s>> {
        self.0.iter().find(|entry| entry.name() == key).map(|entry| &entry.value)
    }
}

impl ScenarioReader<'_> {
    /// Reads a mapping that has no keys but these. Nothing, with a finding, when it is no mapping.
    pub(super) fn fields<'n, 's>(
        &mut self,
        node: &'n Node<'s>,
        what: &str,
        keys: &[FileKey],
    ) -> Option<MappingFields<'n, 's>> {
        let entries = self.entries(node, what)?;
        for entry in entries {
            if keys.iter().all(|key| key.name != entry.name()) {
                self.unknown_key(entry, what, keys);
            }
        }
        Some(MappingFields(entries))
    }

    /// The entries of a mapping with free keys.
    pub(super) fn entries<'n, 's>(&mut self, node: &'n Node<'s>, what: &str) -> Option<&'n [Entry<'s>]> {
        match &node.kind {
            NodeKind::Mapping(entries) => Some(entries),
            NodeKind::Refused => None,
            NodeKind::Scalar(s) if s.is_empty() => Some(&[]),
            _ => {
                let message = format!("{what} is a mapping of keys and values, not {}", node.describe());
                let found = Diagnostic::error(rule::WRONG_FORM, self.head(node), message);
                self.out.push(found.help("write `key: value`, one a line"));
                None
            }
        }
    }

    fn unknown_key(&mut self, entry: &Entry<'_>, what: &str, keys: &[FileKey]) {
        let name: String = entry.name().chars().take(40).collect();
        let found =
            Diagnostic::error(rule::UNKNOWN_KEY, entry.key.span, format!("{what} has no key `{name}`"));
        let keys: Vec<_> = keys.iter().map(|key| key.name).collect();
        let near = nearest(&name, keys.iter().copied());
        self.out.push(found.meant_or(near, format!("its keys are {}", keys.join(", "))));
    }
}
