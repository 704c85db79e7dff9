//! One server: how it is reached, and which of its tools are on offer.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::ops::Range;
use std::path::Path;
use std::time::Duration;

use toml::de::{DeTable, DeValue};

use super::address::endpoint;
use super::expand::variables;
use super::headers::{self, HeaderValue, McpHeader};
use super::oauth::{self, OauthConfig};
use super::pattern::covers;
use super::settings::{self, McpToolSettings};
use crate::config::arguments::Argument;
use crate::config::command::{CommandConfig, ENV, FOLDER, SET_ENV, list_schema, set_env};
use crate::config::faults::Faults;
use crate::config::fields::{TableFields, article, in_order, words};
use crate::config::reach::{PathResolver, quoted};
use crate::syntax::{FileKey, KeyForm, by_name, keys_schema};
use crate::value::{List, Map, Str, Value, json};

/// The longest that a server may take to be ready.
const START: Duration = Duration::from_secs(30);

/// The words of `trust`, and whether the server's hints count.
const TRUSTS: [(&str, bool); 2] = [("hints", true), ("nothing", false)];

/// The keys of a server.
pub(super) const KEYS: &[FileKey] = &[
    FileKey::new(
        "command",
        KeyForm::Schema(|| {
            let text = serde_json::json!({"type": "string", "minLength": 1});
            serde_json::json!({"anyOf": [text, list_schema()]})
        }),
        "The program and its arguments.",
    ),
    FileKey::new("args", KeyForm::Texts, "The arguments after those of `command`."),
    FOLDER,
    ENV,
    SET_ENV,
    FileKey::new("url", KeyForm::Text, "The address of the server."),
    FileKey::new("headers", KeyForm::Schema(headers::schema), "The headers of every request to the server."),
    FileKey::new("oauth", KeyForm::Keys(oauth::KEYS), "The client that people log in with."),
    FileKey::new(
        "tools",
        KeyForm::Texts,
        "The tools that are on offer, by their names there or patterns of them; default all.",
    ),
    FileKey::new(
        "trust",
        KeyForm::Words(|| words(&TRUSTS)),
        "With `hints`, the server's word counts that a tool changes nothing or may be called twice.",
    ),
    settings::KEYS[0],
    settings::KEYS[1],
    settings::KEYS[2],
    settings::KEYS[3],
    FileKey::new("roots", KeyForm::Texts, "The folders that the server is told of, relative to this file."),
    FileKey::new(
        "start_timeout",
        KeyForm::Duration,
        "The longest time that the server may take to be ready; default 30s.",
    ),
    FileKey::new(
        "sampling",
        KeyForm::Schema(|| serde_json::json!({"const": false})),
        "False: requests of the server for answers of a model are refused.",
    ),
    FileKey::new(
        "tool",
        KeyForm::Schema(|| by_name(&keys_schema(&settings::KEYS))),
        "The settings of single tools, by their names there.",
    ),
];

/// A server of the Model Context Protocol.
#[derive(Debug, Clone, PartialEq)]
pub struct McpServerConfig {
    /// Its name, the first part of the names of its tools.
    pub name: Str,
    /// The way to it.
    pub transport: McpTransport,
    /// The tools that are on offer, by their names there or patterns of them; all where absent.
    pub tools: Option<Vec<Str>>,
    /// True if its word counts that a tool changes nothing, or that calling it twice is calling it once.
    pub trusts_hints: bool,
    /// The settings of its tools.
    pub settings: McpToolSettings,
    /// The settings of single tools, by their names there.
    pub tool_settings: Vec<(Str, McpToolSettings)>,
    /// The folders that it is told of when it asks for roots, from that of the configuration.
    pub roots: Vec<String>,
    /// The longest that it may take to be ready.
    pub start_timeout: Duration,
    /// True if `${VAR}` in its texts stands for a variable of the environment.
    pub expands: bool,
    /// True if a flag named the file that declares it: then the trust in the configuration does not count for it.
    pub by_flag: bool,
}

/// The way to a server.
#[derive(Debug, Clone, PartialEq)]
pub enum McpTransport {
    /// A program that is started and spoken to over its standard streams.
    Stdio(Box<CommandConfig>),
    /// An address.
    Http(HttpTarget),
}

/// The address of a server and what goes along with each request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpTarget {
    /// The address.
    pub url: String,
    /// The headers.
    pub headers: Vec<McpHeader>,
    /// The client that people log in with.
    pub oauth: OauthConfig,
}

impl McpServerConfig {
    /// A server without settings.
    pub(super) fn new(name: impl Into<Str>, transport: McpTransport) -> Self {
        Self {
            name: name.into(),
            transport,
            tools: None,
            trusts_hints: false,
            settings: McpToolSettings::default(),
            tool_settings: Vec::new(),
            roots: Vec::new(),
            start_timeout: START,
            expands: false,
            by_flag: false,
        }
    }

    pub(super) fn read(
        name: &str,
        place: Range<usize>,
        table: &DeTable<'_>,
        faults: &mut Faults,
    ) -> Option<Self> {
        let fields = TableFields::new(format!("[mcp.{name}]"), KEYS, table);
        let transport = transport(name, place, &fields, faults);
        let texts =
            |texts: Vec<(&str, Range<usize>)>| texts.into_iter().map(|(text, _)| text.into()).collect();
        let tools = fields.strings("tools", faults).map(texts);
        let trusts_hints = fields.choice("trust", &TRUSTS, faults);
        let settings = McpToolSettings::read(&fields, faults);
        let roots = fields.strings("roots", faults).unwrap_or_default();
        let start = fields.duration("start_timeout", faults).and_then(|nanos| u64::try_from(nanos).ok());
        if let Some(true) = fields.flag("sampling", faults) {
            faults
                .say(fields.place("sampling"), "a server cannot ask for answers of a model here")
                .help("remove `sampling`: such requests are refused; ask a model in a node of the graph");
        }
        let tool_settings = tool_settings(name, &fields, faults);
        fields.finish(faults);
        Some(Self {
            tools,
            trusts_hints: trusts_hints.unwrap_or(false),
            settings,
            tool_settings,
            roots: roots.into_iter().map(|(root, _)| root.to_owned()).collect(),
            start_timeout: start.map_or(START, Duration::from_nanos),
            ..Self::new(name, transport?)
        })
    }

    /// Has its relative paths start from a folder, where that is not the configuration's.
    pub fn start_from(&mut self, folder: &Path) {
        let McpTransport::Stdio(command) = &mut self.transport else { return };
        // A path that begins with a variable is known when that is.
        let from = |path: &str| match path {
            path if path.starts_with("${") => path.to_owned(),
            path => folder.join(path).to_string_lossy().into_owned(),
        };
        if let Some(Argument::Fixed(program)) = command.list.first_mut()
            && program.contains('/')
        {
            *program = from(program);
        }
        command.folder = Some(command.folder.as_deref().map_or_else(|| from(""), from));
    }

    /// The settings of a tool, by its name at the server.
    #[must_use]
    pub fn settings_of(&self, tool: &str) -> McpToolSettings {
        let own = self.tool_settings.iter().find(|(name, _)| name == tool).map(|(_, settings)| *settings);
        own.unwrap_or_default().or(self.settings)
    }

    /// Returns true if a tool is on offer, by its name at the server.
    #[must_use]
    pub fn offers(&self, tool: &str) -> bool {
        self.tools.as_ref().is_none_or(|tools| tools.iter().any(|pattern| covers(pattern, tool)))
    }

    /// The program that is started, if it is one.
    #[must_use]
    pub const fn command(&self) -> Option<&CommandConfig> {
        match &self.transport {
            McpTransport::Stdio(command) => Some(command),
            McpTransport::Http(_) => None,
        }
    }

    /// The program that is started, with its texts filled in by `fill` where they may hold variables.
    ///
    /// # Errors
    /// Those of `fill`.
    pub fn filled_command<E>(
        &self,
        fill: &dyn Fn(&str) -> Result<String, E>,
    ) -> Result<Option<Cow<'_, CommandConfig>>, E> {
        let Some(command) = self.command() else { return Ok(None) };
        if !self.expands {
            return Ok(Some(Cow::Borrowed(command)));
        }
        let mut command = command.clone();
        for argument in &mut command.list {
            if let Argument::Fixed(text) = argument {
                *text = fill(text)?;
            }
        }
        for (_, value) in &mut command.set_env {
            *value = fill(value)?;
        }
        if let Some(folder) = &mut command.folder {
            *folder = fill(folder)?;
        }
        Ok(Some(Cow::Owned(command)))
    }

    /// The way to it in one line of words. `folder` is the name under which the folder of a program is shown.
    #[must_use]
    pub fn work(&self, folder: &str, places: &dyn PathResolver) -> String {
        let mut work = match &self.transport {
            McpTransport::Stdio(command) => format!("starts {}", command.command_line(folder, places)),
            McpTransport::Http(target) => format!("connects to {}", target.words()),
        };
        let variables = self.variables();
        if !variables.is_empty() {
            let _ = write!(work, ", with the values of {}", variables.join(", "));
        }
        if !self.roots.is_empty() {
            let roots: Vec<String> = self.roots.iter().map(|root| quoted(root)).collect();
            let _ = write!(work, ", and names it the folders {}", roots.join(", "));
        }
        work
    }

    /// Returns true if there is no more to it than its command line says.
    #[must_use]
    pub fn is_plain(&self, places: &dyn PathResolver) -> bool {
        self.command().is_some_and(|command| command.is_plain(places))
            && self.variables().is_empty()
            && self.roots.is_empty()
    }

    /// The variables of the environment that are filled into its texts.
    #[must_use]
    pub fn variables(&self) -> Vec<&str> {
        if !self.expands {
            return Vec::new();
        }
        let mut all: Vec<&str> = match &self.transport {
            McpTransport::Stdio(command) => {
                let list = command.list.iter().filter_map(|argument| match argument {
                    Argument::Fixed(text) => Some(text.as_str()),
                    _ => None,
                });
                let values = command.set_env.iter().map(|(_, value)| value.as_str());
                list.chain(values).chain(command.folder.as_deref()).flat_map(variables).collect()
            }
            McpTransport::Http(target) => {
                let texts = target.headers.iter().filter_map(|header| match &header.value {
                    HeaderValue::Text(text) => Some(text.as_str()),
                    HeaderValue::Env { .. } => None,
                });
                std::iter::once(target.url.as_str()).chain(texts).flat_map(variables).collect()
            }
        };
        all.sort_unstable();
        all.dedup();
        all
    }

    /// The variables that go into headers: what they hold is a secret.
    #[must_use]
    pub fn keys(&self) -> Vec<&str> {
        let McpTransport::Http(target) = &self.transport else { return Vec::new() };
        let texts = target.headers.iter().flat_map(|header| match &header.value {
            HeaderValue::Env { variable, .. } => vec![variable.as_str()],
            HeaderValue::Text(text) if self.expands => variables(text).collect(),
            HeaderValue::Text(_) => Vec::new(),
        });
        texts.chain(target.oauth.client_secret.as_deref()).collect()
    }

    /// All that is declared, in one canonical text: two declarations have the same one only if they say the same. A key that
    /// a later version adds is left out of it while it has its default.
    #[must_use]
    pub fn declaration(&self) -> String {
        let mut map = Map::new();
        map.set("name", self.name.clone());
        match &self.transport {
            McpTransport::Stdio(command) => map.set("command", command.declaration()),
            McpTransport::Http(target) => map.set("address", target.declaration()),
        }
        let texts = |texts: &[Str]| texts.iter().cloned().map(Value::Str).collect::<List>();
        map.set("tools", self.tools.as_deref().map_or(Value::Null, |tools| texts(tools).into()));
        map.set("trusts_hints", self.trusts_hints);
        map.set("settings", settings_value(&self.settings));
        let own = self.tool_settings.iter().map(|(tool, settings)| (tool.clone(), settings_value(settings)));
        map.set("tool_settings", own.collect::<Map>());
        map.set("roots", self.roots.iter().map(|root| Value::from(root.as_str())).collect::<List>());
        map.set("start_timeout", self.start_timeout.as_nanos().to_string());
        map.set("expands", self.expands);
        json::canonical(&Value::Map(map))
    }
}

impl HttpTarget {
    /// All that is declared of it.
    fn declaration(&self) -> Map {
        let header = |header: &McpHeader| {
            let mut map = Map::new();
            map.set("name", header.name.as_str());
            match &header.value {
                HeaderValue::Text(text) => map.set("text", text.as_str()),
                HeaderValue::Env { variable, prefix } => {
                    map.set("variable", variable.as_str());
                    map.set("prefix", prefix.as_str());
                }
            }
            Value::Map(map)
        };
        let mut map = Map::new();
        map.set("url", self.url.as_str());
        map.set("headers", self.headers.iter().map(header).collect::<List>());
        map.set("oauth", self.oauth.declaration());
        map
    }

    /// The address with its headers, in one line.
    #[must_use]
    pub fn words(&self) -> String {
        let header = |header: &McpHeader| match &header.value {
            HeaderValue::Text(text) => format!("{}: {}", header.name, quoted(text)),
            HeaderValue::Env { variable, prefix } => {
                format!("{}: {}the variable {variable}", header.name, quoted_before(prefix))
            }
        };
        let headers: Vec<String> = self.headers.iter().map(header).collect();
        let oauth = self.oauth.words();
        if headers.is_empty() {
            return format!("{}{oauth}", self.url);
        }
        format!("{} with the headers {}{oauth}", self.url, headers.join(", "))
    }
}

fn quoted_before(prefix: &str) -> String {
    if prefix.is_empty() { String::new() } else { format!("{} and ", quoted(prefix)) }
}

fn settings_value(settings: &McpToolSettings) -> Value {
    let McpToolSettings { delivery, approval, timeout, output_bytes } = settings;
    let mut map = Map::new();
    if let Some(delivery) = delivery {
        map.set("delivery", delivery.name());
    }
    if let Some(approval) = approval {
        map.set("approval", approval.is_needed());
        approval.put(&mut map);
    }
    if let Some(timeout) = timeout {
        map.set("timeout", timeout.as_nanos().to_string());
    }
    if let Some(bytes) = output_bytes {
        map.set("output_bytes", bytes.to_string());
    }
    Value::Map(map)
}

fn tool_settings(server: &str, fields: &TableFields<'_>, faults: &mut Faults) -> Vec<(Str, McpToolSettings)> {
    let mut all = Vec::new();
    for (key, value) in fields.table("tool", faults).map(in_order).into_iter().flatten() {
        let name = key.get_ref();
        if let DeValue::Table(table) = value.get_ref() {
            let own = TableFields::new(format!("[mcp.{server}.tool.{name}]"), &settings::KEYS, table);
            let settings = McpToolSettings::read(&own, faults);
            own.finish(faults);
            all.push((Str::from(name.as_ref()), settings));
        } else {
            faults
                .say(value.span(), format!("found {}, wanted a table", article(value.get_ref())))
                .help(format!("write [mcp.{server}.tool.{name}] and `delivery`, `approval`, `timeout` or `output_bytes` under it"));
        }
    }
    all
}

fn transport(
    name: &str,
    place: Range<usize>,
    fields: &TableFields<'_>,
    faults: &mut Faults,
) -> Option<McpTransport> {
    let misspelt = fields.misspells("command") || fields.misspells("url");
    let list = list(fields, faults);
    let folder = fields.string("folder", faults).map(str::to_owned);
    let env = fields.strings("env", faults).map(|names| names.into_iter().map(|(name, _)| name.to_owned()));
    let set_env = set_env(fields, faults);
    let url = fields.string_at("url", faults);
    let headers = headers::read(fields, faults);
    let oauth = oauth::read(fields, faults);
    let of_program = ["args", "folder", "env", "set_env"].into_iter().find(|key| fields.has(key));
    match (fields.has("command"), fields.has("url")) {
        (true, true) => {
            faults
                .say(fields.place("url"), "both `command` and `url` say where the server is")
                .help("keep one of them");
            None
        }
        (false, false) => {
            if !misspelt {
                faults.say(place, "this server has no `command` and no `url`").help(
                    "write command = [\"program\", \"argument\"], or url = \"https://mcp.example.com/mcp\"",
                );
            }
            None
        }
        (true, false) => {
            if let Some(key) = ["headers", "oauth"].into_iter().find(|key| fields.has(key)) {
                faults
                    .say(fields.place(key), format!("`{key}` is for a server with a `url`"))
                    .help("a program is handed variables under `env`");
            }
            let command = CommandConfig::fixed(name, list?);
            Some(McpTransport::Stdio(Box::new(CommandConfig {
                folder,
                env: with_path(env.into_iter().flatten()),
                set_env,
                ..command
            })))
        }
        (false, true) => {
            if let Some(key) = of_program {
                faults.say(fields.place(key), format!("`{key}` is for a server with a `command`"));
            }
            let (text, place) = url?;
            match endpoint(text) {
                Ok(url) => Some(McpTransport::Http(HttpTarget { url, headers, oauth })),
                Err(cure) => {
                    faults.say(place, "`url` is not the address of a server").help(cure);
                    None
                }
            }
        }
    }
}

/// The names of variables, with the one by which programs are found.
pub(super) fn with_path(names: impl IntoIterator<Item = String>) -> Vec<String> {
    let mut all = vec!["PATH".to_owned()];
    all.extend(names.into_iter().filter(|name| name != "PATH"));
    all
}

/// The program and its arguments: `command` is a list, or a program with its arguments in `args`.
fn list(fields: &TableFields<'_>, faults: &mut Faults) -> Option<Vec<Argument>> {
    let command = fields.get("command")?;
    let mut texts = match command.get_ref() {
        DeValue::String(program) => vec![(program.as_ref(), command.span())],
        DeValue::Array(_) => fields.strings("command", faults)?,
        other => {
            faults
                .say(command.span(), format!("`command` is {}, wanted a list of texts", article(other)))
                .help("write command = [\"program\", \"argument\"]");
            return None;
        }
    };
    texts.extend(fields.strings("args", faults).unwrap_or_default());
    match texts.first() {
        Some((program, _)) if !program.is_empty() => {}
        _ => {
            faults.say(command.span(), "`command` is empty; its first element is the program");
            return None;
        }
    }
    for (text, place) in &texts {
        if text.contains('\0') {
            faults.say(place.clone(), "an argument must not contain a zero byte");
        }
    }
    Some(texts.into_iter().map(|(text, _)| Argument::Fixed(text.to_owned())).collect())
}
