#!/bin/sh
# The roles of a service, made once by the superuser of a new PostgreSQL; the image of PostgreSQL runs this by itself.
# `fieldguide` owns the tables and logs in. `fieldguide_tenant_…` owns nothing and never logs in: the service becomes it
# for each transaction of a project, so that row-level security holds. The password comes from a file.
set -eu
: "${FIELDGUIDE_PASSWORD_FILE:?names the file with the password of the role fieldguide}"
export FIELDGUIDE_PASSWORD_FILE
psql --quiet --no-psqlrc --set=ON_ERROR_STOP=1 --username="${POSTGRES_USER:-postgres}" --dbname="${POSTGRES_DB:-fieldguide}" <<'SQL'
\set password `cat "$FIELDGUIDE_PASSWORD_FILE"`
SELECT 'fieldguide_tenant_' || left(encode(sha256(convert_to(current_database() || '.public', 'UTF8')), 'hex'), 16) AS tenant,
    current_setting('server_version_num')::INTEGER >= 160000 AS knows_set_option \gset
SELECT 'CREATE ROLE fieldguide LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOBYPASSRLS NOREPLICATION'
WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'fieldguide') \gexec
SELECT format('CREATE ROLE %I NOLOGIN NOINHERIT NOSUPERUSER NOCREATEDB NOCREATEROLE NOBYPASSRLS NOREPLICATION', :'tenant')
WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = :'tenant') \gexec
ALTER ROLE fieldguide PASSWORD :'password';
\if :knows_set_option
GRANT :"tenant" TO fieldguide WITH INHERIT FALSE, SET TRUE;
\else
GRANT :"tenant" TO fieldguide;
\endif
SELECT format('ALTER DATABASE %I OWNER TO fieldguide', current_database()) \gexec
SELECT format('REVOKE ALL ON DATABASE %I FROM PUBLIC', current_database()) \gexec
ALTER SCHEMA public OWNER TO fieldguide;
REVOKE CREATE ON SCHEMA public FROM PUBLIC;
SQL
