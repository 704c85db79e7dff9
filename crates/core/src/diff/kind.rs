//! The kinds of change.

use ChangeEffect::{Order, Run, Shown};

use crate::program::kind::keys;

/// The effect of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ChangeEffect {
    /// Runs may go another way or give something else.
    Run,
    /// Runs go the same way; but how those of earlier versions continue is another, or nodes or variables have other numbers, so that the programs have different digests and a
    /// run that was stored with one does not continue with the other.
    Order,
    /// Only people see it: in drawings, reports and documents.
    Shown,
}

impl ChangeEffect {
    /// All of them.
    pub const ALL: [Self; 3] = [Run, Order, Shown];

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Run => "run",
            Order => "order",
            Shown => "shown",
        }
    }
}

/// A kind of change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ChangeKind {
    /// Its name, which never changes.
    pub slug: &'static str,
    /// The effect.
    pub effect: ChangeEffect,
    /// The changed part, in words: `guard`.
    pub noun: &'static str,
}

const fn kind(slug: &'static str, effect: ChangeEffect, noun: &'static str) -> ChangeKind {
    ChangeKind { slug, effect, noun }
}

/// The kinds of change, by name, but for those of the keys of nodes.
const KINDS: &[ChangeKind] = &[
    kind("action-added", Run, "action"),
    kind("action-changed", Run, "statements"),
    kind("action-removed", Run, "action"),
    kind("action-renamed", Shown, "name"),
    kind("branch-added", Run, "branch"),
    kind("branch-order-changed", Run, "order of branches"),
    kind("branch-removed", Run, "branch"),
    kind("budget-added", Run, "budget"),
    kind("budget-charge-changed", Run, "charge"),
    kind("budget-gate-changed", Run, "gate"),
    kind("budget-grace-changed", Run, "grace"),
    kind("budget-limit-changed", Run, "limit"),
    kind("budget-removed", Run, "budget"),
    kind("budget-unit-changed", Run, "unit"),
    kind("called-graph-added", Run, "called graph"),
    kind("called-graph-removed", Run, "called graph"),
    kind("doc-changed", Shown, "documentation"),
    kind("drawn-as-changed", Shown, "form in drawings"),
    kind("edge-action-changed", Run, "statements"),
    kind("edge-added", Run, "edge"),
    kind("edge-moved", Run, "place among the edges"),
    kind("edge-removed", Run, "edge"),
    kind("entry-changed", Run, "entry statements"),
    kind("error-added", Run, "error kind"),
    kind("error-class-changed", Run, "class"),
    kind("error-removed", Run, "error kind"),
    kind("family-added", Run, "family of budgets"),
    kind("family-keys-changed", Run, "keys"),
    kind("family-removed", Run, "family of budgets"),
    kind("field-added", Run, "field"),
    kind("field-default-changed", Run, "default"),
    kind("field-order-changed", Run, "order of fields"),
    kind("field-removed", Run, "field"),
    kind("field-type-changed", Run, "type"),
    kind("graph-renamed", Run, "id"),
    kind("guard-changed", Run, "guard"),
    kind("input-added", Run, "input"),
    kind("input-condition-changed", Run, "condition"),
    kind("input-default-changed", Run, "default"),
    kind("input-removed", Run, "input"),
    kind("input-type-changed", Run, "type"),
    kind("label-changed", Shown, "label"),
    kind("let-added", Run, "let"),
    kind("let-changed", Run, "expression"),
    kind("let-removed", Run, "let"),
    kind("migration-added", Order, "earlier name"),
    kind("migration-changed", Order, "new name"),
    kind("migration-removed", Order, "earlier name"),
    kind("node-added", Run, "node"),
    kind("node-kind-changed", Run, "kind"),
    kind("node-moved", Run, "surrounding composite"),
    kind("node-removed", Run, "node"),
    kind("node-renamed", Run, "name"),
    kind("node-shape-changed", Shown, "kind"),
    kind("order-changed", Order, "order"),
    kind("outer-label-changed", Shown, "outer label"),
    kind("output-added", Run, "output"),
    kind("output-changed", Run, "value"),
    kind("output-removed", Run, "output"),
    kind("pause-ask-changed", Run, "question of the pause"),
    kind("pause-changed", Run, "condition of the pause"),
    kind("program-changed", Run, "digest"),
    kind("property-added", Run, "property"),
    kind("property-changed", Run, "condition"),
    kind("property-removed", Run, "property"),
    kind("retry-changed", Run, "retry"),
    kind("role-added", Shown, "role"),
    kind("role-removed", Shown, "role"),
    kind("start-changed", Run, "start"),
    kind("start-label-changed", Shown, "label of the start"),
    kind("state-added", Run, "state field"),
    kind("state-default-changed", Run, "default"),
    kind("state-removed", Run, "state field"),
    kind("state-type-changed", Run, "type"),
    kind("target-changed", Run, "target"),
    kind("text-added", Run, "text"),
    kind("text-changed", Run, "wording"),
    kind("text-removed", Run, "text"),
    kind("then-changed", Run, "statements after the effect"),
    kind("timeout-changed", Run, "time-out"),
    kind("title-changed", Shown, "title"),
    kind("trigger-changed", Run, "trigger"),
    kind("type-added", Run, "type"),
    kind("type-openness-changed", Run, "openness"),
    kind("type-removed", Run, "type"),
    kind("version-changed", Shown, "version"),
    kind("view-added", Shown, "view"),
    kind("view-changed", Shown, "view"),
    kind("view-removed", Shown, "view"),
    kind("with-changed", Run, "value"),
];

/// All kinds of change. Those of the keys of nodes are with the keys.
fn all() -> impl Iterator<Item = ChangeKind> {
    KINDS.iter().copied().chain(keys().map(|key| kind(key.slug, Run, key.noun)))
}

/// All kinds of change, by name.
#[must_use]
pub fn kinds() -> Vec<ChangeKind> {
    let mut kinds: Vec<ChangeKind> = all().collect();
    kinds.sort_unstable();
    kinds.dedup();
    kinds
}

/// The kind of that name.
pub(super) fn named(slug: &str) -> ChangeKind {
    all().find(|kind| kind.slug == slug).expect("every kind that is used is in the table")
}

#[cfg(test)]
mod tests {
    use super::{KINDS, kinds};

    #[test]
    fn kinds_stand_in_order_and_once() {
        assert!(KINDS.windows(2).all(|pair| pair[0].slug < pair[1].slug));
        assert!(kinds().windows(2).all(|pair| pair[0].slug < pair[1].slug));
    }
}
