-- A number that changes with every change of the lots or the sources, in the same transaction: what a cache may trust.

create table data_version (
  is_only boolean primary key default true check (is_only),
  version bigint not null
) with (fillfactor = 50);

insert into data_version (version) values (1);

create function change_data_version() returns trigger
language plpgsql as $$
begin
  update data_version set version = version + 1;
  return null;
end
$$;

-- A statement that updates nothing changes nothing; ended lots are looked for every minute.
create function change_data_version_if_any() returns trigger
language plpgsql as $$
begin
  if exists (select from changed) then
    update data_version set version = version + 1;
  end if;
  return null;
end
$$;

create trigger lots_added after insert or delete or truncate on lots
for each statement execute function change_data_version();

create trigger lots_changed after update on lots
referencing new table as changed
for each statement execute function change_data_version_if_any();

create trigger sources_changed after insert or update or delete on sources
for each statement execute function change_data_version();
