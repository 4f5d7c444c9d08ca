-- Whose time it is: a table can be fetched every day and be unchanged for years.

alter table sources
  -- When the publisher last changed its data, as its portal or file says; null where it does not say.
  add column publisher_changed_at timestamptz;
