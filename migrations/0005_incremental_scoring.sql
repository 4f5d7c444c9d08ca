-- Lots are scored by what changed (docs/decisions/0012-incremental-scoring.md): all estimates rest on the sales of one moment,
-- which are kept as an index, and an agenda says when which lot must be looked at again.

-- The last moment at which every open lot was estimated; two rows only while that is being done.
create table sales_indexes (
  id bigint generated always as identity primary key,
  as_of timestamptz not null,
  score_version text not null,
  sales integer not null,
  sell_through jsonb not null,
  -- Sales that came, went or changed since then.
  sales_changed integer not null default 0,
  finished_at timestamptz
);

-- The columns of the index in pieces. Without a log: when the server crashes they are gone, and the next load builds them anew.
create unlogged table sales_index_pieces (
  index_id bigint not null,
  part text not null,
  piece integer not null,
  bytes bytea not null,
  primary key (index_id, part, piece)
);
alter table sales_index_pieces alter column bytes set storage external;

-- When each open lot must be scored again: at once (-infinity) when something that its score rests on has changed, else when time
-- alone will change it. No foreign key, which costs 5 µs a lot: a row whose lot is over is dropped when it comes due.
create table scoring_agenda (
  lot_id uuid primary key,
  due_at timestamptz not null,
  -- Whether its title, category or item is another than at its estimate, or it never had one.
  needs_estimate boolean not null,
  -- Counts up, so that whoever scores can see that what was read has changed meanwhile.
  changes integer not null default 1
);

create index scoring_agenda_by_due on scoring_agenda (due_at, lot_id);

-- The band around the estimated value, by which a score is told again without another estimate; null in an older estimate.
alter table appraisals
  add column likely_low_cents bigint,
  add column likely_high_cents bigint;

-- The moment of the index that the estimate comes from.
alter table appraisals add column estimated_at timestamptz;
update appraisals set estimated_at = scored_at;
alter table appraisals alter column estimated_at set not null;

-- What other formulas made has no band. The next load scores every lot anew.
update appraisals set flip_score = null, factors = null where flip_score is not null;
update lots set flip_score = null where flip_score is not null;

-- A first load fills an empty table twice as fast when the indexes of the searches are made after it. What was dropped for it is
-- written down here in the same transaction, so that whoever comes next can make it again, should the load die.
create table set_aside_indexes (
  name text primary key,
  definition text not null
);

create function set_search_indexes_aside() returns void
language plpgsql as $$
declare
  found record;
begin
  for found in
    select i.indexrelid::regclass::text as name, pg_get_indexdef(i.indexrelid) as definition
    from pg_index i
    where i.indrelid = 'lots'::regclass
    and pg_get_expr(i.indpred, i.indrelid) ~ 'is_open|sold_at'
  loop
    insert into set_aside_indexes (name, definition) values (found.name, found.definition);
    execute 'drop index ' || found.name;
  end loop;
end
$$;

-- Makes one index again, unless it is there: a process may have died between the making and the forgetting.
create function restore_index(wanted text) returns void
language plpgsql as $$
begin
  if to_regclass(wanted) is null then
    execute (select definition from set_aside_indexes where name = wanted);
  end if;
  delete from set_aside_indexes where name = wanted;
end
$$;


-- Room on every page for the next versions of its rows: where they stay on it, a load that sees lots again without a change
-- touches no index. The third load of the same 103,000 lots takes a third less of the database's time.
alter table lots set (fillfactor = 85);
