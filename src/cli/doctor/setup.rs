//! The setup of a folder: version, configuration, consent, models, grants, locks.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use serde_json::{Value as Json, json};

use crate::cli::args::Doctor;
use crate::cli::run::mask;
use crate::cli::{Exit, limits, screen, trust};
use loopwright_core::app::mcp::LockFile;
use loopwright_core::app::trust::{Configuration, Grants, Wants};
use loopwright_core::app::{TestedEntry, secret, test_models};
use loopwright_core::source::Sources;

/// The facts about the folder, one a line.
pub(super) struct SetupReport {
    /// The configuration; none where it cannot be used, which has been said.
    configuration: Option<Configuration>,
    models: Vec<ModelLine>,
    grants: Vec<(String, bool)>,
    /// The MCP servers, and if their tools are locked.
    locks: Vec<(String, bool)>,
    /// The lock cannot be read, in words.
    lock_fault: Option<String>,
}

/// A model of the configuration.
struct ModelLine {
    entry: String,
    model: String,
    /// The variable of its key, and if that is set.
    key: Option<(String, bool)>,
    /// The fault of the model in words, where it was asked; empty where it answers.
    asked: Option<String>,
}

impl SetupReport {
    pub(super) fn of(args: &Doctor) -> Result<Self, Exit> {
        let none = Self {
            configuration: None,
            models: Vec::new(),
            grants: Vec::new(),
            locks: Vec::new(),
            lock_fault: None,
        };
        let Ok(found) = trust::find_named(args.config.as_deref(), &args.trust, "", &mut Sources::new())
        else {
            return Ok(none);
        };
        let mask = mask(&found);
        let (found, tested) = if args.online && !found.config.models.is_empty() {
            let wants = Wants { models: true, inputs: None, tools: BTreeSet::new(), hooks: false };
            let allowed = trust::admit(found, &wants)?;
            let tested = limits::runtime(true)?.block_on(test_models(&allowed.config, &mask));
            (allowed, tested.map_err(|error| screen::refuse(&error.to_string()))?)
        } else {
            (found, Vec::new())
        };
        let models = models(&found, &tested);
        let grants = Grants::of(Vec::new(), &found, "", trust::notes());
        let named = found.config.tools.iter().map(|tool| tool.name.to_string());
        let grants = named.map(|tool| (tool.clone(), grants.allow(&tool))).collect();
        let (lock, lock_fault) = match LockFile::beside(&found.folder).read() {
            Ok(lock) => (lock.unwrap_or_default(), None),
            Err(why) => (loopwright_core::tool::mcp::McpLock::default(), Some(why)),
        };
        let servers = found.config.mcp.iter().map(|server| server.name.to_string());
        let locks = servers.map(|name| (name.clone(), lock.servers.contains_key(&name))).collect();
        Ok(Self { configuration: Some(found), models, grants, locks, lock_fault })
    }

    /// True if nothing of it keeps a run from its models and tools.
    pub(super) fn is_whole(&self) -> bool {
        let fine = |model: &ModelLine| {
            model.key.as_ref().is_none_or(|(_, is_set)| *is_set)
                && model.asked.as_ref().is_none_or(String::is_empty)
        };
        self.configuration.is_some() && self.lock_fault.is_none() && self.models.iter().all(fine)
    }

    /// For people, a line for each fact.
    pub(super) fn human(&self) -> String {
        let mut text = format!("loopwright {}\n", env!("CARGO_PKG_VERSION"));
        let Some(configuration) = &self.configuration else {
            return text + "configuration: it cannot be used, for the reasons above\n";
        };
        let _ = match &configuration.file {
            None => writeln!(text, "configuration: there is no loopwright.toml here"),
            Some(file) => {
                let words = if configuration.trusted {
                    "all it asks for is allowed".to_owned()
                } else {
                    "not all it asks for is allowed (see `loopwright trust`)".to_owned()
                };
                writeln!(text, "configuration: {}, {words}", screen::path(&file.path))
            }
        };
        for model in &self.models {
            let _ = writeln!(text, "model {}: {}", screen::line(&model.entry), model.words());
        }
        for (tool, is_granted) in &self.grants {
            let words = if *is_granted { "granted" } else { "not granted: it needs `--grant`" };
            let _ = writeln!(text, "tool {}: {words}", screen::line(tool));
        }
        for (server, is_locked) in &self.locks {
            let words =
                if *is_locked { "its tools are locked" } else { "not locked (see `loopwright mcp lock`)" };
            let _ = writeln!(text, "server {}: {words}", screen::line(server));
        }
        if let Some(why) = &self.lock_fault {
            let _ = writeln!(text, "lock: {}", screen::line(why));
        }
        text
    }

    /// For programs.
    pub(super) fn json(&self) -> Json {
        let configuration = self.configuration.as_ref().map(|configuration| {
            let file = configuration.file.as_ref().map(|file| file.path.to_string_lossy());
            json!({"file": file, "allowed": configuration.trusted})
        });
        let named = |all: &[(String, bool)], word: &str| -> Vec<Json> {
            all.iter().map(|(name, is_so)| json!({"name": name, word: is_so})).collect()
        };
        json!({
            "version": env!("CARGO_PKG_VERSION"),
            "configuration": configuration,
            "models": self.models.iter().map(ModelLine::json).collect::<Vec<_>>(),
            "tools": named(&self.grants, "granted"),
            "servers": named(&self.locks, "locked"),
            "lock_fault": self.lock_fault,
        })
    }
}

/// The models of a configuration.
fn models(found: &Configuration, tested: &[TestedEntry]) -> Vec<ModelLine> {
    let line = |model: &loopwright_core::config::ModelConfig| ModelLine {
        entry: model.role.to_string(),
        model: format!("{} of {}", model.target.model, model.target.provider.name()),
        key: model.key.as_ref().map(|variable| (variable.clone(), secret(variable).is_some())),
        asked: tested.iter().find(|entry| entry.entry == model.role).map(|entry| {
            entry.fault.as_ref().map(|fault| format!("{}: {}", fault.kind, fault.message)).unwrap_or_default()
        }),
    };
    found.config.models.iter().map(line).collect()
}

impl ModelLine {
    fn words(&self) -> String {
        let key = match &self.key {
            None => "needs no key".to_owned(),
            Some((variable, true)) => format!("the key {} is set", screen::line(variable)),
            Some((variable, false)) => format!("the key {} is not set", screen::line(variable)),
        };
        let asked = match &self.asked {
            None => String::new(),
            Some(why) if why.is_empty() => ", it answers".to_owned(),
            Some(why) => format!(", it does not answer: {}", screen::line(why)),
        };
        format!("{}, {key}{asked}", screen::line(&self.model))
    }

    fn json(&self) -> Json {
        let key = self.key.as_ref().map(|(variable, is_set)| json!({"env": variable, "set": is_set}));
        let asked = self.asked.as_ref().map(
            |fault| json!({"ok": fault.is_empty(), "error": Some(fault).filter(|fault| !fault.is_empty())}),
        );
        json!({"entry": self.entry, "model": self.model, "key": key, "asked": asked})
    }
}
