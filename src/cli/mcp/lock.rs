//! `mcp lock`: pins the tools of servers.

use std::fmt::Write as _;
use std::sync::Arc;

use crate::cli::args::{ConfigFlags, Line};
use crate::cli::run::{ToolWords, agrees, mask};
use crate::cli::{Exit, limits, log, screen, trust};
use loopwright_core::app;
use loopwright_core::app::mcp::LockFile;
use loopwright_core::app::trust::{Configuration, Grants};
use loopwright_core::config::McpServerConfig;
use loopwright_core::diag;
use loopwright_core::source::Sources;
use loopwright_core::tool::mcp::{LockedServer, McpLock, McpPorts, McpServer};

/// `mcp lock`.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct LockArgs {
    /// The servers to lock; by default all of the configuration.
    names: Vec<String>,
    /// Take over what changed since the tools were locked. Without it the changes are shown, and nothing is written.
    #[arg(long)]
    update: bool,
    #[command(flatten)]
    flags: ConfigFlags,
}

pub(super) fn run(args: &LockArgs) -> Exit {
    let traces = match log::start(args.flags.log) {
        Ok(traces) => traces,
        Err(message) => return screen::refuse(&message),
    };
    let exit = lock(args).unwrap_or_else(|exit| exit);
    traces.end();
    exit
}

fn lock(args: &LockArgs) -> Result<Exit, Exit> {
    let flags = &args.flags;
    let (config, servers) = (flags.config.as_deref(), flags.mcp_config.as_deref());
    let found = trust::find_with_servers(config, servers, &flags.trust, "", &mut Sources::new())?;
    // From here on nothing is printed of the keys.
    let _mask = mask(&found);
    let chosen = chosen(&found, &args.names)?;
    let grants = Grants::of(trust::given(&flags.grant)?, &found, "", trust::notes());
    let closed: Vec<&McpServerConfig> = chosen
        .iter()
        .copied()
        .filter(|server| !grants.allow_start(&server.name, found.trusted))
        .filter(|server| !is_agreed_to(&found, server))
        .collect();
    if !closed.is_empty() {
        return Err(refuse(args, &found, &grants, &closed));
    }
    let file = LockFile::beside(&found.folder);
    let lock = file.read().map_err(|why| screen::refuse(&screen::line(&why)))?;
    let now = limits::runtime(true)?.block_on(listed(&found, &chosen))?;
    write(args, &file, lock.unwrap_or_default(), now)
}

/// The servers that are meant.
fn chosen<'c>(found: &'c Configuration, names: &[String]) -> Result<Vec<&'c McpServerConfig>, Exit> {
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

/// Asks the person at the terminal whether a server may be started.
fn is_agreed_to(found: &Configuration, server: &McpServerConfig) -> bool {
    let work = screen::asked(&found.server_work(server));
    agrees(&format!("The MCP server {} {work}.\nMay it be started to be asked for its tools?", server.name))
}

fn refuse(args: &LockArgs, found: &Configuration, grants: &Grants, closed: &[&McpServerConfig]) -> Exit {
    let mut text =
        "a server has to be started to be asked for its tools, and these were not allowed:\n".to_owned();
    let mut words = String::new();
    for server in closed {
        let _ = writeln!(text, "  {} {}", server.name, screen::asked(&found.server_work(server)));
        if let Some(declared) = grants.server(&server.name) {
            let _ = write!(words, " --grant '{}.*'@{}", server.name, declared.digest);
        }
    }
    let mut line = Line::of("mcp lock");
    for name in &args.names {
        line = line.word(name);
    }
    let line = args.flags.onto(line.switch("--update", args.update)).text();
    let _ = writeln!(text, "to allow it for this command, run:\n  {}{words}", screen::line(&line));
    screen::say(&text);
    Exit::Waiting
}

/// The servers as they are now.
async fn listed(
    found: &Configuration,
    chosen: &[&McpServerConfig],
) -> Result<Vec<(String, LockedServer)>, Exit> {
    let context = app::command_context(found.folder.clone(), &app::unstored());
    let mut all = Vec::new();
    for config in chosen {
        let ports = McpPorts { listener: Some(Arc::new(ToolWords::default())), ..McpPorts::default() };
        let server = McpServer::new((*config).clone(), context.clone(), ports);
        let catalogue = server.catalogue().await.map_err(|why| screen::refuse(&screen::line(&why)))?;
        for (tool, why) in &catalogue.passed_over {
            let tool = screen::line(tool);
            screen::say(&format!("note: the tool `{tool}` of {} is not on offer: {why}\n", config.name));
        }
        for pattern in catalogue.unfit(config) {
            let pattern = screen::line(pattern);
            screen::say(&format!("note: [mcp.{}] tools: the server has no tool `{pattern}`\n", config.name));
        }
        all.push((config.name.to_string(), catalogue.to_lock(config, found.server_place(config))));
        server.close().await;
    }
    Ok(all)
}

/// Writes what is new, and what changed if that was wanted.
fn write(
    args: &LockArgs,
    file: &LockFile,
    mut lock: McpLock,
    now: Vec<(String, LockedServer)>,
) -> Result<Exit, Exit> {
    let mut text = String::new();
    let mut is_changed = false;
    for (name, server) in now {
        let tools = server.tools.len();
        let (notes, differences) = match lock.servers.get(&name) {
            None => (Vec::new(), None),
            Some(before) => (server.notes(before, &name), Some(server.differences(before, &name))),
        };
        for line in notes.iter().chain(differences.iter().flatten()) {
            let _ = writeln!(text, "  {}", screen::asked(line));
        }
        let differs = differences.as_ref().is_some_and(|lines| !lines.is_empty());
        is_changed |= differs;
        let _ = match differences {
            Some(_) if differs && !args.update => writeln!(text, "{name} is not what was locked"),
            Some(_) if !differs => writeln!(text, "{name}: {tools} tools, as they were locked"),
            _ => writeln!(text, "{name}: {tools} tools are locked now"),
        };
        lock.servers.insert(name, server);
    }
    if is_changed && !args.update {
        screen::say(&text);
        let help = "look at each change as at a new program; to take them over, give `--update`";
        screen::say(&format!("nothing was written to {}\nhelp: {help}\n", screen::path(file.path())));
        return Ok(Exit::Waiting);
    }
    file.write(&lock).map_err(|why| screen::refuse(&screen::line(&why)))?;
    let _ = writeln!(text, "{} holds them; keep it beside the configuration", screen::path(file.path()));
    Ok(screen::print(&text))
}
