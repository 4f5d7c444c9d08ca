-- The calls of accounts in the last hour, for operators. Approximate, unlike the counters that limit: a process adds what it has counted in
-- memory every 10 seconds and when it stops, so a crash loses up to 10 seconds.

create table account_calls (
  account_id bigint not null,
  -- The minute in which the calls were added.
  minute timestamptz not null,
  answered integer not null,
  refused integer not null,
  primary key (account_id, minute)
) with (fillfactor = 50);
