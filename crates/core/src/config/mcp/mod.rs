//! `[mcp.NAME]`: servers of the Model Context Protocol, whose tools are named `NAME.tool`.
//!
//! # Why
//! - A server is declared as a command is, so that it is shown, sealed and granted as one.
//! - `${VAR}` is filled in for imported files alone, when a server is started: what is written in `loopwright.toml` is meant
//!   as it stands, and names variables under `env`.

mod address;
mod expand;
mod headers;
mod import;
mod oauth;
mod pattern;
mod place;
mod server;
mod settings;

use serde_json::{Value, json};
use toml::de::{DeTable, DeValue};

use super::faults::Faults;
use super::fields::{article, in_order};
use crate::syntax::keys_schema;

pub use expand::{UnsetVariable, by_default, expanded};
pub use headers::{HeaderValue, McpHeader};
pub use import::imported;
pub use oauth::OauthConfig;
pub use pattern::{covers, server_of};
pub use server::{HttpTarget, McpServerConfig, McpTransport};
pub use settings::McpToolSettings;

/// The most servers of a configuration.
const MAX_SERVERS: usize = 64;

/// A file with servers in the shape of other programs, which a configuration names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct McpImport {
    /// The path from the folder of the configuration.
    pub path: String,
}

/// The JSON Schema of `[mcp]`: servers by name, and the file whose servers are taken as well.
pub(super) fn schema() -> Value {
    let import = "A file of another program whose servers are taken as well, such as `.mcp.json`.";
    let mut server = keys_schema(server::KEYS);
    server["oneOf"] = json!([{"required": ["command"]}, {"required": ["url"]}]);
    json!({
        "type": "object",
        "properties": {"import": {"type": "string", "description": import}},
        "propertyNames": {"pattern": super::TOOL_NAME},
        "additionalProperties": server,
    })
}

/// Reads `[mcp]`: the servers in the order of the file, and the file whose servers are taken as well.
pub(super) fn read(table: &DeTable<'_>, faults: &mut Faults) -> (Vec<McpServerConfig>, Option<McpImport>) {
    let (mut servers, mut import) = (Vec::new(), None);
    for (key, value) in in_order(table) {
        let name = key.get_ref();
        match value.get_ref() {
            DeValue::String(path) if name == "import" => {
                import = Some(McpImport { path: path.to_string() });
            }
            _ if name == "import" => {
                faults
                    .say(
                        value.span(),
                        format!("`import` is {}, wanted the path of a file", article(value.get_ref())),
                    )
                    .help("write import = \".mcp.json\"; no server may be called `import`");
            }
            _ if !super::is_tool_name(name) => {
                faults
                    .say(key.span(), format!("`{name}` is not a valid name for an MCP server"))
                    .help("a server's name has at most 64 letters, digits, `_` and `-`");
            }
            DeValue::Table(table) => {
                servers.extend(McpServerConfig::read(name, key.span(), table, faults));
            }
            other => {
                faults.say(value.span(), format!("found {}, wanted a table", article(other))).help(format!(
                    "write [mcp.{name}] and `command = [\"program\", \"argument\"]` or `url` under it"
                ));
            }
        }
    }
    if servers.len() > MAX_SERVERS {
        faults.say(0..0, format!("there are more than {MAX_SERVERS} MCP servers"));
    }
    (servers, import)
}
