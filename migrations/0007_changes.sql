-- Every observed change of a lot that was ever on offer: what sweeps would otherwise overwrite.

create table lot_changes (
  seq bigint not null,
  lot_id uuid not null,
  observed_at timestamptz not null,
  kind text not null check (
    kind in ('listed', 'bid', 'end_moved', 'price', 'details', 'withdrawn', 'ended', 'sold', 'unsold', 'reopened', 'score')
  ),
  -- Of a sold lot its price.
  current_bid_cents bigint,
  num_bids integer not null,
  ends_at timestamptz not null,
  -- Whether this is a bid lower than the one before (the source withdrew or corrected it), or an asking price lower than before.
  fell boolean not null,
  -- Of a `score`: the score and the approximate value before.
  score_before smallint,
  value_before_cents bigint,
  -- Of a `bid` or a `price`: the price before; null where it is the same.
  price_before_cents bigint,
  -- Of `details` that moved the lot from one category or state to another: both as they were.
  category_before text,
  state_before text,
  primary key (seq, observed_at)
) partition by range (observed_at);

create index lot_changes_by_lot on lot_changes (lot_id, seq);

-- Makes the partition for the month (UTC) of a moment, unless it exists. Attached, not created in place, because that would lock out
-- the readers of all months; the lock is the one that attaching needs, and lets one session at a time make partitions.
create function keep_month_of_changes(moment timestamptz) returns void
language plpgsql as $$
declare
  month timestamptz := date_trunc('month', moment, 'UTC');
  name text := 'lot_changes_' || to_char(month at time zone 'utc', 'YYYY_MM');
begin
  if to_regclass(name) is not null then
    return;
  end if;
  lock table lot_changes in share update exclusive mode;
  if to_regclass(name) is null then
    execute format('create table %I (like lot_changes including constraints)', name);
    execute format(
      'alter table lot_changes attach partition %I for values from (%L) to (%L)',
      name, month, date_trunc('month', month + interval '40 days', 'UTC')
    );
  end if;
end
$$;

-- Drops the partitions of months that ended more than so many days before the moment, except for the kept ones (`2026-10`). A drop locks
-- out readers, so it gives up after 50 ms behind one and leaves everything to the next call.
create function drop_months_of_changes(moment timestamptz, days integer, kept text[], out months integer, out changes bigint)
language plpgsql
set lock_timeout = '50ms'
as $$
declare
  name text;
  held bigint;
begin
  months := 0;
  changes := 0;
  for name in
    select c.relname
    from pg_inherits i
    join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'lot_changes'::regclass
    and c.relname ~ '^lot_changes_\d{4}_\d\d$'
    and to_date(right(c.relname, 7), 'YYYY_MM') + interval '1 month' <= (moment - make_interval(hours => 24 * days)) at time zone 'utc'
    and replace(right(c.relname, 7), '_', '-') <> all (kept)
  loop
    execute format('select count(*) from %I', name) into held;
    execute format('drop table %I', name);
    months := months + 1;
    changes := changes + held;
  end loop;
exception
  when lock_not_available then
    months := 0;
    changes := 0;
end
$$;

-- Logs the changes that a statement made, with the moment of the observation: the setting surplus.observed_at where a load gives
-- one, else the clock.
create function log_changes(changes lot_changes[]) returns void
language plpgsql as $$
declare
  moment timestamptz := coalesce(nullif(current_setting('surplus.observed_at', true), '')::timestamptz, now());
  last bigint;
begin
  if cardinality(changes) = 0 then
    return;
  end if;
  update data_version set last_change = last_change + cardinality(changes) returning last_change into last;
  perform keep_month_of_changes(moment);
  insert into lot_changes
  select last - cardinality(changes) + position, lot_id, moment, kind, current_bid_cents, num_bids, ends_at, fell,
    score_before, value_before_cents, price_before_cents, category_before, state_before
  from unnest(changes) with ordinality as change (
    seq, lot_id, observed_at, kind, current_bid_cents, num_bids, ends_at, fell, score_before, value_before_cents,
    price_before_cents, category_before, state_before, position
  );
end
$$;

-- A lot that is first seen after its end was never on offer, and is not logged.
create function log_new_lots() returns trigger
language plpgsql as $$
begin
  perform log_changes(array(
    select row(null, id, null, 'listed', current_bid_cents, num_bids, ends_at, false, null, null, null, null, null)::lot_changes
    from added
    where is_open
  ));
  return null;
end
$$;

create function log_changed_lots() returns trigger
language plpgsql
-- The plan is made once a session, often for an update of no rows, for which the planner prefers a nested loop.
set enable_nestloop = off
-- Without nested loops the cost of the plan passes the bound of JIT, which then takes 2 s for each 500 lots.
-- Earns: who loads 30,000 lots into an own PostgreSQL: surplus demo --lots 30000 --sales 20000, which takes 127 s more without it.
set jit = off
as $$
begin
  perform log_changes(array(
    select row(
      null, after.id, null, kind, coalesce(after.final_bid_cents, after.current_bid_cents), after.num_bids, after.ends_at,
      coalesce(
        case kind
          when 'bid' then before.current_bid_cents > coalesce(after.current_bid_cents, 0)
          when 'price' then after.buy_now_cents < before.buy_now_cents
            or (after.current_bid_cents is null and after.starting_bid_cents < before.starting_bid_cents)
        end,
        false
      ),
      case kind when 'score' then before.flip_score end,
      case kind when 'score' then before.approximate_value_cents end,
      case kind
        when 'bid' then nullif(before.price_cents, after.price_cents)
        when 'price' then coalesce(nullif(before.price_cents, after.price_cents), nullif(before.buy_now_cents, after.buy_now_cents))
      end,
      case when has_moved then before.category end,
      case when has_moved then before.state end
    )::lot_changes
    from before_change before
    join changed after using (id)
    cross join unnest(case
      when before.is_open and after.is_open then array[
        case
          when (before.current_bid_cents, before.num_bids) is distinct from (after.current_bid_cents, after.num_bids) then 'bid'
        end,
        case when before.ends_at <> after.ends_at then 'end_moved' end,
        case
          when (before.starting_bid_cents, before.buy_now_cents) is distinct from (after.starting_bid_cents, after.buy_now_cents)
          then 'price'
        end,
        case
          when (
            before.title, before.description, before.category, before.item, before.quantity, before.vehicle_year,
            before.vehicle_make, before.vehicle_model, before.state, before.city, before.zip, before.condition_grade,
            before.image_url, before.source_url, before.starts_at, before.offer_kind
          ) is distinct from (
            after.title, after.description, after.category, after.item, after.quantity, after.vehicle_year,
            after.vehicle_make, after.vehicle_model, after.state, after.city, after.zip, after.condition_grade,
            after.image_url, after.source_url, after.starts_at, after.offer_kind
          )
          then 'details'
        end,
        case
          when (before.logged_score, before.logged_value_cents, before.value_grade)
            is distinct from (after.logged_score, after.logged_value_cents, after.value_grade)
          then 'score'
        end
      ]
      when after.is_open then array['reopened']
      -- Of a lot that has ended, only what follows an earlier change: the others were never on offer. The limit makes it a look-up.
      when before.is_open or (
        (before.outcome, before.final_bid_cents) is distinct from (after.outcome, after.final_bid_cents)
        and (select true from lot_changes earlier where earlier.lot_id = after.id limit 1)
      )
      then array[coalesce(after.outcome, 'ended')]
    end) as kind
    cross join lateral (
      select kind = 'details' and (before.category, before.state) is distinct from (after.category, after.state)
    ) as moved (has_moved)
    where kind is not null
  ));
  return null;
end
$$;

-- In the statement that writes the lots, so that a crash leaves neither a change without its log nor half of one. Not for updates that
-- other triggers make: they only group lots.
create trigger log_new_lots after insert on lots
referencing new table as added
for each statement
when (pg_trigger_depth() = 0)
execute function log_new_lots();

create trigger log_changed_lots after update on lots
referencing old table as before_change new table as changed
for each statement
when (pg_trigger_depth() = 0)
execute function log_changed_lots();

-- Lots that are on offer already are listed now: the log then gives them too.
select log_changes(array(
  select row(null, id, null, 'listed', current_bid_cents, num_bids, ends_at, false, null, null, null, null, null)::lot_changes
  from lots
  where is_open
));
