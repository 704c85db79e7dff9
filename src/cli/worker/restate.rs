//! `worker restate`: graphs that a Restate server has driven here.

use std::net::SocketAddr;

use crate::cli::args::{HostFlags, is_address};
#[cfg(not(feature = "restate"))]
use crate::cli::{Exit, screen};

/// `worker restate`.
#[derive(Debug, clap::Args)]
pub(super) struct RestateArgs {
    /// The graph files whose runs it drives.
    #[arg(required = true)]
    graphs: Vec<String>,
    /// Listen at this address; port 0 takes a free one. Other machines reach it only with `--identity`.
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:9080")]
    listen: SocketAddr,
    /// Register this worker with the server whose administration has this address, as `http://127.0.0.1:9070`.
    #[arg(long, value_name = "URL", value_parser = address)]
    register: Option<String>,
    /// The address at which the server reaches this worker, for `--register`; by default that of `--listen`.
    #[arg(long, value_name = "URL", value_parser = address, requires = "register")]
    advertise: Option<String>,
    /// Take only requests that a server signs with this key: `publickeyv1_…`.
    #[arg(long, value_name = "KEY")]
    identity: Option<String>,
    /// End a segment of a run after so many steps of its journal, and begin the next.
    #[arg(long, value_name = "N", default_value_t = 500, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    effects_per_segment: u32,
    /// The ports of the runs.
    #[command(flatten)]
    host: HostFlags,
}

fn address(text: &str) -> Result<String, String> {
    if is_address(text) { Ok(text.to_owned()) } else { Err("write it as http://127.0.0.1:9070".to_owned()) }
}

#[cfg(not(feature = "restate"))]
pub(super) fn run(args: &RestateArgs) -> Exit {
    // All of it is for a worker that is not there.
    let _ = (
        &args.graphs,
        args.listen,
        &args.register,
        &args.advertise,
        &args.identity,
        args.effects_per_segment,
    );
    let _ = &args.host;
    screen::refuse_with(
        "this program was built without Restate",
        "build it with it: cargo install --path . --locked --features restate",
    )
}

#[cfg(feature = "restate")]
pub(super) use self::built_in::run;

#[cfg(feature = "restate")]
mod built_in {
    use std::hash::{DefaultHasher, Hash, Hasher};
    use std::path::PathBuf;
    use std::sync::Arc;

    use super::RestateArgs;
    use crate::cli::args::{Line, Ports};
    use crate::cli::driving::within;
    use crate::cli::run::{RunStorage, ServedGraph};
    use crate::cli::{Exit, engine, screen};
    use loopwright_core::app::{self, GraphHost};
    use loopwright_core::drive::{Signals, SystemClock};
    use loopwright_core::worker::restate::{RestateClient, RestateWorker, WorkerError};

    impl RestateArgs {
        /// The ports of the runs. Nothing is stored here: the locks of what runs start lie beside a file that is not there. Workers of one
        /// folder share them; those of another folder may serve another server, whose runs have the same ids.
        fn ports(&self) -> Ports {
            let mut hasher = DefaultHasher::new();
            std::env::current_dir().unwrap_or_default().hash(&mut hasher);
            let mut place = app::unstored().into_os_string();
            place.push(format!("-restate-{:016x}", hasher.finish()));
            self.host.ports(&PathBuf::from(place).into())
        }

        /// This command line, as a shell reads it.
        fn command(&self) -> String {
            let line = self.graphs.iter().fold(Line::of("worker restate"), |line, graph| line.word(graph));
            let line = line.flag("--listen", [self.listen.to_string()]).flag("--register", &self.register);
            self.host.onto(line).text()
        }
    }

    pub(in crate::cli) fn run(args: &RestateArgs) -> Exit {
        within(args.host.log, work(args))
    }

    async fn work(args: &RestateArgs) -> Result<Exit, Exit> {
        if args.identity.is_none() && !args.listen.ip().is_loopback() {
            let why = format!("--listen {}: other machines reach this address", args.listen);
            return Err(screen::refuse_with(
                &why,
                "take only what your Restate server signs: --identity publickeyv1_…",
            ));
        }
        let mut worker = RestateWorker::new(Arc::new(SystemClock::new())).effects(args.effects_per_segment);
        worker = worker.on_fault(|why| screen::say(&format!("error: {}\n", screen::line(why))));
        let mut served = Vec::new();
        for file in &args.graphs {
            let graph = ServedGraph::prepare(args.ports(), file, &args.command(), RunStorage::Memory).await?;
            let program = &graph.graph().program;
            served.push(format!(
                "{} ({})",
                program.graphs[0].id,
                program.digest.get(..12).unwrap_or(&program.digest)
            ));
            worker = worker.host(Arc::new(graph));
        }
        if let Some(key) = &args.identity {
            worker = worker.identity(key);
        }
        let mut signals = Signals::listen();
        let listening = worker.listen(args.listen).map_err(|error| refuse(&error))?;
        let url = format!("http://{}", listening.address());
        screen::say(&format!("a worker of {} listens at {url}\n", screen::line(&served.join(", "))));
        let serving = listening.serve(async move {
            let signal = signals.next().await;
            screen::say(&format!("{signal}: another worker continues what this one drives\n"));
        });
        tokio::pin!(serving);
        if let Some(admin) = &args.register {
            let worker = args.advertise.as_ref().unwrap_or(&url);
            let client = RestateClient::new(admin).map_err(|error| screen::refuse(&error.to_string()))?;
            tokio::select! {
                registered = client.register(worker) => registered.map_err(|error| engine::refuse_worker(&error))?,
                () = &mut serving => return Ok(Exit::Interrupted),
            }
            screen::say(&format!("registered with the Restate server at {}\n", screen::line(admin)));
        }
        serving.await;
        Ok(Exit::Ok)
    }

    fn refuse(error: &WorkerError) -> Exit {
        let help = match error {
            WorkerError::Listen(..) => {
                "name another address, or 127.0.0.1:0 for a free one: --listen ADDRESS:PORT"
            }
            WorkerError::Twice(_) => "name each graph once",
            WorkerError::Identity(_) => "the server says its key when it starts; it is no secret",
            _ => "name the graph with letters, digits, `_` and `-`",
        };
        screen::refuse_with(&screen::line(&error.to_string()), help)
    }
}
