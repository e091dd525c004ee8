#!/bin/sh
# Writes the three secrets of compose.yaml, once: what is there stays. Run it beside compose.yaml.
set -eu
umask 077
mkdir -p secrets
random() { od -An -N32 -tx1 /dev/urandom | tr -d ' \n'; }
[ -e secrets/postgres_password ] || random > secrets/postgres_password
[ -e secrets/fieldguide_password ] || random > secrets/fieldguide_password
[ -e secrets/pg_service.conf ] || printf '[fieldguide]\nhost=postgres\ndbname=fieldguide\nuser=fieldguide\npassword=%s\n' \
    "$(cat secrets/fieldguide_password)" > secrets/pg_service.conf
# The server runs as 10001, PostgreSQL as 999: each may read its own, and nobody else any.
if [ "$(id -u)" = 0 ]; then
    chown 10001:10001 secrets/pg_service.conf
    chown 999:999 secrets/postgres_password secrets/fieldguide_password
else
    echo "Not root: let the containers read their secrets with" >&2
    echo "  sudo chown 10001:10001 secrets/pg_service.conf" >&2
    echo "  sudo chown 999:999 secrets/postgres_password secrets/fieldguide_password" >&2
fi
