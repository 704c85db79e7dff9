//! `mcp lock`: pins the tools of servers.

use std::fmt::Write as _;
use std::sync::Arc;

use super::servers;
use crate::cli::args::{ConfigFlags, Line};
use crate::cli::run::{ToolWords, mask};
use crate::cli::{Exit, limits, log, screen, trust};
use loopwright_core::app;
use loopwright_core::app::mcp::LockFile;
use loopwright_core::app::trust::Configuration;
use loopwright_core::config::McpServerConfig;
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
    let (config, imported) = (flags.config.as_deref(), flags.mcp_config.as_deref());
    let found = trust::find_with_servers(config, imported, &flags.trust, "", &mut Sources::new())?;
    // From here on nothing is printed of the keys.
    let _mask = mask(&found);
    let chosen = servers::chosen(&found, &args.names)?;
    let line = args.names.iter().fold(Line::of("mcp lock"), |line, name| line.word(name));
    servers::admit(&found, &chosen, flags, line.switch("--update", args.update))?;
    let file = LockFile::beside(&found.folder);
    let lock = file.read().map_err(|why| screen::refuse(&screen::line(&why)))?;
    let now = limits::runtime(true)?.block_on(listed(&found, &chosen))?;
    write(args, &file, lock.unwrap_or_default(), now)
}

/// The servers as they are now.
async fn listed(
    found: &Configuration,
    chosen: &[&McpServerConfig],
) -> Result<Vec<(String, LockedServer)>, Exit> {
    let context = app::command_context(found.folder.clone(), &app::unstored());
    let mut all = Vec::new();
    for config in chosen {
        let ports = McpPorts {
            listener: Some(Arc::new(ToolWords::default())),
            logins: trust::logins(),
            ..McpPorts::default()
        };
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
        let _ = match &differences {
            Some(_) if differs && !args.update => writeln!(text, "{name} is not what was locked"),
            Some(_) if !differs => writeln!(text, "{name}: {tools} tools, as they were locked"),
            _ => writeln!(text, "{name}: {tools} tools are locked now"),
        };
        // A change beside the tools is said each time until somebody takes it over.
        if args.update || differences.is_none() {
            lock.servers.insert(name, server);
        }
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
