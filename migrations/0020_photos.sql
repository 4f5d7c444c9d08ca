-- What the host of a source's photos answered the public, asked once a day. Whether photos are shown is decided when they are read.

alter table sources
  add column photos_checked_at timestamptz,
  -- The HTTP status; null while unknown.
  add column photos_status smallint,
  add column photos_since timestamptz;
