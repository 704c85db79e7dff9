//! The messages for a run that no commit has taken, as the row of the run counts them: so a worker finds the runs that have some,
//! in the order in which these came, without a look at the messages.

use deadpool_postgres::Object;

use super::fault::WorkError;
use super::text;

/// The clock of the server, in nanoseconds since 1970.
pub(super) const NOW_NS: &str = "(extract(epoch FROM clock_timestamp()) * 1000000000)::bigint";

/// The sum of the columns `messages` and `posted`, with values for those of a run `r`.
pub(super) fn sum(messages: &str, posted: &str) -> String {
    format!("sha256(convert_to(concat_ws(' ', r.no, {messages}, {posted}), 'UTF8'))")
}

/// What is counted of a run `r` is what was written.
const WELL: &str = "coalesce(r.posted_sum = \
sha256(convert_to(concat_ws(' ', r.no, r.messages, r.posted), 'UTF8')), \
r.posted_sum IS NULL AND r.posted IS NULL AND r.messages = 0)";

/// The runs of which the messages are not those that are counted.
pub(super) async fn survey(client: &Object) -> Result<Vec<String>, WorkError> {
    // A message that came while its run ended may lie there: nobody looks at it any more.
    let sql = format!(
        "SELECT r.id FROM runs r LEFT JOIN (SELECT run, count(*) AS many FROM messages WHERE body IS NOT NULL GROUP BY run) AS m \
         ON m.run = r.no WHERE NOT {WELL} OR r.messages <> CASE WHEN r.goes_by IS NULL THEN 0 ELSE coalesce(m.many, 0) END \
         ORDER BY r.no"
    );
    let wrong = client.query(&sql, &[]).await?;
    let of_run = |row: &tokio_postgres::Row| {
        let run = text::read(row.try_get(0)?);
        Ok(format!("the count of messages for the run `{run}` is not what was written"))
    };
    wrong.iter().map(of_run).collect()
}
