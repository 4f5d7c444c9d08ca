-- A counter below zero would grant calls that nobody paid for: the database refuses it, whatever a server or an operator writes. `not valid`:
-- checked from the next write of a row on. Reading the rows that are there would keep the lock (1,000,000 rows: 1 s).
alter table monthly_usage add constraint monthly_usage_used_check check (used >= 0) not valid;
alter table burst_usage add constraint burst_usage_used_check check (used >= 0) not valid;
