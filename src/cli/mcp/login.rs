//! `mcp login` and `mcp logout`: a person logs in at a server.

use std::process::{Command, Stdio};
use std::time::Duration;

use tokio::time::timeout;

use super::servers;
use crate::cli::args::{ConfigFlags, Line};
use crate::cli::run::mask;
use crate::cli::{Exit, limits, log, screen, trust};
use loopwright_core::app;
use loopwright_core::app::trust::Configuration;
use loopwright_core::config::{McpServerConfig, McpTransport};
use loopwright_core::serve::callback::CallbackListener;
use loopwright_core::source::Sources;
use loopwright_core::tool::mcp::McpLogin;

/// The time that a person has in their browser.
const PATIENCE: Duration = Duration::from_mins(5);

/// `mcp login`.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct LoginArgs {
    /// The server, by its name in the configuration.
    server: String,
    /// Ask for these scopes as well, separated by spaces, as a message of the server names them.
    #[arg(long, value_name = "SCOPES")]
    scope: Option<String>,
    /// Print the address and open nothing.
    #[arg(long)]
    no_browser: bool,
    #[command(flatten)]
    flags: ConfigFlags,
}

/// `mcp logout`.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct LogoutArgs {
    /// The server, by its name in the configuration.
    server: String,
    #[command(flatten)]
    flags: ConfigFlags,
}

pub(super) fn login(args: &LoginArgs) -> Exit {
    let traces = match log::start(args.flags.log) {
        Ok(traces) => traces,
        Err(message) => return screen::refuse(&message),
    };
    let exit = admitted(args).unwrap_or_else(|exit| exit);
    traces.end();
    exit
}

pub(super) fn logout(args: &LogoutArgs) -> Exit {
    forget(args).unwrap_or_else(|exit| exit)
}

/// The configuration that the flags name.
fn configuration(flags: &ConfigFlags) -> Result<Configuration, Exit> {
    let (config, imported) = (flags.config.as_deref(), flags.mcp_config.as_deref());
    trust::find_with_servers(config, imported, &flags.trust, "", &mut Sources::new())
}

fn admitted(args: &LoginArgs) -> Result<Exit, Exit> {
    let found = configuration(&args.flags)?;
    // From here on nothing is printed of the keys.
    let _mask = mask(&found);
    let chosen = servers::chosen(&found, std::slice::from_ref(&args.server))?;
    let line = Line::of("mcp login").word(&args.server).flag("--scope", &args.scope);
    servers::admit(&found, &chosen, &args.flags, line.switch("--no-browser", args.no_browser))?;
    limits::runtime(true)?.block_on(logged_in(args, &found, chosen[0]))
}

async fn logged_in(args: &LoginArgs, found: &Configuration, server: &McpServerConfig) -> Result<Exit, Exit> {
    let refuse = |why: &str| screen::refuse(&screen::line(why));
    let logins = trust::logins().ok_or_else(|| {
        screen::refuse("a login cannot be kept: there is no folder for it (HOME or XDG_STATE_HOME)")
    })?;
    let listener = CallbackListener::bind().await.map_err(|error| refuse(&error.to_string()))?;
    let context = app::command_context(found.folder.clone(), &app::unstored());
    let scopes: Vec<String> = args.scope.iter().cloned().collect();
    let begun = McpLogin::begin(server, &context, logins, &listener.address(), &scopes).await;
    let Some(login) = begun.map_err(|why| refuse(&format!("the MCP server {}: {why}", server.name)))? else {
        return Ok(screen::print(&format!("the MCP server {} asks for no login\n", server.name)));
    };
    screen::say(&format!("to log in, open:\n  {}\n", screen::line(login.url())));
    if !args.no_browser {
        open(login.url());
    }
    let url = timeout(PATIENCE, listener.answer(|path| login.is_answer(path))).await;
    let url = url.map_err(|_| refuse("nobody logged in within 5 minutes"))?;
    login.finish(&url).await.map_err(|why| refuse(&why))?;
    Ok(screen::print(&format!("logged in at the MCP server {}\n", server.name)))
}

/// Opens an address in the browser of whoever sits here: the program in `BROWSER`, or that of the desktop.
fn open(url: &str) {
    let named = std::env::var_os("BROWSER").filter(|name| !name.is_empty());
    let mut program = Command::new(named.unwrap_or_else(|| "xdg-open".into()));
    program.arg(url).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    // Where there is none, the address that was printed is opened by hand.
    drop(program.spawn());
}

fn forget(args: &LogoutArgs) -> Result<Exit, Exit> {
    let found = configuration(&args.flags)?;
    let server = servers::chosen(&found, std::slice::from_ref(&args.server))?[0];
    let McpTransport::Http(target) = &server.transport else {
        let why = format!("the MCP server {} is a program on this machine: there is no login", server.name);
        return Err(screen::refuse(&why));
    };
    let context = app::command_context(found.folder.clone(), &app::unstored());
    let forgotten = match trust::logins() {
        Some(logins) => McpLogin::forget(server, target, &context, &*logins),
        None => Ok(false),
    };
    let was = forgotten.map_err(|why| screen::refuse(&screen::line(&why)))?;
    let message = if was { "logged out of" } else { "nobody was logged in at" };
    Ok(screen::print(&format!("{message} the MCP server {}\n", server.name)))
}
