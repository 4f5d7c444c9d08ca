-- The ledger of ingestion: what was read, what was taken, what was set aside and why.

create table loads (
  id bigint generated always as identity primary key,
  feed text not null,
  started_at timestamptz not null,
  finished_at timestamptz,
  state text not null default 'running' check (state in ('running', 'done', 'refused')),
  reason text,
  rows_read integer not null default 0,
  rows_taken integer not null default 0,
  rows_set_aside integer not null default 0
);

-- The live rows of each source in each good load: what the next load is held against.
create table load_sources (
  load_id bigint not null references loads (id),
  source text not null references sources (source),
  live_rows integer not null,
  finished_at timestamptz not null,
  primary key (load_id, source)
);

create index load_sources_by_time on load_sources (source, finished_at desc);

create table set_aside_rows (
  load_id bigint not null references loads (id),
  line integer not null,
  reason text not null,
  raw text not null,
  primary key (load_id, line)
);
