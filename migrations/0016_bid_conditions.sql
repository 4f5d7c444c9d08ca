-- The conditions of bidding that the text of a lot sets.

alter table lots
  add column bid_conditions text[] not null default '{}';
