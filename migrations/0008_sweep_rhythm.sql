-- What sweeps need to fetch only what is new, in the rhythm of each source, and within a budget.

-- The requests to each source by the hour, of all processes; a request is counted before it is made.
create table source_traffic (
  source text not null references sources (source),
  hour timestamptz not null,
  calls integer not null,
  -- Of bodies, after decompression.
  bytes bigint not null,
  primary key (source, hour)
) with (fillfactor = 50);

alter table sweeps
  -- What the lots of the source were last loaded from, so that the same bytes are not loaded again: load, hash, and the validators of
  -- every hop by host and path. Null as soon as anything else writes these lots.
  add column copy jsonb,
  -- The newest version of the file, when it was first seen, and the moments of the newest six, the newest first.
  add column version_hash text,
  add column version_seen_at timestamptz,
  add column version_times timestamptz[] not null default '{}',
  -- Requests of the last sweep, and the size of its last body.
  add column calls integer not null default 0,
  add column body_bytes bigint not null default 0,
  -- What the key permits, as the source last said (X-RateLimit-Limit).
  add column rate_limit integer,
  -- The budget of 24 hours, as the last request applied it.
  add column most_calls integer,
  add column most_bytes bigint;

-- The last 24 hours, and the hour that has begun: so no span of 24 hours can exceed a budget. `frees_at` is when the oldest hour leaves.
create view day_traffic as
select source, sum(calls)::integer as calls, sum(bytes)::bigint as bytes, min(hour) + interval '25 hours' as frees_at
from source_traffic
where hour > now() - interval '25 hours'
group by source;

-- Counts one request to a source, unless its budget is used up: a fifth of the calls that the key permits, and a number of bytes. The
-- size of the last body is counted with it, until the caller knows the size. The lock on the sweep makes requests of several processes wait.
-- Returns no row when the budget is used up.
create function take_call(fetched text, key_calls integer, byte_limit bigint)
returns table (taken_hour timestamptz, reserved bigint, readable bigint)
language plpgsql as $$
declare
  last sweeps;
  used_calls integer;
  used_bytes bigint;
  call_limit integer;
begin
  select * into last from sweeps where sweeps.source = fetched for update;
  select coalesce(sum(t.calls), 0), coalesce(sum(t.bytes), 0)
  into used_calls, used_bytes
  from day_traffic t
  where t.source = fetched;
  call_limit := floor(least(key_calls, last.rate_limit) / 5.0);
  update sweeps set most_calls = call_limit, most_bytes = byte_limit where sweeps.source = fetched;
  if used_calls >= call_limit or used_bytes + greatest(last.body_bytes, 1) > byte_limit then
    return;
  end if;
  update sweeps set calls = sweeps.calls + 1 where sweeps.source = fetched;
  insert into source_traffic as t (source, hour, calls, bytes)
  values (fetched, date_trunc('hour', now()), 1, last.body_bytes)
  on conflict (source, hour) do update set calls = t.calls + 1, bytes = t.bytes + excluded.bytes;
  return query select date_trunc('hour', now()), last.body_bytes, byte_limit - used_bytes;
end
$$;
