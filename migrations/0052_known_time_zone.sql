-- Whether the owner or the browser of the owner has said the time zone of an account; until then it is the default one, which the
-- next sign-in may replace.
alter table accounts add column is_time_zone_known boolean not null default false;

update accounts set is_time_zone_known = true where time_zone <> 'America/New_York';
