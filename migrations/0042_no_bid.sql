-- The chance that a lot ends without a bid, for while it has none; null where that was not learned.
alter table appraisals add column no_bid_chance float8;
