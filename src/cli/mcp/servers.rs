//! The MCP servers that a command is about, and whether they may be asked.

use std::fmt::Write as _;

use crate::cli::args::{ConfigFlags, Line};
use crate::cli::run::agrees;
use crate::cli::{Exit, screen, trust};
use loopwright_core::app::trust::{Configuration, Grants};
use loopwright_core::config::McpServerConfig;
use loopwright_core::diag;

/// The servers that are meant.
pub(super) fn chosen<'c>(
    found: &'c Configuration,
    names: &[String],
) -> Result<Vec<&'c McpServerConfig>, Exit> {
    let all = &found.config.mcp;
    if all.is_empty() {
        let help =
            "write [mcp.NAME] and `command` or `url` in loopwright.toml, or name a file with `--mcp-config`";
        return Err(screen::refuse_with("no MCP server is declared", help));
    }
    if names.is_empty() {
        return Ok(all.iter().collect());
    }
    let one = |name: &String| {
        all.iter().find(|server| server.name == name.as_str()).ok_or_else(|| {
            let near = diag::nearest(name, all.iter().map(|server| server.name.as_str()));
            let names = || all.iter().map(|server| server.name.as_str()).collect::<Vec<_>>().join(", ");
            let help = near.map_or_else(
                || format!("the servers are: {}", names()),
                |near| diag::did_you_mean(&format!("`{near}`")),
            );
            screen::refuse_with(&format!("no MCP server is called `{}`", screen::line(name)), &help)
        })
    };
    names.iter().map(one).collect()
}

/// Sees to it that servers may be asked: by the trust in the configuration, by a grant, or by a person. `line` is the command line
/// that asks.
pub(super) fn admit(
    found: &Configuration,
    servers: &[&McpServerConfig],
    flags: &ConfigFlags,
    line: Line,
) -> Result<(), Exit> {
    let grants = Grants::of(trust::given(&flags.grant)?, found, "", trust::notes());
    let closed: Vec<&McpServerConfig> = servers
        .iter()
        .copied()
        .filter(|server| !grants.allow_start(&server.name, found.trusted))
        .filter(|server| !is_agreed_to(found, server))
        .collect();
    if closed.is_empty() { Ok(()) } else { Err(refuse(&flags.onto(line).text(), found, &grants, &closed)) }
}

/// Asks the person at the terminal whether a server may be started.
fn is_agreed_to(found: &Configuration, server: &McpServerConfig) -> bool {
    let work = screen::asked(&found.server_work(server));
    agrees(&format!("The MCP server {} {work}.\nMay it be started to be asked for its tools?", server.name))
}

/// Names the line that allows what is missing.
fn refuse(line: &str, found: &Configuration, grants: &Grants, closed: &[&McpServerConfig]) -> Exit {
    let mut text =
        "a server has to be started to be asked for its tools, and these were not allowed:\n".to_owned();
    let mut words = String::new();
    for server in closed {
        let _ = writeln!(text, "  {} {}", server.name, screen::asked(&found.server_work(server)));
        if let Some(declared) = grants.server(&server.name) {
            let _ = write!(words, " --grant '{}.*'@{}", server.name, declared.digest);
        }
    }
    let _ = writeln!(text, "to allow it for this command, run:\n  {}{words}", screen::line(line));
    screen::say(&text);
    Exit::Waiting
}
