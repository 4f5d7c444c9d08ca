-- The chance that a lot ends without a bid, for while it has none; null where that was not learned.
alter table lots add column no_bid_chance float8;
