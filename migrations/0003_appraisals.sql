-- What each lot is likely to sell for, the sales that say so, and its Flip Score; made anew by every load.

create table appraisals (
  lot_id uuid primary key references lots (id) on delete cascade,
  estimated_value_cents bigint not null,
  all_in_cost_cents bigint,
  resale_margin_cents bigint,
  resale_margin_percent float8,
  confidence float8 not null,
  sale_ids uuid[] not null,
  similarities float8[] not null,
  flip_score smallint,
  factors jsonb,
  score_version text not null,
  scored_at timestamptz not null
);
