-- A moment in milliseconds since 1970, as JavaScript has it.
create function to_ms(moment timestamptz) returns double precision
language sql stable parallel safe
return extract(epoch from moment)::float8 * 1000;
