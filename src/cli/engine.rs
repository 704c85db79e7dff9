//! Engines that drive runs elsewhere, as commands reach them, and the words for what is wrong with them.

use super::Exit;
use super::args::Engine;
#[cfg(not(feature = "restate"))]
use super::screen;
use loopwright_core::app::Runs;

#[cfg(feature = "restate")]
mod restate {
    use std::sync::Arc;

    use crate::cli::args::Engine;
    use crate::cli::{Exit, screen};
    use loopwright_core::app::Runs;
    use loopwright_core::worker::restate::{ClientError, RestateClient, RestateRuns};

    /// A client for an engine.
    pub(in crate::cli) fn client(engine: &Engine) -> Result<RestateClient, Exit> {
        let Engine::Restate(url) = engine;
        RestateClient::new(url).map_err(|error| screen::refuse(&error.to_string()))
    }

    pub(in crate::cli) fn runs(engine: &Engine) -> Result<Runs, Exit> {
        Ok(Runs::of(Arc::new(RestateRuns::new(client(engine)?))))
    }

    /// Removes a run that has ended.
    pub(in crate::cli) async fn forget(engine: &Engine, run: &str) -> Result<(), Exit> {
        client(engine)?.forget(run).await.map_err(|error| refuse(&error))
    }

    /// The refusal of a request, with what helps.
    pub(in crate::cli) fn refuse(error: &ClientError) -> Exit {
        let help = match error {
            ClientError::Unreachable { .. } => {
                "start the server, or name the address of its ingress: --engine restate=http://127.0.0.1:8080"
            }
            ClientError::NotServed { .. } => {
                "start a worker with this version of the graph and register it: loopwright worker restate GRAPH --register \
                 http://127.0.0.1:9070"
            }
            ClientError::Unknown(_) => {
                "`loopwright runs` with the same `--engine` lists those that are there"
            }
            ClientError::Exists(_) => "give the run another id: --run-id ID",
            ClientError::Foreign { .. } => {
                "name the address of a Restate server's ingress, which is port 8080 unless said"
            }
            _ => return screen::refuse(&screen::line(&error.to_string())),
        };
        screen::refuse_with(&screen::line(&error.to_string()), help)
    }

    /// The refusal to register a worker, with what helps.
    pub(in crate::cli) fn refuse_worker(error: &ClientError) -> Exit {
        let help = match error {
            ClientError::Unreachable { .. } | ClientError::Foreign { .. } => {
                "start the server, or name the address of its administration: --register http://127.0.0.1:9070"
            }
            _ => {
                "a server keeps what it knows of an address: give a worker with other graphs another one (--listen, --advertise), \
                 and let the old one finish its runs"
            }
        };
        screen::refuse_with(&screen::line(&format!("the worker is not registered: {error}")), help)
    }
}

#[cfg(feature = "restate")]
pub(super) use self::restate::{client, forget, refuse, refuse_worker};

/// The runs of an engine, to look at them.
pub(super) fn runs(engine: &Engine) -> Result<Runs, Exit> {
    #[cfg(feature = "restate")]
    return restate::runs(engine);
    #[cfg(not(feature = "restate"))]
    Err(left_out(engine))
}

/// Removes a run of an engine.
#[cfg(not(feature = "restate"))]
pub(super) fn forget(engine: &Engine, _: &str) -> impl Future<Output = Result<(), Exit>> + use<> {
    std::future::ready(Err(left_out(engine)))
}

/// The refusal of an engine that this program was built without.
#[cfg(not(feature = "restate"))]
pub(super) fn left_out(engine: &Engine) -> Exit {
    screen::refuse_with(
        &format!("--engine {engine}: this program was built without Restate"),
        "build it with it: cargo install --path . --locked --features restate",
    )
}
