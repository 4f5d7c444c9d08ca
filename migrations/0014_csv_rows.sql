-- A text that a spreadsheet would run as a formula is made safe (OWASP, CSV injection); PostgreSQL itself quotes the cells of a row
-- (csvRows.ts), so they need not be looked through one by one. Servers of the version before use csv_cell.
create function csv_safe(value text) returns text
language sql immutable parallel safe
return case when ascii(value) in (9, 13, 43, 45, 61, 64) then '''' || value else value end;
