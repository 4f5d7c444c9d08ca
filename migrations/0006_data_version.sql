-- A number that changes with every change of the lots or the sources, in the same transaction: what a cache may trust.

create table data_version (
  is_only boolean primary key default true check (is_only),
  version bigint not null,
  -- Changes with what a search filters, sorts and counts by, except for scores and values, which have `scores`. Most changes of the data
  -- are others: ended lots are closed every minute, and most sweeps find nothing new.
  offers bigint not null default 1,
  scores bigint not null default 1,
  -- The number of the last row of lot_changes. Every statement that changes lots updates this row and keeps it locked until it commits,
  -- so changes are numbered in the order in which they become visible: a reader who has seen one has seen all before it.
  last_change bigint not null default 0,
  -- What X-Data says on every response. A database that has held demo data holds demo sales for good.
  kind text not null default 'live' check (kind in ('live', 'demo'))
) with (fillfactor = 50);

insert into data_version (version) values (1);

create function change_data_version() returns trigger
language plpgsql as $$
begin
  update data_version set version = version + 1;
  return null;
end
$$;

create function count_added_lots() returns trigger
language plpgsql as $$
begin
  update data_version
  set
    version = version + 1,
    offers = offers + case when exists (select from added where is_open) then 1 else 0 end;
  return null;
end
$$;

create function count_removed_lots() returns trigger
language plpgsql as $$
begin
  update data_version set version = version + 1, offers = offers + 1;
  return null;
end
$$;

-- A statement that updates no row changes nothing. A lot that has ended is in no search, whether or not it is closed yet.
create function change_data_version_if_any() returns trigger
language plpgsql
-- The plan is made once a session, often for an update of no rows, for which the planner prefers a nested loop.
set enable_nestloop = off
as $$
declare
  other_offers boolean;
  other_scores boolean;
begin
  if not exists (select from changed) then
    return null;
  end if;
  select
    bool_or(
      (
        before.is_open, before.starts_at, before.ends_at, before.category, before.state, before.source, before.price_cents,
        before.num_bids, before.offer_kind, before.buy_now_cents is null, before.latitude, before.longitude, before.title, before.description
      ) is distinct from (
        after.is_open, after.starts_at, after.ends_at, after.category, after.state, after.source, after.price_cents,
        after.num_bids, after.offer_kind, after.buy_now_cents is null, after.latitude, after.longitude, after.title, after.description
      )
    ),
    bool_or(
      (before.flip_score, before.approximate_value_cents, before.expected_profit_cents)
      is distinct from (after.flip_score, after.approximate_value_cents, after.expected_profit_cents)
    )
  into other_offers, other_scores
  from before_change before
  join changed after using (id)
  where (before.is_open and before.ends_at > now())
  or (after.is_open and after.ends_at > now());
  update data_version
  set
    version = version + 1,
    offers = offers + case when other_offers then 1 else 0 end,
    scores = scores + case when other_scores then 1 else 0 end;
  return null;
end
$$;

create trigger lots_added after insert on lots
referencing new table as added
for each statement execute function count_added_lots();

create trigger lots_removed after delete or truncate on lots
for each statement execute function count_removed_lots();

create trigger lots_changed after update on lots
referencing old table as before_change new table as changed
for each statement execute function change_data_version_if_any();

create trigger sources_changed after insert or update or delete on sources
for each statement execute function change_data_version();
