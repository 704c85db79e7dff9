//! The operator's configuration, `loopwright.toml`: where inputs come from, which commands are tools, limits.
//!
//! A graph only names tools; the person who runs the graph defines here what a name refers to. The text is
//! handed in; nothing is read from disk or from the environment.
//!
//! ```toml
//! [inputs]
//! folder = "sample"
//! rounds = {env = "ROUNDS", default = 8}
//!
//! [builtin]
//! read_file = {root = "sample"}
//!
//! [tools.history]
//! description = "The changes of a file, one a line."
//! command = ["git", "log", "--oneline", "--", "{file}"]
//! folder = "sample"
//! delivery = "pure"
//!
//! [models.decider]
//! provider = "openai"
//! base_url = "http://127.0.0.1:8080/v1"
//! model = "any"
//!
//! [run]
//! timeout = "10m"
//!
//! [check]
//! unused = "error"
//! ```
//!
//! # Why
//! - An input from a variable that does not hold what the input wants counts as unset, with a warning that names the
//!   variable and the type, never the text, which may be secret. An empty variable is set.
//! - `[models."*"]` serves what is not named, so that a graph can be tried with one model.

mod address;
mod arguments;
mod builtin;
mod check;
mod command;
mod companions;
mod declared;
mod fallback;
mod faults;
mod fields;
mod file_schema;
mod file_tool;
mod hooks;
mod inputs;
mod key_places;
mod limits;
mod mcp;
mod models;
mod policy;
mod reach;
mod reasoning;
mod replay;
mod schema;
mod throttle;
mod webhooks;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::diag::Diagnostic;
use crate::source::FileId;
use crate::syntax::{FileKey, KeyForm};
use crate::value::Str;

pub use crate::wire::{ModelTarget, Provider, Reasoning, ReasoningEffort, Structured};
pub use arguments::{Argument, ArgumentFault, ArgumentPiece, fill};
pub use builtin::Builtin;
pub use check::RuleSeverities;
pub use command::{CommandConfig, ExitCodes, Overflow, Parse, Stdin};
pub use fallback::FallbackConfig;
pub use file_schema::file_schema;
pub use file_tool::{FileToolConfig, FileToolKind};
pub use hooks::{HookConfig, HookEvent};
pub use inputs::{Gathered, InputFault, InputOrigin, Source, Unread, gather, input_of_text, inputs_of_map};
pub use key_places::table_keys;
pub use limits::{CallLimit, CallLimits};
pub use mcp::OauthConfig;
pub use mcp::{
    HeaderValue, HttpTarget, McpHeader, McpImport, McpServerConfig, McpToolSettings, McpTransport,
    UnsetVariable, by_default, covers, expanded, imported, server_of,
};
pub use models::{ANY_ROLE, ModelConfig, ModelFiles, Price};
pub use policy::Policy;
pub use reach::{ExternalReach, PathResolver};
pub use throttle::Throttle;
pub use webhooks::{SecretPlace, WebhookConfig, WebhookScheme};

pub(crate) use reach::led;
pub use reach::quoted;
pub use replay::ReplayConfig;
pub(crate) use schema::{faults_of, validator, with_defaults};

use faults::Faults;
use fields::TableFields;
use file_schema::FILE_KEYS;

/// The largest file that is read, in bytes.
pub const MAX_BYTES: usize = 1 << 20;

/// The most faults against TOML itself that are looked at.
const MAX_SYNTAX_FAULTS: usize = 16;

/// The form of the names of tools and of servers.
const TOOL_NAME: &str = "^[A-Za-z0-9_-]{1,64}$";

/// The keys of `[run]`.
const RUN_KEYS: &[FileKey] = &[
    FileKey::new("timeout", KeyForm::Duration, "The longest time that a run may take; then it is cancelled."),
    FileKey::new(
        "at_once",
        KeyForm::Count(1, 1024),
        "The most calls in progress at the same time; default 16.",
    ),
];

/// The calls of one run that are in progress at the same time, unless `[run] at_once` says otherwise.
const DEFAULT_CALLS_AT_ONCE: usize = 16;

/// A configuration file as it was read.
#[derive(Debug, Clone, PartialEq)]
pub struct Config {
    /// The sources of input fields, in the order of the file.
    pub inputs: Vec<InputOrigin>,
    /// The tools that need no command.
    pub builtin: Builtin,
    /// The declared commands, in the order of the file.
    pub tools: Vec<CommandConfig>,
    /// The models that serve the roles, in the order of the file.
    pub models: Vec<ModelConfig>,
    /// The roles that other entries serve, in the order of the file.
    pub fallbacks: Vec<FallbackConfig>,
    /// Limits of one run.
    pub run: RunLimits,
    /// The severities that `check` gives to findings.
    pub check: RuleSeverities,
    /// The programs that are told what runs do, in the order of the file.
    pub hooks: Vec<HookConfig>,
    /// The webhooks that begin runs, in the order of the file.
    pub webhooks: Vec<WebhookConfig>,
    /// The most that one run may make of tools and models.
    pub limits: CallLimits,
    /// The recorded run that answers in place of models.
    pub replay: Option<ReplayConfig>,
    /// The flows that are denied.
    pub policy: Policy,
    /// The servers whose tools are on offer, in the order of the file; those of an imported file after them.
    pub mcp: Vec<McpServerConfig>,
    /// The file of another program whose servers are taken as well.
    pub mcp_import: Option<McpImport>,
}

/// Limits of one run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunLimits {
    /// The longest a run may take, in nanoseconds; then it is cancelled.
    pub timeout: Option<i64>,
    /// The most calls in progress at the same time.
    pub at_once: usize,
}

impl Default for RunLimits {
    fn default() -> Self {
        Self { timeout: None, at_once: DEFAULT_CALLS_AT_ONCE }
    }
}

impl Default for Config {
    /// The configuration where there is no file.
    fn default() -> Self {
        Self {
            inputs: Vec::new(),
            builtin: Builtin::default(),
            tools: Vec::new(),
            models: Vec::new(),
            fallbacks: Vec::new(),
            run: RunLimits::default(),
            check: RuleSeverities::default(),
            hooks: Vec::new(),
            webhooks: Vec::new(),
            limits: CallLimits::default(),
            replay: None,
            policy: Policy::default(),
            mcp: Vec::new(),
            mcp_import: None,
        }
    }
}

/// Returns true if a text has the form of a configuration: some line of it begins one of its tables.
#[must_use]
pub fn is_configuration(text: &str) -> bool {
    text.lines().any(|line| {
        let line = line.trim_start().trim_start_matches('[').trim_start();
        let rest = FILE_KEYS.iter().find_map(|key| line.strip_prefix(key.name)).map(str::trim_start);
        rest.is_some_and(|rest| rest.starts_with([']', '.', '=']))
    })
}

impl Config {
    /// Returns true if a model serves a role.
    #[must_use]
    pub fn serves(&self, role: &str) -> bool {
        self.roles().any(|own| own == role || own == ANY_ROLE)
    }

    /// The roles of `[models]`: those of lists, then those of models.
    pub fn roles(&self) -> impl Iterator<Item = &Str> {
        self.fallbacks.iter().map(|list| &list.role).chain(self.models.iter().map(|model| &model.role))
    }

    /// Removes all models, as where none may be asked.
    pub fn clear_models(&mut self) {
        self.models.clear();
        self.fallbacks.clear();
    }

    /// Reads the text of a configuration file that was added to [`Sources`](crate::source::Sources) as `file`.
    ///
    /// # Errors
    /// Every fault of the file, in the order of their places.
    pub fn read(text: &str, file: FileId) -> Result<Self, Vec<Diagnostic>> {
        let mut faults = Faults::new(file);
        if text.len() > MAX_BYTES {
            faults.say(0..0, format!("the file has {} bytes; at most {MAX_BYTES} are read", text.len()));
            return Err(faults.sorted());
        }
        let (document, errors) = DeTable::parse_recoverable(text);
        // The parser continues after a fault and then often stumbles over the rest of the same line.
        let mut last_line = None;
        for error in errors.iter().take(MAX_SYNTAX_FAULTS) {
            let place = error.span().unwrap_or(0..0);
            let line = text.get(..place.start).map(|before| before.matches('\n').count());
            if line != last_line || line.is_none() {
                faults.syntax(place, error.message());
            }
            last_line = line;
        }
        if !faults.is_empty() {
            return Err(faults.sorted());
        }
        let config = Self::of(&document, &mut faults);
        if faults.is_empty() { Ok(config) } else { Err(faults.sorted()) }
    }

    fn of(document: &Spanned<DeTable<'_>>, faults: &mut Faults) -> Self {
        let mut config = Self::default();
        let fields = TableFields::new("the file", FILE_KEYS, document.get_ref());
        if let Some(table) = fields.table("inputs", faults) {
            config.inputs = inputs::read(table, faults);
        }
        if let Some(table) = fields.table("builtin", faults) {
            config.builtin = Builtin::read(table, faults);
        }
        if let Some(table) = fields.table("tools", faults) {
            config.tools = tools(table, &config.builtin, faults);
            companions::check(table, &config.tools, &config.builtin, faults);
        }
        if let Some(table) = fields.table("run", faults) {
            config.run = RunLimits::read(table, faults);
        }
        if let Some(table) = fields.table("check", faults) {
            config.check = RuleSeverities::read(table, faults);
        }
        if let Some(table) = fields.table("models", faults) {
            (config.models, config.fallbacks) = models::read(table, faults);
        }
        if let Some(table) = fields.table("mcp", faults) {
            (config.mcp, config.mcp_import) = mcp::read(table, faults);
        }
        if let Some(limits) = fields.table("limits", faults) {
            // Those with faults of their own are there, too.
            let own = |key| document.get_ref().get(key).and_then(|value| value.get_ref().as_table());
            let mut tools = fields::keys(own("tools"));
            tools.extend(Builtin::names().filter(|name| config.builtin.offers(name)).map(str::to_owned));
            let mut servers = fields::keys(own("mcp"));
            let imports = servers.iter().any(|name| name == "import");
            servers.retain(|name| name != "import");
            let known = limits::KnownTools { tools, servers, imports };
            let mut models = fields::keys(own("models"));
            models.retain(|name| config.fallbacks.iter().all(|list| list.role != *name));
            config.limits = CallLimits::read(limits, &known, &models, faults);
        }
        if let Some(table) = fields.table("hooks", faults) {
            config.hooks = hooks::read(table, faults);
        }
        if let Some(table) = fields.table("webhooks", faults) {
            config.webhooks = webhooks::read(table, faults);
        }
        if let Some(table) = fields.table("replay", faults) {
            config.replay = ReplayConfig::read(table, faults);
        }
        if let Some(table) = fields.table("policy", faults) {
            config.policy = Policy::read(table, faults);
        }
        fields.finish(faults);
        config
    }
}

impl RunLimits {
    fn read(table: &DeTable<'_>, faults: &mut Faults) -> Self {
        let fields = TableFields::new("[run]", RUN_KEYS, table);
        let limits = Self {
            timeout: fields.duration("timeout", faults),
            at_once: fields.count("at_once", faults).unwrap_or(DEFAULT_CALLS_AT_ONCE),
        };
        fields.finish(faults);
        limits
    }
}

fn tools(table: &DeTable<'_>, builtin: &Builtin, faults: &mut Faults) -> Vec<CommandConfig> {
    let mut tools = Vec::new();
    for (key, value) in fields::in_order(table) {
        let name = key.get_ref();
        if !is_tool_name(name) {
            faults
                .say(key.span(), format!("`{name}` is not a valid name for a tool"))
                .help("a tool's name has at most 64 letters, digits, `_` and `-`");
            continue;
        }
        if builtin.offers(name) {
            faults
                .say(key.span(), format!("there is a built-in tool `{name}`"))
                .help(format!("choose another name, or write `{name} = false` under [builtin]"));
            continue;
        }
        match value.get_ref() {
            DeValue::Table(table) => tools.extend(CommandConfig::read(name, key.span(), table, faults)),
            other => {
                faults.say(value.span(), format!("found {}, wanted a table", fields::article(other))).help(
                    format!("write [tools.{name}] and `command = [\"program\", \"argument\"]` under it"),
                );
            }
        }
    }
    tools
}

fn is_tool_name(name: &str) -> bool {
    (1..=64).contains(&name.len())
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-')
}
