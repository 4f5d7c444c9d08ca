-- The last 100 calls of each account, as its owner sees them: one row an account, so that a busy account costs one update, and nothing has
-- to be forgotten later. A process adds what it has answered every 10 seconds and when it stops, so a crash loses up to 10 seconds.

create table call_logs (
  account_id bigint primary key references accounts (id) on delete cascade,
  -- The latest first: [{ id, at, key_id, method, url, status, code, error, milliseconds }].
  calls jsonb not null
);
