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
  account_id bigint not null references accounts (id),
  created_at timestamptz not null,
  expires_at timestamptz not null
);

create index sessions_by_account on sessions (account_id);

-- Attempts in the present window of each meter.
create table tries (
  meter text primary key,
  used integer not null,
  ends_at timestamptz not null
);

-- Takes one attempt from each meter, in the given order, up to the first that has none left. `asked` is [{ meter, most, seconds }].
-- Returns 0, or the seconds until the window of the refusing meter ends. Callers name meters in one order (network, then address),
-- so that two of them never deadlock.
create function take_tries(asked jsonb, moment timestamptz) returns integer
language plpgsql as $$
declare
  one record;
begin
  for one in
    select item ->> 'meter' as meter, (item ->> 'most')::integer as most, (item ->> 'seconds')::integer as seconds
    from jsonb_array_elements(asked) with ordinality as listed (item, place)
    order by place
  loop
    insert into tries as t (meter, used, ends_at)
    values (one.meter, 1, moment + make_interval(secs => one.seconds))
    on conflict (meter) do update
    set
      used = case when t.ends_at <= moment then 1 else t.used + 1 end,
      ends_at = case when t.ends_at <= moment then excluded.ends_at else t.ends_at end
    where t.ends_at <= moment or t.used < one.most;
    if not found then
      return (select greatest(1, ceil(extract(epoch from ends_at - moment)))::integer from tries where meter = one.meter);
    end if;
  end loop;
  return 0;
end
$$;
