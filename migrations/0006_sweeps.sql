-- When each source was last asked, what came of it and when it is due again: one memory for all processes, so that a
-- restart asks nobody twice.

create table sweeps (
  source text primary key references sources (source),
  last_attempt_at timestamptz,
  finished_at timestamptz,
  -- Null while a sweep is under way, and after one whose process died.
  outcome text check (outcome in ('done', 'refused', 'failed', 'dropped')),
  reason text,
  rows_taken integer,
  rows_set_aside integer,
  -- Attempts without a good end since the last good one.
  failures integer not null default 0,
  -- The source asked to be left alone until then.
  wait_until timestamptz,
  -- What the sweeper goes by.
  interval_seconds float8,
  next_due_at timestamptz
);
