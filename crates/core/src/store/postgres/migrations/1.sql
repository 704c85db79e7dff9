-- Runs. The sums of the columns up to `sum` and up to `queue_sum` are the writer's, that of a lease is the server's.
-- Rows are rewritten with each commit: room in each page lets that happen without a change of an index.
CREATE TABLE runs (
  no bigint PRIMARY KEY,
  id text NOT NULL UNIQUE,
  graph text NOT NULL,
  program text NOT NULL,
  started bigint NOT NULL,
  status text NOT NULL,
  entries bigint NOT NULL,
  seq bigint NOT NULL,
  chain bytea NOT NULL,
  sum bigint NOT NULL,
  goes_by text,
  due bigint,
  queue_sum bigint NOT NULL,
  owner text,
  fence bigint NOT NULL DEFAULT 0,
  until bigint NOT NULL DEFAULT 0,
  lease_sum bytea
) WITH (fillfactor = 70);

-- The numbers of runs, which are never used twice.
CREATE SEQUENCE run_numbers MAXVALUE 2147483646;

-- What a worker looks for: runs that ended are not in it.
CREATE INDEX runs_due ON runs (goes_by, due) WHERE due IS NOT NULL;

CREATE TABLE journal (
  run bigint NOT NULL,
  entry bigint NOT NULL,
  version bigint NOT NULL,
  cause text NOT NULL,
  at bigint NOT NULL,
  step bigint NOT NULL,
  seq bigint NOT NULL,
  events bigint NOT NULL,
  sum bigint NOT NULL,
  chain bytea NOT NULL,
  body bytea NOT NULL,
  PRIMARY KEY (run, entry)
);

-- The programs that runs were moved to, which stay while the runs do.
CREATE INDEX journal_moved ON journal (run) WHERE cause = 'moved';

CREATE TABLE snapshots (
  run bigint NOT NULL,
  entry bigint NOT NULL,
  version bigint NOT NULL,
  chain bytea NOT NULL,
  sum bigint NOT NULL,
  body bytea NOT NULL,
  PRIMARY KEY (run, entry)
);

-- Messages. One that a commit has taken has no body any more: it is there so that whoever posted it, and heard no answer, finds
-- that it was.
CREATE TABLE messages (
  number bigint PRIMARY KEY,
  run bigint NOT NULL,
  token bigint NOT NULL UNIQUE,
  body text,
  sum bytea NOT NULL
);

CREATE SEQUENCE message_numbers;
-- Those that were taken are in no index of runs: a commit and a worker's look cost the same however many there were.
CREATE INDEX messages_open ON messages (run) WHERE body IS NOT NULL;

CREATE TABLE programs (
  digest text PRIMARY KEY,
  main text NOT NULL,
  files bytea NOT NULL,
  sum bigint NOT NULL
);

CREATE TABLE answers (
  request text PRIMARY KEY,
  number bigint NOT NULL,
  at bigint NOT NULL,
  body bytea NOT NULL,
  sum bigint NOT NULL
);

CREATE SEQUENCE answer_numbers;
CREATE INDEX answers_number ON answers (number);
