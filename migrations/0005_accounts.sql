-- The account page: signing in, and payments. The table of accounts itself is in 0004_keys_and_metering.sql.

-- Numbers each look at Stripe before it begins. A look is written unless a later one was written first: events may arrive twice, late
-- and in any order, and the look that follows the last change sees the last state.
create sequence subscription_looks;

create table stripe_events (
  id text primary key,
  received_at timestamptz not null
);

-- Only keyed hashes of secrets are stored. Links are valid for 15 minutes and work once.
create table sign_in_links (
  token_hash bytea primary key,
  address text not null,
  next_path text not null,
  expires_at timestamptz not null
);

create index sign_in_links_by_address on sign_in_links (address);

create table sessions (
  token_hash bytea primary key,
  -- Names it on the page that lists the sessions of an account.
  id bigint generated always as identity unique,
  -- "Firefox on Linux", from the User-Agent at sign-in.
  browser text not null default '',
  account_id bigint not null references accounts (id),
  created_at timestamptz not null,
  expires_at timestamptz not null
);

create index sessions_by_account on sessions (account_id);

-- A new address of an account. It takes effect when the link that was mailed to the old address and the link to the new one have both been
-- confirmed: then both hashes are null.
create table address_changes (
  account_id bigint primary key references accounts (id) on delete cascade,
  new_address text not null,
  old_hash bytea unique,
  new_hash bytea unique,
  expires_at timestamptz not null
);

-- How many attempts a rate limit has counted since its window began.
create table attempts (
  meter text primary key,
  used integer not null,
  ends_at timestamptz not null
);

-- Counts one attempt on every meter of `requested` ([{ meter, most, seconds }]), or on none of them when one is used up.
-- Returns 0, or the seconds until the last of the used-up meters opens again. Rows are locked in the order of their names, so
-- that two callers never deadlock.
create function take_attempts(requested jsonb, moment timestamptz) returns integer
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
  where a.ends_at <= moment;

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
