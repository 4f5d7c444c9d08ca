#!/bin/sh
# Run once by the postgres image on a new database: the replica of compose.yaml may fetch a base backup and follow.
echo 'host replication all samenet scram-sha-256' >>"$PGDATA/pg_hba.conf"
