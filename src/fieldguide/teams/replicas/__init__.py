"""What the replicas of a service share through PostgreSQL, so that any request may reach any of them."""

from fieldguide.storage.port import Schema

SCHEMA = Schema(
    "replicas",
    "fieldguide.teams.replicas",
    (
        "replica_session",
        "replica_workflow",
        "replica_workflow_result",
        "replica_key",
        "replica_rate",
        "replica_quota",
        "replica_message",
    ),
)
