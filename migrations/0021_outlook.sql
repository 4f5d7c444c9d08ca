-- The outlook of a lot, made with its score (src/domain/appraisal/outlook.ts). All are null until the first scores of version 5.

alter table lots
  add column approximate_close_cents bigint,
  add column value_note text,
  add column verdict text,
  -- Orders lots by what is to be won: gains, then lots without a bid, then losses.
  add column profit_rank bigint;

alter table appraisals
  add column projected_close_cents bigint,
  add column close_low_cents bigint,
  add column close_high_cents bigint;
