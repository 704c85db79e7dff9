//! `mcp serve`: graphs and the harmless commands for agents in other programs.

use std::net::SocketAddr;
use std::sync::Arc;

use crate::cli::args::{DB, HostFlags, Line, Reach};
use crate::cli::driving::within;
use crate::cli::files::Disk;
use crate::cli::run::{RunStorage, ServedGraph, is_manned};
use crate::cli::{Exit, files, screen};
use loopwright_core::app::{DrawError, DrawableGraph, DrawingRequest, GraphError, GraphHost, Judged};
use loopwright_core::drive::Signals;
use loopwright_core::serve::commands::TextCommand;
use loopwright_core::serve::confined::Confined;
use loopwright_core::serve::graphs::{GraphTool, RunningGraphs, graph_resources};
use loopwright_core::serve::protocol::http::{BearerToken, HttpServer};
use loopwright_core::serve::protocol::{ServerOffer, serve_lines};
use loopwright_core::serve::{harmless_tools, language_resources, prompts, rule_pages};
use loopwright_core::source::Sources;
use loopwright_core::store::StoreAddress;

/// The description of the server as a whole, for a model.
const INSTRUCTIONS: &str = "\
Loopwright: agent loops as graph files. Write a graph file (YAML; the resource loopwright://language/index is the reference), give it \
to `check`, mend what it finds (`explain` has the page of a rule), write scenarios and play them with `test`. These tools take texts as \
a map {name: text}; none of them reads a file, reaches a network or runs anything.";

/// `mcp serve`.
#[derive(Debug, clap::Args)]
pub(super) struct ServeArgs {
    /// Graph files whose texts and drawings are resources. They are not run.
    graphs: Vec<String>,
    /// Let clients run this graph: it is a tool too. Its tools need `--grant`, its configuration consent, as with `run`.
    #[arg(long, value_name = "GRAPH")]
    allow_run: Vec<String>,
    /// Let the client's user approve calls and steer runs. By default only whoever runs `resume` does: the agent in the client
    /// may answer in its user's name.
    #[arg(long, requires = "allow_run")]
    client_may_approve: bool,
    /// Serve over HTTP at this address, as `127.0.0.1:8765`; port 0 takes a free one. By default standard input and output are
    /// used.
    #[arg(long, value_name = "ADDRESS:PORT")]
    http: Option<SocketAddr>,
    /// Ask every request over HTTP for the token in this variable of the environment: `Authorization: Bearer TOKEN`. An address
    /// that other machines reach needs one.
    #[arg(long, value_name = "VARIABLE", requires = "http")]
    token_env: Option<String>,
    /// The store of the runs: a file, or a Postgres database (`postgres://HOST/DATABASE`); it is created if it does not exist.
    #[arg(long, value_name = "STORE", default_value = DB)]
    db: StoreAddress,
    /// The ports of the runs. People are asked by the client.
    #[command(flatten)]
    host: HostFlags,
}

impl ServeArgs {
    /// This command line, as a shell reads it.
    fn command(&self) -> String {
        let mut line = Line::of("mcp serve");
        for graph in &self.graphs {
            line = line.word(graph);
        }
        line = line
            .flag("--allow-run", &self.allow_run)
            .switch("--client-may-approve", self.client_may_approve)
            .flag("--http", self.http.map(|address| address.to_string()))
            .flag("--token-env", &self.token_env);
        self.host.onto(line).db(&self.db).text()
    }
}

pub(super) fn run(args: &ServeArgs) -> Exit {
    within(args.host.log, serve(args))
}

async fn serve(args: &ServeArgs) -> Result<Exit, Exit> {
    let Some(confined) = Confined::of_process() else {
        return Err(screen::refuse("the system does not tell which program this is"));
    };
    let mut offer = ServerOffer {
        name: "loopwright".to_owned(),
        title: "Loopwright".to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        instructions: INSTRUCTIONS.to_owned(),
        tools: harmless_tools(&confined),
        prompts: prompts(),
        resources: language_resources(),
        templates: vec![rule_pages()],
    };
    for file in &args.graphs {
        show(file, &args.host.reach, &mut offer)?;
    }
    let running = RunningGraphs::default();
    let mut graphs = Vec::new();
    for file in &args.allow_run {
        let storage = RunStorage::beside(&graphs);
        graphs.push(ServedGraph::prepare(args.host.ports(&args.db), file, &args.command(), storage).await?);
    }
    for (graph, file) in graphs.into_iter().zip(&args.allow_run) {
        allow(graph, file, args, &running, &mut offer)?;
    }
    let server = match args.http {
        None => None,
        Some(address) => Some(listen(address, args.token_env.as_deref()).await?),
    };
    let offer = Arc::new(offer);
    let mut signals = Signals::listen();
    let stopped = async move {
        signals.next().await;
    };
    let end = if let Some(server) = server {
        server.serve(offer, stopped).await.map_err(|error| files::reason(&error))
    } else {
        if is_manned() {
            screen::say(
                "note: a client starts this and speaks to it over standard input and output; see docs/mcp.md\n",
            );
        }
        serve_lines(offer, screen::messages(), stopped).await
    };
    running.settle().await;
    end.map(|()| Exit::Ok).map_err(|why| screen::refuse(&why))
}

/// Offers the texts and the drawing of a graph that is not run.
fn show(file: &str, reach: &Reach, offer: &mut ServerOffer) -> Result<(), Exit> {
    let judged = Judged::load(file, Sources::new(), &mut Disk::new(reach)?);
    let graph = judged.without_tools().map_err(|error| {
        let GraphError { findings, sources, .. } = &*error;
        screen::findings(findings, sources);
        screen::refuse(&format!("{file}: a graph with errors is not served"))
    })?;
    offer_texts(&graph.program.graphs[0].id, &graph.text, file, reach, offer)
}

/// Offers a graph as a tool, with its texts and its drawing.
fn allow(
    graph: ServedGraph,
    file: &str,
    args: &ServeArgs,
    running: &RunningGraphs,
    offer: &mut ServerOffer,
) -> Result<(), Exit> {
    let id = graph.graph().program.graphs[0].id.to_string();
    if TextCommand::named(&id).is_some() || offer.tools.iter().any(|tool| tool.tool().name == id) {
        return Err(screen::refuse(&format!("--allow-run {file}: there is a tool `{id}` already")));
    }
    let is_shown = args.graphs.iter().any(|shown| shown == file);
    if !is_shown {
        offer_texts(&id, &graph.graph().text, file, &args.host.reach, offer)?;
    }
    let tool = GraphTool::new(Arc::new(graph), args.client_may_approve, running.clone());
    offer.tools.push(Box::new(tool));
    Ok(())
}

fn offer_texts(
    id: &str,
    text: &loopwright_core::port::ProgramText,
    file: &str,
    reach: &Reach,
    offer: &mut ServerOffer,
) -> Result<(), Exit> {
    let mut sources = Sources::new();
    let drawable = DrawableGraph::read(file, &mut sources, &mut Disk::new(reach)?);
    let drawn =
        drawable.and_then(|graph| graph.draw(&DrawingRequest::default(), None).map_err(DrawError::Request));
    let drawing = match drawn {
        Ok(drawn) => drawn.text,
        Err(DrawError::Findings(findings)) => {
            screen::findings(&findings, &sources);
            return Err(Exit::Findings);
        }
        Err(DrawError::Request(why)) => return Err(screen::refuse(&format!("{file}: {why}"))),
    };
    let resources = graph_resources(id, text, &drawing);
    let address = |resource: &dyn loopwright_core::serve::protocol::ServedResource| resource.resource().uri;
    if let [first, ..] = &resources[..]
        && offer.resources.iter().any(|known| address(&**known) == address(&**first))
    {
        return Err(screen::refuse(&format!("{file}: a graph `{id}` is served already")));
    }
    offer.resources.extend(resources);
    Ok(())
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
