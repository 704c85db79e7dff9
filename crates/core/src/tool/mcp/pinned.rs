//! A tool of a server as it was when the run began.

use std::sync::{Arc, OnceLock};

use jsonschema::Validator;

use super::facts::ToolFacts;
use super::server::McpServer;
use crate::config::McpToolSettings;
use crate::value::{Str, Value};

/// A tool with what its server said of it, and with what the operator says of its calls.
#[derive(Debug, Clone)]
pub(super) struct PinnedTool {
    /// Its whole name.
    pub(super) name: Str,
    pub(super) server: Arc<McpServer>,
    pub(super) facts: Arc<ToolFacts>,
    pub(super) settings: McpToolSettings,
    /// The judge of results, made for the first of them.
    output: Arc<OnceLock<Option<Result<Validator, String>>>>,
}

impl PinnedTool {
    pub(super) fn new(server: Arc<McpServer>, facts: ToolFacts) -> Self {
        let settings = server.config().settings_of(&facts.name);
        let name = ecow::eco_format!("{}.{}", server.config().name, facts.name);
        Self { name, server, facts: Arc::new(facts), settings, output: Arc::default() }
    }

    /// The judge of structured results, where the tool says what they are.
    pub(super) fn output(&self) -> Option<&Result<Validator, String>> {
        let make = || {
            let schema = self.facts.output_schema.as_ref()?;
            Some(crate::config::validator(&Value::from_json(schema)))
        };
        self.output.get_or_init(make).as_ref()
    }
}
