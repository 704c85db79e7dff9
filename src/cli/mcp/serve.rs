//! `mcp serve`: graphs and the harmless commands for agents in other programs.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::signal::unix::{SignalKind, signal};

use crate::cli::args::Level;
use crate::cli::{Exit, files, limits, log, screen};
use loopwright_core::serve::confined::Confined;
use loopwright_core::serve::harmless_tools;
use loopwright_core::serve::protocol::http::{BearerToken, HttpServer};
use loopwright_core::serve::protocol::{ServerOffer, serve_lines};

/// What a model is told of the server as a whole.
const INSTRUCTIONS: &str = "\
Loopwright: agent loops as graph files. Write a graph file (YAML), give it to `check`, mend what it finds (`explain` has the page \
of a rule), write scenarios and play them with `test`. Every tool takes texts as a map {name: text}; none of them reads a file, \
reaches a network or runs anything.";

/// `mcp serve`.
#[derive(Debug, clap::Args)]
pub(super) struct ServeArgs {
    /// Serve over HTTP at this address, as `127.0.0.1:8765`; port 0 takes a free one. By default standard input and output are
    /// used.
    #[arg(long, value_name = "ADDRESS:PORT")]
    http: Option<SocketAddr>,
    /// Ask every request over HTTP for the token in this variable of the environment: `Authorization: Bearer TOKEN`. An address
    /// that other machines reach needs one.
    #[arg(long, value_name = "VARIABLE", requires = "http")]
    token_env: Option<String>,
    /// Log to standard error.
    #[arg(long, value_enum, default_value = "off")]
    log: Level,
}

pub(super) fn run(args: &ServeArgs) -> Exit {
    let traces = match log::start(args.log) {
        Ok(traces) => traces,
        Err(message) => return screen::refuse(&message),
    };
    let exit = limits::runtime(true).map_or_else(
        |exit| exit,
        |runtime| {
            let exit = runtime.block_on(serve(args)).unwrap_or_else(|exit| exit);
            // The thread that reads standard input may wait for a line that never comes.
            runtime.shutdown_timeout(Duration::ZERO);
            exit
        },
    );
    traces.end();
    exit
}

async fn serve(args: &ServeArgs) -> Result<Exit, Exit> {
    let Some(confined) = Confined::of_process() else {
        return Err(screen::refuse("the system does not tell which program this is"));
    };
    let server = match args.http {
        None => None,
        Some(address) => Some(listen(address, args.token_env.as_deref()).await?),
    };
    let offer = ServerOffer {
        name: "loopwright".to_owned(),
        title: "Loopwright".to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        instructions: INSTRUCTIONS.to_owned(),
        tools: harmless_tools(&confined),
        ..ServerOffer::default()
    };
    let served = match server {
        Some(server) => server.serve(Arc::new(offer), stopped()).await.map_err(|error| files::reason(&error)),
        None => {
            let streams = (tokio::io::stdin(), tokio::io::stdout());
            serve_lines(Arc::new(offer), streams, stopped()).await
        }
    };
    served.map(|()| Exit::Ok).map_err(|why| screen::refuse(&why))
}

/// Takes the address, and says which it is.
async fn listen(address: SocketAddr, token: Option<&str>) -> Result<HttpServer, Exit> {
    let token = match token {
        None if !address.ip().is_loopback() => {
            let why = format!("--http {address}: other machines reach this address");
            return Err(screen::refuse_with(&why, "let every request bring a token: --token-env VARIABLE"));
        }
        None => None,
        Some(variable) => match std::env::var(variable) {
            Ok(token) if !token.trim().is_empty() => Some(BearerToken::new(token.trim())),
            _ => {
                let why = format!("--token-env {variable}: the variable is not set, or is empty");
                return Err(screen::refuse_with(&why, "set it to a long random text"));
            }
        },
    };
    let server = HttpServer::bind(address, token).await;
    let server =
        server.map_err(|error| screen::refuse(&format!("--http {address}: {}", files::reason(&error))))?;
    screen::say(&format!("serving MCP at {}\n", server.url()));
    Ok(server)
}

/// Ends when the process is asked to end.
async fn stopped() {
    let signals = [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()].map(signal);
    let waits = signals.into_iter().flatten().map(|mut signal| Box::pin(async move { signal.recv().await }));
    let waits: Vec<_> = waits.collect();
    if waits.is_empty() {
        return std::future::pending().await;
    }
    futures::future::select_all(waits).await;
}
