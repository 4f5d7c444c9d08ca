-- All that the page of a lot says of its auction, so that the lots of the auction are not read one by one.
drop index lots_by_auction;
create index lots_by_auction on lots (auction_id) include (starts_at, ends_at, state, city) where is_open and auction_id is not null;
