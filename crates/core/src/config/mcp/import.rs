//! `mcpServers` of other programs, as it stands.

use std::ops::Range;

use super::MAX_SERVERS;
use super::address::endpoint;
use super::headers::{HeaderValue, McpHeader, is_value, name_fault};
use super::oauth::OauthConfig;
use super::place::place;
use super::server::{HttpTarget, McpServerConfig, McpTransport, with_path};
use crate::config::arguments::Argument;
use crate::config::command::CommandConfig;
use crate::config::faults::Faults;
use crate::diag::Diagnostic;
use crate::source::FileId;
use crate::value::json::{JsonLimits, parse_strict};
use crate::value::{Map, Value};

/// The largest file that is read, in bytes.
const MAX_BYTES: usize = 1 << 20;

/// The keys under which programs keep their servers.
const TABLES: [&str; 2] = ["mcpServers", "servers"];

/// The servers of a file that other programs share, in its order. Keys that are not known are theirs and are passed over.
///
/// # Errors
/// Every fault of the file, in the order of their places.
pub fn imported(text: &str, file: FileId) -> Result<Vec<McpServerConfig>, Vec<Diagnostic>> {
    let mut faults = Faults::new(file);
    let servers = read(text, &mut faults);
    if faults.is_empty() { Ok(servers) } else { Err(faults.sorted()) }
}

fn read(text: &str, faults: &mut Faults) -> Vec<McpServerConfig> {
    let document = match parse_strict(text, JsonLimits { bytes: MAX_BYTES, ..JsonLimits::default() }) {
        Ok(document) => document,
        Err(fault) => {
            let at = fault.offset.min(text.len());
            faults.say(at..at, format!("this is not valid JSON: {}", fault.kind));
            return Vec::new();
        }
    };
    let key = TABLES.into_iter().find(|key| document.as_map().is_some_and(|map| map.contains_key(key)));
    let Some((key, servers)) = key.and_then(|key| Some((key, document.as_map()?.get(key)?.as_map()?))) else {
        faults
            .say(place(text, &[]).start..place(text, &[]).start, "the file declares no MCP servers")
            .help("it is an object with `mcpServers`: {\"mcpServers\": {\"fs\": {\"command\": \"npx\", \"args\": [\"…\"]}}}");
        return Vec::new();
    };
    if servers.len() > MAX_SERVERS {
        faults.say(place(text, &[key]), format!("there are more than {MAX_SERVERS} MCP servers"));
        return Vec::new();
    }
    servers
        .iter()
        .filter_map(|(name, server)| ServerEntry { text, path: [key, name], faults }.read(server))
        .collect()
}

/// One server of a file.
struct ServerEntry<'t, 'f> {
    text: &'t str,
    path: [&'t str; 2],
    faults: &'f mut Faults,
}

impl ServerEntry<'_, '_> {
    fn place(&self, fields: &[&str]) -> Range<usize> {
        let path: Vec<&str> = self.path.iter().chain(fields).copied().collect();
        place(self.text, &path)
    }

    fn read(mut self, server: &Value) -> Option<McpServerConfig> {
        let name = self.path[1];
        if !crate::config::is_tool_name(name) || name == "import" {
            self.faults
                .say(self.place(&[]), format!("`{name}` is not a valid name for an MCP server"))
                .help("its name is the first part of the names of its tools: at most 64 letters, digits, `_` and `-`");
            return None;
        }
        let Some(fields) = server.as_map() else {
            self.wrong(&[], server, "an object");
            return None;
        };
        // Programs keep servers in their files that are switched off.
        if fields.get("disabled") == Some(&Value::Bool(true)) {
            return None;
        }
        let transport = match (fields.get("command"), fields.get("url").or_else(|| fields.get("serverUrl"))) {
            (Some(_), _) => self.program(fields).map(|command| McpTransport::Stdio(Box::new(command))),
            (None, Some(url)) => self.address(fields, url).map(McpTransport::Http),
            (None, None) => {
                self.faults
                    .say(self.place(&[]), format!("the server `{name}` has no `command` and no `url`"));
                None
            }
        };
        Some(McpServerConfig { expands: true, ..McpServerConfig::new(name, transport?) })
    }

    fn program(&mut self, fields: &Map) -> Option<CommandConfig> {
        let program = self.string(fields, "command")?;
        let mut list = vec![Argument::Fixed(program)];
        if let Some(args) = fields.get("args") {
            let Some(items) = args.as_list() else {
                self.wrong(&["args"], args, "a list of texts");
                return None;
            };
            for item in items {
                let Some(text) = item.as_str().filter(|text| !text.contains('\0')) else {
                    self.wrong(&["args"], item, "a list of texts");
                    return None;
                };
                list.push(Argument::Fixed(text.to_owned()));
            }
        }
        let folder = if fields.contains_key("cwd") { Some(self.string(fields, "cwd")?) } else { None };
        let mut set_env = Vec::new();
        for (name, text) in self.texts(fields, "env")? {
            set_env.push((name, text));
        }
        let command = CommandConfig::fixed(self.path[1], list);
        Some(CommandConfig { folder, env: with_path([]), set_env, ..command })
    }

    fn address(&mut self, fields: &Map, url: &Value) -> Option<HttpTarget> {
        let key = if fields.contains_key("url") { "url" } else { "serverUrl" };
        let Some(text) = url.as_str() else {
            self.wrong(&[key], url, "a text");
            return None;
        };
        if fields.get("type").and_then(Value::as_str) == Some("sse") {
            self.faults
                .say(self.place(&["type"]), "the transport `sse` is not spoken any more")
                .help("most servers speak streamable HTTP at an address of their own: type \"http\"");
            return None;
        }
        // An address is judged when it is known: with its variables.
        let url = match endpoint(text) {
            Ok(url) => url,
            Err(_) if text.contains("${") => text.to_owned(),
            Err(cure) => {
                let place = self.place(&[key]);
                // A key may be in it.
                self.faults.say(place, format!("`{key}` is not the address of a server")).help(cure);
                return None;
            }
        };
        let mut headers = Vec::new();
        for (name, text) in self.texts(fields, "headers")? {
            let fault = name_fault(&name)
                .or_else(|| (!is_value(&text)).then(|| "a header holds letters of ASCII alone".to_owned()));
            if let Some(fault) = fault {
                let place = self.place(&["headers", &name]);
                self.faults.say(place, fault);
                continue;
            }
            headers.push(McpHeader { name, value: HeaderValue::Text(text) });
        }
        Some(HttpTarget { url, headers, oauth: OauthConfig::default() })
    }

    fn string(&mut self, fields: &Map, key: &str) -> Option<String> {
        let value = fields.get(key)?;
        let text = value.as_str().filter(|text| !text.is_empty() && !text.contains('\0'));
        if text.is_none() {
            self.wrong(&[key], value, "a text");
        }
        text.map(str::to_owned)
    }

    /// The fields of an object of texts; numbers and booleans are written as such, as other programs do.
    fn texts(&mut self, fields: &Map, key: &str) -> Option<Vec<(String, String)>> {
        let Some(value) = fields.get(key).filter(|value| !value.is_null()) else { return Some(Vec::new()) };
        let Some(map) = value.as_map() else {
            self.wrong(&[key], value, "an object of texts");
            return None;
        };
        let mut texts = Vec::new();
        for (name, value) in map {
            let text = match value {
                Value::Str(text) => text.to_string(),
                Value::Int(_) | Value::Float(_) | Value::Bool(_) => value.to_json().to_string(),
                other => {
                    self.wrong(&[key, name], other, "a text");
                    return None;
                }
            };
            texts.push((name.to_string(), text));
        }
        Some(texts)
    }

    fn wrong(&mut self, fields: &[&str], found: &Value, wanted: &str) {
        let what = fields.last().copied().unwrap_or(self.path[1]);
        let place = self.place(fields);
        self.faults.say(place, format!("`{what}` is {}, wanted {wanted}", kind(found)));
    }
}

/// The kind of a value as messages name it.
const fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Int(_) | Value::Float(_) => "a number",
        Value::List(_) => "a list",
        Value::Map(_) => "an object",
        _ => "a text",
    }
}

#[cfg(test)]
mod tests {
    use super::imported;
    use crate::source::Sources;

    fn faults(text: &str) -> Vec<String> {
        let file = Sources::new().add("a.json".to_owned(), text.to_owned());
        let found = imported(text, file).err().unwrap_or_default();
        found
            .iter()
            .map(|fault| format!("{}..{}: {}", fault.span().start, fault.span().end, fault.message))
            .collect()
    }

    #[test]
    fn files_of_other_programs_are_read_as_they_stand() {
        let text = r#"{"inputs": [], "mcpServers": {
            "fs": {"command": "npx", "args": ["-y", "x", "${HOME}"], "env": {"A": "${B:-c}", "N": 1}, "cwd": "d", "autoApprove": []},
            "off": {"command": "x", "disabled": true},
            "web": {"type": "http", "url": "https://a.com/mcp/", "headers": {"Authorization": "Bearer ${TOKEN}"}}}}"#;
        let file = Sources::new().add("a.json".to_owned(), text.to_owned());
        let servers = imported(text, file).expect("it is read");
        assert_eq!(servers.iter().map(|server| server.name.as_str()).collect::<Vec<_>>(), ["fs", "web"]);
        assert_eq!(servers[0].variables(), ["B", "HOME"]);
        assert_eq!(servers[1].keys(), ["TOKEN"]);
    }

    #[test]
    fn faults_have_places() {
        assert_eq!(faults("[]").len(), 1);
        assert_eq!(
            faults(r#"{"mcpServers": {"a": {"command": 1}}}"#),
            ["33..34: `command` is a number, wanted a text"]
        );
        assert_eq!(
            faults(r#"{"mcpServers": {"a b": {}}}"#)[0],
            "23..25: `a b` is not a valid name for an MCP server"
        );
        assert!(faults(r#"{"mcpServers": {"a": {"url": "nowhere"}}}"#)[0].starts_with("29..38"));
        assert!(faults("{")[0].starts_with("1..1: this is not valid JSON"));
    }
}
