//! Connections to a database, and work that survives the loss of one.

use std::fmt;
use std::time::{Duration, Instant};

use deadpool_postgres::{
    Hook, HookError, Manager, ManagerConfig, Object, Pool, PoolError, RecyclingMethod, Runtime,
};
use tokio::time::sleep;

use super::fault::{self, WorkError, is_conflict, is_lost, is_starting};
use super::known_runs::KnownRuns;
use super::{login, outage, tls};
use crate::port::StoreError;
use crate::store::postgres_address::PostgresAddress;

/// The connections of a process; who needs one more waits.
const MAX_CONNECTIONS: usize = 8;

/// The time for which a server that is gone is waited for.
const PATIENCE: Duration = Duration::from_mins(1);

/// The first pause before work is tried again, and the longest.
const PAUSES: (Duration, Duration) = (Duration::from_millis(20), Duration::from_secs(1));

/// The time after which the server ends a transaction whose client says nothing more: a process that was stopped must not keep
/// others from its runs.
const IDLE_IN_TRANSACTION: &str = "10s";

/// A piece of work at the database.
pub(super) trait Work: Send + Sync {
    /// The result.
    type Done: Send;

    /// Does it. `again` is true where an earlier attempt was begun and nobody knows what became of it.
    fn attempt(
        &self,
        session: &Session,
        client: &mut Object,
        again: bool,
    ) -> impl Future<Output = Result<Self::Done, WorkError>> + Send;
}

/// Connections to one database.
pub(super) struct Session {
    address: PostgresAddress,
    pool: Pool,
    config: tokio_postgres::Config,
    /// The runs as this process left them.
    pub(super) known: KnownRuns,
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Session").field(&self.address).finish()
    }
}

impl Session {
    /// The connections of an address; none is made yet.
    ///
    /// # Errors
    /// [`StoreError::Refused`] for a faulty address.
    pub(super) fn new(address: &PostgresAddress, writes: bool) -> Result<Self, StoreError> {
        let refuse = |why: String| fault::refused(address, why);
        let config = login::config(address).map_err(|fault| refuse(fault.to_string()))?;
        let connector = tls::connector(address).map_err(refuse)?;
        let recycling = ManagerConfig { recycling_method: RecyclingMethod::Fast };
        let manager = Manager::from_config(config.clone(), connector, recycling);
        let settings = settings(address, writes);
        let settle = Hook::async_fn(move |client: &mut deadpool_postgres::ClientWrapper, _| {
            let settings = settings.clone();
            Box::pin(async move { client.batch_execute(&settings).await.map_err(HookError::Backend) })
        });
        let pool = Pool::builder(manager).max_size(MAX_CONNECTIONS).wait_timeout(Some(PATIENCE));
        let pool = pool.runtime(Runtime::Tokio1).post_create(settle);
        let pool = pool.build().map_err(|error| fault::unusable(address, error))?;
        Ok(Self { address: address.clone(), pool, config, known: KnownRuns::default() })
    }

    /// The address.
    pub(super) const fn address(&self) -> &PostgresAddress {
        &self.address
    }

    /// The settings of connections, for one beside the others.
    pub(super) const fn config(&self) -> &tokio_postgres::Config {
        &self.config
    }

    /// The first connection. Only a server that says that it is about to answer is waited for.
    pub(super) async fn first(&self) -> Result<Object, StoreError> {
        let until = Instant::now() + PATIENCE;
        loop {
            match self.pool.get().await {
                Ok(client) => return Ok(client),
                Err(PoolError::Backend(error)) if is_starting(&error) && Instant::now() < until => {
                    sleep(PAUSES.1).await;
                }
                Err(PoolError::Backend(error) | PoolError::PostCreateHook(HookError::Backend(error))) => {
                    return Err(fault::unopened(&self.address, &error));
                }
                Err(error) => return Err(fault::unusable(&self.address, error)),
            }
        }
    }

    /// Does a piece of work. A server that is gone is waited for, and what another transaction stood in the way of is tried again.
    pub(super) async fn run<W: Work>(&self, work: &W) -> Result<W::Done, StoreError> {
        let mut retries = Retries::new(&self.address);
        let mut again = false;
        loop {
            let mut client = match self.pool.get().await {
                Ok(client) => client,
                Err(PoolError::Backend(error) | PoolError::PostCreateHook(HookError::Backend(error)))
                    if is_lost(&error) && retries.pause(&error).await =>
                {
                    continue;
                }
                Err(error) => return Err(fault::of_pool(&self.address, &error)),
            };
            match work.attempt(self, &mut client, again).await {
                Ok(done) => return Ok(done),
                Err(WorkError::Refused(error)) => return Err(error),
                Err(WorkError::Database(error)) if is_lost(&error) || client.is_closed() => {
                    // Whatever this connection still does, the next attempt finds it out.
                    drop(Object::take(client));
                    again = true;
                    if !retries.pause(&error).await {
                        return Err(fault::failed(&self.address, &error));
                    }
                }
                Err(WorkError::Database(error)) if is_conflict(&error) && retries.wait().await => {}
                Err(WorkError::Database(error)) => return Err(fault::failed(&self.address, &error)),
            }
        }
    }
}

/// The pauses between attempts.
struct Retries<'a> {
    address: &'a PostgresAddress,
    until: Option<Instant>,
    pause: Duration,
}

impl<'a> Retries<'a> {
    const fn new(address: &'a PostgresAddress) -> Self {
        Self { address, until: None, pause: PAUSES.0 }
    }

    /// Waits for a server that is gone, and says so once. Returns false if that was for long enough.
    async fn pause(&mut self, error: &tokio_postgres::Error) -> bool {
        if self.until.is_none() {
            outage::note(&format!(
                "{}; waiting up to {} s",
                fault::failed(self.address, error),
                PATIENCE.as_secs()
            ));
        }
        self.wait().await
    }

    /// Waits a little. Returns false if it was for long enough.
    async fn wait(&mut self) -> bool {
        let until = *self.until.get_or_insert_with(|| Instant::now() + PATIENCE);
        if Instant::now() >= until {
            return false;
        }
        sleep(self.pause).await;
        self.pause = (self.pause * 2).min(PAUSES.1);
        true
    }
}

/// The longest time for which a statement waits for a lock. What waits for longer is tried again, as long as for a server that is
/// gone, so that nobody waits without an end for somebody who has locked a table by hand.
const LOCK_TIMEOUT: &str = "10s";

/// What is set on each connection.
fn settings(address: &PostgresAddress, writes: bool) -> String {
    let schema = fault::quoted(address.schema());
    let access = if writes { "off" } else { "on" };
    // A commit that is acknowledged must be durable: the server may wait for more than its own disk, never for less. Tables of a new
    // database have no statistics, and a plan made then is used for long: what has an index goes by it.
    format!(
        "SET search_path = {schema}, pg_temp; SET default_transaction_isolation = 'read committed'; \
         SET default_transaction_read_only = {access}; SET idle_in_transaction_session_timeout = '{IDLE_IN_TRANSACTION}'; \
         SET statement_timeout = 0; SET lock_timeout = '{LOCK_TIMEOUT}'; SET client_min_messages = warning; SET jit = off; SET enable_seqscan = off; \
         SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'"
    )
}
