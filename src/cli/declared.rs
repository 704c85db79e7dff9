//! Declarations of the tools that a graph names, for a command that starts none of them.

use std::collections::HashMap;
use std::path::PathBuf;

use super::screen;
use loopwright_core::app::trust::{Choice, Configuration, Consent};
use loopwright_core::app::{ApprovedTools, Deliveries, deliveries};
use loopwright_core::check::Checked;
use loopwright_core::config::{Config, Policy, RuleSeverities};
use loopwright_core::diag::Diagnostic;
use loopwright_core::source::Sources;

/// The configurations that `run` would take for graphs, each read once.
pub(super) struct Configurations {
    consent: Consent,
    known: HashMap<Option<PathBuf>, Deliveries>,
    severities: HashMap<PathBuf, (RuleSeverities, Vec<Diagnostic>)>,
    /// The policies that count where a file is taken and another is left.
    policies: HashMap<(PathBuf, Option<PathBuf>), Result<Policy, Vec<Diagnostic>>>,
    approved: HashMap<PathBuf, ApprovedTools>,
}

impl Configurations {
    /// With the consents that count: they decide which configuration is taken.
    pub(super) fn new(consent: Consent) -> Self {
        Self {
            consent,
            known: HashMap::new(),
            severities: HashMap::new(),
            policies: HashMap::new(),
            approved: HashMap::new(),
        }
    }

    /// The files that were read.
    pub(super) fn read(self) -> impl Iterator<Item = PathBuf> {
        self.known.into_keys().flatten()
    }

    /// The severities that the configuration gives to rules which is taken for a graph, and what is wrong with them.
    pub(super) fn severities(
        &mut self,
        graph: &str,
        sources: &mut Sources,
    ) -> (RuleSeverities, Vec<Diagnostic>) {
        let Some(path) = Choice::of(None, graph, &self.consent).map(|choice| choice.taken) else {
            return (RuleSeverities::default(), Vec::new());
        };
        let read = || match Configuration::severities(&path, sources) {
            Ok(severities) => (severities, Vec::new()),
            Err(faults) => (RuleSeverities::default(), faults),
        };
        self.severities.entry(path.clone()).or_insert_with(read).clone()
    }

    /// Judges the flows of a graph by the policies that count for it. Gives what is wrong with them.
    pub(super) fn judge_flows(
        &mut self,
        graph: &str,
        checked: &mut Checked,
        sources: &mut Sources,
    ) -> Vec<Diagnostic> {
        let Some(choice) = Choice::of(None, graph, &self.consent) else { return Vec::new() };
        let read = || choice.policy(sources);
        let policy =
            match self.policies.entry((choice.taken.clone(), choice.left.clone())).or_insert_with(read) {
                Ok(policy) => policy,
                Err(faults) => return faults.clone(),
            };
        if !policy.deny.is_empty() {
            let consent = &self.consent;
            let approved = self.approved.entry(choice.taken).or_insert_with_key(|path| {
                Configuration::glance(path, consent)
                    .map(|found| ApprovedTools::of(&found.config))
                    .unwrap_or_default()
            });
            checked.judge_flows(&policy.deny, &|tool| approved.contain(tool));
        }
        Vec::new()
    }

    /// The deliveries that the configuration gives which is taken for a graph.
    pub(super) fn of(&mut self, graph: &str) -> &Deliveries {
        let taken = Choice::of(None, graph, &self.consent).map(|choice| choice.taken);
        let consent = &self.consent;
        self.known.entry(taken).or_insert_with_key(|path| {
            let Some(path) = path else { return deliveries(&Config::default()) };
            let Some(found) = Configuration::glance(path, consent) else {
                let path = screen::path(path);
                screen::say(&format!(
                    "note: {path} cannot be used, so its tools are ignored; `run` reports its faults\n"
                ));
                return Deliveries::new();
            };
            deliveries(&found.config)
        })
    }
}
