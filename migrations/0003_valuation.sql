-- Estimates and Flip Scores, and what they are computed from (docs/valuation.md).

-- What each lot is likely to sell for, the sales behind the estimate, and its Flip Score.
create table appraisals (
  lot_id uuid primary key references lots (id) on delete cascade,
  estimated_value_cents bigint not null,
  all_in_cost_cents bigint,
  resale_margin_cents bigint,
  confidence float8 not null,
  sale_ids uuid[] not null,
  similarities float8[] not null,
  flip_score smallint,
  factors jsonb,
  score_version text not null,
  -- Which price the margin and the score rest on: current_bid, starting_bid or buy_now; null without a price.
  price_kind text,
  scored_at timestamptz not null,
  -- The bands around the estimated value, from which a score is recomputed without another estimate.
  likely_low_cents bigint not null,
  likely_high_cents bigint not null,
  range_low_cents bigint not null,
  range_high_cents bigint not null,
  -- The moment of the index that the estimate comes from.
  estimated_at timestamptz not null,
  -- How the other lots of its sale go, relative to their values: the served value and its bands are the stored ones times this.
  neighbor_factor float8 not null default 1
);

-- The sales of one moment, on which all estimates rest. Two rows only while every open lot is estimated again.
create table sales_indexes (
  id bigint generated always as identity primary key,
  as_of timestamptz not null,
  score_version text not null,
  sales integer not null,
  sell_through jsonb not null,
  -- How well its estimates held in cross-validation, for the page on accuracy.
  accuracy jsonb not null,
  -- How the bids of lots that have closed rose in their last week, and how far projections from that were off; null until enough such
  -- lots have closed (docs/decisions/0025-appraising-titles.md).
  bid_paths jsonb,
  -- How often lots were worth more than their cost: the curve behind the chance in every score.
  chance jsonb not null default '{"offset": 0, "slope": 1}',
  -- Sales that were added, removed or changed since then.
  sales_changed integer not null default 0,
  finished_at timestamptz
);

-- The data of the index in pieces. Unlogged: after a crash of the server the table is empty, and the next load builds the index.
create unlogged table sales_index_pieces (
  index_id bigint not null,
  piece integer not null,
  bytes bytea not null,
  primary key (index_id, piece)
);
-- Not within `create table`, which PostgreSQL 15 does not know.
alter table sales_index_pieces alter column bytes set storage external;

-- When each open lot must be scored again: at once (-infinity) when something that its score depends on has changed, otherwise when
-- time alone will change it. No foreign key, which costs 5 µs a lot: a row whose lot has ended is deleted when it is due.
create table scoring_queue (
  lot_id uuid primary key,
  due_at timestamptz not null,
  -- Whether title, category or item changed since its estimate, or it has none.
  needs_estimate boolean not null,
  -- Counts up with each change, so that a scorer sees when its input has changed meanwhile.
  changes integer not null default 1
);

create index scoring_queue_by_due on scoring_queue (due_at, lot_id);
