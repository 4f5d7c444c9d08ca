-- How the bids of lots that have closed rose in their last week, and how far projections from that were off; null until enough such lots
-- have closed (docs/decisions/0025-appraising-titles.md).
alter table sales_indexes add column bid_paths jsonb;
