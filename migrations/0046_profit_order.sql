-- The order by profit, as 1.0.0 described it. In a migration of its own: the lock of 0045 would keep all callers waiting while it is built.
create index searches_by_profit on lots (expected_profit_cents desc nulls last, id) include (starts_at, ends_at) where is_open;
