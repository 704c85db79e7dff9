//! `serve`: graphs of a folder and runs of a store, over HTTP.

mod address;
mod edited_folder;
mod editor;
mod graphs;
mod metrics;
mod names;
mod token;
mod webhooks;

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use self::address::ServeAddress;
use self::editor::FolderEditor;
use self::graphs::{FolderGraph, FolderGraphs};
use self::metrics::Metrics;
use super::args::{DB, HostFlags, Line};
use super::driving::{StopOrder, until_signals, within};
use super::trust::store_to_write;
use super::{Exit, files, limits, screen};
use loopwright_core::drive::Signals;
use loopwright_core::serve::confined::Confined;
use loopwright_core::serve::web::{
    Door, GraphFiles, RunNotes, ServerBounds, WebApi, WebListener, WebParts, WebServer,
};
use loopwright_core::store::StoreAddress;

/// `serve`.
#[derive(Debug, Clone, clap::Args)]
pub(super) struct ServeArgs {
    /// The folder of the graphs. Those that can be run are run for whoever may; the others are shown.
    #[arg(default_value = ".")]
    folder: String,
    /// The address; port 0 takes a free one. One that other machines reach needs `--token-file`, and `--tls-cert` or `--public-origin`.
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:7788")]
    listen: SocketAddr,
    /// The greatest number of runs driven at once. Others wait for their turn, in order.
    #[arg(long, value_name = "N", default_value = "16", value_parser = clap::value_parser!(u16).range(1..))]
    at_once: u16,
    /// Continue the runs that an earlier server, or a command, left in the middle.
    #[arg(long)]
    resume: bool,
    /// Allow people with the role `run` to save texts of graphs and of scenarios in the folder. New runs go by what was saved last.
    #[arg(long)]
    edit: bool,
    /// The tokens of people, one a line: NAME ROLE TOKEN. The roles are `watch`, `answer` and `run`. By default there is one token, which may do
    /// everything, in a file beside the store.
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,
    /// Serve by TLS with this certificate (PEM, with the certificates that lead to a known one).
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    tls_cert: Option<PathBuf>,
    /// The key of the certificate (PEM).
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    tls_key: Option<PathBuf>,
    /// The origin at which browsers reach the server through a proxy, as `https://runs.example.org`.
    #[arg(long, value_name = "ORIGIN")]
    public_origin: Vec<String>,
    /// The store of the runs: a file, or a Postgres database (`postgres://HOST/DATABASE`); it is created if it does not exist.
    #[arg(long, value_name = "STORE", default_value = DB)]
    db: StoreAddress,
    /// The ports of the runs. People are asked over HTTP.
    #[command(flatten)]
    host: HostFlags,
}

impl ServeArgs {
    /// This command line, as a shell reads it.
    fn command(&self) -> String {
        let path = |path: &Option<PathBuf>| path.as_ref().map(|path| path.to_string_lossy().into_owned());
        let line = Line::of("serve").word(&self.folder).flag("--listen", [self.listen.to_string()]);
        let line = line
            .switch("--resume", self.resume)
            .switch("--edit", self.edit)
            .flag("--token-file", path(&self.token_file))
            .flag("--tls-cert", path(&self.tls_cert))
            .flag("--tls-key", path(&self.tls_key))
            .flag("--public-origin", &self.public_origin);
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
    // A graph with a fault is shown, and not run. With a word that leads nowhere none would be run.
    if let Some(absent) =
        args.host.absent().or(Some(Path::new(&args.folder)).filter(|folder| !folder.exists()))
    {
        return Err(screen::refuse(&format!(
            "{}: there is no such file or folder",
            screen::line(&absent.to_string_lossy())
        )));
    }
    let address = ServeAddress::of(args)?;
    let place = store_to_write(&args.db, args.host.trusted(), &args.command())?;
    let store = args.db.open();
    place.tried();
    let store = store.map_err(|error| screen::refuse(&error.to_string()))?;
    let tokens = token::tokens(args)?;
    let listener = WebListener::default();
    let folder = FolderGraphs::new(args, &store, &listener)?;
    let (found, webhooks) = folder.find().await?;
    let webhooks = webhooks::read(&webhooks)?;
    let server = WebServer::bind(args.listen, address.tls.clone()).await;
    let server = server
        .map_err(|error| screen::refuse(&format!("--listen {}: {}", args.listen, files::reason(&error))))?;
    let (port, origins) = (server.address().port(), address.origins(server.address()));
    let url = origins.first().cloned().unwrap_or_default();
    let words = tokens.words(&url);
    let door = Door::new(tokens.tokens, origins, address.any_host(), port);
    let counts = (found.len(), found.iter().filter(|found| found.served.is_some()).count());
    let graphs = found.iter().map(FolderGraph::listed).collect();
    let editor = args.edit.then(|| Arc::new(FolderEditor::new(folder, found)) as Arc<dyn GraphFiles>);
    let bounds = ServerBounds::default();
    let files = limits::allow_files(bounds.files());
    let bounds = bounds.within(files);
    let parts = WebParts {
        graphs,
        store,
        at_once: args.at_once.into(),
        door,
        webhooks,
        confined,
        notes: Arc::new(ServeNotes),
        editor,
        bounds,
    };
    let api = WebApi::new(parts, &listener);
    // Whoever has read that it serves may tell it to end.
    let signals = Signals::listen();
    let graphs = if counts.0 == 1 { "graph" } else { "graphs" };
    screen::say(&format!("serving {} {graphs}, {} to be run, at {url}/\n", counts.0, counts.1));
    screen::say(&words);
    if args.resume {
        let many = api.resume_all().await.map_err(|error| screen::refuse(&error.to_string()))?;
        screen::say(&format!("continuing {many} runs\n"));
    }
    let metrics = Metrics::asked(&api).await;
    let serving = |order: StopOrder| async move {
        server.serve(api, order.given()).await;
        metrics.end().await;
    };
    Ok(until_signals(signals, serving).await.map_or(Exit::Interrupted, |()| Exit::Ok))
}

/// Says what the operator should know of runs.
struct ServeNotes;

impl RunNotes for ServeNotes {
    fn noted(&self, run: &str, note: &str) {
        screen::say(&format!("{}: {}\n", screen::line(run), screen::line(note)));
    }
}
