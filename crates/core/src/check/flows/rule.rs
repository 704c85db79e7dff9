//! Flows that a policy denies.

use super::network::{ReachedValue, Spread};
use super::pattern::{SourcePattern, TargetPattern};
use super::source::{Cut, CutSet};
use super::target::FlowTarget;
use super::{Flows, builder::TargetPlace};
use crate::diag::{Diagnostic, rule};
use crate::source::Span;

/// A flow that is denied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FlowRule {
    /// The sources that are meant.
    pub from: SourcePattern,
    /// The targets that are meant.
    pub to: TargetPattern,
    /// The cuts that it accepts.
    pub unless: CutSet,
    /// Its place in the configuration.
    pub span: Span,
}

/// The denied flows that are reported of one model.
const MAX_DENIED: usize = 50;

impl Flows<'_> {
    /// A finding for each target that a denied flow reaches, with the way that the value takes. `approved` says of a tool
    /// whether a person approves each of its calls.
    #[must_use]
    pub fn denied(&self, rules: &[FlowRule], approved: &dyn Fn(&str) -> bool) -> Vec<Diagnostic> {
        let mut found: Vec<Diagnostic> = Vec::new();
        for rule in rules {
            let meant = self.sources.iter().filter(|(source, _)| rule.from.matches(source));
            let spread = self.network.spread(meant.map(|(_, vertex)| *vertex));
            for place in self.targets.iter().filter(|place| rule.accepts(&place.target, approved)) {
                let Some(value) = rule.first_uncut(&spread, place) else { continue };
                let finding = self.finding(rule, &spread, place, value);
                if found.len() < MAX_DENIED && !found.contains(&finding) {
                    found.push(finding);
                }
            }
        }
        found
    }

    fn finding(
        &self,
        rule: &FlowRule,
        spread: &Spread,
        place: &TargetPlace<'_>,
        value: ReachedValue,
    ) -> Diagnostic {
        let (origin, path) = self.network.path(spread, value);
        let source = self.sources.iter().find(|(_, vertex)| *vertex == origin);
        let source = source.map(|(source, _)| source.to_string()).unwrap_or_default();
        let target = &place.target;
        let message = format!("`{source}` flows to `{target}`, which the policy denies");
        let mut finding =
            Diagnostic::error(rule::DENIED_FLOW, place.span, message).caret(format!("`{target}`"));
        let mut number = 0;
        let mut last = None;
        for passed in path {
            let here = (passed.span, passed.label.to_owned());
            if passed.span == Span::default() || last.as_ref() == Some(&here) {
                continue;
            }
            number += 1;
            finding = finding.also(here.0, format!("{number}: {}", here.1));
            last = Some(here);
        }
        let words: Vec<&str> = rule.unless.iter().map(Cut::word).collect();
        let cure = if words.is_empty() {
            let all = Cut::ALL.map(|(word, _)| word).join(", ");
            format!("let the value end on its way, and have the rule accept that with `unless`: {all}")
        } else {
            format!("the rule accepts only what is cut by: {}", words.join(", "))
        };
        finding.also(rule.span, "denied here").help(cure)
    }
}

impl FlowRule {
    fn accepts(&self, target: &FlowTarget, approved: &dyn Fn(&str) -> bool) -> bool {
        let asks = !self.unless.and(CutSet::of(Cut::Approved)).is_empty();
        let is_approved = match target {
            FlowTarget::Argument { tool, .. } | FlowTarget::Call(tool) => {
                asks && tool.as_ref().is_some_and(|tool| approved(tool))
            }
            _ => false,
        };
        self.to.matches(target) && !is_approved
    }

    /// The nearest value at a target on whose way nothing is that the rule accepts.
    fn first_uncut(&self, spread: &Spread, place: &TargetPlace<'_>) -> Option<ReachedValue> {
        place.reached(spread).find(|value| value.cuts.and(self.unless).is_empty())
    }
}
