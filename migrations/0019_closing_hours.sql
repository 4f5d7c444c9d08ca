-- The hours in which a source that names only a day closes its lots.

-- Facts of data/sources.json. Hours are local, in the zone of the source.
alter table sources
  add column closes_from_hour smallint not null default 10,
  add column closes_by_hour smallint not null default 24;

-- How exactly a source publishes an end: the last second of a day in its zone stands for the day. The zone of some sources is null or
-- "vendor". The rule for pages is src/words/closing.ts.
create function end_precision(ends_at timestamptz, time_zone text) returns text
language sql immutable parallel safe
return case
  when not isfinite(ends_at) then null
  when time_zone like '%/%' and (ends_at at time zone time_zone)::time = '23:59:59' then 'day'
  else 'second'
end;

-- The earliest moment at which bidding can close. Clocks change at night, so the hours between two in the morning and midnight have 60 minutes.
create function earliest_close(ends_at timestamptz, time_zone text, closes_from_hour smallint) returns timestamptz
language sql immutable parallel safe
return case
  when end_precision(ends_at, time_zone) = 'day' then ends_at + interval '1 second' - make_interval(hours => 24 - closes_from_hour)
  else ends_at
end;
