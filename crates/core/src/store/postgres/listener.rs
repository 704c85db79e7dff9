//! Hearing of changes: a connection of its own that the server wakes.

use std::future::poll_fn;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::sleep;
use tokio_postgres::AsyncMessage;

use super::session::Session;
use super::tls;
use crate::store::postgres_address::PostgresAddress;

/// The pause before a connection that was lost is made again.
const PAUSE: Duration = Duration::from_millis(500);

/// The channel of the changes of a schema. Channels belong to a database, and their names are short.
pub(super) fn channel(address: &PostgresAddress) -> String {
    let digest = blake3::hash(address.schema().as_bytes()).to_hex();
    format!("loopwright_{}", &digest[..32])
}

/// Listens for ever. Whoever waits is woken at each change, and once a connection is made: changes before that were not heard.
pub(super) async fn listen(session: Arc<Session>, changes: Arc<Notify>) {
    loop {
        if let Err(why) = listen_once(&session, &changes).await {
            tracing::debug!(why, "changes of the database are not heard; the connection is made again");
        }
        sleep(PAUSE).await;
    }
}

/// Listens until the connection is lost.
async fn listen_once(session: &Session, changes: &Notify) -> Result<(), String> {
    let connector = tls::connector(session.address())?;
    let failed = |error: tokio_postgres::Error| error.to_string();
    let (client, mut connection) = session.config().connect(connector).await.map_err(failed)?;
    let hears = async {
        while let Some(message) = poll_fn(|context| connection.poll_message(context)).await {
            match message {
                Ok(AsyncMessage::Notification(_)) => changes.notify_waiters(),
                Ok(_) => {}
                Err(error) => return Err(failed(error)),
            }
        }
        Ok(())
    };
    let asks = async {
        client.batch_execute(&format!("LISTEN {}", channel(session.address()))).await.map_err(failed)?;
        changes.notify_waiters();
        std::future::pending().await
    };
    tokio::select! {
        ended = hears => ended,
        ended = asks => ended,
    }
}
