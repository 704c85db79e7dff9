//! A server of a run: started when it is needed, and started again when it ended.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Mutex;

use super::catalogue::McpCatalogue;
use super::connection::Connection;
use super::ports::McpPorts;
use crate::config::McpServerConfig;
use crate::tool::command::CommandContext;

/// The number of times a program is started again in a run.
const MAX_RESTARTS: u32 = 3;

/// The number of times a server at an address is connected to again in a run: sessions there end by themselves.
const MAX_RECONNECTIONS: u32 = 30;

/// The longest pause before either.
const MAX_PAUSE: Duration = Duration::from_secs(5);

/// The pause before a server is started again the first time. Each further one is twice as long.
const PAUSE: Duration = Duration::from_millis(200);

/// A server with its one connection, which all of its tools share. The server ends when the last handle of it is gone.
pub struct McpServer {
    config: McpServerConfig,
    context: CommandContext,
    ports: McpPorts,
    state: Mutex<ServerState>,
}

#[derive(Default)]
struct ServerState {
    connection: Option<Arc<Connection>>,
    /// The number of times that it was started.
    starts: u32,
    closed: bool,
}

impl McpServer {
    /// A server that is not started yet.
    #[must_use]
    pub fn new(config: McpServerConfig, context: CommandContext, ports: McpPorts) -> Arc<Self> {
        Arc::new(Self { config, context, ports, state: Mutex::default() })
    }

    /// Its declaration.
    #[must_use]
    pub const fn config(&self) -> &McpServerConfig {
        &self.config
    }

    pub(super) const fn ports(&self) -> &McpPorts {
        &self.ports
    }

    /// Its description of its tools now. It is started if it is not.
    ///
    /// # Errors
    /// It cannot be reached, and why.
    pub async fn catalogue(&self) -> Result<Arc<McpCatalogue>, String> {
        self.connection().await?.catalogue(&self.config).await.map_err(|fault| fault.to_string())
    }

    /// The connection; a new one where there is none any more.
    ///
    /// # Errors
    /// It cannot be reached, or was started too often.
    pub(super) async fn connection(&self) -> Result<Arc<Connection>, String> {
        let mut state = self.state.lock().await;
        if let Some(connection) = state.connection.as_ref().filter(|connection| !connection.is_over()) {
            return Ok(Arc::clone(connection));
        }
        let server = &self.config.name;
        if state.closed {
            return Err(format!("the MCP server {server} was ended with the run"));
        }
        let last = state.connection.take().map(|connection| connection.last_words()).unwrap_or_default();
        let most = if self.config.command().is_some() { MAX_RESTARTS } else { MAX_RECONNECTIONS };
        if state.starts > most {
            return Err(format!(
                "the MCP server {server} ended and was started again {most} times; it is not started any more{last}"
            ));
        }
        if state.starts > 0 {
            tracing::warn!(server = server.as_str(), "the server ended; it is started again{last}");
            tokio::time::sleep((PAUSE * 2_u32.pow((state.starts - 1).min(8))).min(MAX_PAUSE)).await;
        }
        state.starts += 1;
        // The rest of the one before is ended by now, unless a call still has it.
        let opened = Connection::open(&self.config, &self.context, &self.ports).await;
        let connection =
            Arc::new(opened.map_err(|why| format!("the MCP server {server} cannot be reached: {why}"))?);
        state.connection = Some(Arc::clone(&connection));
        Ok(connection)
    }

    /// Ends the server, and waits for that. It is not started again.
    pub async fn close(&self) {
        let mut state = self.state.lock().await;
        state.closed = true;
        let connection = state.connection.take();
        drop(state);
        // A call that is in progress has it, too, and ends it with itself.
        if let Some(connection) = connection.and_then(Arc::into_inner) {
            connection.close().await;
        }
    }
}

impl fmt::Debug for McpServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("McpServer").field("name", &self.config.name).finish_non_exhaustive()
    }
}
