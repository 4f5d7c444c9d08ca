#!/bin/sh
# Copies what belongs to people from a database that no released version has made into a new one, completely or not at all: accounts, keys,
# sessions, the calls of each month, webhook endpoints with their secrets, saved searches and watched lots.
# Before and after it: docs/operating.md#a-database-from-before-100
#
#   deploy/keepAccounts.sh OLD_URL NEW_URL
set -eu
old_url=$1
new_url=$2
export PGCLIENTENCODING=UTF8

# In the order of their foreign keys.
tables='accounts keys sessions monthly_usage operation_usage operation_calls quota_mails alert_endpoints saved_searches'
# An id is never used again: the address of a feed, for one, is derived from the id of its search.
sequences='accounts_id_seq sessions_id_seq alert_endpoints_id_seq saved_searches_id_seq subscription_looks'

run() { psql --no-psqlrc --quiet --tuples-only --no-align --set=ON_ERROR_STOP=1 "$@"; }

# For its owner only (mode 600), because it contains secrets.
kept=$(mktemp)
trap 'rm -f "$kept"' EXIT
trap 'exit 1' HUP INT TERM

for table in $tables; do
  columns=$(run "$old_url" --command="
    select string_agg(quote_ident(attname), ', ' order by attnum)
    from pg_attribute
    where attrelid = to_regclass('public.$table') and attnum > 0 and not attisdropped and attgenerated = ''")
  # The oldest databases have no alerts.
  [ -n "$columns" ] || continue
  printf 'copy public.%s (%s) from stdin;\n' "$table" "$columns"
  run "$old_url" --command="copy public.$table ($columns) to stdout"
  printf '%s\n' '\.'
done >"$kept"

for sequence in $sequences; do
  [ -n "$(run "$old_url" --command="select to_regclass('public.$sequence')")" ] || continue
  run "$old_url" --command="
    select format('select setval(%L, %s, %L);', 'public.$sequence', last_value, is_called) from public.$sequence"
done >>"$kept"

# A zone other than the default was chosen, also where the old database did not yet say so.
echo "update accounts set is_time_zone_known = true where time_zone <> 'America/New_York';" >>"$kept"

# The new database numbers its changes from 1, and what is in it already is no news for a saved search.
echo 'update saved_searches set since_change = last_change(), mail_since = null, mail_due_at = null;' >>"$kept"

run "$new_url" --single-transaction --file="$kept" >/dev/null
run "$new_url" --command="
  select format(
    'Copied %s accounts, %s keys, %s saved searches and watched lots, %s webhook endpoints.',
    (select count(*) from accounts), (select count(*) from keys),
    (select count(*) from saved_searches), (select count(*) from alert_endpoints)
  )"
