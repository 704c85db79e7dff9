//! `mcp login` and `mcp logout`: a person logs in at a server.

use std::process::{Command, Stdio};
use std::time::Duration;

use futures::StreamExt as _;
use futures::stream::FuturesUnordered;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::timeout;

use super::servers;
use crate::cli::args::{ConfigFlags, Line};
use crate::cli::run::mask;
use crate::cli::{Exit, limits, log, screen, trust};
use loopwright_core::app;
use loopwright_core::app::trust::Configuration;
use loopwright_core::config::{McpServerConfig, McpTransport};
use loopwright_core::source::Sources;
use loopwright_core::tool::mcp::McpLogin;

/// The time that a person has in their browser.
const PATIENCE: Duration = Duration::from_mins(5);

/// The longest request line of a browser, in bytes.
const MAX_REQUEST: u64 = 16 << 10;

/// The most connections that are heard at once.
const MAX_OPEN: usize = 64;

/// The time that one connection of a browser has to say what it wants.
const SAYING: Duration = Duration::from_secs(10);

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
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.map_err(|error| refuse(&error.to_string()))?;
    let port = listener.local_addr().map_err(|error| refuse(&error.to_string()))?.port();
    let host = format!("http://127.0.0.1:{port}");
    let context = app::command_context(found.folder.clone(), &app::unstored());
    let scopes: Vec<String> = args.scope.iter().cloned().collect();
    let begun = McpLogin::begin(server, &context, logins, &format!("{host}/callback"), &scopes).await;
    let Some(login) = begun.map_err(|why| refuse(&format!("the MCP server {}: {why}", server.name)))? else {
        return Ok(screen::print(&format!("the MCP server {} asks for no login\n", server.name)));
    };
    screen::say(&format!("to log in, open:\n  {}\n", screen::line(login.url())));
    if !args.no_browser {
        open(login.url());
    }
    let path = timeout(PATIENCE, called_back(&listener, &|path| login.is_answer(path))).await;
    let path = path.map_err(|_| refuse("nobody logged in within 5 minutes"))?;
    login.finish(&format!("{host}{path}")).await.map_err(|why| refuse(&why))?;
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

/// The path to which the browser is sent back: the first that `is_answer` takes. Whoever connects besides, or says nothing,
/// keeps nobody waiting.
async fn called_back(listener: &TcpListener, is_answer: &(dyn Fn(&str) -> bool + Sync)) -> String {
    let mut open = FuturesUnordered::new();
    loop {
        tokio::select! {
            accepted = listener.accept(), if open.len() < MAX_OPEN => {
                if let Ok((stream, _)) = accepted {
                    open.push(timeout(SAYING, answered(stream, is_answer)));
                }
            }
            Some(path) = open.next(), if !open.is_empty() => {
                if let Ok(Some(path)) = path {
                    return path;
                }
            }
        }
    }
}

/// Answers one request of a browser; its path, where it is the one that is waited for.
async fn answered(stream: TcpStream, is_answer: &(dyn Fn(&str) -> bool + Sync)) -> Option<String> {
    let mut stream = BufReader::new(stream);
    let mut line = String::new();
    (&mut stream).take(MAX_REQUEST).read_line(&mut line).await.ok()?;
    let path = line.strip_prefix("GET ").and_then(|rest| rest.split(' ').next()).map(str::to_owned);
    let path = path.filter(|path| path.starts_with("/callback?") && is_answer(path));
    let (status, words) = match path {
        Some(_) => ("200 OK", "You can close this page and go back to the terminal."),
        None => ("404 Not Found", "There is nothing here."),
    };
    let head =
        format!("HTTP/1.1 {status}\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n");
    let page = format!("{head}Content-Length: {}\r\n\r\n{words}", words.len());
    // Whoever does not read it has been heard all the same.
    let _unread = stream.get_mut().write_all(page.as_bytes()).await;
    path
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

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::{TcpListener, TcpStream};

    use super::called_back;

    #[tokio::test]
    async fn the_answer_to_this_login_alone_is_taken_and_nobody_keeps_it_waiting() {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let is_answer = |path: &str| path.ends_with("state=own");
        let asks = async {
            let silent = TcpStream::connect(address).await.expect("it listens");
            let mut answers = Vec::new();
            for path in ["/callback?code=x&state=other", "/callback?code=y&state=own"] {
                let mut stream = TcpStream::connect(address).await.expect("it listens");
                stream
                    .write_all(format!("GET {path} HTTP/1.1\r\n\r\n").as_bytes())
                    .await
                    .expect("it is sent");
                let mut answer = String::new();
                // The rest of the request, which nobody reads, may end the connection.
                let _end = stream.read_to_string(&mut answer).await;
                answers.push(answer.split(' ').nth(1).unwrap_or_default().to_owned());
            }
            drop(silent);
            answers
        };
        let (path, answers) = tokio::join!(called_back(&listener, &is_answer), asks);
        assert_eq!(
            (path.as_str(), answers),
            ("/callback?code=y&state=own", vec!["404".to_owned(), "200".to_owned()])
        );
    }
}
