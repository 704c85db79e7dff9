//! The address on this machine to which a browser is sent back after a login.

use std::io;
use std::time::Duration;

use axum::Router;
use axum::http::{StatusCode, Uri};
use axum::routing::get;
use tokio::net::TcpListener;
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;

use super::listener::BoundedListener;

/// The most connections that are open at once.
const MAX_CONNECTIONS: usize = 64;

/// The time that the browser has to read the last answer.
const CLOSING: Duration = Duration::from_secs(1);

/// A listener on a port of this machine that is free.
#[derive(Debug)]
pub struct CallbackListener {
    listener: TcpListener,
    host: String,
}

impl CallbackListener {
    /// Takes a port of the loopback interface.
    ///
    /// # Errors
    /// None can be had.
    pub async fn bind() -> io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let host = format!("http://{}", listener.local_addr()?);
        Ok(Self { listener, host })
    }

    /// The address to which the browser is to be sent back.
    #[must_use]
    pub fn address(&self) -> String {
        format!("{}/callback", self.host)
    }

    /// Waits for the browser: the whole address of the first request that `is_answer` takes by its path. Others are told that
    /// there is nothing; none of them keeps the browser waiting.
    pub async fn answer(self, is_answer: impl Fn(&str) -> bool) -> String {
        let (ask, mut asked) = mpsc::channel::<(String, oneshot::Sender<bool>)>(MAX_CONNECTIONS);
        let page = move |uri: Uri| async move {
            let (reply, replied) = oneshot::channel();
            match ask.send((uri.to_string(), reply)).await {
                Ok(()) if replied.await == Ok(true) => {
                    (StatusCode::OK, "You can close this page and go back to the terminal.")
                }
                _ => (StatusCode::NOT_FOUND, "There is nothing here."),
            }
        };
        let (stop, stopped) = oneshot::channel::<()>();
        let stopped = async move {
            let _dropped = stopped.await;
        };
        let app = Router::new().route("/callback", get(page));
        let listener = BoundedListener::new(self.listener, MAX_CONNECTIONS);
        let serving = tokio::spawn(axum::serve(listener, app).with_graceful_shutdown(stopped).into_future());
        let path = loop {
            // The page holds the other end for as long as it is served.
            let Some((path, reply)) = asked.recv().await else { std::future::pending().await };
            let is_taken = is_answer(&path);
            // A browser that is gone has been heard all the same.
            let _gone = reply.send(is_taken);
            if is_taken {
                break path;
            }
        };
        drop(stop);
        let end = serving.abort_handle();
        // A connection over which nothing was asked does not keep it.
        let _closed = timeout(CLOSING, serving).await;
        end.abort();
        format!("{}{path}", self.host)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpStream;

    use super::CallbackListener;

    #[tokio::test]
    async fn the_answer_to_this_login_alone_is_taken_and_nobody_keeps_it_waiting() {
        let listener = CallbackListener::bind().await.expect("a port");
        let host = listener.host.clone();
        let address = host.strip_prefix("http://").expect("an address").to_owned();
        let asks = async {
            let silent = TcpStream::connect(&address).await.expect("it listens");
            let mut statuses = Vec::new();
            for path in ["/", "/callback?code=x&state=other", "/callback?code=y&state=own"] {
                let mut stream = TcpStream::connect(&address).await.expect("it listens");
                let request = format!("GET {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\r\n");
                stream.write_all(request.as_bytes()).await.expect("it is sent");
                let mut answer = String::new();
                stream.read_to_string(&mut answer).await.expect("it is answered");
                statuses.push(answer.split(' ').nth(1).unwrap_or_default().to_owned());
            }
            drop(silent);
            statuses
        };
        let (url, statuses) = tokio::join!(listener.answer(|path| path.ends_with("state=own")), asks);
        assert_eq!(url, format!("{host}/callback?code=y&state=own"));
        assert_eq!(statuses, ["404", "404", "200"]);
    }
}
