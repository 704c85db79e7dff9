//! Declarations of the tools that a graph names, for a command that starts none of them.

use std::collections::HashMap;
use std::path::PathBuf;

use super::screen;
use crate::app::trust::{Choice, Configuration, Consent};
use crate::app::{Deliveries, deliveries};
use crate::config::Config;

/// The configurations that `run` would take for graphs, each read once.
pub(super) struct Configurations {
    consent: Consent,
    known: HashMap<Option<PathBuf>, Deliveries>,
}

impl Configurations {
    /// With the consents that count: they decide which configuration is taken.
    pub(super) fn new(consent: Consent) -> Self {
        Self { consent, known: HashMap::new() }
    }

    /// The files that were read.
    pub(super) fn read(self) -> impl Iterator<Item = PathBuf> {
        self.known.into_keys().flatten()
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
