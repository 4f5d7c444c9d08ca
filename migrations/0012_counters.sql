-- Counters of calls: never below zero, and what each minute has used.

-- A counter below zero would grant calls that nobody paid for: the database refuses it, whatever a server or an operator writes. `not valid`:
-- checked from the next write of a row on. Reading the rows that are there would keep the lock (1,000,000 rows: 1 s).
alter table monthly_usage add constraint monthly_usage_used_check check (used >= 0) not valid;
alter table burst_usage add constraint burst_usage_used_check check (used >= 0) not valid;

-- Charges as `charge_calls` does, which servers of 1.0.0 call, and also returns what each minute has used, for the header `RateLimit`.
create function charge_calls_and_tell_minutes(
  month_meters text[], month_limits integer[], burst_meters text[], burst_limits integer[], calls integer[], operation_lists text[],
  moment timestamptz
) returns table (burst_meter text, granted integer, month_used integer, burst_started_at timestamptz, burst_used integer)
language plpgsql as $$
#variable_conflict use_column
declare
  charged_meters text[];
  grants integer[];
  months integer[];
  starts timestamptz[];
begin
  select array_agg(burst_meter), array_agg(granted), array_agg(month_used), array_agg(burst_started_at)
  into charged_meters, grants, months, starts
  from charge_calls(month_meters, month_limits, burst_meters, burst_limits, calls, operation_lists, moment);
  -- A statement of its own, which sees what the one above has counted.
  return query
  select charged.meter, charged.granted, charged.month_used, charged.started_at, coalesce(minute.used, 0)
  from unnest(charged_meters, grants, months, starts) as charged (meter, granted, month_used, started_at)
  left join burst_usage as minute using (meter, started_at);
end
$$;
