//! Speaks to runs through the ingress of a Restate server.

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value as Json, json};

use super::message::{
    AfterArguments, AnswerArguments, Beginning, EndArguments, ListArguments, ListReply, ListedInfo, RunReply,
};
use super::service::{ALL, LIST, RUN, segments_name};
use crate::llm::{ConnectionError, Http, HttpRequest, Transport};
use crate::machine::QuestionId;
use crate::port::ProgramText;
use crate::value::{Map, Str, Value};

/// The longest body of a reply, in bytes.
const MAX_BODY_BYTES: usize = 64 << 20;

/// The longest time for which a reply is waited for.
const MAX_REPLY: Duration = Duration::from_mins(1);

/// The fault of a request to a Restate server.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ClientError {
    /// Nobody answers there.
    #[error("no Restate server answers at {url}: {why}")]
    Unreachable {
        /// The address.
        url: String,
        /// The symptom.
        why: String,
    },
    /// No worker that serves this was registered there.
    #[error("the Restate server at {url} knows no worker that serves `{service}`")]
    NotServed {
        /// The address.
        url: String,
        /// The name of the service.
        service: String,
    },
    /// There is no run of that id.
    #[error("there is no run `{0}`")]
    Unknown(Str),
    /// There is a run of that id already.
    #[error("there is a run `{0}` already")]
    Exists(Str),
    /// The request was refused.
    #[error("{message}")]
    Refused {
        /// The status of HTTP.
        status: u16,
        /// The message.
        message: String,
    },
    /// The reply is none of a Restate server, or of none with workers of this version.
    #[error("{url} does not answer as a Restate server does: {why}")]
    Foreign {
        /// The address.
        url: String,
        /// The symptom.
        why: String,
    },
}

/// Speaks to a Restate server. Cloning it is cheap.
#[derive(Clone)]
pub struct RestateClient {
    /// The address of its ingress, or of its administration to register a worker.
    base: String,
    http: Arc<dyn Transport>,
}

impl RestateClient {
    /// A client for the ingress at an address, such as `http://127.0.0.1:8080`.
    ///
    /// # Errors
    /// TLS cannot be set up.
    pub fn new(base: &str) -> Result<Self, ConnectionError> {
        Ok(Self { base: base.trim_end_matches('/').to_owned(), http: Arc::new(Http::new()?) })
    }

    /// The address.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.base
    }

    /// Begins a run of a program. It has begun when the future ends; that waits until a worker is there to say so. Where the future is
    /// dropped before, the run begins once one is, unless what a worker would refuse keeps it from that.
    ///
    /// # Errors
    /// [`ClientError`]; for one [`ClientError::NotServed`] and [`ClientError::Exists`].
    pub async fn begin(
        &self,
        (graph, program): (&str, &str),
        run: &Str,
        input: Map,
        seed: u64,
    ) -> Result<(), ClientError> {
        let segments = segments_name(graph, program);
        let path = format!("{segments}/{}/begin", encoded(run));
        match self.send(&segments, &path, &Beginning { input, seed }).await {
            Err(ClientError::Refused { status: 409, .. }) => Err(ClientError::Exists(run.clone())),
            replied => replied,
        }
    }

    /// A run at a glance, without entries.
    ///
    /// # Errors
    /// [`ClientError::Unknown`], or what failed below.
    pub async fn status(&self, run: &str) -> Result<RunReply, ClientError> {
        self.of_run(run, "status", &()).await
    }

    /// A run with entries of its journal, from one on that an earlier reply gave as the next, or from 0.
    ///
    /// # Errors
    /// As [`RestateClient::status`].
    pub async fn entries(&self, run: &str, after: u64) -> Result<RunReply, ClientError> {
        self.of_run(run, "entries", &AfterArguments { after }).await
    }

    /// The texts of the program that a run goes by.
    ///
    /// # Errors
    /// As [`RestateClient::status`].
    pub async fn program(&self, run: &str) -> Result<ProgramText, ClientError> {
        self.of_run(run, "program", &()).await
    }

    /// Answers a question of a run.
    ///
    /// # Errors
    /// The run has ended, or as [`RestateClient::status`].
    pub async fn answer(&self, run: &str, ask: QuestionId, value: Value) -> Result<u64, ClientError> {
        self.of_run(run, "answer", &AnswerArguments { ask, value }).await
    }

    /// Lets a run leave its node by `error(cancelled)`, to which its graph may answer.
    ///
    /// # Errors
    /// As [`RestateClient::answer`].
    pub async fn abort(&self, run: &str, reason: &str) -> Result<u64, ClientError> {
        self.of_run(run, "abort", &EndArguments { reason: reason.into() }).await
    }

    /// Ends a run for good.
    ///
    /// # Errors
    /// As [`RestateClient::answer`].
    pub async fn cancel(&self, run: &str, reason: &str) -> Result<u64, ClientError> {
        self.of_run(run, "cancel", &EndArguments { reason: reason.into() }).await
    }

    /// Removes everything of a run that has ended.
    ///
    /// # Errors
    /// The run has not ended, or as [`RestateClient::status`].
    pub async fn forget(&self, run: &str) -> Result<(), ClientError> {
        self.of_run(run, "forget", &()).await
    }

    /// All runs, the oldest first.
    pub(super) async fn list(&self) -> Result<Vec<ListedInfo>, ClientError> {
        let (mut runs, mut after) = (Vec::new(), None);
        loop {
            let page: ListReply =
                self.call(LIST, &format!("{LIST}/{ALL}/list"), &ListArguments { after }).await?;
            runs.extend(page.runs);
            after = page.next;
            if after.is_none() {
                break;
            }
        }
        runs.sort_by(|a, b| (a.info.started, &a.info.run).cmp(&(b.info.started, &b.info.run)));
        Ok(runs)
    }

    /// Registers a worker that listens at an address with the administration of a server, which is what this client is for.
    ///
    /// # Errors
    /// The server cannot reach the worker, or knows another one there.
    pub async fn register(&self, worker: &str) -> Result<(), ClientError> {
        self.call::<_, Json>("deployments", "deployments", &json!({"uri": worker})).await.map(|_| ())
    }

    async fn of_run<R: DeserializeOwned>(
        &self,
        run: &str,
        handler: &str,
        input: &impl Serialize,
    ) -> Result<R, ClientError> {
        let path = format!("{RUN}/{}/{handler}", encoded(run));
        match self.call(RUN, &path, input).await {
            Err(ClientError::Refused { status: 404, .. }) => Err(ClientError::Unknown(run.into())),
            replied => replied,
        }
    }

    /// As [`RestateClient::send`], for what is done at once.
    async fn call<T: Serialize + ?Sized, R: DeserializeOwned>(
        &self,
        service: &str,
        path: &str,
        input: &T,
    ) -> Result<R, ClientError> {
        let replied = tokio::time::timeout(MAX_REPLY, self.send(service, path, input)).await;
        replied.unwrap_or_else(|_| {
            let why = format!("no reply within {} s", MAX_REPLY.as_secs());
            Err(ClientError::Unreachable { url: self.base.clone(), why })
        })
    }

    /// Sends a request and waits for the reply.
    async fn send<T: Serialize + ?Sized, R: DeserializeOwned>(
        &self,
        service: &str,
        path: &str,
        input: &T,
    ) -> Result<R, ClientError> {
        let url = format!("{}/{path}", self.base);
        let unreachable = |why: String| ClientError::Unreachable { url: self.base.clone(), why };
        let foreign = |why: String| ClientError::Foreign { url: self.base.clone(), why };
        let body = serde_json::to_vec(input).map_err(|error| foreign(error.to_string()))?;
        let posted = async {
            let mut reply = self.http.post(HttpRequest { url, headers: Vec::new(), body }).await?;
            let mut text = Vec::new();
            while let Some(piece) = reply.body.next().await? {
                text.extend(piece);
                if text.len() > MAX_BODY_BYTES {
                    return Err(ConnectionError(format!("a reply of more than {MAX_BODY_BYTES} bytes")));
                }
            }
            Ok((reply.status, text))
        };
        let (status, text) = posted.await.map_err(|error: ConnectionError| unreachable(error.0))?;
        if (200..300).contains(&status) {
            return serde_json::from_slice(if text.is_empty() { b"null" } else { &text })
                .map_err(|error| foreign(error.to_string()));
        }
        let reported: Json = serde_json::from_slice(&text).unwrap_or_default();
        let Some(message) = reported["message"].as_str() else {
            return Err(foreign(format!("status {status}")));
        };
        // What a service says of itself has another source.
        if status == 404 && reported["source"] == "ingress" {
            let service = service.to_owned();
            return Err(ClientError::NotServed { url: self.base.clone(), service });
        }
        Err(ClientError::Refused { status, message: message.to_owned() })
    }
}

/// A key as a part of a path.
fn encoded(key: &str) -> String {
    let mut text = String::with_capacity(key.len());
    for byte in key.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte) {
            text.push(byte.into());
        } else {
            // Writing to a text does not fail.
            let _ = write!(text, "%{byte:02X}");
        }
    }
    text
}
