"""A service for a team: many projects and people, tokens, grants, audit, replicas and operation."""
