//! The rule that a configuration has for a run only what it was allowed.

use std::fmt::Write as _;

use super::configuration::{Configuration, Named};
use super::notes;
use crate::cli::run::agrees;
use crate::cli::state::Kind;
use crate::cli::{Exit, screen};
use crate::config::ExternalReach;

/// A run's use of its configuration.
pub(in crate::cli) struct Wants<'a> {
    /// Models answer it, and no script does.
    pub(in crate::cli) models: bool,
    /// Its inputs are taken from the configuration, but for those of these flags; none where it takes no inputs.
    pub(in crate::cli) inputs: Option<&'a [String]>,
    /// It calls `read_file` by name.
    pub(in crate::cli) read_file: bool,
}

impl Wants<'_> {
    /// Returns true if it matters to the run that this holds.
    fn notice(&self, reach: &ExternalReach) -> bool {
        match reach {
            ExternalReach::Address { .. } | ExternalReach::Key { .. } => self.models,
            ExternalReach::Input { name, variable } => {
                let given = |flag: &String| flag.split_once('=').is_some_and(|(own, _)| own == name.as_str());
                self.inputs.is_some_and(|flags| !flags.iter().any(given))
                    && std::env::var_os(variable).is_some()
            }
            ExternalReach::Root { .. } => true,
            ExternalReach::Command { .. } => false,
        }
    }

    /// Returns true if the run is another one without it.
    const fn need(&self, reach: &ExternalReach) -> bool {
        match reach {
            ExternalReach::Address { .. } => self.models,
            ExternalReach::Root { .. } => self.read_file,
            _ => false,
        }
    }
}

impl Configuration {
    /// Settles what holds: all that the file asks for, where that was allowed or a person at the terminal allows it
    /// now; else what needs no trust.
    ///
    /// # Errors
    /// The run needs what was not allowed. What is to be done about it was reported.
    pub(in crate::cli) fn admit(mut self, wants: &Wants<'_>) -> Result<Self, Exit> {
        let Some(file) = self.file.as_ref().filter(|_| !self.trusted) else { return Ok(self) };
        let idle: Vec<&ExternalReach> = file.reaches.iter().filter(|reach| wants.notice(reach)).collect();
        if !idle.is_empty() && file.is_agreed_to() {
            self.trusted = true;
            return Ok(self);
        }
        let needed = idle.iter().any(|reach| wants.need(reach));
        if needed {
            return Err(file.refuse(&idle));
        }
        if !idle.is_empty() {
            let list: Vec<String> = idle.iter().map(|reach| screen::asked(&reach.to_string())).collect();
            screen::say(&format!(
                "note: {} was not allowed, so this has no effect: {}\nto see it all and allow it, run: loopwright trust {}\n",
                screen::line(&file.path.to_string_lossy()),
                list.join("; "),
                screen::line(&file.words()),
            ));
        }
        self.config = self.config.confined(&file.ground.clone());
        Ok(self)
    }

    /// Looks a variable for an input up: where nothing was allowed, none is set.
    pub(in crate::cli) fn variable(&self, name: &str) -> Option<std::ffi::OsString> {
        if self.trusted { std::env::var_os(name) } else { None }
    }
}

impl Named {
    /// The requests of the file, line by line, and how they differ from what was allowed.
    pub(super) fn summary(&self) -> String {
        let path = screen::line(&self.path.to_string_lossy());
        let mut summary = format!("{path} asks for nothing beyond its folder\n");
        if !self.reaches.is_empty() {
            summary = format!("{path}:\n");
        }
        for reach in &self.reaches {
            let _ = writeln!(summary, "  {}", screen::asked(&reach.to_string()));
        }
        let now = self.note();
        let noted = notes().and_then(|notes| self.noted(notes)).filter(|noted| noted.digest != now.digest);
        summary + &noted.map(|noted| noted.difference(&now)).unwrap_or_default()
    }

    /// Asks the person at the terminal, and notes a yes.
    pub(super) fn is_agreed_to(&self) -> bool {
        let question = format!("{}Allow all of it, until one of these files changes?", self.summary());
        if !agrees(&question) {
            return false;
        }
        if let Err(why) = self.allow() {
            screen::say(&format!("warning: it is allowed for this command alone: {}\n", screen::line(&why)));
        }
        true
    }

    /// Notes that its content is allowed.
    pub(super) fn allow(&self) -> Result<(), String> {
        let nowhere = "there is no folder to note it in: no home is set, and no XDG_STATE_HOME";
        notes().ok_or(nowhere)?.note(Kind::Configuration, &self.key(), &self.note())
    }

    fn refuse(&self, idle: &[&ExternalReach]) -> Exit {
        let path = screen::line(&self.path.to_string_lossy());
        let mut text = format!("{path} was not allowed, and this run needs what it asks for:\n");
        for reach in idle {
            let _ = writeln!(text, "  {}", screen::asked(&reach.to_string()));
        }
        let _ = writeln!(
            text,
            "to see it all and allow it, run:\n  loopwright trust {}",
            screen::line(&self.words())
        );
        screen::say(&text);
        Exit::Waiting
    }
}
