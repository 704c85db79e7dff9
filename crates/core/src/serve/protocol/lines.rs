//! Messages as lines of two streams: standard input and output.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use rmcp::model::{ErrorCode, ErrorData, RequestId};
use rmcp::service::{RoleServer, RxJsonRpcMessage, ServerInitializeError, TxJsonRpcMessage};
use rmcp::transport::Transport;
use serde::Deserialize;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::Mutex;
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::offer::ServerOffer;
use super::session::Session;

/// The longest message that is read, in bytes: the most text of a call, as JSON.
pub const MAX_MESSAGE_BYTES: usize = 16 << 20;

/// The longest that the end waits for a client to read what is being written.
const CLOSING: Duration = Duration::from_secs(2);

/// Two streams with a message on each line. What is no message is answered with an error, and the next line is read.
#[derive(Debug)]
pub struct Lines<R, W> {
    from: BufReader<R>,
    line: Vec<u8>,
    /// True while the rest of a line is passed over that was too long.
    passes_over: bool,
    to: Arc<Mutex<Option<W>>>,
    /// The answer to what was no message, while it is written. It goes on where [`Transport::receive`] is dropped: half a line
    /// would spoil the next.
    refusal: Option<JoinHandle<io::Result<()>>>,
}

/// The head of a stream.
enum FoundLine {
    Line,
    TooLong,
    End,
}

impl<R: AsyncRead + Unpin, W: AsyncWrite + Unpin + Send + 'static> Lines<R, W> {
    /// The streams, from which nothing was read yet.
    pub fn new(from: R, to: W) -> Self {
        Self {
            from: BufReader::new(from),
            line: Vec::new(),
            passes_over: false,
            to: Arc::new(Mutex::new(Some(to))),
            refusal: None,
        }
    }

    /// Reads a line into `line`. May be dropped and called again.
    async fn read_line(&mut self) -> io::Result<FoundLine> {
        loop {
            let found = self.from.fill_buf().await?;
            if found.is_empty() {
                // A last line without an end is none: its writer was cut off.
                return Ok(FoundLine::End);
            }
            let end = found.iter().position(|byte| *byte == b'\n');
            let taken = end.map_or(found.len(), |end| end + 1);
            let is_long = self.line.len() + taken > MAX_MESSAGE_BYTES;
            if !self.passes_over && !is_long {
                self.line.extend_from_slice(&found[..taken]);
            }
            self.from.consume(taken);
            let was_passing = self.passes_over;
            self.passes_over = (was_passing || is_long) && end.is_none();
            match (was_passing, is_long, end) {
                (false, true, _) => return Ok(FoundLine::TooLong),
                (false, false, Some(_)) => return Ok(FoundLine::Line),
                _ => {}
            }
        }
    }

    fn refuse(&mut self, error: ErrorData, id: Option<RequestId>) {
        let to = Arc::clone(&self.to);
        let answer = TxJsonRpcMessage::<RoleServer>::error(error, id);
        self.refusal = Some(tokio::spawn(async move { write(&to, &answer).await }));
    }

    async fn next(&mut self) -> io::Result<Option<RxJsonRpcMessage<RoleServer>>> {
        loop {
            if let Some(refusal) = &mut self.refusal {
                refusal.await.map_err(io::Error::other)??;
                self.refusal = None;
            }
            match self.read_line().await? {
                FoundLine::End => return Ok(None),
                FoundLine::TooLong => {
                    self.line = Vec::new();
                    let why = format!("the message is longer than {MAX_MESSAGE_BYTES} bytes");
                    self.refuse(ErrorData::invalid_request(why, None), None);
                }
                FoundLine::Line => {
                    let line = std::mem::take(&mut self.line);
                    if line.trim_ascii().is_empty() {
                        continue;
                    }
                    match message(&line) {
                        Ok(message) => return Ok(Some(message)),
                        Err(refusal) => self.refuse(refusal.error, refusal.id),
                    }
                }
            }
        }
    }
}

/// The answer to what is no message.
struct LineRefusal {
    error: ErrorData,
    id: Option<RequestId>,
}

/// The message on a line, or the answer to what is none.
fn message(line: &[u8]) -> Result<RxJsonRpcMessage<RoleServer>, Box<LineRefusal>> {
    #[derive(Deserialize)]
    struct Head {
        #[serde(default)]
        id: Option<RequestId>,
    }
    let error = match serde_json::from_slice(line) {
        Ok(message) => return Ok(message),
        Err(error) => error,
    };
    Err(Box::new(if error.is_data() {
        let id = serde_json::from_slice::<Head>(line).ok().and_then(|head| head.id);
        LineRefusal {
            error: ErrorData::invalid_request("it is JSON, and no message of the protocol", None),
            id,
        }
    } else {
        let why = format!("the line is no JSON: {error}");
        LineRefusal { error: ErrorData::new(ErrorCode::PARSE_ERROR, why, None), id: None }
    }))
}

async fn write<W: AsyncWrite + Unpin>(
    to: &Mutex<Option<W>>,
    message: &TxJsonRpcMessage<RoleServer>,
) -> io::Result<()> {
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    let mut to = to.lock().await;
    let Some(to) = &mut *to else { return Err(io::ErrorKind::NotConnected.into()) };
    to.write_all(&line).await?;
    to.flush().await
}

impl<R, W> Transport<RoleServer> for Lines<R, W>
where
    R: AsyncRead + Unpin + Send,
    W: AsyncWrite + Unpin + Send + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let to = Arc::clone(&self.to);
        async move { write(&to, &message).await }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        // Where a stream cannot be read or written any more, the conversation is over.
        self.next().await.ok().flatten()
    }

    async fn close(&mut self) -> io::Result<()> {
        // Whoever writes to a client that does not read holds it; the process ends all the same.
        if let Ok(mut to) = timeout(CLOSING, self.to.lock()).await {
            drop(to.take());
        }
        Ok(())
    }
}

/// Serves one client over two streams, until it closes its own, or `stop` ends.
///
/// # Errors
/// The client does not begin as the protocol wants it.
pub async fn serve_lines<R, W>(
    offer: Arc<ServerOffer>,
    (from, to): (R, W),
    stop: impl Future<Output = ()>,
) -> Result<(), String>
where
    R: AsyncRead + Unpin + Send + 'static,
    W: AsyncWrite + Unpin + Send + 'static,
{
    let begin = rmcp::serve_server(Session::new(offer), Lines::new(from, to));
    tokio::pin!(stop);
    let running = tokio::select! {
        running = begin => running,
        () = &mut stop => return Ok(()),
    };
    let running = match running {
        Ok(running) => running,
        // A client that only looked whether there is a server is no fault.
        Err(ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
        Err(error) => return Err(error.to_string()),
    };
    let token = running.cancellation_token();
    let over = running.waiting();
    tokio::pin!(over);
    tokio::select! {
        _closed = &mut over => {}
        () = stop => {
            token.cancel();
            // Answers that are ready still go out.
            let _closed = over.await;
        }
    }
    Ok(())
}
