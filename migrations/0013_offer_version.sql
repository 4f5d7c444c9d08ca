-- Two more numbers beside the version of the data, for the index of the open lots that a process keeps in memory
-- (docs/decisions/0021-open-lots-in-memory.md): `offers` changes with what a search filters, sorts and counts by, but for the flip
-- score, which has `scores`. Most changes are others: ended lots are settled every minute, and most looks see nothing new.
alter table data_version
  add column offers bigint not null default 1,
  add column scores bigint not null default 1;

-- While there is no index, PostgreSQL counts a range of prices, too, without reading the lots.
drop index open_lots_by_price;
create index open_lots_by_price on lots (price_cents, id) include (ends_at, starts_at) where is_open;

drop trigger lots_added on lots;
drop trigger lots_changed on lots;

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

-- A lot that has ended takes no part in a search, whether or not it is marked as closed.
create or replace function change_data_version_if_any() returns trigger
language plpgsql
-- The plan is made once a session, often for an update of no rows at all, which a loop in a loop suits.
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
        before.num_bids, before.buy_now_cents is null, before.latitude, before.longitude, before.title, before.description
      ) is distinct from (
        after.is_open, after.starts_at, after.ends_at, after.category, after.state, after.source, after.price_cents,
        after.num_bids, after.buy_now_cents is null, after.latitude, after.longitude, after.title, after.description
      )
    ),
    bool_or(before.flip_score is distinct from after.flip_score)
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
