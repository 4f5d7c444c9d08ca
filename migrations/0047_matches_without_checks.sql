-- A match belongs to a search, and goes with it. Checked row by row, that took two thirds of the time of PostgreSQL for storing matches. What
-- is stored in the moment of a deletion belongs to no search, is read by nobody, and is forgotten after 30 days like all others.
alter table alert_matches drop constraint alert_matches_search_id_fkey;

create function forget_matches() returns trigger language plpgsql as $$
begin
  delete from alert_matches m using removed where m.search_id = removed.id;
  return null;
end
$$;

create trigger saved_searches_forget_matches
after delete on saved_searches
referencing old table as removed
for each statement execute function forget_matches();
