-- The messages for a run that no commit has taken: how many there are, and since when, in nanoseconds since 1970. The sum of both
-- is the server's.
ALTER TABLE runs
  ADD COLUMN messages bigint NOT NULL DEFAULT 0,
  ADD COLUMN posted bigint,
  ADD COLUMN posted_sum bytea;

-- Runs that have ended have none.
UPDATE messages m SET body = NULL, sum = sha256(convert_to(concat_ws(' ', m.number, m.run, m.token), 'UTF8'))
FROM runs r WHERE r.no = m.run AND r.goes_by IS NULL AND m.body IS NOT NULL;

-- When the others came was not noted: they are older than every later one, in their order.
UPDATE runs r SET messages = open.many, posted = open.first,
  posted_sum = sha256(convert_to(concat_ws(' ', r.no, open.many, open.first), 'UTF8'))
FROM (SELECT run, count(*) AS many, min(number) AS first FROM messages WHERE body IS NOT NULL GROUP BY run) AS open
WHERE open.run = r.no;

-- What a worker looks for, in the order in which it takes it. Runs that ended are not in it.
DROP INDEX runs_due;
CREATE INDEX runs_due ON runs (goes_by, due, no) WHERE due IS NOT NULL;
CREATE INDEX runs_posted ON runs (goes_by, posted, no) WHERE posted IS NOT NULL;

-- What a worker looks for of the runs that it drives.
CREATE INDEX runs_posted_owner ON runs (owner) WHERE posted IS NOT NULL;
