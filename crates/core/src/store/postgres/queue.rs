//! Messages for runs.

use std::hash::{BuildHasher, RandomState};

use deadpool_postgres::Object;
use tokio_postgres::types::ToSql;

use super::fault::WorkError;
use super::lease::{CLOCK, NOW};
use super::session::{Session, Work};
use super::waiting_messages::{self, NOW_NS};
use super::{found_run, listener, text};
use crate::port::{Message, PostedMessage, PostedMessages, StoreError};
use crate::store::damage::{ADVICE, NOT_WRITTEN};
use crate::value::Str;

/// The sum of a message, which is the server's, since the number is.
const SUM: &str = "sha256(convert_to(concat_ws(' ', m.number, m.run, m.token, m.body), 'UTF8'))";

/// Keeping a message for a run.
#[derive(Debug)]
pub(super) struct Post {
    run: Str,
    body: String,
    /// Tells the message from every other, so that it is kept once however often that is tried.
    token: i64,
}

impl Post {
    /// A message that is kept once.
    pub(super) fn new(run: &str, message: &Message) -> Result<Self, StoreError> {
        let body = message.to_json(run)?;
        // Each state of a hasher has keys of its own.
        let token = RandomState::new().hash_one(std::process::id()).cast_signed();
        Ok(Self { run: run.into(), body, token })
    }

    /// Returns true if it is there, or was taken.
    pub(super) async fn is_there(&self, client: &Object) -> Result<bool, WorkError> {
        let ask = client.prepare_cached("SELECT number FROM messages WHERE token = $1").await?;
        Ok(client.query_opt(&ask, &[&self.token]).await?.is_some())
    }
}

impl Work for Post {
    type Done = u64;

    async fn attempt(&self, session: &Session, client: &mut Object, _: bool) -> Result<u64, WorkError> {
        // The message is added before the run is locked to count it. So a commit that does not see the message yet lets the count
        // grow by it, whichever of the two is first. One for a run that has ended has no text from the start.
        let sql = format!(
            "WITH clock AS MATERIALIZED (SELECT {NOW_NS} AS now), m AS (\
             SELECT nextval('message_numbers') AS number, no AS run, $2::bigint AS token, \
             CASE WHEN goes_by IS NOT NULL THEN $3::text END AS body FROM runs WHERE id = $1 AND messages < $5), \
             added AS (INSERT INTO messages SELECT m.number, m.run, m.token, m.body, {SUM} FROM m \
             ON CONFLICT (token) DO NOTHING RETURNING number, run, body IS NOT NULL AS waits), \
             counted AS (UPDATE runs r SET messages = r.messages + 1, posted = coalesce(r.posted, {NOW}), posted_sum = {} \
             FROM added WHERE r.no = added.run AND added.waits AND r.goes_by IS NOT NULL) \
             SELECT number, CASE WHEN waits THEN pg_notify($4::text, '') END FROM added",
            waiting_messages::sum("r.messages + 1", &format!("coalesce(r.posted, {NOW})"))
        );
        let insert = client.prepare_cached(&sql).await?;
        let channel = listener::channel(session.address());
        let most = i64::from(Message::MAX_FOR_RUN);
        let params: [&(dyn ToSql + Sync); 5] =
            [&text::column(&self.run), &self.token, &self.body, &channel, &most];
        let mut added = client.query_opt(&insert, &params).await?;
        if added.is_none() {
            // An earlier attempt was made and its answer lost. If the message was taken by now, it is there without its text.
            let ask = client.prepare_cached("SELECT number FROM messages WHERE token = $1").await?;
            added = client.query_opt(&ask, &[&self.token]).await?;
        }
        let Some(added) = added else {
            found_run::find(client, &self.run).await?;
            Message::refuse_too_many(&self.run, Message::MAX_FOR_RUN.into())?;
            return Err(StoreError::Unknown(self.run.clone()).into());
        };
        Ok(added.try_get::<_, i64>(0)?.cast_unsigned())
    }
}

/// The messages for the runs of an owner.
#[derive(Debug)]
pub(super) struct Messages(pub(super) Str);

impl Work for Messages {
    type Done = PostedMessages;

    async fn attempt(&self, _: &Session, client: &mut Object, _: bool) -> Result<Self::Done, WorkError> {
        let ask = client
            .prepare_cached(&format!(
                "WITH {CLOCK} SELECT m.number, m.body, m.sum = {SUM}, r.id FROM messages m JOIN runs r ON r.no = m.run \
                 WHERE m.body IS NOT NULL AND r.posted IS NOT NULL AND r.owner = $1 AND r.until > {NOW} ORDER BY m.number"
            ))
            .await?;
        let mut posted = PostedMessages::default();
        for row in client.query(&ask, &[&text::column(&self.0)]).await? {
            let run = text::read(row.try_get(3)?);
            let number = row.try_get::<_, i64>(0)?.cast_unsigned();
            match read(&row)? {
                Ok(message) => posted.messages.push(PostedMessage { number, run, message }),
                Err(why) => {
                    let what = format!("message {number} for the run `{run}`");
                    posted.unreadable.push((run, StoreError::Damaged { what, why }.to_string()));
                }
            }
        }
        Ok(posted)
    }
}

/// A message as it stands in a row.
fn read(row: &tokio_postgres::Row) -> Result<Result<Message, String>, tokio_postgres::Error> {
    if !row.try_get::<_, bool>(2)? {
        return Ok(Err(format!("{NOT_WRITTEN}; {ADVICE}")));
    }
    Ok(serde_json::from_str(row.try_get(1)?).map_err(|error| format!("it cannot be read: {error}")))
}

/// The faults of the messages.
pub(super) async fn survey(client: &Object) -> Result<Vec<String>, WorkError> {
    let sql = format!(
        "SELECT m.number, m.sum = {SUM}, r.id FROM messages m LEFT JOIN runs r ON r.no = m.run ORDER BY m.number"
    );
    let mut wrong = Vec::new();
    for row in client.query(&sql, &[]).await? {
        let number: i64 = row.try_get(0)?;
        match row.try_get::<_, Option<&str>>(2)? {
            None => wrong.push(format!("message {number} is for no run that is there")),
            Some(run) if !row.try_get::<_, bool>(1)? => {
                wrong.push(format!(
                    "message {number} for the run `{}` is not what was written",
                    text::read(run)
                ));
            }
            Some(_) => {}
        }
    }
    Ok(wrong)
}
