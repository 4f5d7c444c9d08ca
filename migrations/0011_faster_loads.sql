-- A load stores what it has already computed: the words of a search are half the time of a new lot (docs/decisions/0008-ingestion.md).

-- As it was but for blanks, which to_tsvector does not see, in a third of the time: every match costs, so single blanks are left
-- alone, and one expression without groups finds the rest. wordsForSearch in searchWords.ts does the same to plain texts.
create or replace function searchable(words text) returns text
language sql immutable strict parallel safe
return regexp_replace(
  words,
  '[^[:alnum:] ]+|(?<=[[:alpha:]])(?=[[:digit:]])|(?<=[[:digit:]])(?=[[:alpha:]])', ' ', 'g'
);

-- The search vector of an open lot from words that are made searchable already.
create function search_of_words(title_words text, description_words text) returns tsvector
language sql immutable parallel safe
return setweight(to_tsvector('english', title_words), 'A') || setweight(to_tsvector('english', description_words), 'B');

create function lot_search(title text, description text, is_open boolean) returns tsvector
language sql immutable parallel safe
return case when is_open then search_of_words(searchable(title), searchable(coalesce(description, ''))) end;

-- No longer generated, so that a load may compute it beside the reading of its file. The triggers keep what generating it kept: a
-- writer that says nothing of the vector, or leaves it as it was, gets the one of the title and description; a closed lot has none.
alter table lots alter column search drop expression;

create function refresh_search() returns trigger
language plpgsql as $$
begin
  new.search := lot_search(new.title, new.description, new.is_open);
  return new;
end
$$;

create trigger search_of_new_lot
before insert on lots
for each row
when ((new.search is null) = new.is_open)
execute function refresh_search();

create trigger search_of_changed_lot
before update of title, description, is_open, search on lots
for each row
when (
  (new.search is null) = new.is_open
  or ((new.title, new.description) is distinct from (old.title, old.description) and new.search is not distinct from old.search)
)
execute function refresh_search();
