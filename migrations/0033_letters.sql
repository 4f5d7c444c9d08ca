-- Words of searches by letters, without the locale of the database: with lc_ctype C, PostgreSQL takes "é" for no letter and "É" for no capital,
-- so that "CAFÉ" could not be found by any word.

-- A text in small letters without their accents: Latin, Greek and Cyrillic. letters.ts does the same to a query, and
-- test/infra/letters.test.ts compares them. Only a text with other characters than ASCII and punctuation pays for it: 1 µs a title, or 40.
create function folded(words text) returns text
language sql immutable parallel safe
return case
  when octet_length(words) = length(words) or words !~ '[^\u0001-\u00bf\u2002-\u206f\u2122]' then lower(words collate "C")
  else replace(replace(replace(replace(replace(replace(
    translate(
      lower(normalize(regexp_replace(normalize(words, NFD), '[\u0300-\u036f]+', '', 'g'), NFC) collate "C"),
      'ΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩςАБВГДЕЖЗИКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯЂЄЅІЈЉЊЋЏҐØøŁłĐđÐðĦħŦŧıÞŊ',
      'αβγδεζηθικλμνξοπρστυφχψωσабвгдежзиклмнопрстуфхцчшщъыьэюяђєѕіјљњћџґoollddddhhttiþŋ'
    ),
    'ß', 'ss'), 'ẞ', 'ss'), 'æ', 'ae'), 'Æ', 'ae'), 'œ', 'oe'), 'Œ', 'oe')
end;

-- What stands between words, as the inside of a class of a regular expression: all that is no letter, digit or blank.
create function separators() returns text
language sql immutable parallel safe
return
  '\u0001-\u001f\u0021-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u00a9\u00ab-\u00b4\u00b6-\u00b9\u00bb-\u00bf\u00d7\u00f7\u1680'
  '\u2000-\u2070\u2072-\u207e\u2080-\u208f\u209d-\u2101\u2103-\u2106\u2108\u2109\u2114\u2116-\u2118\u211e-\u2123'
  '\u2125\u2127\u2129\u212e\u213a\u213b\u2140-\u2144\u214a-\u214d\u214f-\u215f\u2189-\u24b5\u24ea-\u2bff\u2e00-\u2e7f'
  '\u3000-\u3004\u3008-\u3020\u3030\u303d-\u303f\ue000-\uf8ff\ufe00-\ufe1f\ufe30-\ufe6f\ufeff\uff00-\uff0f'
  '\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65\uffe0-\uffef\ufff9-\uffff'
  '\U0001f000-\U0001faff';

-- No longer strict: PostgreSQL inlines no strict function with a `case` in it.
create or replace function searchable(words text) returns text
language sql immutable parallel safe
return regexp_replace(
  folded(words),
  '[' || separators() || ']+|(?<=[^0-9 ' || separators() || '])(?=[0-9])|(?<=[0-9])(?=[^0-9 ' || separators() || '])',
  ' ', 'g'
);

create or replace function lot_search(
  title text, item text, read text, describing text, place text, source_id text, is_searched boolean
) returns tsvector
language sql immutable parallel safe
return case
  when is_searched then
    setweight(to_tsvector('english', searchable(title)), 'A')
    || setweight(to_tsvector('english', searchable(read || ' ' || item) || ' ' || replace(item, '-', '')), 'B')
    || setweight(to_tsvector('english', searchable(coalesce(describing, ''))), 'C')
    || setweight(to_tsvector('english', searchable(place)), 'D')
    || setweight(to_tsvector('english', regexp_replace(folded(source_id), '[ ' || separators() || ']+', '', 'g')), 'D')
end;

-- The stored words that change: few lots, since ASCII stays as it was. A column that others are generated from is written for their sake.
update lots l
set title = title
where octet_length(concat(title, describing, category, item, vehicle_make, vehicle_model, city, source_id))
  <> length(concat(title, describing, category, item, vehicle_make, vehicle_model, city, source_id))
and (
  sold_words is distinct from lot_search(title, coalesce(item, ''), category, null, '', '', sold_at is not null)
  or search is distinct from lot_search(
    title, coalesce(item, ''), category || ' ' || coalesce(vehicle_make, '') || ' ' || coalesce(vehicle_model, ''), describing,
    coalesce(city, '') || ' ' || coalesce(state, ''), source_id, is_open
  )
);
