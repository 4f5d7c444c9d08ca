-- Words: the query of a search for them, and the most frequent ones of titles.

-- The query of a search for words among the lots or sales of a category or state, which may be null. Their vectors have its words too (those
-- of sales no state): with them, the index leaves out all others, which would be read for nothing. Words that the vectors leave out
-- ("other", "OR") are in no query.
create function lots_query(words text, category text, state text) returns tsquery
language sql immutable parallel safe
return case
  when coalesce(category, state) is null or numnode(to_tsquery('english', words)) = 0 then to_tsquery('english', words)
  else to_tsquery('english', words)
    && plainto_tsquery('english', searchable(coalesce(category, '') || ' ' || coalesce(state, '')))
end;

-- The words of letters in titles, in lower case, with blanks between them, the most frequent first.
create function frequent_words(titles text[], most integer) returns text
language sql immutable parallel safe
return (
  with pieces as materialized (
    select piece, count(*) as titles
    from unnest(titles) as title, string_to_table(lower(title), ' ') as piece
    group by piece
  )
  select coalesce(string_agg(word, ' ' order by lots desc, word), '')
  from (
    select word, sum(pieces.titles) as lots
    from pieces, rtrim(piece, ',.:;)') as word
    where word ~ '^[a-z]{3,24}$'
    group by word
    order by lots desc, word
    limit most
  ) as words
);
