-- Saved searches, what they matched, and what was sent because of it.

-- The number of the last change that the caller can see.
create function last_change() returns bigint
language sql stable
return (select last_change from data_version);

create table saved_searches (
  id bigint generated always as identity primary key,
  account_id bigint not null references accounts (id) on delete cascade,
  name text not null,
  -- The parameters of searchListings by name; {} for a watched lot.
  query jsonb not null,
  -- A watched lot is a saved search of one lot.
  lot_id uuid,
  kinds text[] not null check (kinds <@ array['new', 'price_drop', 'bid', 'ending', 'status'] and cardinality(kinds) > 0),
  cadence text not null check (cadence in ('instant', 'daily', 'weekly')),
  by_mail boolean not null default true,
  -- Whether the lots that it finds are written to a file each day.
  by_file boolean not null default false,
  -- The webhook endpoints that receive its matches.
  endpoint_ids bigint[] not null default '{}',
  is_paused boolean not null default false,
  -- Counts up when the owner revokes the secret address of its feed; the address is derived from id and this.
  feed_generation integer not null default 1,
  last_mail_at timestamptz,
  -- Since when matches wait for a mail, and when that mail is due, or its moment is calculated again; null: none wait (0009_mails.sql).
  mail_since timestamptz,
  mail_due_at timestamptz,
  -- Changes after this one count: what was there before it was saved is no news.
  since_change bigint not null default last_change(),
  created_at timestamptz not null
);

create index saved_searches_by_account on saved_searches (account_id);
-- For `log_score`.
create index saved_searches_by_least_score on saved_searches (((query ->> 'min_flip_score')::integer))
where query ? 'min_flip_score' and not is_paused;
create index saved_searches_by_least_value on saved_searches (((query ->> 'value_min')::numeric))
where query ? 'value_min' and not is_paused;
create index saved_searches_mail_due on saved_searches (mail_due_at) where mail_due_at is not null;

create table alert_endpoints (
  id bigint generated always as identity primary key,
  account_id bigint not null references accounts (id) on delete cascade,
  url text not null,
  -- whsec_…; both sign while an old one lives on after a rotation.
  secret text not null,
  old_secret text,
  old_secret_until timestamptz,
  -- Since when nothing but failures.
  failing_since timestamptz,
  warned_at timestamptz,
  disabled_at timestamptz,
  disabled_reason text,
  created_at timestamptz not null
);

create index alert_endpoints_by_account on alert_endpoints (account_id);

-- Counts under the lock of the account, which holds until the calling statement has committed. A volatile function sees what the
-- earlier holder of the lock added; the statement that calls it does not.
create function count_alerts(of_account bigint, out searches bigint, out endpoints bigint)
language plpgsql volatile
as $$
begin
  perform from accounts where id = of_account for no key update;
  searches := (select count(*) from saved_searches where account_id = of_account);
  endpoints := (select count(*) from alert_endpoints where account_id = of_account);
end
$$;

-- A score is a change when it moved by 5 points since it was last logged, a value when it moved by 20%, and both when they appeared or
-- went, or crossed the bound of an active search.
create function log_score() returns trigger
language plpgsql as $$
begin
  if num_nulls(old.logged_score, new.flip_score) = 1 or abs(new.flip_score - old.logged_score) >= 5 or exists (
    select
    from saved_searches
    where query ? 'min_flip_score'
    and not is_paused
    and (query ->> 'min_flip_score')::integer > least(old.flip_score, new.flip_score)
    and (query ->> 'min_flip_score')::integer <= greatest(old.flip_score, new.flip_score)
  ) then
    new.logged_score := new.flip_score;
  end if;
  if num_nulls(old.logged_value_cents, new.approximate_value_cents) = 1
  or abs(new.approximate_value_cents - old.logged_value_cents) >= 0.2 * old.logged_value_cents
  or exists (
    select
    from saved_searches
    where query ? 'value_min'
    and not is_paused
    and (query ->> 'value_min')::numeric > least(old.approximate_value_cents, new.approximate_value_cents) / 100.0
    and (query ->> 'value_min')::numeric <= greatest(old.approximate_value_cents, new.approximate_value_cents) / 100.0
  ) then
    new.logged_value_cents := new.approximate_value_cents;
  end if;
  return new;
end
$$;

create trigger log_score before update of flip_score, approximate_value_cents on lots
for each row
when (
  (old.flip_score, old.approximate_value_cents) is distinct from (new.flip_score, new.approximate_value_cents)
)
execute function log_score();

-- How far each stream was matched. `changes` goes along the log of changes: the position is the number of a change. `clock` finds lots
-- that begin, and whose last hours begin: the position is in seconds since 1970, 0 before the first time.
create table alert_progress (
  stream text primary key check (stream in ('changes', 'clock')),
  position bigint not null
);

insert into alert_progress (stream, position)
values ('changes', last_change()), ('clock', 0);

create table alert_matches (
  id bigint generated always as identity primary key,
  search_id bigint not null references saved_searches (id) on delete cascade,
  lot_id uuid not null,
  kind text not null,
  -- What makes the match another one: the number of a change, or the price, the end, the status.
  value text not null,
  -- The lot after the change: its highest bid, its bids, its end.
  current_bid_cents bigint,
  num_bids integer not null,
  ends_at timestamptz not null,
  -- The price before the change; null where it is the same.
  former_price_cents bigint,
  observed_at timestamptz not null,
  matched_at timestamptz not null,
  -- The delivery of the mail that lists it; null before, and where no mail is wanted.
  mail_id uuid,
  unique (search_id, lot_id, kind, value)
);

create index alert_matches_by_time on alert_matches (search_id, matched_at desc);
-- For the counts of the last minutes: both tables grow at their end, so a small index of page ranges does.
create index alert_matches_by_moment on alert_matches using brin (matched_at);

-- One message to one place. Its id never changes, so that a receiver can tell a message that comes twice.
create table alert_deliveries (
  id uuid primary key,
  account_id bigint not null references accounts (id) on delete cascade,
  search_id bigint references saved_searches (id) on delete set null,
  match_id bigint references alert_matches (id) on delete cascade,
  -- Null: by mail.
  endpoint_id bigint references alert_endpoints (id) on delete cascade,
  -- Lanes are sent beside each other, so that a silent endpoint delays only its own: 0 is mail.
  lane bigint not null generated always as (coalesce(endpoint_id, 0)) stored,
  -- `match`, `digest`, `test`, `quota`, `endpoint`.
  kind text not null,
  -- What the message says, where it is not read from the match when it is sent.
  content jsonb,
  created_at timestamptz not null,
  attempts smallint not null default 0,
  -- Null: finished. Else when it is tried next.
  due_at timestamptz,
  -- Under way in a process, which also set due_at to this moment: a process that dies leaves it due.
  leased_until timestamptz,
  delivered_at timestamptz
);

create index alert_deliveries_due on alert_deliveries (lane, due_at) where due_at is not null;
create index alert_deliveries_by_account on alert_deliveries (account_id, created_at desc);
create index alert_deliveries_by_endpoint on alert_deliveries (endpoint_id, created_at desc, id desc) where endpoint_id is not null;
-- For the deletion of a search.
create index alert_deliveries_by_search on alert_deliveries (search_id) where search_id is not null;
create index alert_deliveries_by_match on alert_deliveries (match_id) where match_id is not null;

create table alert_attempts (
  delivery_id uuid not null references alert_deliveries (id) on delete cascade,
  attempted_at timestamptz not null,
  -- The status of the answer; null without one.
  status smallint,
  milliseconds integer not null,
  -- The first 1 kB of the answer, or why there was none, or why nothing was sent.
  answer text not null
);

create index alert_attempts_by_delivery on alert_attempts (delivery_id, attempted_at);
create index alert_attempts_by_moment on alert_attempts using brin (attempted_at);

-- Logs an attempt (or, `refused`, why there was none) and sets when the delivery is due next; without a wait it is finished. One that arrived,
-- was deleted or is finished stays so. An endpoint that has failed for a day brings its owner a mail; after 5 days, or with a reason, it
-- is disabled with another.
create function settle_delivery(
  delivery uuid, result text, status integer, milliseconds integer, answer text, wait interval, reason text, moment timestamptz
) returns void
language plpgsql as $$
declare
  target bigint;
  endpoint alert_endpoints;
begin
  update alert_deliveries
  set
    attempts = attempts + 1,
    delivered_at = case when result = 'delivered' then moment end,
    due_at = moment + wait,
    leased_until = null
  where id = delivery and due_at is not null
  returning endpoint_id into target;
  if not found then
    return;
  end if;
  insert into alert_attempts (delivery_id, attempted_at, status, milliseconds, answer)
  values (delivery, moment, settle_delivery.status, settle_delivery.milliseconds, settle_delivery.answer);
  if result = 'delivered' then
    update alert_endpoints set failing_since = null, warned_at = null where id = target and failing_since is not null;
  end if;
  -- Locked, so that of several failures at once one sends the mail.
  select * into endpoint
  from alert_endpoints
  where id = target and disabled_at is null and result = 'failed'
  for update;
  if not found then
    return;
  end if;
  endpoint.failing_since := coalesce(endpoint.failing_since, moment);
  if endpoint.failing_since <= moment - interval '120 hours' then
    reason := coalesce(reason, 'Every message failed for 5 days.');
  end if;
  update alert_endpoints
  set
    failing_since = endpoint.failing_since,
    warned_at = case when endpoint.failing_since <= moment - interval '24 hours' then coalesce(warned_at, moment) end,
    disabled_at = case when reason is not null then moment end,
    disabled_reason = reason
  where id = target;
  insert into alert_deliveries (id, account_id, kind, content, created_at, due_at)
  select
    gen_random_uuid(), endpoint.account_id, 'endpoint',
    jsonb_build_object(
      'endpoint_id', target, 'url', endpoint.url, 'failing_since', rfc3339(endpoint.failing_since), 'disabled_reason', reason
    ),
    moment, moment
  where reason is not null
  or (endpoint.warned_at is null and endpoint.failing_since <= moment - interval '24 hours');
end
$$;
