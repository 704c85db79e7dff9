//! Budgets: one counter, or a family of counters per key of a list.

use super::Lower;
use super::form::{Form, Key};
use crate::source::{Span, Spanned};
use crate::syntax::ast::{Expr, Name};
use crate::syntax::tree::{BudgetBody, BudgetDecl, MeterDecl};
use crate::syntax::yaml::{Entry, Node, NodeKind};

/// A counter that is being read: its limit may still be missing.
#[derive(Default)]
pub(in crate::syntax) struct MeterParts {
    limit: Option<Expr>,
    has_limit: bool,
    grace: Option<Expr>,
    gate: Option<Name>,
    unit: Option<Name>,
    charge: Option<Spanned<String>>,
    has_charge: bool,
}

/// A family that is being read.
#[derive(Default)]
pub(in crate::syntax) struct FamilyParts {
    each: Option<Expr>,
    has_each: bool,
    binding: Option<Name>,
    meters: Option<Vec<(Name, MeterDecl)>>,
}

/// The effects of a gate whose counter is used up.
pub(in crate::syntax) const GATES: &[&str] = &["hard", "advisory"];
/// The units of a counter.
pub(in crate::syntax) const UNITS: &[&str] = &["rounds", "calls", "tokens", "usd", "seconds"];
/// The amounts that the runtime can charge by itself.
pub(in crate::syntax) const CHARGES: &[&str] =
    &["transitions", "model.calls", "model.tokens", "model.cost", "tool.calls", "time"];

/// The keys of a counter.
pub(in crate::syntax) const METER_KEYS: &[Key<MeterParts>] = &[
    Key::new(
        "limit",
        Form::Expr,
        "The amount that may be spent; computed once at the start.",
        |l, _, e, m| {
            m.has_limit = true;
            m.limit = l.expr(&e.value);
        },
    ),
    Key::new("grace", Form::Expr, "The amount that may be spent past the limit.", |l, _, e, m| {
        m.grace = l.expr(&e.value);
    }),
    Key::new(
        "gate",
        Form::Word(GATES),
        "`hard` (default) stops a spend past the limit, `advisory` only counts.",
        |l, _, e, m| {
            m.gate = l.word(&e.value, GATES);
        },
    ),
    Key::new("unit", Form::Word(UNITS), "The unit that it counts, for people.", |l, _, e, m| {
        m.unit = l.word(&e.value, UNITS);
    }),
    Key::new(
        "charge",
        Form::Word(CHARGES),
        "The amounts that the runtime charges automatically.",
        |l, _, e, m| {
            m.has_charge = true;
            m.charge = l.word(&e.value, CHARGES);
        },
    ),
];

/// The keys of a family.
pub(in crate::syntax) const FAMILY_KEYS: &[Key<FamilyParts>] = &[
    Key::new("each", Form::Expr, "The list of keys: distinct strings.", |l, _, e, f| {
        f.has_each = true;
        f.each = l.expr(&e.value);
    }),
    Key::new("as", Form::Name, "The name of one key inside the limits.", |l, _, e, f| {
        f.binding = l.name(&e.value, "a key of a family");
    }),
    Key::new("meters", Form::Meters, "The counters each key has.", |l, _, e, f| {
        f.meters = Some(l.meters(&e.value));
    }),
];

impl Lower<'_> {
    /// Budgets by name.
    pub(super) fn budgets(&mut self, node: &Node<'_>) -> Vec<BudgetDecl> {
        self.entries(node, "`budgets`").iter().filter_map(|entry| self.budget(entry)).collect()
    }

    fn budget(&mut self, entry: &Entry<'_>) -> Option<BudgetDecl> {
        let name = self.declared(entry, "a budget");
        let family = match &entry.value.kind {
            NodeKind::Mapping(entries) => entries.iter().any(|e| matches!(&**e.name(), "each" | "meters")),
            _ => false,
        };
        let body = if family { self.family(entry) } else { self.meter(entry).map(BudgetBody::Counter) };
        let Some((name, body)) = name.zip(body) else {
            self.unread.add_name(entry.name());
            return None;
        };
        Some(BudgetDecl { name, body, span: entry.span() })
    }

    fn family(&mut self, entry: &Entry<'_>) -> Option<BudgetBody> {
        let mut parts = FamilyParts::default();
        let known = self.mapping(&entry.value, "a family of budgets", FAMILY_KEYS, &mut parts);
        if known && !parts.has_each {
            self.missing("each", "a family of budgets", entry.key.span, "each: keys(contract)");
        }
        if known && parts.meters.is_none() {
            self.missing("meters", "a family of budgets", entry.key.span, "meters: {explore: 3}");
        }
        Some(BudgetBody::Family { each: parts.each?, binding: parts.binding, meters: parts.meters? })
    }

    fn meters(&mut self, node: &Node<'_>) -> Vec<(Name, MeterDecl)> {
        let mut meters = Vec::new();
        for entry in self.entries(node, "`meters`") {
            let name = self.name_in(&entry.key, "a counter", false);
            match (name, self.meter(entry)) {
                (Some(name), Some(meter)) => meters.push((name, meter)),
                _ => self.unread.add_name(entry.name()),
            }
        }
        meters
    }

    /// `3`, an expression, or a mapping with `limit`.
    fn meter(&mut self, entry: &Entry<'_>) -> Option<MeterDecl> {
        let mut parts = MeterParts::default();
        if matches!(entry.value.kind, NodeKind::Mapping(_)) {
            let known = self.mapping(&entry.value, "a budget", METER_KEYS, &mut parts);
            if known && !parts.has_limit {
                self.missing("limit", "a budget", span_of_key(entry), "limit: 3");
            }
        } else {
            parts.limit = self.expr(&entry.value);
        }
        // The charge says what the amounts are: without it nothing more is known of the budget.
        if parts.has_charge && parts.charge.is_none() {
            return None;
        }
        let MeterParts { limit, grace, gate, unit, charge, .. } = parts;
        Some(MeterDecl { limit: limit?, grace, gate, unit, charge })
    }
}

fn span_of_key(entry: &Entry<'_>) -> Span {
    entry.key.span
}
