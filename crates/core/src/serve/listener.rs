//! A listener with a bounded number of connections.

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::serve::Listener;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, Sleep, sleep};

/// A listener that takes no further connection while too many are open. They wait in the system's queue.
pub(super) struct BoundedListener {
    listener: TcpListener,
    free: Arc<Semaphore>,
}

/// The time after which a connection is closed over which nothing goes. Streams of answers carry a sign of life more often.
const MAX_PAUSE: Duration = Duration::from_mins(2);

/// A connection with its place among those that may be open.
pub(super) struct Connection {
    stream: TcpStream,
    /// Ends when nothing has gone over the connection for too long.
    pause: Pin<Box<Sleep>>,
    _place: Option<OwnedSemaphorePermit>,
}

impl Connection {
    fn moved(&mut self) {
        self.pause.as_mut().reset(Instant::now() + MAX_PAUSE);
    }
}

impl BoundedListener {
    pub(super) fn new(listener: TcpListener, most: usize) -> Self {
        Self { listener, free: Arc::new(Semaphore::new(most)) }
    }
}

impl Listener for BoundedListener {
    type Io = Connection;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Connection, SocketAddr) {
        let place = Arc::clone(&self.free).acquire_owned().await.ok();
        let (stream, from) = Listener::accept(&mut self.listener).await;
        (Connection { stream, pause: Box::pin(sleep(MAX_PAUSE)), _place: place }, from)
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }
}

impl AsyncRead for Connection {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        match Pin::new(&mut self.stream).poll_read(context, buffer) {
            Poll::Pending => self.pause.as_mut().poll(context).map(|()| Err(io::ErrorKind::TimedOut.into())),
            Poll::Ready(read) => {
                self.moved();
                Poll::Ready(read)
            }
        }
    }
}

impl AsyncWrite for Connection {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        if written.is_ready() {
            self.moved();
        }
        written
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
