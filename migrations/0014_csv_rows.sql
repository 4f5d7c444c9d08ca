-- A row of PostgreSQL as text is a line of CSV (RFC 4180) in brackets, written by the server itself instead of cell by cell: quoted where
-- it must be and where there are blanks. Only a backslash is doubled, which CSV does not do.
create function csv_line(line text) returns text
language sql immutable parallel safe
return case
  when strpos(line, '\') > 0 then replace(substr(line, 2, length(line) - 2), '\\', '\')
  else substr(line, 2, length(line) - 2)
end;

-- A text that a spreadsheet would run as a formula is made safe (OWASP, CSV injection). Servers of the version before use csv_cell.
create function csv_safe(value text) returns text
language sql immutable parallel safe
return case when ascii(value) in (9, 13, 43, 45, 61, 64) then '''' || value else value end;
