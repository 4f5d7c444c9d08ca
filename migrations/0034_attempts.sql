-- As in 0005, but a window that ends later than one that begins now is over: the clock was ahead when it began.
-- A statement may wait for the locks of one that began later, so the time that it took so far is added.
-- Why: who had used up the sign-in links of 15 minutes while a clock was two hours ahead waited for two hours;
-- `npx vitest run test/faults/clockBack.test.ts` shows it.
create or replace function take_attempts(requested jsonb, moment timestamptz) returns integer
language plpgsql as $$
declare
  wait_seconds integer;
begin
  insert into attempts as a (meter, used, ends_at)
  select r.meter, 0, moment + make_interval(secs => r.seconds)
  from jsonb_to_recordset(requested) as r (meter text, seconds integer)
  order by r.meter
  on conflict (meter) do update
  set used = 0, ends_at = excluded.ends_at
  where a.ends_at <= moment or a.ends_at > excluded.ends_at + (clock_timestamp() - now());

  select max(greatest(1, ceil(extract(epoch from a.ends_at - moment)))) into wait_seconds
  from jsonb_to_recordset(requested) as r (meter text, most integer)
  join attempts a on a.meter = r.meter
  where a.used >= r.most;
  if wait_seconds is not null then
    return wait_seconds;
  end if;

  update attempts
  set used = used + 1
  where meter in (select r.meter from jsonb_to_recordset(requested) as r (meter text));
  return 0;
end
$$;
