-- What was offered before, read from the latest on until five are found: of a title that had closed a thousand times at its place all were read.
-- Why: each caller of one lot; make bench, "one lot, every id different".
-- The inner select has what the index knows, in its order, which a bitmap would lose; `offset 0` keeps the rest out of it.
create or replace function earlier_listings(lot_id uuid) returns json
language plpgsql stable parallel safe
set plan_cache_mode to force_generic_plan
set enable_bitmapscan to off
as $$
declare
  l lots;
begin
  select * into l from lots where id = lot_id;
  return (
    select coalesce(json_agg(earlier), '[]')
    from (
      select
        e.id, rfc3339(e.ends_at) as end_date, coalesce(e.outcome, 'ended') as status,
        case when e.num_bids > 0 or e.bids_known or coalesce(e.current_bid_cents, 0) = 0 then e.num_bids end as num_bids,
        coalesce(e.final_bid_cents, e.price_cents) as price_cents
      from (
        select *
        from lots
        where title_at_place(title, source, state, coalesce(left(zip, 5), city))
          = title_at_place(l.title, l.source, l.state, coalesce(left(l.zip, 5), l.city))
        and not is_open
        and ends_at < least(nullif(l.starts_at, '-infinity') + interval '1 day', l.ends_at - interval '1 day')
        order by ends_at desc, id
        offset 0
      ) as e
      where e.id <> l.id
      and e.auction_id = l.auction_id is not true
      and e.odometer_miles = l.odometer_miles is not false
      and vehicle_fingerprint(e.title || ' ' || coalesce(e.description, ''), 'epoch')
        = vehicle_fingerprint(l.title || ' ' || coalesce(l.description, ''), 'epoch') is not false
      limit 5
    ) as earlier
  );
end
$$;
