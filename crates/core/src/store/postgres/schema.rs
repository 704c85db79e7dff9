//! The tables, and how those of earlier versions become those of this one.

use deadpool_postgres::Object;

use super::fault::{self, WorkError, quoted};
use super::session::{Session, Work};
use crate::port::StoreError;

/// The steps from one version of the tables to the next; the version is the number of steps that were taken.
const MIGRATIONS: [&str; 2] = [include_str!("migrations/1.sql"), include_str!("migrations/2.sql")];

/// The oldest server, as its `server_version_num`.
const MIN_SERVER: i32 = 130_000;

/// The role that may look at runs and no more.
const READER: &str = "loopwright_reader";

/// The version of the tables in a schema.
enum SchemaVersion {
    /// There are none.
    None,
    /// Those of this program.
    Current,
    /// Those of an earlier one.
    Earlier(i32),
}

/// Looks whether this is a server that a store can be on.
///
/// # Errors
/// [`StoreError::Refused`].
pub(super) async fn check_server(session: &Session, client: &Object) -> Result<(), StoreError> {
    let address = session.address();
    let unread = |error: tokio_postgres::Error| fault::unopened(address, &error);
    let sql = "SELECT current_setting('server_version_num')::int, current_setting('server_version'), \
               current_setting('server_encoding')";
    let row = client.query_one(sql, &[]).await.map_err(unread)?;
    let (number, version, encoding): (i32, String, String) = (row.get(0), row.get(1), row.get(2));
    if number < MIN_SERVER {
        let why = format!(
            "the server is PostgreSQL {version}; this needs PostgreSQL {} or later",
            MIN_SERVER / 10_000
        );
        return Err(fault::refused(address, why));
    }
    if encoding != "UTF8" {
        let why = format!(
            "the database is in the encoding {encoding}, and runs hold every character; make one with: createdb --encoding=UTF8 \
             --template=template0 NAME"
        );
        return Err(fault::refused(address, why));
    }
    Ok(())
}

/// The version of the tables.
async fn version(session: &Session, client: &Object) -> Result<SchemaVersion, WorkError> {
    let schema = session.address().schema();
    let sql = "SELECT EXISTS (SELECT FROM pg_namespace WHERE nspname = $1), \
               EXISTS (SELECT FROM pg_tables WHERE schemaname = $1 AND tablename = 'migrations'), \
               EXISTS (SELECT FROM pg_tables WHERE schemaname = $1 AND tablename IN ('runs', 'journal'))";
    let row = client.query_one(sql, &[&schema]).await?;
    match (row.try_get(0)?, row.try_get(1)?, row.try_get(2)?) {
        (false, ..) | (true, false, false) => return Ok(SchemaVersion::None),
        (true, false, true) => {
            let why = format!(
                "the schema {} has tables that are not of this program; name another with `?schema=NAME`",
                quoted(schema)
            );
            return Err(fault::refused(session.address(), why).into());
        }
        (true, true, _) => {}
    }
    let sql = format!("SELECT coalesce(max(version), 0) FROM {}.migrations", quoted(schema));
    let found: i32 = client.query_one(&sql, &[]).await?.try_get(0)?;
    let own = i32::try_from(MIGRATIONS.len()).unwrap_or(i32::MAX);
    if found > own {
        let why = format!(
            "its tables are of version {found}, made by a later loopwright; this one knows version {own}: update it"
        );
        return Err(fault::refused(session.address(), why).into());
    }
    Ok(match found {
        0 => SchemaVersion::None,
        found if found < own => SchemaVersion::Earlier(found),
        _ => SchemaVersion::Current,
    })
}

/// Sees to it that the tables are there, to write them.
#[derive(Debug)]
pub(super) struct Migrate;

impl Work for Migrate {
    type Done = ();

    async fn attempt(&self, session: &Session, client: &mut Object, _: bool) -> Result<(), WorkError> {
        let schema = session.address().schema();
        let is_current = matches!(version(session, client).await?, SchemaVersion::Current);
        if is_current && !lacks_reader(client, schema).await? {
            return Ok(());
        }
        let transaction = client.transaction().await?;
        let lock = "SELECT pg_advisory_xact_lock(hashtextextended('loopwright ' || $1, 0))";
        transaction.execute(lock, &[&schema]).await?;
        let there = "SELECT EXISTS (SELECT FROM pg_namespace WHERE nspname = $1)";
        if !transaction.query_one(there, &[&schema]).await?.try_get::<_, bool>(0)? {
            transaction.batch_execute(&format!("CREATE SCHEMA {}", quoted(schema))).await?;
        }
        let made = "CREATE TABLE IF NOT EXISTS migrations (version int PRIMARY KEY, at timestamptz NOT NULL DEFAULT now())";
        transaction.batch_execute(made).await?;
        let last = "SELECT coalesce(max(version), 0) FROM migrations";
        // Another process may have been here meanwhile.
        let last: i32 = transaction.query_one(last, &[]).await?.try_get(0)?;
        for (version, sql) in (1..).zip(MIGRATIONS).skip(usize::try_from(last).unwrap_or_default()) {
            transaction.batch_execute(sql).await?;
            transaction.execute("INSERT INTO migrations (version) VALUES ($1)", &[&version]).await?;
        }
        transaction.batch_execute(&reader(schema)).await?;
        transaction.commit().await?;
        Ok(())
    }
}

/// Returns true if the role that reads may not read all tables, and this user owns them: the role was made after them.
async fn lacks_reader(client: &Object, schema: &str) -> Result<bool, WorkError> {
    let sql = "SELECT EXISTS (SELECT FROM pg_roles r, pg_namespace n, pg_class c \
               WHERE r.rolname = $1 AND n.nspname = $2 AND c.relnamespace = n.oid AND c.relkind = 'r' \
               AND pg_has_role(n.nspowner, 'USAGE') AND pg_has_role(c.relowner, 'USAGE') \
               AND NOT (has_schema_privilege(r.oid, n.oid, 'USAGE') AND has_table_privilege(r.oid, c.oid, 'SELECT')))";
    Ok(client.query_one(sql, &[&READER, &schema]).await?.try_get(0)?)
}

/// Makes the role that reads, where the user may, and lets it read.
fn reader(schema: &str) -> String {
    let schema = quoted(schema);
    // All databases of a server share roles: a run in another one, or an administrator, may make it meanwhile. What it may read here is
    // still to be said then.
    format!(
        "DO $do$ BEGIN \
         IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '{READER}') THEN \
         BEGIN CREATE ROLE {READER} NOLOGIN; \
         EXCEPTION WHEN insufficient_privilege OR duplicate_object OR unique_violation THEN NULL; END; \
         END IF; \
         GRANT USAGE ON SCHEMA {schema} TO {READER}; \
         GRANT SELECT ON ALL TABLES IN SCHEMA {schema} TO {READER}; \
         EXCEPTION WHEN insufficient_privilege OR undefined_object THEN NULL; END $do$"
    )
}

/// Looks whether the tables are there, to read them.
#[derive(Debug)]
pub(super) struct CheckTables;

impl Work for CheckTables {
    type Done = ();

    async fn attempt(&self, session: &Session, client: &mut Object, _: bool) -> Result<(), WorkError> {
        let schema = quoted(session.address().schema());
        let why = match version(session, client).await? {
            SchemaVersion::Current => return Ok(()),
            SchemaVersion::Earlier(version) => {
                format!("its tables are of version {version}; the next `run` brings them up to date")
            }
            SchemaVersion::None => format!(
                "no runs were stored here: the schema {schema} has no tables; `run` makes them, `?schema=NAME` names another"
            ),
        };
        Err(fault::refused(session.address(), why).into())
    }
}
