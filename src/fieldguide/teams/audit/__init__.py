"""The audit log of a service: who did what, where, when, and how it ended; appended to, never changed."""

from fieldguide.storage.port import Schema

SCHEMA = Schema("audit", "fieldguide.teams.audit", ("audit_entry", "audit_anchor"))
