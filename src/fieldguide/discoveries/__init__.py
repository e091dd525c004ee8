"""What earlier work found out: discoveries, and the sessions they were made in."""

from fieldguide.storage.port import Schema

SCHEMA = Schema(
    "context",
    "fieldguide.discoveries",
    ("discovery", "work_session", "work_session_file", "context_item", "context_total"),
    released=3,
)
