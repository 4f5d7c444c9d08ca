-- 0027 has better ones. Dropping them in a file of its own keeps calls waiting only for a moment.

drop index open_lots_by_end;
drop index open_lots_by_place;
drop index open_lots_by_score;
drop index open_lots_by_start;
drop index open_lots_by_bids;
drop index open_lots_by_price_down;
drop index open_lots_by_category;
drop index open_lots_by_state;
