-- Mails: when those of saved searches are due, which quota mails were sent, and what a demo service keeps instead of sending.
-- A match never inserts a mail by itself: one mail lists all that waits.

-- Matches wait for the next mail of their search; the last hour of a watched lot is due at once. The update always takes the lock of the row, so that it either finds what
-- `queue_mails` left, or keeps `queue_mails` away until the matches can be seen.
create function wait_for_mail() returns trigger
language plpgsql as $$
begin
  with waiting as (
    select s.id, first.matched_at, s.lot_id is not null and first.is_ending as is_urgent
    from saved_searches s
    join (
      select search_id, min(matched_at) as matched_at, bool_or(kind = 'ending') as is_ending
      from added
      group by search_id
    ) as first on first.search_id = s.id
    where s.by_mail
    order by s.id
    for update of s
  )
  update saved_searches s
  set
    mail_since = least(s.mail_since, waiting.matched_at),
    mail_due_at = case when waiting.is_urgent then waiting.matched_at else coalesce(s.mail_due_at, waiting.matched_at) end
  from waiting
  where s.id = waiting.id;
  return null;
end
$$;

create trigger alert_matches_wait_for_mail after insert on alert_matches
referencing new table as added
for each statement execute function wait_for_mail();

-- The owner changed when mails are sent: the moment is calculated again.
create function calculate_mail_again() returns trigger
language plpgsql as $$
begin
  new.mail_due_at := new.mail_since;
  return new;
end
$$;

create trigger saved_searches_mail_again
before update of cadence, by_mail, is_paused on saved_searches
for each row execute function calculate_mail_again();

-- When the waiting matches of a search are mailed. At once, as the last hour of a watched lot is on each plan: at most one mail in 15 minutes, and none in quiet hours. Digests: at the
-- first digest hour (daily) or Monday's (weekly) after the first match. All hours are local, so they hold over clock changes.
create function next_mail_at(search saved_searches, owner accounts, at_once boolean, moment timestamptz) returns timestamptz
language plpgsql immutable as $$
declare
  earliest timestamptz := greatest(moment, search.last_mail_at + interval '15 minutes');
  here timestamp := earliest at time zone owner.time_zone;
  since timestamp := search.mail_since at time zone owner.time_zone;
  hours_from_quiet integer := (extract(hour from here)::integer - owner.quiet_from + 24) % 24;
  quiet_hours integer := (owner.quiet_until - owner.quiet_from + 24) % 24;
  weekly boolean := search.cadence = 'weekly';
  next timestamp;
begin
  if at_once then
    if hours_from_quiet >= quiet_hours then
      return earliest;
    end if;
    next := date_trunc('day', here) + make_interval(hours => owner.quiet_until);
    return (case when next > here then next else next + interval '1 day' end) at time zone owner.time_zone;
  end if;
  next := date_trunc(case when weekly then 'week' else 'day' end, since) + make_interval(hours => owner.digest_hour);
  return (
    case when next > since then next else next + case when weekly then interval '7 days' else interval '1 day' end end
  ) at time zone owner.time_zone;
end
$$;

-- Makes one delivery for each search whose mail is due, and marks the matches that it lists. Any number of processes may call it.
-- A search that is paused, or wants no mail, waits no longer. Returns how many mails it made.
create function queue_mails(plans jsonb, moment timestamptz) returns integer
language plpgsql as $$
declare
  due bigint[] := array(
    select id from saved_searches where mail_due_at <= moment order by mail_due_at limit 2000 for update skip locked
  );
  queued integer;
begin
  if cardinality(due) = 0 then
    return 0;
  end if;
  -- A statement of its own: it sees the matches of every search that is locked now.
  with judged as materialized (
    select
      s.id, s.account_id, s.mail_since, gen_random_uuid() as mail_id,
      case
        when s.by_mail and not s.is_paused
        then next_mail_at(
          s, a,
          (s.cadence = 'instant' and (plans -> a.plan -> 'alerts' ->> 'isInstant')::boolean) or (s.lot_id is not null and exists (
            select
            from alert_matches m
            where m.search_id = s.id and m.matched_at >= s.mail_since and m.mail_id is null and m.kind = 'ending'
          )),
          moment
        )
      end as next_at
    from saved_searches s
    join accounts a on a.id = s.account_id
    where s.id = any (due)
  ), listed as (
    update alert_matches m
    set mail_id = j.mail_id
    from judged j
    where m.search_id = j.id and m.matched_at >= j.mail_since and m.mail_id is null and j.next_at <= moment
    returning m.mail_id
  ), mails as (
    insert into alert_deliveries (id, account_id, search_id, kind, content, created_at, due_at)
    select mail_id, account_id, id, 'digest', jsonb_build_object('since', mail_since), moment, moment
    from judged
    where mail_id in (select mail_id from listed)
    returning id
  ), planned as (
    update saved_searches s
    set
      mail_since = case when j.next_at > moment then s.mail_since end,
      mail_due_at = case when j.next_at > moment then j.next_at end,
      last_mail_at = case when j.next_at <= moment then moment else s.last_mail_at end
    from judged j
    where s.id = j.id
  )
  select count(*) from mails into queued;
  return queued;
end
$$;

-- The mails that said how much of a month is used: each once.
create table quota_mails (
  account_id bigint not null references accounts (id) on delete cascade,
  -- The first of the month (UTC).
  month date not null,
  percent smallint not null check (percent in (80, 100)),
  primary key (account_id, month, percent)
);

-- When the counters were last looked at, by any process.
create table quota_check (
  is_only boolean primary key default true check (is_only),
  checked_at timestamptz not null
);

insert into quota_check (checked_at) values ('epoch');

-- What a service with demo data and without a mail server would have sent: the last 200.
create table demo_mails (
  id bigint generated always as identity primary key,
  recipient text not null,
  subject text not null,
  content text not null,
  sent_at timestamptz not null
);
