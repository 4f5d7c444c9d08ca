-- The version of the data moves with every statement that changes a lot. Servers of 1.0.0, which run beside this version while it is rolled
-- out, keep open lots in memory and read `offers` and `scores` to know when they are outdated: both move with the version. Nothing else
-- reads them.

create or replace function change_data_version_if_any() returns trigger
language plpgsql as $$
begin
  if exists (select from changed) then
    update data_version set version = version + 1, offers = offers + 1, scores = scores + 1;
  end if;
  return null;
end
$$;
