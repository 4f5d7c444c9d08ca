-- A load is merged by two sessions (docs/decisions/0008-ingestion.md): what one of them could not see of the other is decided before.

-- A slug that another lot has got is told apart by a piece of the id.
create function slug_apart(slug text, source text, source_id text) returns text
language sql immutable parallel safe
return slug || '-' || left(lot_id(source, source_id)::text, 8);

-- As they were, but for a statement that says of its lots that no other source has one of their likeness or vehicle, neither now nor
-- before: grouping them anew would change nothing. The load is the only one that says so, and has looked (stagedTwins.ts).
create or replace trigger regroup_new_lots
after insert on lots
referencing new table as new_lots
for each statement
when (pg_trigger_depth() = 0 and current_setting('surplus.grouped', true) is distinct from 'yes')
execute function regroup_new_lots();

create or replace trigger regroup_changed_lots
after update on lots
referencing old table as lots_before new table as lots_after
for each statement
when (pg_trigger_depth() = 0 and current_setting('surplus.grouped', true) is distinct from 'yes')
execute function regroup_changed_lots();

-- As it was, in half the time: PostgreSQL pays for every match of a regular expression, so what is no letter or digit anywhere goes first.
create or replace function lot_likeness(title text, state text, ends_at timestamptz) returns uuid
language sql immutable parallel safe
return md5(
  nullif(
    lower(regexp_replace(translate(title, ' !"#$%&''()*+,-./:;<=>?@[\]^_`{|}~', ''), '[^[:alnum:]]+', '', 'g')), ''
  ) || ' ' || state || ' ' || auction_day(ends_at)::text
)::uuid;
