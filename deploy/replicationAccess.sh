#!/bin/sh
# The postgres image runs this once on a new database: it lets the replica of compose.yaml fetch a base backup and follow.
echo 'host replication all samenet scram-sha-256' >>"$PGDATA/pg_hba.conf"
