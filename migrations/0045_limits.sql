-- The limit of a lot, and the order by what is left below it, made with its score (src/domain/appraisal/outlook.ts).

-- In US cents, rounded down to two digits; null where none may be named.
alter table lots add column limit_cents bigint;

-- Of lots with room what is left below the limit, -1 at the limit, else null. Until the next scores it orders by profit.
alter table lots rename column profit_rank to room_rank;
alter index searches_by_profit rename to searches_by_room;
