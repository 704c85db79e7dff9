//! Declarations of the tools that a graph names, for whoever starts none of them.

use std::collections::HashMap;
use std::fmt;
use std::path::{Path, PathBuf};

use super::deliveries::{ApprovedTools, Deliveries, deliveries};
use super::trust::{Choice, Configuration, Consent};
use crate::check::Checked;
use crate::config::{Config, Policy, RuleSeverities};
use crate::diag::Diagnostic;
use crate::source::Sources;

/// The configurations that `run` would take for graphs, each read once.
pub struct Configurations {
    consent: Consent,
    /// Called with a file that cannot be used, so that its tools are left out.
    unusable: fn(&Path),
    known: HashMap<Option<PathBuf>, Deliveries>,
    severities: HashMap<PathBuf, (RuleSeverities, Vec<Diagnostic>)>,
    /// The policies that count where a file is taken, and another one perhaps left.
    policies: HashMap<(PathBuf, Option<PathBuf>), Result<Policy, Vec<Diagnostic>>>,
    approved: HashMap<PathBuf, ApprovedTools>,
}

impl fmt::Debug for Configurations {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Configurations").finish_non_exhaustive()
    }
}

impl Configurations {
    /// With the consents that count: they decide which configuration is taken. `unusable` is called with a file whose tools are
    /// left out, since it has faults.
    #[must_use]
    pub fn new(consent: Consent, unusable: fn(&Path)) -> Self {
        Self {
            consent,
            unusable,
            known: HashMap::new(),
            severities: HashMap::new(),
            policies: HashMap::new(),
            approved: HashMap::new(),
        }
    }

    /// The files that were read.
    pub fn read(self) -> impl Iterator<Item = PathBuf> {
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
        let files = (choice.taken.clone(), choice.left.clone());
        let policy = match self.policies.entry(files).or_insert_with(read) {
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
                (self.unusable)(path);
                return Deliveries::new();
            };
            deliveries(&found.config)
        })
    }
}
