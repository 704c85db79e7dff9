//! A connection to a server, from its greeting to its end.

use std::fmt::{self, Write as _};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rmcp::model::{PaginatedRequestParams, ProtocolVersion};
use rmcp::service::{ClientInitializeError, Peer, RoleClient, RunningService, ServiceError, ServiceExt};
use rmcp::transport::async_rw::AsyncRwTransport;

use super::catalogue::McpCatalogue;
use super::facts::ToolFacts;
use super::handler::{Handler, HandlerState};
use super::http::{self, MAX_MESSAGE};
use super::ports::McpPorts;
use super::stdio;
use super::stop::ServerProcess;
use super::text::{cut, with_causes};
use crate::config::{McpServerConfig, McpTransport};
use crate::tool::command::CommandContext;

/// The most tools of a server.
const MAX_TOOLS: usize = 1024;

/// The most that a server may say of all its tools, in bytes of JSON.
const MAX_LISTED: usize = 8 << 20;

/// The most pages in which a server may list them.
const MAX_PAGES: usize = 64;

/// The time in which the last lines of a program arrive that ended.
const LAST_WORDS: Duration = Duration::from_millis(100);

/// A server that answers. When this is dropped, the server is ended.
pub(super) struct Connection {
    service: RunningService<RoleClient, Handler>,
    state: Arc<HandlerState>,
    /// Its last description of its tools.
    catalogue: Mutex<Arc<McpCatalogue>>,
    /// Held while they are asked for, so that no call is made by a description that is known to be old.
    listing: tokio::sync::Mutex<()>,
    last_lines: Option<stdio::LastLines>,
    process: Option<ServerProcess>,
    /// True once it broke, whatever is left of it.
    given_up: AtomicBool,
}

/// The reason why a server cannot be used.
#[derive(Debug)]
pub(super) struct ConnectionFault {
    why: String,
    /// The challenge of the server to whoever logs in, where that is the reason.
    pub(super) challenge: Option<String>,
}

impl From<String> for ConnectionFault {
    fn from(why: String) -> Self {
        Self { why, challenge: None }
    }
}

impl fmt::Display for ConnectionFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.why)
    }
}

impl ConnectionFault {
    /// A server that asks for a login.
    fn login(config: &McpServerConfig, challenge: &str) -> Self {
        let why = format!(
            "it asks for a login, which `loopwright mcp login {}` makes; or name a token under `headers`",
            config.name
        );
        Self { why, challenge: Some(challenge.to_owned()) }
    }
}

impl Connection {
    /// Starts or calls a server, greets it, and asks for its tools.
    ///
    /// # Errors
    /// It cannot be reached, or answers with something else, and why.
    pub(super) async fn open(
        config: &McpServerConfig,
        context: &CommandContext,
        ports: &McpPorts,
    ) -> Result<Self, ConnectionFault> {
        let opened = tokio::time::timeout(config.start_timeout, Self::greeted(config, context, ports)).await;
        let connection = opened
            .map_err(|_| format!("it was not ready after {} s", config.start_timeout.as_secs_f64()))??;
        connection.speaks_a_known_version()?;
        // A change that it tells of before this list is asked for is part of the list; a later one may not be.
        connection.state.note_change();
        connection.catalogue(config).await?;
        Ok(connection)
    }

    async fn greeted(
        config: &McpServerConfig,
        context: &CommandContext,
        ports: &McpPorts,
    ) -> Result<Self, ConnectionFault> {
        let roots = roots(config, context);
        let handler = Handler::new(config.name.clone(), ports.clone(), roots);
        let state = handler.state();
        let (catalogue, listing) = (Mutex::default(), tokio::sync::Mutex::default());
        match &config.transport {
            McpTransport::Stdio(command) => {
                let started = stdio::start(config, command, context).await?;
                let transport =
                    AsyncRwTransport::new(started.stdout, started.stdin).with_max_line_length(MAX_MESSAGE);
                let last_lines = started.last_lines;
                let service = match handler.serve(transport).await {
                    Ok(service) => service,
                    Err(error) => {
                        // The lines that it printed may still be on its way.
                        tokio::time::sleep(LAST_WORDS).await;
                        return Err(format!("{}{}", greeting_fault(&error), last_lines.words()).into());
                    }
                };
                let token = service.cancellation_token();
                let process = ServerProcess::watch(started.group, move || token.cancel());
                let (last_lines, process) = (Some(last_lines), Some(process));
                let given_up = AtomicBool::new(false);
                Ok(Self { service, state, catalogue, listing, last_lines, process, given_up })
            }
            McpTransport::Http(target) => {
                let transport = http::transport(config, target, context, ports.logins.clone()).await?;
                let service =
                    handler.serve(transport).await.map_err(|error| match error.auth_challenge() {
                        Some(challenge) => ConnectionFault::login(config, challenge),
                        None => greeting_fault(&error).into(),
                    })?;
                let given_up = AtomicBool::new(false);
                Ok(Self { service, state, catalogue, listing, last_lines: None, process: None, given_up })
            }
        }
    }

    /// Refuses a server that chose a version of the protocol that is not spoken here.
    fn speaks_a_known_version(&self) -> Result<(), String> {
        let info = self.peer().peer_info();
        match info.as_ref().map(|info| &info.protocol_version) {
            Some(other) if !ProtocolVersion::KNOWN_VERSIONS.contains(other) => Err(format!(
                "it speaks version {} of the protocol, which is not known here",
                cut(&other.to_string(), 40)
            )),
            _ => Ok(()),
        }
    }

    pub(super) fn peer(&self) -> &Peer<RoleClient> {
        self.service.peer()
    }

    pub(super) fn state(&self) -> &Arc<HandlerState> {
        &self.state
    }

    /// Returns true if nothing is answered any more.
    pub(super) fn is_over(&self) -> bool {
        self.given_up.load(Ordering::Acquire) || self.service.is_closed() || self.peer().is_transport_closed()
    }

    /// Says that the next call has another connection.
    pub(super) fn give_up(&self) {
        self.given_up.store(true, Ordering::Release);
    }

    /// The last words of its process, for a message.
    pub(super) fn last_words(&self) -> String {
        self.last_lines.as_ref().map(stdio::LastLines::words).unwrap_or_default()
    }

    /// The tools, asked for again where the server says that they changed.
    ///
    /// # Errors
    /// It does not tell them, and why.
    pub(super) async fn catalogue(
        &self,
        config: &McpServerConfig,
    ) -> Result<Arc<McpCatalogue>, ConnectionFault> {
        let _listing = self.listing.lock().await;
        if let Some(change) = HandlerState::take_change(&self.state) {
            let catalogue = self.listed(config).await?;
            *self.known() = Arc::new(catalogue);
            change.settle();
        }
        Ok(Arc::clone(&self.known()))
    }

    fn known(&self) -> std::sync::MutexGuard<'_, Arc<McpCatalogue>> {
        self.catalogue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn listed(&self, config: &McpServerConfig) -> Result<McpCatalogue, ConnectionFault> {
        let longest = config.start_timeout;
        let listing = tokio::time::timeout(longest, self.list(config)).await;
        listing.map_err(|_| format!("it did not list its tools within {} s", longest.as_secs_f64()))?
    }

    async fn list(&self, config: &McpServerConfig) -> Result<McpCatalogue, ConnectionFault> {
        let info = self.peer().peer_info();
        let own = info.as_ref().and_then(|info| info.server_info.clone());
        let mut catalogue = McpCatalogue {
            name: own.as_ref().map(|own| cut(&own.name, 200)),
            version: own.map(|own| cut(&own.version, 200)),
            instructions: info
                .as_ref()
                .and_then(|info| info.instructions.as_deref())
                .map(|text| cut(text, 16 << 10)),
            ..McpCatalogue::default()
        };
        if info.is_some_and(|info| info.capabilities.tools.is_none()) {
            return Ok(catalogue);
        }
        let (mut cursor, mut length) = (None, 0);
        for _ in 0..MAX_PAGES {
            let mut page = PaginatedRequestParams::default();
            page.cursor.clone_from(&cursor);
            let listed = self.peer().list_tools(Some(page)).await;
            let listed = listed.map_err(|error| match (error.auth_challenge(), &error) {
                (Some(challenge), _) => ConnectionFault::login(config, challenge),
                (None, ServiceError::UnexpectedResponse) => {
                    "what it lists is no list of tools".to_owned().into()
                }
                (None, other) => {
                    let why = match other {
                        ServiceError::TransportSend(sent) => cut(&with_causes(&*sent.error), 500),
                        other => cut(&other.to_string(), 500),
                    };
                    format!("it did not list its tools: {why}{}", self.last_words()).into()
                }
            })?;
            for tool in listed.tools {
                let facts = ToolFacts::of(tool);
                length += facts.len();
                if length > MAX_LISTED {
                    return Err(format!("it says more than {MAX_LISTED} bytes of its tools").into());
                }
                if catalogue.tools.len() + catalogue.passed_over.len() == MAX_TOOLS {
                    return Err(format!("it has more than {MAX_TOOLS} tools").into());
                }
                let twice = catalogue.tools.contains_key(&facts.name);
                let fault =
                    if twice { Some("it is there twice".to_owned()) } else { facts.fault(&config.name) };
                match fault {
                    None => drop(catalogue.tools.insert(facts.name.clone(), facts)),
                    Some(why) => catalogue.passed_over.push((cut(&facts.name, 200), why)),
                }
            }
            match listed.next_cursor {
                None => return Ok(catalogue),
                next if next == cursor => {
                    return Err("it lists the same page again and again".to_owned().into());
                }
                next => cursor = next,
            }
        }
        Err(format!("it lists its tools in more than {MAX_PAGES} pages").into())
    }

    /// Ends the server and waits for that.
    pub(super) async fn close(self) {
        let Self { mut service, process, .. } = self;
        // A service that does not end in time is dropped, which ends it.
        let _closed = service.close_with_timeout(Duration::from_secs(1)).await;
        drop(service);
        if let Some(process) = process {
            process.end().await;
        }
    }
}

/// The addresses of the folders that a server is told of.
fn roots(config: &McpServerConfig, context: &CommandContext) -> Vec<String> {
    let path = |root: &String| {
        let path = context.folder.join(root);
        let path = std::fs::canonicalize(&path).or_else(|_| std::path::absolute(&path)).unwrap_or(path);
        let mut address = "file://".to_owned();
        for byte in path.to_string_lossy().bytes() {
            match byte {
                b'/' | b'-' | b'_' | b'.' | b'~' => address.push(char::from(byte)),
                byte if byte.is_ascii_alphanumeric() => address.push(char::from(byte)),
                byte => {
                    // Writing to a string cannot fail.
                    let _done = write!(address, "%{byte:02X}");
                }
            }
        }
        address
    };
    config.roots.iter().map(path).collect()
}

/// The words for a greeting that failed. What the server answered is not shown: it may be long, and is nothing for people.
fn greeting_fault(error: &ClientInitializeError) -> String {
    match error {
        ClientInitializeError::ExpectedInitResponse(_) | ClientInitializeError::ExpectedInitResult(_) => {
            "its answer to `initialize` is none of the protocol".to_owned()
        }
        // The names of types around it are nothing for people.
        ClientInitializeError::TransportError { error, .. } => cut(&with_causes(&*error.error), 500),
        other => cut(&with_causes(other), 500),
    }
}
