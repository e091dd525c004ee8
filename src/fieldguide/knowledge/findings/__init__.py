"""The database schema of findings and work sessions."""

from fieldguide.storage.database import Schema

SCHEMA = Schema(
    "context",
    "fieldguide.knowledge.findings",
    ("discovery", "work_session", "work_session_file", "context_item", "context_total"),
    released=3,
)
