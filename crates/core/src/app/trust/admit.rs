//! The rule that a configuration has for a run only what it was allowed.

use std::collections::BTreeSet;
use std::ffi::OsString;

use super::configuration::Configuration;
use super::configuration_file::ConfigurationFile;
use crate::config::ExternalReach;

/// A run's use of its configuration.
#[derive(Debug)]
pub struct Wants<'a> {
    /// True if models answer it, and no script does.
    pub models: bool,
    /// The inputs that are given otherwise, where the configuration gives the rest; none where the run takes no inputs.
    pub inputs: Option<Vec<&'a str>>,
    /// The tools that it calls by name.
    pub tools: BTreeSet<&'a str>,
    /// True if hooks are told of it.
    pub hooks: bool,
}

/// A configuration with all that counts of it.
#[derive(Debug)]
pub struct Admitted {
    /// The configuration. Where it was not allowed, it has only what needs no trust.
    pub configuration: Configuration,
    /// The requests that the run notices and that have no effect, since they were not allowed.
    pub without: Vec<ExternalReach>,
}

/// The refusal of a run that needs what its configuration was not allowed.
#[derive(Debug, thiserror::Error)]
#[error("{} was not allowed, and this run needs what it asks for", file.path.display())]
pub struct NotAllowed {
    /// The file.
    pub file: ConfigurationFile,
    /// The requests that the run notices.
    pub reaches: Vec<ExternalReach>,
}

impl Wants<'_> {
    /// Returns true if it makes a difference to the run that this is allowed.
    fn notice(&self, reach: &ExternalReach) -> bool {
        match reach {
            ExternalReach::Address { .. } | ExternalReach::Key { .. } | ExternalReach::Files { .. } => {
                self.models
            }
            ExternalReach::Input { name, variable } => {
                self.inputs.as_ref().is_some_and(|given| !given.contains(&name.as_str()))
                    && std::env::var_os(variable).is_some()
            }
            ExternalReach::Root { .. } | ExternalReach::Unasked { .. } => true,
            ExternalReach::Command { .. } | ExternalReach::Server { .. } => false,
            ExternalReach::Hook { .. } => self.hooks,
        }
    }

    /// Returns true if the run is another one without it.
    fn need(&self, reach: &ExternalReach) -> bool {
        match reach {
            ExternalReach::Address { .. } => self.models,
            ExternalReach::Root { tool, .. } => self.tools.contains(tool.name()),
            _ => false,
        }
    }
}

impl Configuration {
    /// Settles what counts: all that the file asks for, where that was allowed or `agrees` allows it now; else what needs no
    /// trust. `agrees` is asked only about what the run notices.
    ///
    /// # Errors
    /// The run needs what was not allowed.
    pub fn admit(
        mut self,
        wants: &Wants<'_>,
        agrees: impl FnOnce(&ConfigurationFile) -> bool,
    ) -> Result<Admitted, Box<NotAllowed>> {
        let trusted = self.trusted;
        let Some(file) = self.file.take_if(|_| !trusted) else {
            return Ok(Admitted { configuration: self, without: Vec::new() });
        };
        let noticed = file.reaches.iter().filter(|reach| wants.notice(reach));
        let mut without: Vec<ExternalReach> = noticed.cloned().collect();
        if !without.is_empty() && agrees(&file) {
            self.trusted = true;
            without.clear();
        } else if without.iter().any(|reach| wants.need(reach)) {
            return Err(Box::new(NotAllowed { file, reaches: without }));
        } else {
            self.config = self.config.confined(&file.ground);
        }
        self.file = Some(file);
        Ok(Admitted { configuration: self, without })
    }

    /// Looks a variable for an input up: where nothing was allowed, none is set.
    #[must_use]
    pub fn variable(&self, name: &str) -> Option<OsString> {
        if self.trusted { std::env::var_os(name) } else { None }
    }
}
