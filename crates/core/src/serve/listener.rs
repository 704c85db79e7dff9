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
    max_pause: Duration,
}

/// The time after which a connection is closed over which nothing goes. Streams of answers carry a sign of life more often.
const MAX_PAUSE: Duration = Duration::from_mins(2);

/// A connection with its place among those that may be open.
pub(super) struct Connection {
    stream: TcpStream,
    /// Ends when nothing has gone over the connection for too long.
    pause: Pin<Box<Sleep>>,
    max_pause: Duration,
    _place: Option<OwnedSemaphorePermit>,
}

impl Connection {
    fn moved(&mut self) {
        self.pause.as_mut().reset(Instant::now() + self.max_pause);
    }
}

impl BoundedListener {
    pub(super) fn new(listener: TcpListener, most: usize) -> Self {
        Self { listener, free: Arc::new(Semaphore::new(most)), max_pause: MAX_PAUSE }
    }

    /// Closes connections over which nothing goes for that time, in place of two minutes.
    pub(super) const fn closing_after(mut self, max_pause: Duration) -> Self {
        self.max_pause = max_pause;
        self
    }
}

impl Listener for BoundedListener {
    type Io = Connection;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Connection, SocketAddr) {
        let place = Arc::clone(&self.free).acquire_owned().await.ok();
        let (stream, from) = Listener::accept(&mut self.listener).await;
        let max_pause = self.max_pause;
        (Connection { stream, pause: Box::pin(sleep(max_pause)), max_pause, _place: place }, from)
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
        match Pin::new(&mut self.stream).poll_write(context, bytes) {
            // A reader that takes nothing is not waited for.
            Poll::Pending => self.pause.as_mut().poll(context).map(|()| Err(io::ErrorKind::TimedOut.into())),
            Poll::Ready(written) => {
                self.moved();
                Poll::Ready(written)
            }
        }
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use axum::serve::Listener;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::{TcpListener, TcpStream};

    use super::BoundedListener;

    #[tokio::test(start_paused = true)]
    async fn a_connection_over_which_nothing_goes_is_closed() {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let mut listener = BoundedListener::new(listener, 2).closing_after(Duration::from_secs(30));
        // Neither client says or reads anything.
        let _silent = TcpStream::connect(address).await.expect("it listens");
        let (mut connection, _) = listener.accept().await;
        let read = connection.read_u8().await.expect_err("nothing comes");
        assert_eq!(read.kind(), std::io::ErrorKind::TimedOut);
        let _deaf = TcpStream::connect(address).await.expect("it listens");
        let (mut connection, _) = listener.accept().await;
        let written = connection.write_all(&vec![0; 64 << 20]).await.expect_err("nobody reads it");
        assert_eq!(written.kind(), std::io::ErrorKind::TimedOut);
    }
}
