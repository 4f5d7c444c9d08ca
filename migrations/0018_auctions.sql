-- The auction that a lot is offered in, and the step to its next bid.

alter table lots
  add column bid_increment_cents bigint,
  add column auction_id text,
  add column auction_name text;

-- Has all that the page of a lot says of its auction, so that the lots of the auction are not read one by one.
create index lots_by_auction on lots (auction_id) include (starts_at, ends_at, state, city) where is_open and auction_id is not null;
