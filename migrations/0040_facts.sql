-- What source or text state of a vehicle or machine; null where they say nothing. A load fills them, without a change to log.

alter table lots
  add column odometer_miles integer,
  add column engine_hours float8,
  add column runs boolean,
  add column road_title boolean,
  add column open_recall boolean;

create or replace function lot_details(lot lots) returns text
language sql stable parallel safe
return row(
  lot.title, lot.description, lot.category, lot.item, lot.quantity, lot.vehicle_year, lot.vehicle_make, lot.vehicle_model, lot.state,
  lot.city, lot.zip, lot.condition_grade, lot.image_url, lot.source_url, lot.starts_at, lot.offer_kind, lot.bid_increment_cents,
  lot.auction_id, lot.bid_conditions, lot.reserve_met, lot.buyers_premium_percent, lot.odometer_miles, lot.engine_hours, lot.runs,
  lot.road_title, lot.open_recall
)::text;
