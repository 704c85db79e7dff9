//! `loopwright.lock`: the servers and tools as a person saw them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::facts::ToolFacts;

/// The name of the file, beside the configuration.
pub const LOCK_NAME: &str = "loopwright.lock";

/// The largest file that is read, in bytes.
const MAX_BYTES: usize = 16 << 20;

/// The version of the form.
const VERSION: u32 = 1;

/// The servers of a configuration as they were locked. It grants nothing: it only narrows what is on offer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct McpLock {
    version: u32,
    /// The servers by their names.
    pub servers: BTreeMap<String, LockedServer>,
}

/// A server as it was locked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LockedServer {
    /// The way to it, in words.
    pub server: String,
    /// Its own name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Its version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Its words on how to use it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instructions: Option<String>,
    /// Its tools by their names there.
    pub tools: BTreeMap<String, LockedTool>,
}

/// A tool as it was locked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LockedTool {
    /// The digest of the rest.
    digest: String,
    /// The server's description of it.
    #[serde(flatten)]
    pub facts: ToolFacts,
}

/// The fault of a lock file.
#[derive(Debug, thiserror::Error)]
pub enum LockFault {
    /// It is too large.
    #[error("the file is longer than {MAX_BYTES} bytes")]
    TooLong,
    /// It is no lock.
    #[error("the file is no lock: {0}")]
    Form(String),
    /// It is of a later version.
    #[error("the file has the version {0}, and this program reads version {VERSION}")]
    Version(u32),
    /// Its description of a tool was edited.
    #[error("what the file says of `{0}` does not fit the digest beside it")]
    Digest(String),
}

impl Default for McpLock {
    fn default() -> Self {
        Self { version: VERSION, servers: BTreeMap::new() }
    }
}

impl From<ToolFacts> for LockedTool {
    fn from(facts: ToolFacts) -> Self {
        Self { digest: facts.digest(), facts }
    }
}

impl McpLock {
    /// Reads the text of a file.
    ///
    /// # Errors
    /// It is no lock that this version wrote.
    pub fn read(text: &str) -> Result<Self, LockFault> {
        if text.len() > MAX_BYTES {
            return Err(LockFault::TooLong);
        }
        let lock: Self = serde_json::from_str(text).map_err(|error| LockFault::Form(error.to_string()))?;
        if lock.version != VERSION {
            return Err(LockFault::Version(lock.version));
        }
        for (name, server) in &lock.servers {
            let tools = server.tools.iter();
            if let Some((tool, _)) =
                tools.clone().find(|(tool, own)| own.facts.digest() != own.digest || own.facts.name != **tool)
            {
                return Err(LockFault::Digest(format!("{name}.{tool}")));
            }
        }
        Ok(lock)
    }

    /// The text of the file.
    #[must_use]
    pub fn text(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }
}

impl LockedServer {
    /// The lines that say how a server differs from what was locked: its way, its tools. Empty where nothing does.
    #[must_use]
    pub fn differences(&self, before: &Self, server: &str) -> Vec<String> {
        let mut lines = Vec::new();
        if self.server != before.server {
            lines.push(format!("{server} is reached in another way:"));
            lines.push(format!("- {}", before.server));
            lines.push(format!("+ {}", self.server));
        }
        for (tool, locked) in &before.tools {
            match self.tools.get(tool) {
                None => lines.push(format!("{server}.{tool} is gone")),
                Some(now) if now.digest != locked.digest => {
                    lines.push(format!("{server}.{tool} changed:"));
                    let parts = now.facts.differences(&locked.facts);
                    lines.extend(parts.into_iter().map(|line| format!("  {line}")));
                }
                Some(_) => {}
            }
        }
        let new = self.tools.keys().filter(|tool| !before.tools.contains_key(*tool));
        lines.extend(new.map(|tool| format!("{server}.{tool} is new")));
        lines
    }

    /// The lines that say what changed of a server beside its tools.
    #[must_use]
    pub fn notes(&self, before: &Self, server: &str) -> Vec<String> {
        let parts = [
            ("name", &before.name, &self.name),
            ("version", &before.version, &self.version),
            ("instructions", &before.instructions, &self.instructions),
        ];
        let changed = parts.into_iter().filter(|(_, then, now)| then != now);
        changed
            .map(|(what, then, now)| {
                let words =
                    |text: &Option<String>| super::text::cut(text.as_deref().unwrap_or("(none)"), 120);
                format!(
                    "the {what} of {server} changed since it was locked, from {} to {}",
                    words(then),
                    words(now)
                )
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::McpLock;

    #[test]
    fn what_was_edited_by_hand_is_no_lock() {
        let text = r#"{"version": 1, "servers": {"fs": {"server": "x", "tools": {"a": {"digest": "0", "name": "a", "input_schema": {}}}}}}"#;
        assert!(McpLock::read(text).is_err_and(|fault| fault.to_string().contains("`fs.a`")));
        assert!(McpLock::read("{").is_err());
        assert!(McpLock::read(r#"{"version": 2, "servers": {}}"#).is_err());
        let empty = McpLock::default();
        assert_eq!(McpLock::read(&empty.text()).ok(), Some(empty));
    }
}
