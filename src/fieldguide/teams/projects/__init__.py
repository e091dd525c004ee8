"""The registry: the projects of a service, and who may do what in each."""

from fieldguide.storage.port import Schema

SCHEMA = Schema(
    "projects",
    "fieldguide.teams.projects",
    ("registry_revision", "hosted_project", "project_grant", "project_copy"),
)
