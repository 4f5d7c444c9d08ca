-- A load is merged by two sessions (docs/decisions/0008-ingestion.md): what one of them could not see of the other is decided before.

-- A slug that another lot has got is told apart by a piece of the id.
create function slug_apart(slug text, source text, source_id text) returns text
language sql immutable parallel safe
return slug || '-' || left(lot_id(source, source_id)::text, 8);

-- As it was, in half the time: PostgreSQL pays for every match of a regular expression, so what is no letter or digit anywhere goes first.
create or replace function lot_likeness(title text, state text, ends_at timestamptz) returns uuid
language sql immutable parallel safe
return md5(
  nullif(
    lower(regexp_replace(translate(title, ' !"#$%&''()*+,-./:;<=>?@[\]^_`{|}~', ''), '[^[:alnum:]]+', '', 'g')), ''
  ) || ' ' || state || ' ' || auction_day(ends_at)::text
)::uuid;

-- No longer generated, so that a load computes them once, beside the reading of its file. The triggers keep what generating them kept: a
-- statement that does not say that it merges the stage (mergeBatch in stagedMerge.ts, the only one that does) is not even asked.
alter table lots
  alter column id drop expression,
  alter column likeness drop expression,
  alter column vehicle drop expression;

create function mark_lot() returns trigger
language plpgsql as $$
begin
  new.id := lot_id(new.source, new.source_id);
  new.likeness := lot_likeness(new.title, new.state, new.ends_at);
  new.vehicle := vehicle_mark(new.title || ' ' || coalesce(new.description, ''), new.ends_at);
  return new;
end
$$;

create trigger marks_of_new_lot
before insert on lots
for each row
when (coalesce(current_setting('surplus.merges', true), '') = '')
execute function mark_lot();

create trigger marks_of_changed_lot
before update of id, source, source_id, title, description, state, ends_at, likeness, vehicle on lots
for each row
when (coalesce(current_setting('surplus.merges', true), '') = '')
execute function mark_lot();

-- As they were, but for a statement that merges lots of which no other source has one of their likeness or vehicle, neither now nor
-- before (markTwins in stagedTwins.ts): grouping them anew would change nothing.
create or replace trigger regroup_new_lots
after insert on lots
referencing new table as new_lots
for each statement
when (pg_trigger_depth() = 0 and current_setting('surplus.merges', true) is distinct from 'lots without twins')
execute function regroup_new_lots();

create or replace trigger regroup_changed_lots
after update on lots
referencing old table as lots_before new table as lots_after
for each statement
when (pg_trigger_depth() = 0 and current_setting('surplus.merges', true) is distinct from 'lots without twins')
execute function regroup_changed_lots();
